//! Bounds, moves and cached values of a database.

use crate::common::*;

use draughtproof_egdb::{Cached, ValueRange, extend_depths};

/// Builds the database of a board, with depths.
fn build(root: &Path, board: &Board, pieces: u8) {
    let store = Store::new(root, board);
    let _lock = store.lock().expect("the only builder");
    let cover = Cover::up_to(pieces);
    let session = || BuildSession::new(&store, &cover, 1 << 30).expect("a store");
    extend(&mut session(), |_| ()).expect("files");
    extend_depths(&mut session(), |_| ()).expect("depths");
}

/// All positions of a database, Black to move.
fn positions(board: &Board, pieces: u8) -> Vec<Position> {
    let slices = Slice::all(board, &Cover::up_to(pieces)).into_iter();
    let of =
        |slice: Slice| (0..slice.indices(board)).filter_map(move |i| position_at(board, slice, i));
    slices.flat_map(of).collect()
}

/// A database of at most 3 pieces makes no false statement about a position with 4, and gives all
/// bounds that follow from its successors.
#[test]
fn bounds_hold_beyond_the_database() {
    let board = Board::new(4, 4).expect("a board");
    let directory = tempfile::tempdir().expect("a directory");
    let (small, large) = (directory.path().join("3"), directory.path().join("4"));
    build(&small, &board, 3);
    build(&large, &board, 4);
    let open = |root| Database::open(root, &board, Mode::default()).expect("a database");
    let (small, large) = (open(small), open(large));
    let (mut exact, mut open) = (0, 0);
    for position in positions(&board, 4) {
        let value = large.probe(&position).expect("files").expect("covered");
        let bounds = small.bounds(&position).expect("files");
        assert!(bounds.admits(value), "{position:?}");
        if small.covers(&position) {
            assert_eq!(bounds.value(), Some(value));
        }
        // Each successor has a value or no bound, and the best one counts.
        let moves = small.moves(&position).expect("files");
        let best =
            |bound: fn(&draughtproof_egdb::RatedMove) -> Value| moves.iter().map(bound).max();
        assert!(best(|m| m.value.lower).unwrap_or(Value::Loss) <= bounds.lower);
        let is_beyond = !small.covers(&position);
        exact += u32::from(is_beyond && bounds.value().is_some());
        open += u32::from(is_beyond && bounds == ValueRange::UNKNOWN);
    }
    // Captures and blocked positions lead back into the database, other moves do not.
    assert!(exact > 100 && open > 100, "{exact} {open}");
}

#[test]
fn the_best_move_comes_first() {
    let board = Board::new(5, 5).expect("a board");
    let directory = tempfile::tempdir().expect("a directory");
    build(directory.path(), &board, 3);
    let database = Database::open(directory.path(), &board, Mode::default()).expect("a database");
    let mut deep = 0;
    for position in positions(&board, 3) {
        let moves = database.moves(&position).expect("files");
        let value = database.probe(&position).expect("files").expect("covered");
        let Some(best) = moves.first() else {
            assert_eq!(value, Value::Loss);
            continue;
        };
        assert_eq!(best.value.value(), Some(value));
        assert_eq!(best.depth, database.depth(&position).expect("depths"));
        deep += u32::from(best.depth.is_some_and(|depth| depth > 1));
        for m in &moves {
            assert!(m.value.lower <= best.value.lower);
            let same = m.value == best.value;
            match (value, m.depth, best.depth) {
                (Value::Win, Some(depth), Some(least)) if same => assert!(least <= depth),
                (Value::Loss, Some(depth), Some(most)) if same => assert!(most >= depth),
                _ => {}
            }
        }
    }
    assert!(deep > 100, "{deep}");
}

#[test]
fn only_what_is_in_memory_is_found_without_reading() {
    let board = Board::new(5, 5).expect("a board");
    let directory = tempfile::tempdir().expect("a directory");
    build(directory.path(), &board, 3);
    let open = |mode| Database::open(directory.path(), &board, mode).expect("a database");
    let (cached, resident) = (open(Mode::default()), open(Mode::Resident(1 << 30)));
    let position = board.read_fen("B:WK12:BK1,K2").expect("a position");
    let beyond = board.read_fen("B:WK12,K11:BK1,K2").expect("a position");
    let probe = |database: &Database, p| database.probe_cached(p).expect("no damage");
    let value = resident.probe(&position).expect("files").expect("covered");
    assert_eq!(probe(&resident, &position), Cached::Value(value));
    assert_eq!(probe(&cached, &position), Cached::NotCached);
    assert_eq!(cached.probe(&position).expect("files"), Some(value));
    assert_eq!(probe(&cached, &position), Cached::Value(value));
    assert_eq!(probe(&cached, &beyond), Cached::Unknown);
    // The look-up reads no file, so it does not notice a damaged one, and never returns its values.
    let slice = directory.path().join("5x5/0-2-0-1");
    assert!(slice.exists());
    std::fs::write(slice, b"damaged").expect("a file");
    let fresh = open(Mode::default());
    assert_eq!(probe(&fresh, &position), Cached::NotCached);
    assert!(fresh.probe(&position).is_err());
}
