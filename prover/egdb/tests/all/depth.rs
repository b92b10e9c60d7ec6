//! Depths compared with the rules that define them, one ply at a time, and played out.

use crate::common::*;
use std::collections::BTreeMap;

use draughtproof_egdb::{DepthFinder, Event, StoreError, extend_depths, locate};

const MEMORY: u64 = 1 << 30;

/// Builds a database with depths, within `memory` bytes; returns the number of indices for which
/// depths were found.
fn try_build(root: &Path, board: &Board, pieces: u8, memory: u64) -> Result<u64, BuildError> {
    let store = Store::new(root, board);
    let (_lock, cover) = (store.lock()?, Cover::up_to(pieces));
    extend(&mut BuildSession::new(&store, &cover, MEMORY)?, |_| ())?;
    let mut found = 0;
    let progress = |event| found += if let Event::Done(indices) = event { indices } else { 0 };
    extend_depths(&mut BuildSession::new(&store, &cover, memory)?, progress)?;
    Ok(found)
}

fn build(root: &Path, board: &Board, pieces: u8) -> u64 {
    try_build(root, board, pieces, MEMORY).unwrap()
}

/// The depth files of a board, by name.
fn files(root: &Path, board: &Board) -> BTreeMap<String, Vec<u8>> {
    let directory = root.join(board.name()).with_extension("depth");
    let entries = fs::read_dir(directory).unwrap().map(Result::unwrap);
    let file = |entry: fs::DirEntry| {
        (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())
    };
    entries.map(file).collect()
}

fn value(database: &Database, position: &Position) -> Value {
    if position.both_sides() { database.probe(position).unwrap().unwrap() } else { Value::Loss }
}

/// Whether a move is a conversion: a man has moved or was crowned, or a piece was captured.
fn converts(before: &Position, after: &Position) -> bool {
    let men = |p: &Position| (p.black & !p.kings, p.white & !p.kings);
    men(before) != men(after) || before.pieces() != after.pieces()
}

/// The plies from a move to the next conversion, that move included.
fn cost(database: &Database, before: &Position, after: &Position) -> u32 {
    let further = || database.depth(after).unwrap().unwrap();
    if converts(before, after) { 1 } else { 1 + further() }
}

/// The best move and its cost, if there is a move, in a position that is won or lost.
fn best(database: &Database, position: &Position) -> Option<(u32, Position)> {
    let mut moves = Vec::new();
    database.board().successors(position, &mut moves);
    let won = value(database, position) == Value::Win;
    if won {
        moves.retain(|after| value(database, after) == Value::Loss);
    }
    let moves = moves.into_iter().map(|after| (cost(database, position, &after), after));
    if won { moves.min() } else { moves.max() }
}

fn expected(database: &Database, position: &Position) -> Option<u32> {
    match value(database, position) {
        Value::Draw => None,
        _ if database.board().can_capture(position) => Some(1),
        _ => Some(best(database, position).map_or(0, |(cost, _)| cost)),
    }
}

#[test]
fn all_positions_of_small_boards() {
    for (side, pieces) in [(4, 4), (5, 4), (6, 4)] {
        let board = Board::new(side, side).unwrap();
        let root = tempfile::tempdir().unwrap();
        build(root.path(), &board, pieces);
        let cached = Database::open(&root, &board, Mode::default()).unwrap();
        let resident = Database::open(&root, &board, Mode::Resident(MEMORY)).unwrap();
        for slice in Slice::all(&board, &Cover::up_to(pieces)) {
            for index in 0..slice.indices(&board) {
                let Some(position) = position_at(&board, slice, index) else { continue };
                let depth = resident.depth(&position).unwrap();
                assert_eq!(depth, expected(&resident, &position), "{side} {slice:?} {index}");
                if index % 16 == 0 {
                    assert_eq!(depth, cached.depth(&position).unwrap(), "{side} {slice:?} {index}");
                }
            }
        }
    }
}

#[test]
fn depths_are_found_as_they_would_be_stored() {
    // The memory holds all pairs of blocks, and then only a few at a time.
    for (side, pieces, memory) in [(4, 4, MEMORY), (5, 4, 1 << 18)] {
        let board = Board::new(side, side).unwrap();
        let root = tempfile::tempdir().unwrap();
        build(root.path(), &board, pieces);
        let stored = Database::open(&root, &board, Mode::Resident(MEMORY)).unwrap();
        let store = Store::new(root.path(), &board);
        let session = BuildSession::new(&store, &Cover::up_to(pieces), MEMORY).unwrap();
        let values = session.load_all(|_| ()).unwrap();
        let mut finder = DepthFinder::new(memory);
        for slice in Slice::all(&board, &Cover::up_to(pieces)) {
            for index in (0..slice.indices(&board)).step_by(7) {
                let Some(position) = position_at(&board, slice, index) else { continue };
                let position = if index % 2 == 0 { position } else { position.twin(&board) };
                let found = finder.depth(&values, &position, &|| false);
                assert_eq!(found, stored.depth(&position).unwrap(), "{side} {slice:?} {index}");
                assert_eq!(finder.known(&board, &position), found);
            }
        }
    }
}

#[test]
fn what_was_stopped_goes_on_where_it_was() {
    let board = Board::new(6, 6).unwrap();
    let root = tempfile::tempdir().unwrap();
    build(root.path(), &board, 3);
    let store = Store::new(root.path(), &board);
    let session = BuildSession::new(&store, &Cover::up_to(3), MEMORY).unwrap();
    let values = session.load_all(|_| ()).unwrap();
    let won = board.read_fen("B:WK18:BK1,K2").unwrap();
    assert_eq!(DepthFinder::new(1 << 10).depth(&values, &won, &|| false), None);
    let mut finder = DepthFinder::new(MEMORY);
    assert_eq!(finder.depth(&values, &won, &|| true), None);
    let mut calls = 0;
    let found = std::iter::repeat_with(|| {
        calls += 1;
        let asked = std::cell::Cell::new(0);
        // The search is stopped after one round.
        let is_stopped = || asked.replace(asked.get() + 1) > 1;
        finder.depth(&values, &won, &is_stopped)
    });
    assert_eq!(found.take(100).flatten().next(), Some(25));
    assert!((13..=25).contains(&calls), "{calls}");
    assert_eq!(finder.depth(&values, &won, &|| true), Some(25));
}

#[test]
fn the_number_of_threads_and_memory_make_no_difference() {
    for side in [4, 5, 6] {
        let board = Board::new(side, side).unwrap();
        let with = |threads| {
            let root = tempfile::tempdir().unwrap();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| build(root.path(), &board, 4));
            files(root.path(), &board)
        };
        let one = with(1);
        assert_eq!(one.len(), Slice::all(&board, &Cover::up_to(4)).len());
        assert!(with(2) == one && with(4) == one);
        // The memory suffices for one slice only: others are dropped and read again.
        let root = tempfile::tempdir().unwrap();
        let mut memory = BuildSession::least_memory(&board, &Cover::up_to(4));
        while let Err(error) = try_build(root.path(), &board, 4, memory) {
            assert!(matches!(error, BuildError::Memory { .. }), "{error}");
            memory += 16 << 10;
        }
        assert!(files(root.path(), &board) == one);
    }
}

/// Plays a won ending out. Returns the number of plies.
fn play_out(database: &Database, start: Position) -> u32 {
    let (winner, mut position) = (start.turn, start);
    for ply in 0..1000 {
        if !position.both_sides() {
            assert_ne!(position.turn, winner);
            return ply;
        }
        let depth = database.depth(&position).unwrap().unwrap();
        let Some((cost, after)) = best(database, &position) else {
            assert_eq!((depth, position.turn != winner), (0, true));
            return ply;
        };
        // Until a conversion the depth falls by one with each ply: the depth after this move is the
        // cost less one.
        assert_eq!(depth, cost, "{position:?}");
        position = after;
    }
    panic!("no end from {start:?}");
}

#[test]
fn won_endings_are_won() {
    let board = Board::new(8, 8).unwrap();
    let root = tempfile::tempdir().unwrap();
    build(root.path(), &board, 4);
    let database = Database::open(&root, &board, Mode::default()).unwrap();
    // A fixed pseudo-random sequence (Knuth's MMIX).
    let mut state = 1u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 16) % below
    };
    let slices = Slice::all(&board, &Cover::up_to(4));
    let (mut games, mut longest) = (0, 0);
    while games < 600 {
        // Slices with kings only have the long endings and few positions, so every slice gets an
        // equal share.
        let slice = slices[usize::try_from(random(slices.len() as u64)).unwrap()];
        let start = position_at(&board, slice, random(slice.indices(&board)));
        let Some(start) = start.filter(|p| value(&database, p) == Value::Win) else { continue };
        longest = longest.max(play_out(&database, start));
        games += 1;
    }
    assert!(longest > 20, "{longest}");
}

#[test]
fn what_is_there_is_not_found_again() {
    let board = Board::new(5, 5).unwrap();
    let root = tempfile::tempdir().unwrap();
    assert!(build(root.path(), &board, 4) > 0);
    let before = files(root.path(), &board);
    assert_eq!(build(root.path(), &board, 4), 0);
    let slice = Slice::new(1, 1, 0, 2);
    let directory = root.path().join("5x5.depth");
    fs::remove_file(directory.join("1-1-0-2")).unwrap();
    // A killed run leaves such a file.
    fs::write(directory.join(".unfinished-1-1-0-2"), "half").unwrap();
    let pair = slice.indices(&board) + slice.twin().indices(&board);
    assert_eq!(build(root.path(), &board, 4), pair);
    assert!(files(root.path(), &board) == before);
    // Depths of other values are invalid.
    fs::write(directory.join("1-1-0-2"), &before["0-2-1-1"]).unwrap();
    assert_eq!(build(root.path(), &board, 4), pair);
    assert!(files(root.path(), &board) == before);
}

#[test]
fn bad_files_are_errors_and_missing_ones_are_not() {
    let board = Board::new(5, 5).unwrap();
    let root = tempfile::tempdir().unwrap();
    build(root.path(), &board, 3);
    let database = || Database::open(&root, &board, Mode::default()).unwrap();
    let slice = Slice::new(0, 2, 0, 1);
    let won = (0..slice.indices(&board))
        .filter_map(|i| position_at(&board, slice, i))
        .find(|p| !board.can_capture(p) && value(&database(), p) == Value::Win);
    let won = won.unwrap();
    assert_eq!(locate(&board, &won).0, slice);
    assert!(database().depth(&won).unwrap().is_some());
    let path = root.path().join("5x5.depth/0-2-0-1");
    let good = fs::read(&path).unwrap();
    let complains = |bytes: &[u8], words: &[&str]| {
        fs::write(&path, bytes).unwrap();
        let error = database().depth(&won).unwrap_err();
        assert!(matches!(error, StoreError::Depth { .. }), "{error}");
        let said = error.to_string();
        assert!(said.contains("5x5.depth/0-2-0-1"), "{said}");
        words.iter().for_each(|word| assert!(said.contains(word), "{word}: {said}"));
    };
    complains(&fs::read(path.with_file_name("0-1-0-2")).unwrap(), &["of the values with BLAKE3"]);
    complains(&good[..good.len() - 1], &["bytes"]);
    complains(&good[..40], &["at least"]);
    // Every byte is changed in turn.
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1;
        complains(&bad, &["expected"]);
    }
    fs::remove_file(&path).unwrap();
    assert_eq!(database().depth(&won).unwrap(), None);
}
