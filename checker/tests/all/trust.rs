//! A selection, or a source of tables of values, cannot make the core report more than it has done.

use crate::common::files::{Files, write_database};
use crate::common::maker::{Maker, draw_4x4};
use crate::common::oracle::{longest_win, oracle_4x4};
use crate::common::{Place, board, database};
use certificate_spec::Digest;
use certificate_spec::claim::Value as Claimed;
use certificate_spec::database::SliceName;
use certificate_spec::manifest::Kind;
use certificate_spec::value::Value as Written;
use checker_core::{
    Bits, Count, Options, PartReport, Selection, Side, Stop, Table, TableDigests, TableSource,
    check, check_database, check_database_part, check_part,
};

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

/// Claims that everything was verified before, and hands out tables with nothing but wins.
struct Liar {
    claims: TableDigests,
    table: Option<Digest>,
}

impl TableSource for Liar {
    fn has_tables(&self) -> bool {
        true
    }
    fn begin(&self, _: &str) -> Result<TableDigests, String> {
        Ok(self.claims.clone())
    }
    fn read(&self, _: Digest, table: &Table) -> Option<Digest> {
        (0..table.words()).for_each(|n| table.put_word(n, Bits { win: !0, loss: 0 }));
        self.table
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

fn part(place: &Place, selection: &All, source: &Liar) -> Result<PartReport, Stop> {
    check_database_part(&board("4x4"), None, &options(place), selection, source)
}

#[test]
fn what_somebody_says_was_verified_is_not_counted() {
    let place = Place::new();
    let files = wrong_database(&place);
    let all = files.slices.iter().map(|(slice, _)| (*slice, Digest([0; 32]))).collect();
    let claims = TableDigests { verified: all, ..TableDigests::default() };
    // A part that rests on the source's claim has looked at nothing; where the tables are needed,
    // the false claim is found out.
    let pairs = All { pairs: true, positions: false };
    let liar = Liar { claims, table: None };
    let looked = part(&place, &pairs, &liar).unwrap();
    assert!(looked.pairs.is_empty() && looked.all_pairs > 0);
    let line = part(&place, &All { positions: true, ..pairs }, &liar).unwrap_err().line();
    assert!(line.ends_with(" has other values than those verified before"), "{line}");
    // Without that claim, and in any whole check, the values are looked at and found wrong.
    let nobody = Liar { claims: TableDigests::default(), table: None };
    for line in [
        part(&place, &All { pairs: true, positions: false }, &nobody).unwrap_err().line(),
        check_database(&board("4x4"), None, &options(&place)).line(),
    ] {
        assert!(line.starts_with("s REFUTED slice-value file=4x4/0-1-0-1 "), "{line}");
    }
}

#[test]
fn a_table_that_somebody_brings_is_named() {
    let place = Place::new();
    write_database(&place.db(), &database(&board("4x4"), 3), 3);
    let maker = Maker { board: &board("4x4"), oracle: &oracle_4x4(), pieces: 3, leaf_depth: 2 };
    let start = longest_win(&oracle_4x4(), Side::Black);
    let root = Files::new(&database(&board("4x4"), 3), 3).write(&place.db());
    maker.certificate("4x4", Claimed::BlackWins, start, Some(root)).write(&place.cert());
    let positions = All { pairs: false, positions: true };
    // Honest tables, so that nothing is refuted: all of them are in the list of what was taken for
    // granted.
    let nobody = Liar { claims: TableDigests::default(), table: None };
    let honest = check_part(&place.cert(), &options(&place), &positions, &nobody).unwrap();
    let slices: Vec<SliceName> = honest.slices.clone();
    assert!(slices.iter().all(|slice| honest.tables.assumed.contains_key(slice)));
    assert!(honest.tables.verified.is_empty() && honest.pairs.is_empty());
    // A table with another digest than it states is not used; one with the digest that it states is
    // listed with that digest.
    let liar = Liar { claims: TableDigests::default(), table: Some(Digest([0; 32])) };
    let again = check_part(&place.cert(), &options(&place), &positions, &liar).unwrap();
    assert_eq!(again.tables, honest.tables);
}

#[test]
fn nothing_selected_is_nothing_looked_at() {
    let place = Place::new();
    draw_4x4(&oracle_4x4(), 2).write(&place.cert());
    let nobody = Liar { claims: TableDigests::default(), table: None };
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
    assert!(none.positions == 0 && all.positions == all.all_positions && all.positions > 0);
    assert!(check(&place.cert(), &options(&place)).line().starts_with("s VERIFIED DRAW 4x4 "));
}
