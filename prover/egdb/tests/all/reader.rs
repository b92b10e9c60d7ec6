//! Look-ups of positions in files, which never return a plausible wrong value.

use crate::common::*;
use std::sync::OnceLock;

use draughtproof_egdb::{Making, locate};
use quickcheck::{TestResult, quickcheck};
use rayon::prelude::*;

/// Builds the database of a board in a new directory.
fn built(board: &Board, pieces: u8) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Store::new(directory.path(), board);
    let _lock = store.lock().expect("the only builder");
    extend(
        &mut BuildSession::new(&store, &Cover::up_to(pieces), 1 << 30).expect("a store"),
        |_| (),
    )
    .expect("files");
    directory
}

/// Makes the tables of the first slices that fit into `space` bytes; returns their number.
fn map(board: &Board, pieces: u8, root: &Path, space: u64) -> usize {
    let store = Store::new(root, board);
    let mut session = BuildSession::new(&store, &Cover::up_to(pieces), 1 << 30).expect("a store");
    let mut made = 0;
    let count = |making| {
        if let Making::Begin { slices, .. } = making {
            made = slices;
        }
    };
    session.map(space, count).expect("tables");
    made
}

fn board(rows: u8, columns: u8) -> Board {
    Board::new(rows, columns).expect("a board")
}

/// All positions of a database, both sides to move.
fn positions(board: &Board, pieces: u8) -> Vec<Position> {
    let of =
        |slice: Slice| (0..slice.indices(board)).filter_map(move |i| position_at(board, slice, i));
    let black = Slice::all(board, &Cover::up_to(pieces)).into_iter().flat_map(of);
    black.flat_map(|p| [p, p.twin(board)]).collect()
}

/// The value of a position by the database's values of its successors.
fn one_ply(database: &Database, position: &Position) -> Value {
    let mut successors = Vec::new();
    database.board().successors(position, &mut successors);
    let values = successors.iter().map(|after| {
        if after.both_sides() { database.probe(after).expect("a value") } else { Some(Value::Loss) }
    });
    // Losses of the opponent come first.
    match values.map(|value| value.expect("a value") as u8).min() {
        Some(0) => Value::Win,
        Some(1) => Value::Draw,
        _ => Value::Loss,
    }
}

#[test]
fn every_value_follows_from_its_successors() {
    // The last board has slices of several parts, and rows that are cut.
    for (board, pieces) in
        [(board(4, 4), 4), (board(5, 5), 4), (board(6, 6), 3), (board(3, 7), 3), (board(6, 8), 3)]
    {
        let files = built(&board, pieces);
        let open = |mode| Database::open(files.path(), &board, mode).expect("a database");
        map(&board, pieces, files.path(), 1 << 30);
        // A cache for one part, one for all parts, no cache, and tables in files.
        let modes = [Mode::Cached(1), Mode::default(), Mode::Resident(1 << 30), Mode::Mapped(1)];
        let all = modes.map(open);
        let positions = positions(&board, pieces);
        positions.par_iter().for_each(|position| {
            let values = all.each_ref().map(|database| database.probe(position).expect("files"));
            assert_eq!(values, [Some(one_ply(&all[2], position)); 4]);
        });
        let single: Vec<_> = positions.iter().map(|p| all[2].probe(p).expect("files")).collect();
        for database in all {
            assert!(database.probe_batch(&positions).expect("files") == single);
        }
    }
}

#[test]
fn what_is_not_there_is_unknown() {
    let board = board(4, 4);
    let files = built(&board, 3);
    let probe = |fen: &str| {
        let database = Database::open(files.path(), &board, Mode::default()).expect("a database");
        database.probe(&board.read_fen(fen).expect("a position")).expect("no damage")
    };
    // A position with too many pieces, and one with a side without pieces.
    assert_eq!(probe("B:W7,8:B1,2"), None);
    assert_eq!(probe("B:W:B1,2"), None);
    assert!(probe("B:W7:BK1").is_some() && probe("B:WK8:B1").is_some());
    fs::remove_file(files.path().join("4x4/0-1-1-0")).expect("a slice");
    assert_eq!(probe("B:W7:BK1"), None);
    assert!(probe("B:WK8:B1").is_some());
    fs::remove_file(files.path().join("4x4/MANIFEST")).expect("MANIFEST");
    let error = Database::open(files.path(), &board, Mode::default()).err().expect("no database");
    assert!(error.to_string().contains("4x4/MANIFEST: no database here"), "{error}");
}

#[test]
fn no_flipped_bit_changes_a_value() {
    let board = board(4, 4);
    let files = built(&board, 3);
    let positions = positions(&board, 3);
    let values = |root: &Path| {
        let database = Database::open(root, &board, Mode::default()).map_err(|e| e.to_string())?;
        database.probe_batch(&positions).map_err(|e| e.to_string())
    };
    let right = values(files.path()).expect("values");
    let (mut errors, mut harmless) = (0, 0);
    for entry in fs::read_dir(files.path().join("4x4")).expect("files") {
        let path = entry.expect("a file").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let bytes = fs::read(&path).expect("a file");
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            fs::write(&path, &damaged).expect("a file");
            match values(files.path()) {
                Ok(same) => {
                    // Digests of the MANIFEST are for `check`, and for programs that read whole
                    // files.
                    assert!(same == right && name == "MANIFEST", "{name}, byte {at}");
                    harmless += 1;
                }
                Err(error) => {
                    assert!(error.contains(&name), "{name}, byte {at}: {error}");
                    errors += 1;
                }
            }
        }
        fs::write(&path, &bytes).expect("a file");
    }
    assert!(errors > 1000 && harmless > 100, "{errors} errors, {harmless} harmless");
    assert!(values(files.path()).as_ref() == Ok(&right));
}

/// The files of tables, in no order.
fn tables(root: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(root.join("4x4.tables")).into_iter().flatten();
    entries.map(|entry| entry.expect("a file").path()).collect()
}

/// A table with any changed byte gives the right values: a damaged page is read from the compressed
/// file instead.
#[test]
fn no_changed_byte_of_a_table_changes_a_value() {
    let board = board(4, 4);
    let files = built(&board, 3);
    let slices = map(&board, 3, files.path(), 1 << 30);
    assert_eq!(slices, Slice::all(&board, &Cover::up_to(3)).len());
    assert_eq!(slices, tables(files.path()).len());
    let positions = positions(&board, 3);
    let values = || {
        let database = Database::open(files.path(), &board, Mode::Mapped(1)).expect("a database");
        let one_by_one: Result<Vec<_>, _> = positions.iter().map(|p| database.probe(p)).collect();
        let values = database.probe_batch(&positions).expect("values");
        assert!(values == one_by_one.expect("values"));
        values
    };
    let right = values();
    let mut made = 0;
    for (table, path) in tables(files.path()).into_iter().enumerate() {
        let bytes = fs::read(&path).expect("a table");
        // A third of the bytes is tried, other ones in each table. Of the zeros behind the head and
        // behind the values, which are many, only some are tried.
        let is_zeros = |at: usize| (128..4096).contains(&at) || (4400..8192).contains(&at);
        let is_tried = |at: usize| at % if is_zeros(at) { 199 } else { 3 } == table % 3;
        for at in (0..bytes.len()).filter(|&at| is_tried(at)) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            fs::write(&path, &damaged).expect("a table");
            assert!(values() == right, "{}, byte {at}", path.display());
            // Another page, or one that is not read, may hide the change: then no table is made.
            if at % 50 == 0 {
                made += map(&board, 3, files.path(), 1 << 30);
                assert!(values() == right);
            }
        }
        for length in [0, 1, 4095, 4096, bytes.len() - 1, bytes.len() + 1] {
            let mut other = bytes.clone();
            other.resize(length, 0);
            fs::write(&path, &other).expect("a table");
            assert!(values() == right, "{} of {length} bytes", path.display());
            assert_eq!(map(&board, 3, files.path(), 1 << 30), 1);
            assert!(fs::read(&path).expect("a table") == bytes);
        }
    }
    assert!(made > 0);
}

/// With the tables that it needs in files, and for any amount of space for them, the builder makes
/// an equal database, also when it was interrupted.
#[test]
fn a_build_with_tables_in_files() {
    for (board, pieces) in [(board(4, 4), 5), (board(5, 5), 4), (board(4, 6), 4)] {
        let plain = built(&board, pieces);
        let root = |directory: &Path| Store::new(directory, &board).manifest().unwrap().root();
        for space in [0, 100_000, 1 << 30] {
            let directory = tempfile::tempdir().expect("a directory");
            for most in 2..=pieces {
                let store = Store::new(directory.path(), &board);
                let _lock = store.lock().expect("the only builder");
                let mut session =
                    BuildSession::new(&store, &Cover::up_to(most), 1 << 30).expect("a store");
                let _tables = session.spill_tables(space, || ()).expect("tables");
                extend(&mut session, |_| ()).expect("a database");
                assert!(store.table_bytes().expect("tables") <= space);
            }
            assert!(root(directory.path()) == root(plain.path()), "{} {space}", board.name());
        }
    }
}

/// Tables that are there already take room from those that a build makes.
#[test]
fn a_build_beside_tables_of_an_earlier_run() {
    let board = board(4, 6);
    for share in 0..3 {
        let directory = built(&board, 3);
        map(&board, 3, directory.path(), 1 << 30);
        let store = Store::new(directory.path(), &board);
        let before = store.table_bytes().expect("tables");
        let space = before / 2 * share;
        let _lock = store.lock().expect("the only builder");
        let mut session = BuildSession::new(&store, &Cover::up_to(4), 1 << 30).expect("a store");
        let _tables = session.spill_tables(space, || ()).expect("tables");
        let is_within = |_| assert!(store.table_bytes().expect("tables") <= before);
        extend(&mut session, is_within).expect("a database");
    }
}

/// Tables that a search does not want give way to those that it makes.
#[test]
fn tables_of_a_search_beside_those_of_an_earlier_run() {
    let board = board(4, 4);
    let directory = built(&board, 3);
    let store = Store::new(directory.path(), &board);
    let space = 100_000;
    map(&board, 3, directory.path(), space);
    let wanted = tables(directory.path());
    assert!(map(&board, 3, directory.path(), 1 << 30) > 0);
    assert_eq!(map(&board, 3, directory.path(), space), 0);
    assert!(store.table_bytes().expect("tables") > space, "a search that makes none removes none");
    fs::remove_file(&wanted[0]).expect("a table");
    assert_eq!(map(&board, 3, directory.path(), space), 1);
    assert!(store.table_bytes().expect("tables") <= space);
}

#[test]
fn tables_of_something_else_are_no_tables() {
    let board = board(4, 4);
    let files = built(&board, 3);
    map(&board, 3, files.path(), 1 << 30);
    let mut paths = tables(files.path());
    paths.sort();
    let contents: Vec<_> = paths.iter().map(|path| fs::read(path).expect("a table")).collect();
    // Each table is put in the place of the next.
    for (path, bytes) in paths.iter().skip(1).zip(&contents) {
        fs::write(path, bytes).expect("a table");
    }
    fs::remove_file(&paths[0]).expect("a table");
    assert_eq!(map(&board, 3, files.path(), 1 << 30), paths.len());
    for (path, bytes) in paths.iter().zip(&contents) {
        assert!(&fs::read(path).expect("a table") == bytes, "{}", path.display());
    }
}

#[test]
fn tables_for_as_many_slices_as_there_is_room_for() {
    let board = board(4, 4);
    let files = built(&board, 3);
    let positions = positions(&board, 3);
    let resident =
        Database::open(files.path(), &board, Mode::Resident(1 << 30)).expect("a database");
    let right = resident.probe_batch(&positions).expect("values");
    let mut most = 0;
    for space in (10_000..200_000).step_by(20_000) {
        most += map(&board, 3, files.path(), space);
        let there: u64 = tables(files.path()).iter().map(|p| p.metadata().unwrap().len()).sum();
        assert!(there <= space && tables(files.path()).len() == most);
        let mapped = Database::open(files.path(), &board, Mode::Mapped(1)).expect("a database");
        assert!(mapped.probe_batch(&positions).expect("values") == right);
    }
    assert_eq!(most, Slice::all(&board, &Cover::up_to(3)).len());
}

quickcheck! {
    fn values_of_the_real_board(slice: usize, index: u64) -> TestResult {
        static DATABASE: OnceLock<(tempfile::TempDir, Database)> = OnceLock::new();
        let (_, database) = DATABASE.get_or_init(|| {
            let files = built(&board(8, 8), 4);
            let small = Mode::Cached(1 << 20);
            let database = Database::open(files.path(), &board(8, 8), small).expect("a database");
            (files, database)
        });
        let slices = Slice::all(database.board(), database.cover());
        let slice = slices[slice % slices.len()];
        let index = index % slice.indices(database.board());
        let Some(position) = position_at(database.board(), slice, index) else {
            return TestResult::discard();
        };
        let values = [position, position.twin(database.board())]
            .map(|p| database.probe(&p).expect("files"));
        TestResult::from_bool(values == [Some(one_ply(database, &position)); 2])
    }

    fn indices_and_positions(slice: usize, index: u64) -> bool {
        let board = board(8, 8);
        let slices = Slice::all(&board, &Cover::up_to(7));
        let slice = slices[slice % slices.len()];
        let index = index % slice.indices(&board);
        position_at(&board, slice, index).is_none_or(|p| {
            locate(&board, &p) == (slice, index) && locate(&board, &p.twin(&board)) == (slice, index)
        })
    }
}
