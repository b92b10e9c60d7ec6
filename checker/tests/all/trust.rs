//! A selection, or a store of tables of values, cannot make the core report more than it has done.

use crate::common::*;
use crate::tables::table_file;
use checker_core::{
    Options, Stop, TableStore, check, check_database, check_database_part, check_part,
};
use std::collections::HashMap;
use std::io::{Cursor, Read};
use std::sync::Mutex;

/// Selects all pairs of slices or none, and all nodes and leaves or none.
struct All {
    pairs: bool,
    positions: bool,
}

impl Selection for All {
    fn has_pair(&self, _: usize) -> bool {
        self.pairs
    }
    fn has_positions(&self) -> bool {
        self.positions
    }
    fn names_tables(&self) -> bool {
        true
    }
    fn has(&self, _: Kind, _: usize, _: usize) -> bool {
        self.positions
    }
}

/// Claims that slices were verified before, and hands out tables with nothing but wins.
#[derive(Default)]
struct Liar {
    claims: HashMap<SliceName, Digest>,
    /// The bytes of tables, each after the digest that it is said to have, by slice file.
    tables: HashMap<Digest, Vec<u8>>,
    rejected: Mutex<Vec<Digest>>,
}

impl Liar {
    /// Tables of nothing but wins for the slices in these files, each with its digest.
    fn new(files: &Files) -> Liar {
        let mut liar = Liar::default();
        for (slice, bytes) in &files.slices {
            let indices = Shape::new(&board("4x4"), *slice).indices;
            let table = table_file(&vec![[!0, 0]; indices.div_ceil(64).try_into().unwrap()]);
            let digest = Digest(table[..32].try_into().unwrap());
            liar.claims.insert(*slice, digest);
            liar.tables.insert(Digest::of(bytes), table);
        }
        liar
    }
}

impl TableStore for Liar {
    fn verified(&self, slice: SliceName) -> Option<Digest> {
        self.claims.get(&slice).copied()
    }
    fn open(&self, slice_file: Digest) -> Option<(Digest, Box<dyn Read>)> {
        let table = self.tables.get(&slice_file)?;
        let words = Cursor::new(table[32..].to_vec());
        Some((Digest(table[..32].try_into().unwrap()), Box::new(words)))
    }
    fn reject(&self, slice_file: Digest) {
        self.rejected.lock().unwrap().push(slice_file);
    }
}

/// A database of 4x4 of which nearly every value is wrong.
fn wrong_database(place: &Place) -> Files {
    let files = Files::with_values(&database(&board("4x4"), 3), 3, &|_, values| {
        values.iter_mut().flatten().for_each(|value| *value = Written::Win);
    });
    files.write(&place.db());
    files
}

fn options(place: &Place) -> Options {
    Options { threads: Some(2), ..Options::new(place.db()) }
}

fn part(place: &Place, selection: &All, store: &Liar) -> Result<PartReport, Stop> {
    check_database_part(&board("4x4"), None, &options(place), selection, store)
}

#[test]
fn what_somebody_says_was_verified_is_not_counted() {
    let place = Place::new();
    let files = wrong_database(&place);
    let liar = Liar::new(&files);
    let pairs = All { pairs: true, positions: false };
    // A part that rests on what the store says has looked at nothing.
    let looked = part(&place, &pairs, &liar).unwrap();
    assert!(looked.pairs.is_empty() && looked.believed == looked.all_pairs && looked.believed > 0);
    assert_eq!(looked.tables.verified, liar.claims);
    // Without such a claim, without tables, with tables that are not those that were verified, and
    // in any whole check, the values are looked at and found wrong.
    let claims = Liar { claims: liar.claims.clone(), ..Liar::default() };
    let tables = Liar { claims: HashMap::new(), ..Liar::new(&files) };
    let mut others = Liar::new(&files);
    others.claims.values_mut().for_each(|digest| digest.0[0] ^= 1);
    for line in [
        part(&place, &pairs, &Liar::default()).unwrap_err().line(),
        part(&place, &pairs, &claims).unwrap_err().line(),
        part(&place, &pairs, &tables).unwrap_err().line(),
        part(&place, &pairs, &others).unwrap_err().line(),
        check_database(&board("4x4"), None, &options(&place)).line(),
    ] {
        assert!(line.starts_with("s REFUTED slice-value file=4x4/0-1-0-1 "), "{line}");
    }
    assert!(tables.rejected.lock().unwrap().is_empty());
    assert_eq!(*others.rejected.lock().unwrap(), [Digest::of(&files.slices[0].1)]);
}

/// Nothing is left in a table of what was said of one slice of a pair alone.
#[test]
fn half_a_pair_is_not_believed() {
    let place = Place::new();
    let files = Files::new(&database(&board("4x4"), 3), 3);
    files.write(&place.db());
    for half in [(|slice| slice.0 > slice.twin().0) as fn(SliceName) -> bool, |slice| {
        slice.0 < slice.twin().0
    }] {
        let mut liar = Liar::new(&files);
        liar.claims.retain(|&slice, _| half(slice));
        let looked = part(&place, &All { pairs: true, positions: false }, &liar).unwrap();
        assert_eq!((looked.pairs.len(), looked.believed), (looked.all_pairs, 0));
    }
}

#[test]
fn a_table_that_somebody_brings_is_named() {
    let place = Place::new();
    let maker = Maker { board: &board("4x4"), oracle: &oracle_4x4(), pieces: 3, leaf_depth: 2 };
    let start = longest_win(&oracle_4x4(), Side::Black);
    let files = Files::new(&database(&board("4x4"), 3), 3);
    let root = files.write(&place.db());
    maker.certificate("4x4", Claimed::BlackWins, start, Some(root)).write(&place.cert());
    let look =
        |selection: &All, liar: &Liar| check_part(&place.cert(), &options(&place), selection, liar);
    let positions = All { pairs: false, positions: true };
    // Honest tables, so that nothing is refuted: all of them are in the list of what was taken for
    // granted.
    let honest = look(&positions, &Liar::default()).unwrap();
    assert!(honest.slices.iter().all(|slice| honest.tables.assumed.contains_key(slice)));
    assert!(honest.tables.verified.is_empty() && honest.pairs.is_empty() && honest.believed == 0);
    // A table with another digest than it states, one that is too short and one that is too long
    // are not used.
    for spoil in [
        (|table: &mut Vec<u8>| table[0] ^= 1) as fn(&mut Vec<u8>),
        |table| *table.last_mut().unwrap() ^= 1,
        |table| table.truncate(table.len() - 1),
        |table| table.push(0),
    ] {
        let mut liar = Liar::new(&files);
        liar.tables.values_mut().for_each(spoil);
        assert_eq!(look(&positions, &liar).unwrap().tables, honest.tables);
        assert_eq!(liar.rejected.lock().unwrap().len(), files.slices.len());
    }
    // One with the digest that it states is listed with that digest.
    let liar = Liar::new(&files);
    let nobody = All { pairs: false, positions: false };
    assert!(look(&nobody, &liar).unwrap().tables.assumed.is_empty());
    let wins =
        |liar: &Liar| check_database_part(&board("4x4"), None, &options(&place), &positions, liar);
    assert_eq!(wins(&liar).unwrap().tables.assumed, liar.claims);
}

#[test]
fn nothing_selected_is_nothing_looked_at() {
    let place = Place::new();
    draw_4x4(&oracle_4x4(), 2).write(&place.cert());
    let nobody = Liar::default();
    let look = |all| {
        let all = All { pairs: all, positions: all };
        check_part(&place.cert(), &options(&place), &all, &nobody).unwrap()
    };
    let (none, all) = (look(false), look(true));
    for (none, all) in none.questions.iter().zip(&all.questions) {
        assert_eq!((none.nodes.looked_at, none.leaves.looked_at), (0, 0));
        assert_eq!(all.nodes, Count { looked_at: none.nodes.of, of: none.nodes.of });
        assert_eq!(all.leaves, Count { looked_at: none.leaves.of, of: none.leaves.of });
    }
    assert!(none.positions == 0 && all.positions > 0);
    assert!(check(&place.cert(), &options(&place)).line().starts_with("s VERIFIED DRAW 4x4 "));
}
