//! The files of slices: `SPEC.md` §3 and §8.3.
//!
//! Enforces: that a file has the length and digest of the manifest, that its head is that of the
//! slice, and that no more of it is read than a file of the slice can have. Trusts: nothing; what
//! the values in it are worth is for `values.rs` to find out.

use super::manifest::Folder;
use crate::certificate::{Seal, read_hashed};
use crate::rules::{Board, Side};
use crate::values::Shape;
use crate::verdict::{Finding, Stop};
use certificate_spec::database::{SliceName, SliceRecord};
use certificate_spec::slice::{SliceHead, SliceHeader, most_bytes, most_head};
use certificate_spec::wire::HEAD;
use checker_aid::decode::{Board as DecodedBoard, Slice, Tables};
use std::array;

/// The slice files of a database.
pub(crate) struct SliceFiles<'a> {
    pub(crate) folder: &'a Folder<'a>,
    /// The manifest's records of them, in order.
    pub(crate) records: &'a [SliceRecord],
    pub(crate) decoding: &'a Tables,
}

/// The tables about the board for decoding slice files, of slices with at most `pieces` pieces.
pub(crate) fn decoding_tables(board: &Board, pieces: u8) -> Tables {
    let near = |n| array::from_fn(|way| board.ways(n, Side::Black, true)[way].near);
    let squares = board.squares();
    let men_squares = board.men_squares();
    let near = (0..squares as usize).map(near).collect();
    Tables::new(DecodedBoard { squares, men_squares, near }, pieces)
}

impl<'a> SliceFiles<'a> {
    /// The manifest's record of a slice.
    pub(crate) fn record(&self, slice: SliceName) -> Result<&SliceRecord, Stop> {
        let place = self.records.binary_search_by_key(&slice.order(), |r| r.name.order());
        let missing = |_| Stop::Error(format!("there is no slice {}", slice.file_name()));
        place.map(|i| &self.records[i]).map_err(missing)
    }

    /// Opens the file of a slice: its length and digest, and its head. Of a file that is longer
    /// than any that can be decoded the rest is left out, and a payload that cannot be read there
    /// cannot be decoded.
    pub(crate) fn open(&self, slice: SliceName) -> Result<Slice<'a>, Stop> {
        let (head, bytes) = self.read(slice, most_bytes(self.decoding.units(slice)))?;
        Ok(Slice::new(self.decoding, head, bytes))
    }

    /// Judges what [`SliceFiles::open`] judges, and does not have the payloads in memory.
    pub(crate) fn judge_head(&self, slice: SliceName) -> Result<(), Stop> {
        self.read(slice, most_head(self.decoding.units(slice))).map(|_| ())
    }

    /// The head and the first `most` bytes of the file of a slice, or all.
    fn read(&self, slice: SliceName, most: u64) -> Result<(SliceHead, Vec<u8>), Stop> {
        let (rule, name, board) = ("slice-syntax", slice.file_name(), self.folder.board);
        let record = self.record(slice)?;
        let path = self.folder.path.join(&name);
        let file = self.folder.file(&name);
        let seal = Seal { length: record.length, digest: record.digest };
        let bytes = read_hashed(&path, &file, "slice-hash", seal, most)?;
        let head = SliceHead::decode(&bytes, record.length);
        let head = head.map_err(|e| Stop::wire(rule, &file, e))?;
        let rows = board.rows();
        let columns = board.columns();
        let indices = Shape::new(board, slice).indices;
        let right = SliceHeader { name: slice, rows, columns, indices };
        let right = (right, if head.constant.is_some() { 0 } else { self.decoding.units(slice) });
        let found = (head.header, head.units.len() as u64);
        if right != found {
            let words = |(h, units): (SliceHeader, u64)| format!("{h}, {units} units");
            return Err(Finding::new(rule, words(right), words(found))
                .file(file)
                .at(HEAD as u64)
                .into());
        }
        Ok((head, bytes))
    }

    /// The verdict on a slice file whose payload at this offset cannot be decoded.
    pub(crate) fn wrong_payload(&self, slice: SliceName, offset: u64) -> Stop {
        let expected = "a checksum, and a code of the unit's values";
        let finding = Finding::new("slice-syntax", expected, "something else").at(offset);
        finding.file(self.folder.file(&slice.file_name())).into()
    }

    /// Judges the syntax of the file of a slice.
    pub(crate) fn judge(&self, slice: SliceName) -> Result<(), Stop> {
        self.open(slice)?.judge().map_err(|offset| self.wrong_payload(slice, offset))
    }
}
