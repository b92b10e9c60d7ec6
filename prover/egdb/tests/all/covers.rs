//! Databases with a bound on the pieces of a side: they have exactly the slices that they should
//! have, and the values of a database of all positions, and they grow from one cover to another.
//!
//! Bounds, moves and cached values of a database.

use crate::common::*;
use certificate_spec::database::SliceName;
use draughtproof_egdb::{Cached, Event, Forecaster, StoreError, ValueRange, extend_depths};
use std::collections::BTreeSet;

const MEMORY: u64 = 1 << 30;

/// Extends the database in a directory, and returns the builds that were begun: each cover, with
/// the number of all indices and that of those finished before.
fn extend_to(root: &Path, board: &Board, text: &str) -> Vec<(String, u64, u64)> {
    let store = Store::new(root, board);
    let _lock = store.lock().unwrap();
    let mut begun = Vec::new();
    extend(&mut BuildSession::new(&store, &cover(text), MEMORY).unwrap(), |event| {
        if let Event::Begin { cover, indices, finished } = event {
            begun.push((cover.to_string(), indices, finished));
        }
    })
    .unwrap();
    begun
}

fn slices_there(directory: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
    let names = entries.map(|name| name.into_string().unwrap());
    names.filter(|name| name != "MANIFEST").collect()
}

/// The names of all slices of 4x4, of which each side has at most 8 men or kings, that a rule
/// admits.
fn slices_where(admits: impl Fn(u8, u8) -> bool) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for [a, b, c, d] in (0..9u32.pow(4)).map(|n| [0, 1, 2, 3].map(|i| (n / 9u32.pow(i) % 9) as u8))
    {
        if a + b > 0 && c + d > 0 && a.max(c) <= 6 && admits(a + b, c + d) {
            names.insert(SliceName([a, b, c, d]).file_name());
        }
    }
    names
}

#[test]
fn a_cover_has_its_slices_and_no_others() {
    let board = Board::new(4, 4).unwrap();
    let full = build(&board, &cover("6"));
    for (text, admits) in [
        ("6:3", (|one, other| one <= 3 && other <= 3) as fn(u8, u8) -> bool),
        ("5,6:3", |one, other| one + other <= 5 || one <= 3 && other <= 3),
        ("4:2", |one, other| one <= 2 && other <= 2),
        ("5:3", |one, other| one + other <= 5 && one.max(other) <= 3),
    ] {
        let root = tempfile::tempdir().unwrap();
        extend_to(root.path(), &board, text);
        assert_eq!(slices_there(&root.path().join("4x4")), slices_where(admits), "{text}");
        let open = |mode| Database::open(root.path(), &board, mode).unwrap();
        let (cached, resident) = (open(Mode::Cached(1)), open(Mode::Resident(MEMORY)));
        assert_eq!(cached.cover(), &cover(text));
        let mut unknown = 0;
        for slice in Slice::all(&board, &cover("6")) {
            for index in (0..slice.indices(&board)).step_by(7) {
                let Some(position) = position_at(&board, slice, index) else { continue };
                let is_covered =
                    admits(slice.men + slice.kings, slice.enemy_men + slice.enemy_kings);
                let want = full.probe(&position).filter(|_| is_covered);
                assert_eq!(cached.covers(&position), is_covered);
                assert_eq!(cached.probe(&position).unwrap(), want, "{text} {slice:?} {index}");
                assert_eq!(resident.probe(&position).unwrap(), want, "{text} {slice:?} {index}");
                unknown += u32::from(want.is_none());
            }
        }
        assert!(unknown > 100, "{text}: the test would show nothing");
    }
}

#[test]
fn a_database_grows_from_cover_to_cover() {
    let board = Board::new(4, 4).unwrap();
    let files = |root: &Path| {
        let names = slices_there(&root.join("4x4"));
        let names = names.into_iter().chain(["MANIFEST".to_string()]);
        names.map(|name| fs::read(root.join("4x4").join(name)).unwrap()).collect::<Vec<_>>()
    };
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    let covers = |text| extend_to(root, &board, text).into_iter().map(|b| b.0).collect::<Vec<_>>();
    assert_eq!(covers("4:2"), ["2", "3", "4:2"]);
    assert_eq!(covers("5,6:3"), ["4", "5", "5,6:3"]);
    // The cover that is there already, and parts of it.
    assert!(covers("5").is_empty() && covers("6:3").is_empty() && covers("5,6:3").is_empty());
    let fresh = tempfile::tempdir().unwrap();
    extend_to(fresh.path(), &board, "5,6:3");
    assert!(files(root) == files(fresh.path()));
    // A part of the database is served like a database of its own.
    let store = Store::new(root, &board);
    let part = tempfile::tempdir().unwrap();
    extend_to(part.path(), &board, "5:3");
    let manifest = Store::new(part.path(), &board).manifest().unwrap();
    assert_eq!(store.manifest_of(&cover("5:3")).unwrap(), manifest);
    store.verify(&cover("5:3")).unwrap();
    let values =
        BuildSession::new(&store, &cover("5:3"), MEMORY).unwrap().load_all(|_| ()).unwrap();
    assert_eq!(values.cover(), &cover("5:3"));
    // A larger cover than that of the database is refused.
    let error = store.manifest_of(&cover("6")).unwrap_err();
    assert!(matches!(&error, StoreError::TooSmall { .. }));
    let words = "expected a database with 6 pieces, found one with 5,6:3 (extend it with `prove db";
    assert!(error.to_string().contains(words), "{error}");
    // Neither cover includes the other: afterwards the database has both.
    let both = tempfile::tempdir().unwrap();
    extend_to(both.path(), &board, "6:3");
    let begun = extend_to(both.path(), &board, "5");
    assert_eq!(begun.iter().map(|b| b.0.as_str()).collect::<Vec<_>>(), ["5,6:3"]);
    assert!(files(both.path()) == files(fresh.path()));
}

/// A run for a larger cover was interrupted, and the next run is for a smaller one: finished slices
/// of the larger cover stay until they are needed.
#[test]
fn finished_slices_of_a_larger_cover_are_kept() {
    let board = Board::new(4, 4).unwrap();
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    extend_to(root, &board, "4");
    let (directory, building) = (root.join("4x4"), root.join("4x4.building"));
    let manifest = Store::new(root, &board).manifest().unwrap().restricted_to(&cover("3"));
    fs::create_dir(&building).unwrap();
    let slices = ["0-1-0-3", "0-3-0-1", "0-2-0-2"];
    for name in slices_there(&directory) {
        let is_listed = manifest.slices.iter().any(|record| record.name.file_name() == name);
        match is_listed {
            true => {}
            false if slices.contains(&name.as_str()) => {
                fs::rename(directory.join(&name), building.join(&name)).unwrap();
            }
            false => fs::remove_file(directory.join(&name)).unwrap(),
        }
    }
    fs::write(directory.join("MANIFEST"), manifest.encode()).unwrap();
    let kings = |a, b| Slice::new(0, a, 0, b).indices(&board);
    let begun = extend_to(root, &board, "4:2");
    assert_eq!(begun.iter().map(|b| b.2).collect::<Vec<_>>(), [kings(2, 2)]);
    assert_eq!(slices_there(&building), BTreeSet::from(["0-1-0-3".into(), "0-3-0-1".into()]));
    let begun = extend_to(root, &board, "4");
    assert_eq!(begun.iter().map(|b| b.2).collect::<Vec<_>>(), [kings(1, 3) + kings(3, 1)]);
    assert!(!building.exists());
    let fresh = tempfile::tempdir().unwrap();
    extend_to(fresh.path(), &board, "4");
    let manifest = |root: &Path| Store::new(root, &board).manifest().unwrap();
    assert!(manifest(root) == manifest(fresh.path()));
}

#[test]
fn a_smaller_cover_takes_less_of_everything() {
    let board = Board::new(8, 8).unwrap();
    let covers = ["7", "7,8:4", "8"].map(cover);
    let indices = |cover: &Cover| -> u64 {
        Slice::all(&board, cover).iter().map(|slice| slice.indices(&board)).sum()
    };
    let [seven, part, eight] = covers.each_ref().map(indices);
    assert!(seven < part && part < eight);
    let least = covers.each_ref().map(|cover| BuildSession::least_memory(&board, cover));
    assert!(least[1] < least[2], "{least:?}");
    let error = BuildSession::check_memory(&board, &covers[1], 1 << 20).unwrap_err();
    assert!(matches!(&error, BuildError::Memory { .. }));
    assert!(error.to_string().starts_with("the 8x8 database with 7,8:4 pieces needs"), "{error}");
}

#[test]
fn forecasts_are_of_the_slices_of_the_cover() {
    let board = Board::new(6, 6).unwrap();
    let root = tempfile::tempdir().unwrap();
    extend_to(root.path(), &board, "4:2");
    let (store, scratch) = (Store::new(root.path(), &board), tempfile::tempdir().unwrap());
    let mut forecaster = Forecaster::new(&store, scratch.path(), MEMORY).unwrap();
    let sums = |text: &str, forecaster: &Forecaster| {
        let forecasts = forecaster.forecast(&cover(text));
        let indices: u64 = forecasts.iter().map(|forecast| forecast.indices).sum();
        let slices = Slice::all(&board, &cover(text));
        assert_eq!(indices, slices.iter().map(|slice| slice.indices(&board)).sum::<u64>());
        (forecasts.len(), forecasts.iter().map(|forecast| forecast.bytes).sum::<f64>())
    };
    assert_eq!(forecaster.forecast(&cover("3"))[0].depth_seconds, None);
    forecaster.measure_depths(scratch.path()).unwrap();
    let of_depths = forecaster.forecast(&cover("5"));
    let seconds: Vec<f64> =
        of_depths.iter().map(|forecast| forecast.depth_seconds.unwrap()).collect();
    assert!(
        seconds.is_sorted() && seconds[0] > 0.0 && of_depths.iter().all(|f| f.seconds > 0.0),
        "{seconds:?}"
    );
    let (part, full) = (sums("7,8:4", &forecaster), sums("8", &forecaster));
    assert_eq!((part.0, full.0), (7, 7));
    assert!(part.1 < full.1, "{part:?} {full:?}");
}

/// Builds the database of a board, with depths.
fn build_in(root: &Path, board: &Board, pieces: u8) {
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
    build_in(&small, &board, 3);
    build_in(&large, &board, 4);
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
    build_in(directory.path(), &board, 3);
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
    build_in(directory.path(), &board, 3);
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
