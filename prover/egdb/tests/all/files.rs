//! Databases that are built into files: their bytes do not depend on how they are built, and their
//! values are those of a database in memory.
//!
//! Values encoded to files and decoded back. The tests find quiet positions by the rules of the
//! game, one by one.

use crate::common::*;
use certificate_spec::database::DatabaseManifest;
use certificate_spec::slice::{SliceHead, Unit, head_length};
use draughtproof_egdb::{Table, decode_slice, encode_slice};
use rayon::prelude::*;

const PLENTY: u64 = 1 << 40;

/// Builds a database under a directory.
fn build_files(board: &Board, cover: &Cover, memory: u64, directory: &Path) -> Store {
    let store = Store::new(directory, board);
    let lock = store.lock().unwrap();
    extend(&mut BuildSession::new(&store, cover, memory).unwrap(), |_| {}).unwrap();
    drop(lock);
    store
}

fn files(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(directory).unwrap().map(Result::unwrap);
    let mut files: Vec<_> = entries
        .map(|e| (e.file_name().into_string().unwrap(), fs::read(e.path()).unwrap()))
        .collect();
    files.sort();
    files
}

/// The files of a database that is built with some memory and some threads.
fn files_of(board: &Board, cover: &Cover, memory: u64, threads: usize) -> Vec<(String, Vec<u8>)> {
    let directory = tempfile::tempdir().unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| build_files(board, cover, memory, directory.path()));
    files(&directory.path().join(board.name()))
}

#[test]
fn values_come_back_from_files() {
    for (rows, columns, pieces) in
        [(3, 3, 4), (4, 4, 8), (5, 5, 5), (6, 6, 5), (4, 8, 4), (8, 4, 4), (7, 7, 3), (6, 8, 4)]
    {
        let (board, cover) = (Board::new(rows, columns).unwrap(), Cover::up_to(pieces));
        let directory = tempfile::tempdir().unwrap();
        let store = build_files(&board, &cover, PLENTY, directory.path());
        let load =
            |cover| BuildSession::new(&store, cover, PLENTY).unwrap().load_all(|_| ()).unwrap();
        let (read, built) = (load(&cover), build(&board, &cover));
        assert_eq!((read.cover(), built.cover()), (&cover, &cover));
        for slice in Slice::all(&board, &cover) {
            // Whole tables are compared, so indices without a position too.
            assert!(read.table(slice) == built.table(slice), "{} {slice:?}", board.name());
        }
        // A part of the database can be read as well.
        let part = Cover::up_to(2);
        let two = load(&part);
        let same = |slice| two.table(slice) == built.table(slice);
        assert!(Slice::all(&board, &part).into_iter().all(same));
    }
}

#[test]
fn bytes_depend_neither_on_threads_nor_on_memory() {
    let (board, five) = (Board::new(6, 6).unwrap(), Cover::up_to(5));
    let least = BuildSession::least_memory(&board, &five);
    assert!(least < Builder::memory(&board, &five), "the test would show nothing");
    let want = files_of(&board, &five, PLENTY, 1);
    assert_eq!(want.len(), Slice::all(&board, &five).len() + 1);
    for (memory, threads) in [(PLENTY, 2), (PLENTY, 4), (least, 2)] {
        let files = files_of(&board, &five, memory, threads);
        assert!(files == want, "{memory} bytes, {threads} threads");
    }
    // The database may have been built piece by piece in several runs.
    let directory = tempfile::tempdir().unwrap();
    for pieces in 2..=5 {
        build_files(&board, &Cover::up_to(pieces), least, directory.path());
    }
    assert!(files(&directory.path().join("6x6")) == want);
}

#[test]
fn less_than_the_least_memory_is_refused() {
    for (rows, columns, text) in [(6, 6, "5"), (4, 4, "6"), (8, 8, "3"), (6, 6, "5:3")] {
        let (board, cover) = (Board::new(rows, columns).unwrap(), cover(text));
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(directory.path(), &board);
        let _lock = store.lock().unwrap();
        let least = BuildSession::least_memory(&board, &cover);
        assert!(BuildSession::check_memory(&board, &cover, least).is_ok());
        assert!(BuildSession::check_memory(&board, &cover, least - 1).is_err());
        extend(&mut BuildSession::new(&store, &cover, least).unwrap(), |_| {}).unwrap();
        assert_eq!(store.manifest().unwrap().cover, cover);
        let read = BuildSession::new(&store, &cover, least / 2).unwrap().load_all(|_| ());
        assert!(matches!(read.err(), Some(BuildError::Memory { .. })));
    }
}

#[test]
fn counts_by_parts_are_those_of_whole_tables_and_take_less_memory() {
    for (board, cover) in [((6, 6), cover("5")), ((5, 7), cover("4")), ((4, 4), cover("6"))] {
        let board = Board::new(board.0, board.1).unwrap();
        let directory = tempfile::tempdir().unwrap();
        let store = build_files(&board, &cover, PLENTY, directory.path());
        let mut whole = BuildSession::new(&store, &cover, PLENTY).unwrap();
        for slice in Slice::all(&board, &cover) {
            let counts = whole.count(slice).unwrap();
            // Nothing is in memory at first; the second time the slices that captures lead to are.
            let mut session = BuildSession::new(&store, &cover, PLENTY).unwrap();
            for _ in 0..2 {
                assert_eq!(session.count_by_parts(slice).unwrap(), counts, "{slice:?}");
            }
        }
        // Captures of two pieces lead to no slice, so no table is needed at all.
        let (slice, memory) = (Slice::new(0, 1, 0, 1), 24 << 20);
        let mut small = BuildSession::new(&store, &cover, memory).unwrap();
        assert!(matches!(small.count(slice), Err(BuildError::Memory { .. })));
        let counts = small.count_by_parts(slice).unwrap();
        assert_eq!(counts, whole.count(slice).unwrap());
        // Damage is reported.
        let path = directory.path().join(board.name()).join("1-1-0-1");
        let mut bytes = fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&path, bytes).unwrap();
        let mut session = BuildSession::new(&store, &cover, PLENTY).unwrap();
        let damaged = session.count_by_parts(Slice::new(1, 1, 0, 1)).unwrap_err();
        assert!(damaged.to_string().contains("as it was written"), "{damaged}");
    }
}

#[test]
fn slices_that_need_too_much_memory_are_left_to_another_run() {
    let (board, six) = (Board::new(6, 6).unwrap(), Cover::up_to(6));
    let want = files_of(&board, &six, PLENTY, 2);
    let all = Slice::all(&board, &six).into_iter().filter(|s| s.pieces() == 6).count();
    let least = BuildSession::least_memory(&board, &six);
    // The memory suffices for no slice; for some slices; for all but the largest.
    for (little, finishes) in
        [(Builder::base_memory(&board, &six), 0), (least - (3 << 20), 5), (least - 1, 5)]
    {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(directory.path(), &board);
        let lock = store.lock().unwrap();
        let run = |memory| extend(&mut BuildSession::new(&store, &six, memory).unwrap(), |_| {});
        match run(little) {
            Err(BuildError::LeftOut { pieces, left, limit, .. }) => {
                let (there, _) = store.finished().unwrap();
                assert_eq!((there.most_pieces(), limit), (finishes, little));
                if !there.is_empty() {
                    let names = files(&directory.path().join("6x6.building"));
                    let built = names.iter().filter(|(name, _)| !name.starts_with('.')).count();
                    assert!(pieces == 6 && built > 0 && left > 0 && built + left == all, "{built}");
                }
            }
            other => panic!("{other:?}"),
        }
        run(PLENTY).unwrap();
        drop(lock);
        assert!(files(&directory.path().join("6x6")) == want);
    }
}

/// Leaves the database as a killed run might: `finished` pieces in the MANIFEST, and all slices
/// with one piece more in the building directory, except for those that were moved already.
fn interrupt(root: &Path, finished: u8, moved: &[&str]) {
    let directory = root.join("4x4");
    let building = root.join("4x4.building");
    fs::create_dir_all(&building).unwrap();
    let path = directory.join("MANIFEST");
    let manifest = DatabaseManifest::decode(&fs::read(&path).unwrap()).unwrap();
    for slice in manifest.slices.iter().filter(|s| s.name.pieces() > finished.into()) {
        let name = slice.name.file_name();
        if !moved.contains(&name.as_str()) {
            fs::rename(directory.join(&name), building.join(&name)).unwrap();
        }
    }
    match finished {
        0 => fs::remove_file(path).unwrap(),
        n => fs::write(path, manifest.restricted_to(&Cover::up_to(n)).encode()).unwrap(),
    }
}

#[test]
fn what_is_damaged_before_it_is_listed_is_built_again() {
    let board = Board::new(4, 4).unwrap();
    for (pieces, slice) in [(2, "0-1-0-1"), (3, "0-1-1-1")] {
        for moved in [&[][..], &[slice]] {
            let directory = tempfile::tempdir().unwrap();
            build_files(&board, &Cover::up_to(pieces), PLENTY, directory.path());
            let right = files(&directory.path().join("4x4"));
            let finished = if pieces == 2 { 0 } else { pieces - 1 };
            interrupt(directory.path(), finished, moved);
            let place = if moved.is_empty() { "4x4.building" } else { "4x4" };
            let path = directory.path().join(place).join(slice);
            let mut bytes = fs::read(&path).unwrap();
            *bytes.last_mut().unwrap() ^= 1;
            fs::write(&path, bytes).unwrap();
            build_files(&board, &Cover::up_to(pieces), PLENTY, directory.path());
            assert!(files(&directory.path().join("4x4")) == right, "{place}/{slice}");
            assert!(!directory.path().join("4x4.building").exists());
        }
    }
}

/// Encodes and decodes a table; quiet positions must have its values, and all others count as
/// draws.
fn comes_back(board: &Board, slice: Slice, table: &Table, quiet: &[bool]) {
    let bytes = encode_slice(board, slice, table).concat();
    let back = decode_slice(board, slice, &bytes).unwrap();
    assert_eq!(back.indices(), table.indices());
    for (index, &quiet) in (0..).zip(quiet) {
        let want = if quiet { table.value(index) } else { Value::Draw };
        assert_eq!(back.value(index), want, "{} {slice:?} {index}", board.name());
    }
    // The table's values of other positions are not in the file.
    assert!(encode_slice(board, slice, &back).concat() == bytes, "{slice:?}");
}

fn filled(board: &Board, slice: Slice, value: impl Fn(u64) -> Value) -> Table {
    let mut table = Table::new(slice.indices(board));
    (0..table.indices()).for_each(|index| table.set(index, value(index)));
    table
}

/// A value that depends on the index, of which half are draws.
fn scrambled(index: u64) -> Value {
    let hash = (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 61;
    [Value::Draw, Value::Draw, Value::Loss, Value::Draw, Value::Win, Value::Win, Value::Draw]
        [(hash % 7) as usize]
}

fn made_up(board: &Board, slice: Slice) {
    let quiet = quiet(board, slice);
    // If all values are wins, the decoded wins are the quiet positions.
    comes_back(board, slice, &filled(board, slice, |_| Value::Win), &quiet);
    comes_back(board, slice, &filled(board, slice, scrambled), &quiet);
}

fn all_slices(database: &Values) {
    let board = database.board();
    Slice::all(board, database.cover()).into_par_iter().for_each(|slice| {
        made_up(board, slice);
        comes_back(board, slice, database.table(slice), &quiet(board, slice));
    });
}

#[test]
fn every_slice_of_6x6_with_six_pieces_comes_back() {
    all_slices(&build(&Board::new(6, 6).unwrap(), &Cover::up_to(6)));
}

#[test]
fn every_slice_of_odd_boards_comes_back() {
    for (rows, columns, pieces) in
        [(3, 3, 4), (4, 2, 4), (5, 5, 5), (4, 8, 4), (8, 4, 4), (7, 7, 3), (6, 8, 3), (8, 8, 3)]
    {
        all_slices(&build(&Board::new(rows, columns).unwrap(), &Cover::up_to(pieces)));
    }
}

#[test]
fn slices_of_large_blocks_come_back() {
    // Slices with blocks of several parts and one column, with rows that are cut into parts, and
    // both.
    let board = Board::new(8, 8).unwrap();
    for slice in [Slice::new(1, 0, 0, 5), Slice::new(0, 5, 1, 0), Slice::new(0, 2, 0, 2)] {
        made_up(&board, slice);
    }
}

#[test]
fn a_table_of_one_value_takes_a_head_only() {
    let board = Board::new(6, 6).unwrap();
    let slice = Slice::new(1, 1, 1, 1);
    for value in [Value::Loss, Value::Draw, Value::Win] {
        let bytes = encode_slice(&board, slice, &filled(&board, slice, |_| value)).concat();
        assert_eq!(head_length(&bytes).unwrap(), bytes.len() as u64);
        let head = SliceHead::decode(&bytes, bytes.len() as u64).unwrap();
        assert_eq!(head.constant, Some(value));
    }
}

#[test]
fn units_without_quiet_positions_are_called_draws() {
    // Blocks have 28 parts each, of 18 rows of 220 positions, except for the last part.
    let (board, slice) = (Board::new(5, 5).unwrap(), Slice::new(1, 3, 1, 4));
    let mut table = filled(&board, slice, |_| Value::Loss);
    let quiet = quiet(&board, slice);
    let first = (0..).zip(&quiet).find(|&(_, &quiet)| quiet).unwrap().0;
    table.set(first, Value::Win);
    comes_back(&board, slice, &table, &quiet);
    let bytes = encode_slice(&board, slice, &table).concat();
    let head = SliceHead::decode(&bytes, bytes.len() as u64).unwrap();
    let parts: Vec<&[bool]> =
        quiet.chunks(495 * 220).flat_map(|block| block.chunks(18 * 220)).collect();
    assert_eq!(parts.len(), 2800);
    let mut none = 0;
    for (unit, (parts, entry)) in parts.chunks(16).zip(&head.units).enumerate().skip(1) {
        let is_quiet = parts.iter().any(|quiet| quiet.contains(&true));
        let value = if is_quiet { Value::Loss } else { Value::Draw };
        assert_eq!(*entry, Unit::Constant(value), "{unit}");
        none += u32::from(value == Value::Draw);
    }
    // In eight blocks both men stand on one square.
    assert!(none >= 8, "{none}");
    assert!(head.units.len() == 175 && matches!(head.units[0], Unit::Coded { .. }));
}

/// The bytes of a file as `SPEC.md` §13 shows them.
fn example(title: &str) -> Vec<u8> {
    let spec = include_str!("../../../../certificate-spec/SPEC.md");
    let dump = spec.split_once(&format!("\n{title} (")).unwrap().1;
    let dump = dump.split("```").nth(1).unwrap();
    let bytes = dump.lines().flat_map(|line| line.split_whitespace().skip(1));
    bytes.map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

#[test]
fn the_example_of_the_specification_is_read() {
    let (board, slice) = (Board::new(3, 3).unwrap(), Slice::new(0, 1, 1, 0));
    let table = decode_slice(&board, slice, &example("0-1-1-0")).unwrap();
    let values: Vec<Value> = (0..12).map(|index| table.value(index)).collect();
    let mut want = vec![Value::Draw; 12];
    (want[0], want[5]) = (Value::Win, Value::Loss);
    assert_eq!(values, want);
}

#[test]
fn damaged_files_are_refused() {
    let board = Board::new(4, 4).unwrap();
    let three = Cover::up_to(3);
    let database = build(&board, &three);
    for slice in Slice::all(&board, &three) {
        let bytes = encode_slice(&board, slice, database.table(slice)).concat();
        let refused = |bytes: &[u8], slice| decode_slice(&board, slice, bytes).is_err();
        assert!((0..bytes.len()).all(|end| refused(&bytes[..end], slice)));
        assert!(refused(&[&bytes[..], &[0]].concat(), slice));
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut bytes = bytes.clone();
                bytes[at] ^= 1 << bit;
                // The value in a header without units is covered by its checksum as well.
                assert!(refused(&bytes, slice), "{slice:?}: byte {at} bit {bit}");
            }
        }
        let others = Slice::all(&board, &three).into_iter().filter(|&other| other != slice);
        assert!(others.into_iter().all(|other| refused(&bytes, other)), "{slice:?}");
        let other = Board::new(6, 4).unwrap();
        assert!(decode_slice(&other, slice, &bytes).is_err());
    }
}
