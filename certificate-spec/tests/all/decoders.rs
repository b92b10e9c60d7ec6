//! Decoders accept exactly what encoders write, report the offset where other bytes are wrong, and
//! do not fail in any other way on any bytes.

use crate::allocation::largest;
use crate::any::{Head, Leaves, Nodes};
use crate::by_hand::{ByHand, varint};
use crate::prelude::*;
use certificate_spec::bits::BitReader;
use certificate_spec::database;
use certificate_spec::manifest;
use certificate_spec::slice::{self, head_length};
use certificate_spec::{leaves, nodes};

const OBJECT: ObjectHead = ObjectHead { question: Question::WhiteWins, first: 3, count: 1 };

fn offset(error: &WireError) -> u64 {
    match error {
        WireError::Version { offset, .. }
        | WireError::Rules { offset, .. }
        | WireError::Syntax { offset, .. } => *offset,
    }
}

/// The result of every decoder for these bytes, encoded again; for a slice file, its head.
fn decoded(bytes: &[u8]) -> [Result<Vec<u8>, WireError>; 7] {
    [
        Claim::decode(bytes).map(|claim| claim.encode().into_bytes()),
        Manifest::decode(bytes).map(|manifest| manifest.encode()),
        nodes::decode(bytes).map(|(head, nodes)| nodes::encode(&head, &nodes)),
        leaves::decode(bytes).map(|(head, leaves)| leaves::encode(&head, &leaves)),
        Provenance::decode(bytes).map(|(head, provenance)| provenance.encode(&head)),
        DatabaseManifest::decode(bytes).map(|manifest| manifest.encode()),
        SliceHead::decode(bytes, bytes.len() as u64).map(|head| head.encode()),
    ]
}

/// Whether every decoder that accepts the bytes encodes them to the same bytes, and every other one
/// reports an offset in the file or at its end.
fn one_encoding(bytes: &[u8]) -> bool {
    let [whole @ .., slice] = decoded(bytes);
    let is_head = slice.as_ref().is_ok_and(|head| head_length(bytes) == Ok(head.len() as u64));
    whole.iter().all(|again| again.as_ref().is_ok_and(|again| again == bytes) || again.is_err())
        && (slice.is_err() || is_head && slice.as_ref().is_ok_and(|head| bytes.starts_with(head)))
        && whole.iter().chain([&slice]).all(|again| match again {
            Ok(_) => true,
            Err(error) => offset(error) <= bytes.len() as u64,
        })
}

fn is_accepted(bytes: &[u8]) -> bool {
    decoded(bytes).iter().any(Result::is_ok)
}

/// The offset at which the checksum of a slice file's head should be.
pub(crate) fn checksum_at(bytes: &[u8]) -> Option<usize> {
    let skip = |at: usize| Some(at + 1 + bytes.get(at..)?.iter().position(|byte| *byte < 128)?);
    let rules = usize::from(*bytes.get(12)?);
    let coding = skip(13 + rules + 6)?;
    match bytes.get(coding)? {
        0 => skip(coding + 1),
        _ => skip(skip(coding + 1)?),
    }
}

/// Makes the checksum of a slice file's head right again, if the head is complete.
pub(crate) fn mend(bytes: &mut [u8]) {
    let (Ok(length), Some(at)) = (head_length(bytes), checksum_at(bytes)) else { return };
    let Some(rest) = bytes.get(at + 24..usize::try_from(length).unwrap()) else { return };
    let sum = Digest::of(&[&bytes[..at], rest].concat());
    bytes[at..at + 24].copy_from_slice(&sum.0[..24]);
}

#[test]
fn what_is_encoded_is_decoded() {
    fn claims(Any(claim): Any<Claim>) -> bool {
        Claim::decode(claim.encode().as_bytes()) == Ok(claim)
    }
    fn manifests(Any(manifest): Any<Manifest>) -> bool {
        let bytes = manifest.encode();
        bytes == ByHand::manifest(&manifest).bytes() && Manifest::decode(&bytes) == Ok(manifest)
    }
    fn nodes_of(Any((head, records)): Any<Nodes>) -> bool {
        let bytes = nodes::encode(&head, &records);
        bytes.starts_with(&ByHand::object(b"DPNODES\0", &head).bytes())
            && nodes::offset(&head, records.len()) == bytes.len() as u64
            && nodes::decode(&bytes) == Ok((head, records))
    }
    fn leaves_of(Any((head, all)): Any<Leaves>) -> bool {
        let bytes = leaves::encode(&head, &all);
        let Ok((read, leaves)) = leaves::decode(&bytes) else { return false };
        let leaves: Vec<_> = leaves.iter().map(leaves::LeafIn::to_vec).collect();
        let entries = usize::try_from(leaves::offset(&head, all.len())).unwrap();
        let strategies: Vec<u8> = all.iter().flat_map(|leaf| leaf.strategy.clone()).collect();
        bytes.starts_with(&ByHand::object(b"DPLEAVES", &head).bytes())
            && bytes[entries..] == strategies
            && (read, leaves) == (head, all)
    }
    fn provenances(Any(head): Any<ObjectHead>, Any(provenance): Any<Provenance>) -> bool {
        let bytes = provenance.encode(&head);
        bytes == ByHand::provenance(&head, &provenance).bytes()
            && Provenance::decode(&bytes) == Ok((head, provenance))
    }
    fn databases(Any(manifest): Any<DatabaseManifest>) -> bool {
        let bytes = manifest.encode();
        bytes == ByHand::database(&manifest).bytes()
            && DatabaseManifest::decode(&bytes) == Ok(manifest)
    }
    fn slice_heads(Any((head, length)): Any<Head>) -> bool {
        let bytes = head.encode();
        let start = ByHand::slice(&head).bytes();
        bytes.starts_with(&start)
            && head.checksum_offset() == start.len()
            && head_length(&bytes) == Ok(bytes.len() as u64)
            && SliceHead::decode(&bytes, length).as_ref() == Ok(&head)
            && [length - 1, length + 1].iter().all(|&l| SliceHead::decode(&bytes, l).is_err())
    }
    QuickCheck::new().quickcheck(claims as fn(Any<Claim>) -> bool);
    QuickCheck::new().quickcheck(manifests as fn(Any<Manifest>) -> bool);
    QuickCheck::new().quickcheck(nodes_of as fn(Any<Nodes>) -> bool);
    QuickCheck::new().quickcheck(leaves_of as fn(Any<Leaves>) -> bool);
    QuickCheck::new().quickcheck(provenances as fn(Any<ObjectHead>, Any<Provenance>) -> bool);
    QuickCheck::new().quickcheck(databases as fn(Any<DatabaseManifest>) -> bool);
    QuickCheck::new().quickcheck(slice_heads as fn(Any<Head>) -> bool);
}

#[test]
fn choices_of_a_strategy_come_back() {
    fn choices_come_back(choices: Vec<(u8, u8)>) -> bool {
        let choices: Vec<(u32, u32)> = choices
            .into_iter()
            .map(|(choice, n)| (u32::from(choice % n.max(1)), width(usize::from(n.max(1)))))
            .collect();
        let mut writer = BitWriter::default();
        choices.iter().for_each(|&(choice, width)| writer.push(choice, width));
        let bytes = writer.finish();
        let mut reader = BitReader::new(&bytes);
        choices.iter().all(|&(choice, width)| reader.take(width) == Some(choice))
            && reader.is_finished()
    }
    QuickCheck::new().quickcheck(choices_come_back as fn(Vec<(u8, u8)>) -> bool);
    let widths: Vec<u32> = (0..10).map(width).collect();
    assert_eq!(widths, [1, 1, 1, 2, 2, 3, 3, 3, 3, 4]);
}

#[test]
fn offsets_of_records_are_where_they_are() {
    fn of_objects(Any(manifest): Any<Manifest>) -> bool {
        let (bytes, end) = (manifest.encode(), manifest.offset(manifest.objects.len()));
        let at = |i| usize::try_from(manifest.offset(i)).unwrap();
        end == bytes.len() as u64
            && manifest.objects.iter().enumerate().all(|(i, object)| {
                let record = &bytes[at(i)..at(i + 1)];
                record[..2] == [object.kind as u8, object.question as u8]
                    && record.ends_with(&object.digest.0)
            })
    }
    fn of_slices(Any(manifest): Any<DatabaseManifest>) -> bool {
        let (bytes, end) = (manifest.encode(), manifest.offset(manifest.slices.len()));
        let at = |i| usize::try_from(manifest.offset(i)).unwrap();
        end == bytes.len() as u64
            && manifest.slices.iter().enumerate().all(|(i, slice)| {
                let record = &bytes[at(i)..at(i + 1)];
                record.starts_with(&slice.name.0) && record.ends_with(&slice.digest.0)
            })
    }
    QuickCheck::new().quickcheck(of_objects as fn(Any<Manifest>) -> bool);
    QuickCheck::new().quickcheck(of_slices as fn(Any<DatabaseManifest>) -> bool);
}

/// A slice file with two contexts, and a unit of each kind.
pub(crate) fn slice_sample() -> Vec<u8> {
    let header = SliceHeader { name: SliceName([0, 1, 1, 0]), rows: 3, columns: 3, indices: 12 };
    let mut frequencies = Frequencies::default();
    frequencies.describe(4, [1, 8000]);
    frequencies.describe(575, [1, 16382]);
    let units = [value::Value::Loss, value::Value::Draw, value::Value::Win].map(Unit::Constant);
    let units = [&units[..], &[Unit::Coded { offset: 0, length: 12 }]].concat();
    let mut bytes = SliceHead { header, constant: None, frequencies, units }.encode();
    bytes.extend([0; 12]);
    bytes
}

pub(crate) fn constant_sample() -> Vec<u8> {
    let header = SliceHeader { name: SliceName([1, 0, 1, 0]), rows: 3, columns: 3, indices: 9 };
    let (frequencies, constant) = (Frequencies::default(), Some(value::Value::Win));
    SliceHead { header, constant, frequencies, units: Vec::new() }.encode()
}

pub(crate) fn object_sample() -> Object {
    let (kind, question) = (Kind::Nodes, Question::BlackNotLost);
    Object { kind, question, first: 0, count: 200, length: 80, digest: Digest::of(b"object") }
}

pub(crate) fn manifest_sample() -> Manifest {
    let object = object_sample();
    let provenance = Object { kind: Kind::Provenance, count: 1, ..object };
    let objects = vec![object, Object { first: 200, ..object }, provenance];
    Manifest { claim_length: 300, claim_digest: Digest::of(b"claim"), objects }
}

pub(crate) fn database_sample() -> DatabaseManifest {
    let slice =
        |name| SliceRecord { name: SliceName(name), length: 148, digest: Digest::of(b"slice") };
    let slices = [[0, 1, 0, 1], [0, 1, 1, 0], [1, 0, 0, 1]].map(slice).to_vec();
    let cover = Cover::parse("7,8:4").unwrap();
    DatabaseManifest { rows: 3, columns: 3, cover, slices }
}

pub(crate) fn claim_sample() -> Claim {
    Claim {
        game: "6x6".into(),
        start: "B:W13:B1".into(),
        value: Value::Draw,
        cover: Cover::parse("7,8:4").unwrap(),
        database: Some(Digest::of(b"database")),
    }
}

/// One file of each kind.
fn samples() -> [Vec<u8>; 8] {
    let position = nodes::WirePosition { black: 1, white: 2, kings: 0, turn: 0 };
    let node = nodes::Node { position, rank: 1, data: 0, kind: 1, reserved: 0 };
    let leaf = leaves::Leaf { positions: 1, strategy: vec![1, 2, 3] };
    let Any(provenance) = Any::<Provenance>::arbitrary(&mut Gen::new(10));
    [
        claim_sample().encode().into_bytes(),
        manifest_sample().encode(),
        nodes::encode(&OBJECT, &[node]),
        leaves::encode(&OBJECT, &[leaf]),
        provenance.encode(&OBJECT),
        database_sample().encode(),
        slice_sample(),
        constant_sample(),
    ]
}

#[test]
fn no_other_bytes_are_accepted() {
    for sample in samples() {
        assert!(one_encoding(&sample) && is_accepted(&sample));
        for end in 0..sample.len() {
            assert!(one_encoding(&sample[..end]) && !is_accepted(&sample[..end]), "cut to {end}");
        }
        for extra in [&[0][..], b"\n", &[1], &[0; 37], &[0; 1000]] {
            assert!(!is_accepted(&[&sample[..], extra].concat()), "{extra:?} more");
        }
        for at in 0..sample.len() {
            for bit in 0..8 {
                let mut bytes = sample.clone();
                bytes[at] ^= 1 << bit;
                assert!(one_encoding(&bytes), "byte {at} bit {bit}");
                // There must be one encoding of the rest, with a right checksum, as well.
                mend(&mut bytes);
                assert!(one_encoding(&bytes), "byte {at} bit {bit}, mended");
            }
        }
    }
    QuickCheck::new().quickcheck((|bytes| one_encoding(&bytes)) as fn(Vec<u8>) -> bool);
}

/// Every change of a single bit, in every file that has postcard.
#[test]
fn changed_bits_are_refused_or_something_else() {
    fn judged(bytes: &[u8]) -> bool {
        (0..8 * bytes.len()).all(|bit| {
            let mut bytes = bytes.to_vec();
            bytes[bit / 8] ^= 1 << (bit % 8);
            one_encoding(&bytes)
        })
    }
    fn manifests(Any(manifest): Any<Manifest>) -> bool {
        judged(&manifest.encode())
    }
    fn databases(Any(manifest): Any<DatabaseManifest>) -> bool {
        judged(&manifest.encode())
    }
    fn provenances(Any(head): Any<ObjectHead>, Any(provenance): Any<Provenance>) -> bool {
        judged(&provenance.encode(&head))
    }
    QuickCheck::new().tests(20).quickcheck(manifests as fn(Any<Manifest>) -> bool);
    QuickCheck::new().tests(20).quickcheck(databases as fn(Any<DatabaseManifest>) -> bool);
    QuickCheck::new().tests(20).quickcheck(provenances as fn(Any<ObjectHead>, Any<_>) -> bool);
}

#[test]
fn changed_slice_heads_have_one_encoding() {
    fn changed(Any((head, length)): Any<Head>, changes: Vec<(u16, u8)>, cut: u8) -> bool {
        let mut bytes = head.encode();
        for (at, to) in changes {
            let at = usize::from(at) % bytes.len();
            bytes[at] ^= to;
        }
        mend(&mut bytes);
        let other = |length| {
            SliceHead::decode(&bytes, length).is_ok_and(|h| !bytes.starts_with(&h.encode()))
        };
        let whole = !other(length) && !other(length + u64::from(cut)) && one_encoding(&bytes);
        bytes.truncate(usize::from(cut));
        whole && one_encoding(&bytes)
    }
    let property = changed as fn(Any<Head>, Vec<(u16, u8)>, u8) -> bool;
    QuickCheck::new().tests(2000).quickcheck(property);
}

#[test]
fn what_is_left_over_is_refused() {
    fn refused(more: Vec<u8>) -> bool {
        more.is_empty()
            || samples().iter().all(|sample| !is_accepted(&[&sample[..], &more].concat()))
    }
    QuickCheck::new().quickcheck(refused as fn(Vec<u8>) -> bool);
    // Where the number of records is possible, a byte left over is itself the error.
    let [_, manifest, _, leaves, provenance, database, ..] = samples();
    for sample in [manifest, leaves, provenance, database] {
        let longer = [&sample[..], &[0]].concat();
        let wrong = decoded(&longer).map(|again| again.map_err(|e| offset(&e)));
        assert!(wrong.contains(&Err(sample.len() as u64)), "{wrong:?}");
    }
}

#[test]
fn padded_numbers_are_refused_where_they_should_end() {
    fn refused(all: &ByHand, decode: impl Fn(&[u8]) -> Option<WireError>) -> bool {
        all.padded().iter().all(|p| decode(&p.bytes).is_some_and(|e| offset(&e) == p.offset))
    }
    fn manifests(Any(mut manifest): Any<Manifest>) -> bool {
        // With a byte more the number of records may be impossible; then the number is the error.
        manifest.objects.iter_mut().for_each(|object| object.length >>= 8);
        refused(&ByHand::manifest(&manifest), |bytes| Manifest::decode(bytes).err())
    }
    fn databases(Any(mut manifest): Any<DatabaseManifest>) -> bool {
        manifest.slices.iter_mut().for_each(|slice| slice.length >>= 8);
        refused(&ByHand::database(&manifest), |bytes| DatabaseManifest::decode(bytes).err())
    }
    fn objects(Any(head): Any<ObjectHead>) -> bool {
        let nodes = ByHand::object(b"DPNODES\0", &head);
        let leaves = ByHand::object(b"DPLEAVES", &head);
        refused(&nodes, |bytes| nodes::decode(bytes).err())
            && refused(&leaves, |bytes| leaves::decode(bytes).err())
    }
    fn provenances(Any(head): Any<ObjectHead>, Any(provenance): Any<Provenance>) -> bool {
        let all = ByHand::provenance(&head, &provenance);
        refused(&all, |bytes| Provenance::decode(bytes).err())
    }
    fn slices(Any((head, _)): Any<Head>) -> bool {
        refused(&ByHand::slice(&head), |bytes| head_length(bytes).err())
    }
    QuickCheck::new().quickcheck(manifests as fn(Any<Manifest>) -> bool);
    QuickCheck::new().quickcheck(databases as fn(Any<DatabaseManifest>) -> bool);
    QuickCheck::new().quickcheck(objects as fn(Any<ObjectHead>) -> bool);
    QuickCheck::new().quickcheck(provenances as fn(Any<ObjectHead>, Any<Provenance>) -> bool);
    QuickCheck::new().quickcheck(slices as fn(Any<Head>) -> bool);
}

/// A file with another number in place of the varint at offset `at`.
fn with_number(sample: &[u8], at: usize, number: u64) -> Vec<u8> {
    let old = 1 + sample[at..].iter().position(|byte| *byte < 128).unwrap();
    [&sample[..at], &varint(number), &sample[at + old..]].concat()
}

#[test]
fn counts_that_lie_are_refused_without_reserving_memory() {
    let [_, manifest, nodes, leaves, _, database, slice, _] = samples();
    let Any(mut provenance) = Any::<Provenance>::arbitrary(&mut Gen::new(10));
    provenance.request.seed_line.clear();
    provenance.iterations.clear();
    let provenance = provenance.encode(&OBJECT);
    let before = |end: u64| usize::try_from(end).unwrap() - 1;
    let (objects, slices) = (before(manifest_sample().offset(0)), database_sample().offset(0));
    let (slices, units) = (before(slices), checksum_at(&slice).unwrap() - 1);
    let [seed_line, iterations] = [2, 1].map(|n| provenance.len() - n);
    // A file, the offset of a number of items in it, and the offset that the error must have: that
    // of the number, that of the value it is part of, or that of the value's end.
    let cases: [(&[u8], usize, Option<u64>); 11] = [
        (&manifest, objects, Some(objects as u64)),
        (&database, 12, Some(12)),
        (&database, 33, Some(12)),
        (&database, slices, Some(slices as u64)),
        (&nodes, 14, None),
        (&leaves, 14, None),
        (&provenance, 15, Some(15)),
        (&provenance, seed_line, Some(15)),
        (&provenance, iterations, Some(15)),
        (&slice, units - 1, Some(12)),
        (&slice, units, Some(12)),
    ];
    let shifts = [16, 17, 20, 21, 28, 32, 36, 40, 48, 60, 63];
    let counts = shifts
        .into_iter()
        .flat_map(|shift| [(1 << shift) - 1, 1 << shift, u64::MAX >> (63 - shift)]);
    for count in counts {
        for (sample, at, wrong) in cases {
            let bytes = with_number(sample, at, count);
            let wrong = wrong.unwrap_or((at + varint(count).len()) as u64);
            let (results, largest) = largest(|| decoded(&bytes));
            let found = results.map(|result| result.err().map(|error| offset(&error)));
            assert!(found.iter().all(Option::is_some), "count {count} at {at}: {found:?}");
            assert!(found.contains(&Some(wrong)), "count {count} at {at}: {found:?}, not {wrong}");
            // Serde asks for at most a mebibyte before the first item of a list has been read.
            assert!(largest <= 1 << 20, "count {count} at {at}: {largest} bytes");
        }
    }
}

#[test]
fn the_first_bytes_are_judged_as_all_of_them() {
    fn same(bytes: &[u8]) -> bool {
        let length = bytes.len() as u64;
        let first = |most: usize| &bytes[..bytes.len().min(most)];
        let manifest = Manifest::judge_start(first(manifest::START), length);
        let database = DatabaseManifest::judge_start(first(database::START), length);
        let slice = head_length(first(slice::START));
        (manifest.is_ok() || manifest.err() == Manifest::decode(bytes).err())
            && (database.is_ok() || database.err() == DatabaseManifest::decode(bytes).err())
            && slice == head_length(bytes)
            && (slice.is_ok() || slice.err() == SliceHead::decode(bytes, length).err())
    }
    fn changed(which: u8, changes: Vec<(u8, u8)>, number: u64) -> bool {
        let samples = samples();
        let mut bytes = samples[usize::from(which) % samples.len()].clone();
        for (at, to) in changes {
            let at = usize::from(at) % bytes.len();
            bytes[at] ^= to;
        }
        let lied = with_number(&bytes, 12, number);
        same(&bytes) && same(&lied) && same(&[&lied[..], &[b'x'; 1000]].concat())
    }
    QuickCheck::new().tests(2000).quickcheck(changed as fn(u8, Vec<(u8, u8)>, u64) -> bool);
    // A name of rules that does not end within the first bytes.
    for (sample, most) in [(database_sample().encode(), 235), (slice_sample(), 232)] {
        for length in [100, 200, most, most + 1, 300, 1000] {
            let rules = vec![b'x'; usize::try_from(length).unwrap()];
            let bytes = [&sample[..12], &varint(length), &rules, &sample[31..]].concat();
            assert!(same(&bytes), "{length}");
            let is_rules = |e: &Result<_, _>| matches!(e, Err(WireError::Rules { offset: 12, .. }));
            assert_eq!(decoded(&bytes).iter().any(is_rules), length <= most, "{length}");
        }
    }
}

#[test]
fn other_versions_and_rules_are_told_apart_from_nonsense() {
    for sample in &samples()[1..] {
        for version in [0u32, 2, 7, u32::MAX] {
            // The version is judged whatever comes after it.
            for length in [12, sample.len()] {
                let mut bytes = sample[..length].to_vec();
                bytes[8..12].copy_from_slice(&version.to_le_bytes());
                let expected = |e: &Result<_, _>| match e {
                    Err(WireError::Version { offset: 8, expected, found }) => {
                        expected.starts_with("1 (") && *found == version.to_string()
                    }
                    _ => false,
                };
                let decoded = decoded(&bytes);
                assert_eq!(decoded.iter().filter(|e| expected(e)).count(), 1, "{decoded:?}");
            }
        }
    }
    let [_, manifest, .., database, slice, _] = samples();
    let message = |bytes: &[u8]| {
        let old = [&bytes[..8], &[0; 4]].concat();
        decoded(&old).into_iter().filter_map(Result::err).map(|e| e.to_string()).collect::<String>()
    };
    assert!(
        message(&manifest).contains("1 (make the certificate again with: prove --emit), found 0")
    );
    for file in [database, slice] {
        assert!(message(&file).contains("1 (make the database again with: prove db), found 0"));
        // The bytes of `english`.
        let other = String::from_utf8_lossy(&file[13..31]).replace("english", "russian");
        let bytes = [&file[..13], other.as_bytes(), &file[31..]].concat();
        let is_rules = |e: &&Result<_, _>| matches!(e, Err(WireError::Rules { offset: 12, .. }));
        assert_eq!(decoded(&bytes).iter().filter(is_rules).count(), 1);
    }
    let claim = claim_sample().encode();
    for version in ["0", "2", "01", "1.0", "one"] {
        let other = claim.replacen("certificate 1", &format!("certificate {version}"), 1);
        match Claim::decode(other.as_bytes()) {
            Err(WireError::Version { offset: 0, found, .. }) => assert_eq!(found, version),
            other => panic!("{other:?}"),
        }
    }
    let other = claim.replace("english", "russian");
    assert!(matches!(Claim::decode(other.as_bytes()), Err(WireError::Rules { .. })));
}
