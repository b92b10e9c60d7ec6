//! Databases that are built into files: their bytes do not depend on how they are built, and their
//! values are those of a database in memory.

use crate::common::*;
use certificate_spec::database::DatabaseManifest;

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
