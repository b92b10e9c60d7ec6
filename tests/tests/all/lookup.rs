//! Look-ups by a program: with stored depths, and without.

use draughtproof_egdb::{
    BuildSession, Cover, Depths, Store, Value, ValueRange, extend, extend_depths,
};
use draughtproof_play::lookup::{Found, Lookup, ProvedPositions};
use draughtproof_proof::certificate::Stored;
use tests::positions::wins_against_all;
use tests::prelude::{Arc, Board, Path, Position, Slice, Values, database, position_at};

const MEMORY: u64 = 1 << 28;

#[test]
fn the_fastest_move_is_found_without_depths() {
    let place = tempfile::tempdir().unwrap();
    let board = Board::new(5, 5).unwrap();
    let store = Store::new(place.path(), &board);
    let cover = Cover::up_to(4);
    let lock = store.lock().unwrap();
    let session = || BuildSession::new(&store, &cover, MEMORY).unwrap();
    extend(&mut session(), |_| ()).unwrap();
    extend_depths(&mut session(), |_| ()).unwrap();
    drop(lock);
    let values = session().load_all(|_| ()).unwrap();
    let depths = Depths::open(place.path(), &board).unwrap();
    let proofs = &[];
    let stored =
        Lookup { board: &board, values: &values, depths: Some(&depths), proofs, found: None };
    // Without memory for blocks, positions are looked up one by one.
    let found = Found::new(&board, 0);
    let without = Lookup { depths: None, found: Some(&found), ..stored };
    let mut seen = 0;
    let mut longest = 0;
    for slice in Slice::all(&board, &cover) {
        for index in (0..slice.indices(&board)).step_by(37) {
            let Some(position) = position_at(&board, slice, index) else { continue };
            if values.try_probe(&position).unwrap() != Some(Value::Win) {
                continue;
            }
            let found = without.moves(&position).unwrap()[0].after;
            let rated = stored.rate_moves(&position).unwrap();
            let move_found = rated.iter().find(|m| m.after == found).unwrap();
            assert_eq!(move_found.value, ValueRange::exact(Value::Win));
            assert_eq!(move_found.depth, rated[0].depth, "{}", board.write_fen(&position));
            seen += 1;
            longest = longest.max(move_found.depth.unwrap());
        }
    }
    assert!(seen > 500 && longest > 7, "{seen} positions, at most {longest} plies");
}

#[test]
fn bounds_follow_from_the_moves() {
    let board = Board::new(5, 5).unwrap();
    let nothing = Values::empty(&board);
    let (values, depths) = (&nothing, None);
    let lookup = Lookup { board: &board, values, depths, proofs: &[], found: None };
    let value = |fen: &str| lookup.answer(&board.read_fen(fen).unwrap()).unwrap();
    // The last piece is taken, which decides the game even if nothing else is known.
    let won = value("B:WK4:BK1,K2");
    assert_eq!((won.value, won.depth), (ValueRange::exact(Value::Win), Some(1)));
    assert_eq!(won.line, [won.moves[0].name.clone()]);
    let unknown = value("B:WK12:BK1,K2");
    assert_eq!(unknown.value, ValueRange::UNKNOWN);
    assert_eq!((unknown.depth, unknown.line.len()), (None, 0));
    assert_eq!(unknown.value.to_string(), "unknown");
}

/// Chooses the first move.
fn first<'a>(lookup: &'a Lookup<'_>) -> impl FnMut(&Position) -> Position + 'a {
    |position| lookup.moves(position).unwrap()[0].after
}

#[test]
fn the_first_move_wins_against_every_defence() {
    let boards = [
        (
            6,
            "B:WK18:BK1,K2 W:WK16,K17,K18:BK1 B:W15:BK1,K2,K3 W:WK13,K18,12:BK2 B:WK18:B1,K2 \
            B:WK18:BK1,K2,K3 W:WK5,11:BK18 B:W12,14:BK1,K3 B:WK16:BK1,K3,5",
        ),
        (
            8,
            "B:WK18:BK29,K31 W:WK1,K2:BK32 W:WK1,K2,K5:BK32 B:WK29:B1,K9 W:WK1,K2,12:BK32 \
            B:WK32:BK1,K5 B:W32:BK1,K5,K9 B:WK32:BK1,K5,K9 W:WK14,K15,K18:BK1 W:WK14,K15,12:BK32 \
            B:WK32:BK1,K5,9",
        ),
    ];
    for (rows, starts) in boards {
        let board = Board::new(rows, rows).unwrap();
        let values = database(&board, 4);
        // Depths that are found for blocks, and for one position after the other.
        for memory in [Found::MEMORY, 0] {
            let found = Found::new(&board, memory);
            let (board, values, found) = (&board, &values, Some(&found));
            let lookup = Lookup { board, values, depths: None, proofs: &[], found };
            for fen in starts.split_whitespace() {
                let start = board.read_fen(fen).unwrap();
                assert_eq!(values.probe(&start), Some(Value::Win), "{fen}");
                assert!(wins_against_all(board, &start, &mut first(&lookup)) > 3, "{fen}");
            }
        }
    }
}

#[test]
fn the_ranks_of_a_proof_win_against_every_defence() {
    for (name, rows, columns) in [("6x4", 6, 4), ("5x5-2", 5, 5)] {
        let ladder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/ladder");
        let stored = Stored::read(&ladder.join(name)).unwrap();
        let board = Board::new(rows, columns).unwrap();
        let values = database(&board, 7);
        let proofs = [Arc::new(ProvedPositions::new(&stored).unwrap())];
        let (board, values, found) = (&board, &values, &Found::new(&board, Found::MEMORY));
        let found = Some(found);
        let lookup = Lookup { board, values, depths: None, proofs: &proofs, found };
        for m in board.moves(&stored.start) {
            assert!(wins_against_all(board, &m.after, &mut first(&lookup)) > 10, "{name}");
        }
    }
}
