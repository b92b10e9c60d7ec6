//! The parts that are postcard, put together from `SPEC.md` §3.1 without postcard: so their bytes
//! are known, and every number in them can be written longer than it must be.

use crate::prelude::*;

/// A piece of a file.
pub(crate) enum Piece {
    /// The beginning of a value that a decoder reads as a whole.
    Start,
    /// Bytes as they are.
    Raw(Vec<u8>),
    /// A number, and the most bytes that it may take.
    Varint(u64, usize),
}

/// The bytes of a number: seven bits in each, the lowest first, and a mark on all but the last.
pub(crate) fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 128 {
        bytes.push(u8::try_from(number % 128).unwrap() + 128);
        number /= 128;
    }
    bytes.push(u8::try_from(number).unwrap());
    bytes
}

/// A file in pieces.
#[derive(Default)]
pub(crate) struct ByHand(Vec<Piece>);

/// A file in which one number has a byte too many.
pub(crate) struct Padded {
    pub(crate) bytes: Vec<u8>,
    /// The offset that the error must have.
    pub(crate) offset: u64,
}

impl ByHand {
    fn new(magic: &[u8; 8]) -> Self {
        ByHand::default().raw(magic).raw(&[1, 0, 0, 0]).start()
    }

    fn start(mut self) -> Self {
        self.0.push(Piece::Start);
        self
    }

    fn raw(mut self, bytes: &[u8]) -> Self {
        self.0.push(Piece::Raw(bytes.into()));
        self
    }

    fn u64(mut self, number: u64) -> Self {
        self.0.push(Piece::Varint(number, 10));
        self
    }

    fn u32(mut self, number: u32) -> Self {
        self.0.push(Piece::Varint(number.into(), 5));
        self
    }

    fn count(self, number: usize) -> Self {
        self.u64(number as u64)
    }

    fn string(self, text: &str) -> Self {
        self.count(text.len()).raw(text.as_bytes())
    }

    fn option<T>(self, value: Option<T>, some: impl FnOnce(Self, T) -> Self) -> Self {
        match value {
            None => self.raw(&[0]),
            Some(value) => some(self.raw(&[1]), value),
        }
    }

    fn cover(self, cover: &Cover) -> Self {
        let clauses = cover.clauses();
        let all = self.count(clauses.len());
        clauses.iter().fold(all, |all, clause| all.raw(&[clause.pieces, clause.side]))
    }

    pub(crate) fn object(magic: &[u8; 8], head: &ObjectHead) -> Self {
        ByHand::new(magic).u32(head.question as u32).u64(head.first).u64(head.count)
    }

    pub(crate) fn manifest(manifest: &Manifest) -> Self {
        let all = ByHand::new(b"DPCERT\0\0").u64(manifest.claim_length);
        let all = all.raw(&manifest.claim_digest.0).start().count(manifest.objects.len());
        manifest.objects.iter().fold(all, |all, object| {
            let all = all.start().u32(object.kind as u32).u32(object.question as u32);
            all.u64(object.first).u64(object.count).u64(object.length).raw(&object.digest.0)
        })
    }

    pub(crate) fn database(manifest: &DatabaseManifest) -> Self {
        let all = ByHand::new(b"DPEGDB\0\0").string("english-checkers-1");
        let all = all.raw(&[manifest.rows, manifest.columns]).cover(&manifest.cover);
        let all = all.start().count(manifest.slices.len());
        manifest.slices.iter().fold(all, |all, slice| {
            all.start().raw(&slice.name.0).u64(slice.length).raw(&slice.digest.0)
        })
    }

    pub(crate) fn provenance(head: &ObjectHead, provenance: &Provenance) -> Self {
        let all = ByHand::object(b"DPPROVEN", head).start().string(&provenance.program);
        let all = match provenance.mode {
            Mode::Reproducible => all.u32(0),
            Mode::FreeRunning(r) => all.u32(1).u32(r.threads).u32(r.workers).u64(r.seconds),
            Mode::Farm(r) => all.u32(2).u32(r.threads).u32(r.workers).u64(r.seconds),
        };
        let request = &provenance.request;
        let all = all.string(&request.game).string(&request.start).u32(request.claim as u32);
        let all = all.cover(&request.cover).u64(request.leaf_nodes).u64(request.leaf_table);
        let all = all.option(request.max_nodes, ByHand::u64);
        let all = all.option(request.thresholds, |all, t| {
            all.u32(t.first).u32(t.increment).option(t.until, ByHand::u32)
        });
        let all = all.count(request.seed_line.len());
        let all = request.seed_line.iter().fold(all, |all, text| all.string(text));
        let all = all.count(provenance.iterations.len());
        provenance.iterations.iter().fold(all, |all, i| {
            let all = all.option(i.threshold, ByHand::u32).u64(i.nodes).u64(i.leaves);
            all.u64(i.searches).u64(i.searched).u64(i.depth)
        })
    }

    /// The part of a slice file before the checksum.
    pub(crate) fn slice(head: &SliceHead) -> Self {
        let header = head.header;
        let all = ByHand::new(b"DPVALUES").string("english-checkers-1");
        let all = all.raw(&[header.rows, header.columns]).raw(&header.name.0).u64(header.indices);
        let small = |n: usize| u32::try_from(n).unwrap();
        match head.constant {
            Some(value) => all.u32(0).u32(value as u32),
            None => {
                let contexts = head.frequencies.described().len();
                all.u32(1).u32(small(contexts)).u32(small(head.units.len()))
            }
        }
    }

    /// The bytes of the file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let bytes = self.0.iter().map(|piece| match piece {
            Piece::Start => Vec::new(),
            Piece::Raw(bytes) => bytes.clone(),
            Piece::Varint(number, _) => varint(*number),
        });
        bytes.collect::<Vec<_>>().concat()
    }

    /// For each number of the file, the file with a byte too many in that number.
    pub(crate) fn padded(&self) -> Vec<Padded> {
        let (mut all, mut start, mut at) = (Vec::new(), 0, 0);
        let whole = self.bytes();
        for piece in &self.0 {
            match piece {
                Piece::Start => start = at,
                Piece::Raw(bytes) => at += bytes.len(),
                &Piece::Varint(number, most) => {
                    let end = at + varint(number).len();
                    let mut bytes = whole.clone();
                    bytes[end - 1] |= 0x80;
                    bytes.insert(end, 0);
                    // With more bytes than the number may take, the value cannot be read; otherwise
                    // the byte that should be the last is found wrong.
                    let offset = if end - at < most { end - 1 } else { start } as u64;
                    all.push(Padded { bytes, offset });
                    at = end;
                }
            }
        }
        all
    }
}
