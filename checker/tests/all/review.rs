//! Nodes over values of a database: wherever its tables are, and under a cover of several clauses.

use crate::common::*;
use crate::memory::{LEVELS, in_a_file};
use std::collections::BTreeSet;

/// The node of a position whose successors all have values, and whether Black does not lose there.
fn node(values: &Database, p: &Position) -> (Node, bool) {
    let all = successors(values.board(), p);
    let is_black = p.turn == Side::Black;
    let suits = |y: &Position| match values.value(y) {
        // The side to move has no piece and has lost.
        None => is_black,
        Some(value) => value != if is_black { Value::Win } else { Value::Loss },
    };
    let &Position { black, white, kings, .. } = p;
    let position = WirePosition { black, white, kings, turn: u8::from(!is_black) };
    let and = Node { position, rank: 0, data: 0, kind: kind::AND, reserved: 0 };
    if !is_black {
        return (and, all.iter().all(suits));
    }
    let choice = all.iter().position(suits);
    let data = choice.unwrap_or(0).try_into().unwrap();
    (Node { data, kind: kind::OR, ..and }, choice.is_some())
}

/// Positions as nodes: those that hold, and those that do not.
fn nodes(values: &Database, all: &[Position]) -> [Vec<Node>; 2] {
    let all = all.iter().map(|p| node(values, p));
    let (good, bad): (Vec<_>, Vec<_>) = all.partition(|(_, holds)| *holds);
    [good, bad].map(|all| all.into_iter().map(|(node, _)| node).collect())
}

/// The verdict on a certificate of these nodes, which must be the same under all of these options.
fn same(place: &Place, claim: &Claim, nodes: &[&[Node]], all: &[Options]) -> String {
    let mut nodes = nodes.concat();
    nodes.sort_by_key(|node| node.position);
    let part = Part { question: Question::BlackNotLost, nodes, leaves: Vec::new() };
    let _ = fs::remove_dir_all(place.cert());
    Certificate { claim: claim.clone(), parts: vec![part], chunk: 1000 }.write(&place.cert());
    let line = |options| check_certificate(&place.cert(), options).line();
    let said = all.iter().map(|o| without_journal(&line(o)).replace("consistent", "exact"));
    let lines: BTreeSet<String> = said.collect();
    assert_eq!(lines.len(), 1, "{lines:#?}");
    lines.into_iter().next().unwrap()
}

/// Both levels, tables in memory and in a file, without a journal, with a new one, and with a full
/// one.
fn all_options(place: &Place) -> Vec<Options> {
    let mut all = Vec::new();
    for level in LEVELS {
        let options = Options { level, ..place.options() };
        let journal = Some(place.0.path().join(level.word()));
        let little = in_a_file(&options);
        let journaled = Options { journal, ..little.clone() };
        all.extend([options, little, journaled.clone(), journaled]);
    }
    all
}

/// Positions of five pieces of 8x8 in which a capture leads to a man and three kings, a slice of
/// large blocks.
fn captures_of_five(board: &Board) -> Vec<Position> {
    let mut seed = 7u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        u32::try_from(seed >> 32).unwrap()
    };
    let any = |n| {
        let black = random() & random() & random();
        let white = random() & random() & random() & !black;
        let kings = (black | white) & (random() | random());
        Position { black, white, kings, turn: if n % 2 == 0 { Side::Black } else { Side::White } }
    };
    let is_large = |y: &Position| y.pieces() == 4 && y.kings.count_ones() == 3;
    let all = (0..).map(any).filter(|p| p.pieces() == 5 && board.is_possible(p));
    all.filter(|p| successors(board, p).iter().any(is_large)).take(200).collect()
}

fn claim(game: &str, start: &str, cover: &Cover, database: Digest) -> Claim {
    let (value, cover) = (Claimed::BlackNotLost, cover.clone());
    Claim { game: game.into(), start: start.into(), value, cover, database: Some(database) }
}

#[test]
fn nodes_over_large_slices() {
    let (b, place) = (board("8x8"), Place::new());
    let values = database(&b, 4);
    let root = write_database(&place.db(), &values, 4);
    let claim = claim("8x8", "B:WK32:BK1,2,K3", &Cover::up_to(4), root);
    let [good, bad] = nodes(&values, &captures_of_five(&b));
    let options = all_options(&place);
    let line = same(&place, &claim, &[&good], &options);
    assert!(line.starts_with("s VERIFIED BLACK-NOT-LOST 8x8 "), "{line}");
    for bad in bad.chunks(1).step_by(bad.len() / 2) {
        let line = same(&place, &claim, &[&good, bad], &options);
        assert!(line.starts_with("s REFUTED "), "{line}");
    }
}

/// The certificate asks for less than the database has: of six pieces, those with three on a side.
#[test]
fn a_cover_of_two_clauses() {
    let (b, place, cover) = (board("4x4"), Place::new(), Cover::parse("5,6:3").unwrap());
    let values = derive(&b, &cover, &checker_core::Options::new("")).unwrap();
    let files = Files::new(&database(&b, 6), 6);
    files.write(&place.db());
    let root = files.manifest().restricted_to(&cover).root();
    let is_covered = |p: &Position| cover.admits(p.black.count_ones(), p.white.count_ones());
    let ends = |y: &Position| !y.has_both_sides() || is_covered(y);
    let mut all = all_positions(&b, 6);
    all.retain(|p| p.pieces() == 6 && !is_covered(p) && successors(&b, p).iter().all(ends));
    let claim = claim("4x4", "B:WK8:BK1,K2", &cover, root);
    let [good, bad] = nodes(&values, &all);
    let options = all_options(&place);
    let shards = || {
        [1, 2, 3].map(|number| {
            let shard = Some(Shard { number, of: 3 });
            check_certificate(&place.cert(), &Options { shard, ..place.options() }).line()
        })
    };
    let line = same(&place, &claim, &[&good], &options);
    assert!(line.starts_with("s VERIFIED ") && line.contains(" pieces=5,6:3 "), "{line}");
    assert!(shards().iter().all(|line| line.starts_with("s VERIFIED SHARD ")));
    for bad in bad.chunks(1).step_by(bad.len() / 4) {
        let line = same(&place, &claim, &[&good, bad], &options);
        assert!(line.starts_with("s REFUTED "), "{line}");
        assert_eq!(shards().iter().filter(|shard| **shard == line).count(), 1, "{line}");
    }
}
