//! Look-ups by a program: with stored depths, and without.

use draughtproof_egdb::{
    BuildSession, Cover, Depths, Slice, Store, Value, ValueRange, Values, extend, extend_depths,
    position_at,
};
use draughtproof_game::Board;
use draughtproof_play::lookup::Lookup;

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
    let stored = Lookup { board: &board, values: &values, depths: Some(&depths), proofs: &[] };
    let without = Lookup { depths: None, ..stored };
    let mut seen = 0;
    let mut longest = 0;
    for slice in Slice::all(&board, &cover) {
        for index in (0..slice.indices(&board)).step_by(37) {
            let Some(position) = position_at(&board, slice, index) else { continue };
            let found = without.fastest(&position, &|| false).unwrap();
            let is_won = values.try_probe(&position).unwrap() == Some(Value::Win);
            assert_eq!(found.is_some(), is_won, "{}", board.write_fen(&position));
            let Some(found) = found else { continue };
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
    let lookup = Lookup { board: &board, values: &nothing, depths: None, proofs: &[] };
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
