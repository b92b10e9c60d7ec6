//! Converting a database of version 0: `tests/version0` has one of 4x4 with 4 pieces, and depths,
//! as the last program of that version wrote it (`prove db --game 4x4 --pieces 4 --depth`).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use certificate_spec::Digest;
use draughtproof_egdb::{
    BuildError, BuildSession, Cover, Database, Event, Mode, Slice, Store, StoreError, convert,
    extend, extend_depths,
};
use draughtproof_game::Board;

const MEMORY: u64 = 1 << 30;
/// The bytes of the MANIFEST of version 0 before its records, and below it those of a record.
const HEADER: usize = 32;
const RECORD: usize = 48;

fn board() -> Board {
    Board::new(4, 4).unwrap()
}

fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/version0")
}

/// The files of a folder's subfolders, by path.
type Files = BTreeMap<PathBuf, Vec<u8>>;

fn files(root: &Path) -> Files {
    let mut files = Files::new();
    for folder in fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()) {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            files.insert(path.strip_prefix(root).unwrap().into(), fs::read(&path).unwrap());
        }
    }
    files
}

fn write(files: &Files) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, bytes) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    root
}

/// A database with an equal cover, built anew with depths.
fn built() -> Files {
    let root = tempfile::tempdir().unwrap();
    let store = Store::new(root.path(), &board());
    let _lock = store.lock().unwrap();
    let mut session = BuildSession::new(&store, &Cover::up_to(4), MEMORY).unwrap();
    extend(&mut session, |_| ()).unwrap();
    let mut session = BuildSession::new(&store, &Cover::up_to(4), MEMORY).unwrap();
    extend_depths(&mut session, |_| ()).unwrap();
    files(root.path())
}

fn try_convert(root: &Path) -> Result<bool, StoreError> {
    let store = Store::new(root, &board());
    let _lock = store.lock()?;
    convert(&store, |_, _| ())
}

/// The offset of the record of a slice in the MANIFEST of version 0.
fn record_place(manifest: &[u8], name: &str) -> usize {
    let counts: Vec<u8> = name.split('-').map(|n| n.parse().unwrap()).collect();
    let records = (HEADER..manifest.len()).step_by(RECORD);
    records.into_iter().find(|&at| manifest[at..at + 4] == counts).unwrap()
}

#[test]
fn a_reader_says_what_to_do() {
    let root = write(&files(&kept()));
    let error = Database::open(root.path(), &board(), Mode::default()).err().unwrap();
    assert!(matches!(error, BuildError::Store(StoreError::Version0 { pieces: 4, .. })));
    let directory = root.path().display();
    let want = format!(
        "{directory}/4x4/MANIFEST: expected a database of version 1, found one of version 0 \
         (run `prove db --game 4x4 --pieces 4 --db {directory}` to convert it)"
    );
    assert_eq!(error.to_string(), want);
    assert!(files(root.path()) == files(&kept()));
}

#[test]
fn a_converted_database_is_what_would_be_built() {
    let root = write(&files(&kept()));
    let store = Store::new(root.path(), &board());
    let _lock = store.lock().unwrap();
    let mut steps = Vec::new();
    assert!(convert(&store, |done, all| steps.push((done, all))).unwrap());
    let slices = Slice::all(&board(), &Cover::up_to(4)).len();
    assert_eq!(steps, (1..=slices).map(|done| (done, slices)).collect::<Vec<_>>());
    let built = built();
    assert_eq!(built.len(), 2 * slices + 1);
    // All bytes are equal, so values, depths and root are.
    assert!(files(root.path()) == built);
    store.verify(&Cover::up_to(4)).unwrap();
    // A second conversion has nothing to do.
    assert!(!convert(&store, |_, _| panic!("converted again")).unwrap());
    assert!(files(root.path()) == built);
}

/// Every step replaces one file by another, so these are all states in which a run can be killed.
#[test]
fn a_run_that_is_killed_loses_nothing() {
    let (old, new) = (files(&kept()), built());
    let names: Vec<String> = Slice::all(&board(), &Cover::up_to(4))
        .into_iter()
        .map(|slice| slice.name().file_name())
        .collect();
    let steps = names.iter().flat_map(|name| ["4x4", "4x4.depth"].map(|d| Path::new(d).join(name)));
    let mut state = old;
    for path in steps {
        state.insert(path.clone(), new[&path].clone());
        let root = write(&state);
        fs::write(root.path().join(&path).with_file_name(".unfinished-0-1-0-2"), "half").unwrap();
        let error = Database::open(root.path(), &board(), Mode::default()).err().unwrap();
        assert!(matches!(error, BuildError::Store(StoreError::Version0 { .. })));
        assert!(try_convert(root.path()).unwrap());
        assert!(files(root.path()) == new, "{}", path.display());
    }
}

#[test]
fn what_is_damaged_is_not_converted() {
    let (old, new) = (files(&kept()), built());
    for name in ["4x4/MANIFEST", "4x4/1-1-1-1", "4x4/0-1-0-1", "4x4/0-1-0-3"] {
        let length = old[Path::new(name)].len();
        for at in (0..length).step_by(length / 40 + 1) {
            let mut damaged = old.clone();
            damaged.get_mut(Path::new(name)).unwrap()[at] ^= 1 << (at % 8);
            let root = write(&damaged);
            let error = try_convert(root.path()).unwrap_err().to_string();
            assert!(error.contains("4x4/"), "{name}, byte {at}: {error}");
            assert!(files(root.path()) == damaged, "{name}, byte {at}");
        }
    }
    // A slice that was converted and then damaged: in its head, and in its payloads.
    for at in [40, 90, new[Path::new("4x4/1-1-1-1")].len() - 1] {
        let mut damaged = old.clone();
        let mut bytes = new[Path::new("4x4/1-1-1-1")].clone();
        bytes[at] ^= 1;
        damaged.insert("4x4/1-1-1-1".into(), bytes);
        let root = write(&damaged);
        let error = try_convert(root.path()).unwrap_err().to_string();
        assert!(error.contains("4x4/1-1-1-1"), "{error}");
        assert!(files(root.path()) == damaged);
    }
    // A missing slice, and a MANIFEST that lacks one.
    let mut missing = old.clone();
    missing.remove(Path::new("4x4/1-1-1-1"));
    assert!(try_convert(write(&missing).path()).is_err());
    let mut incomplete = old.clone();
    let manifest = incomplete.get_mut(Path::new("4x4/MANIFEST")).unwrap();
    manifest.truncate(manifest.len() - RECORD);
    manifest[16] -= 1;
    let error = try_convert(write(&incomplete).path()).unwrap_err().to_string();
    assert!(error.contains("expected the 41 slices with 4 pieces, found 40 slices"), "{error}");
    // A slice in the place of another, with the record of that other slice.
    let mut swapped = old.clone();
    let bytes = old[Path::new("4x4/0-1-0-2")].clone();
    let manifest = swapped.get_mut(Path::new("4x4/MANIFEST")).unwrap();
    let at = record_place(manifest, "0-2-0-1");
    manifest[at + 8..at + 16].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
    manifest[at + 16..at + RECORD].copy_from_slice(&Digest::of(&bytes).0);
    swapped.insert("4x4/0-2-0-1".into(), bytes);
    let error = try_convert(write(&swapped).path()).unwrap_err().to_string();
    assert!(error.contains("4x4/0-2-0-1"), "{error}");
}

#[test]
fn depths_of_other_values_are_found_again() {
    let (mut old, new) = (files(&kept()), built());
    // Depths of another slice, and damaged ones.
    old.insert("4x4.depth/0-2-0-1".into(), old[Path::new("4x4.depth/0-1-0-2")].clone());
    old.get_mut(Path::new("4x4.depth/1-1-1-1")).unwrap()[20] ^= 1;
    let root = write(&old);
    assert!(try_convert(root.path()).unwrap());
    let store = Store::new(root.path(), &board());
    let _lock = store.lock().unwrap();
    let mut session = BuildSession::new(&store, &Cover::up_to(4), MEMORY).unwrap();
    let mut found = 0;
    extend_depths(&mut session, |event| {
        found += if let Event::Done(indices) = event { indices } else { 0 };
    })
    .unwrap();
    let indices = |a, b, c, d| Slice::new(a, b, c, d).indices(&board());
    assert_eq!(found, indices(0, 2, 0, 1) + indices(0, 1, 0, 2) + indices(1, 1, 1, 1));
    assert!(files(root.path()) == new);
}

/// The slices of an interrupted build are converted like those that are listed.
#[test]
fn slices_that_are_not_listed_yet_are_converted() {
    let (old, new) = (files(&kept()), built());
    let mut state = Files::new();
    for (path, bytes) in old.into_iter().filter(|(path, _)| path.starts_with("4x4")) {
        let name = path.file_name().unwrap().to_str().unwrap();
        if name == "MANIFEST" {
            // The MANIFEST of a database with 3 pieces has fewer records.
            let listed = Slice::all(&board(), &Cover::up_to(3)).len();
            let mut manifest = bytes[..HEADER + RECORD * listed].to_vec();
            manifest[14] = 3;
            manifest[16..24].copy_from_slice(&(listed as u64).to_le_bytes());
            state.insert(path, manifest);
        } else if name.split('-').map(|n| n.parse::<u32>().unwrap()).sum::<u32>() < 4 {
            state.insert(path, bytes);
        } else if name == "2-0-0-2" {
            // The run was killed after it had moved the first of them.
            state.insert(path, bytes);
        } else if name == "0-2-0-2" {
            // A part of the disk was full.
            state.insert(Path::new("4x4.building").join(name), bytes[..70].to_vec());
        } else {
            state.insert(Path::new("4x4.building").join(name), bytes);
        }
    }
    let root = write(&state);
    assert!(try_convert(root.path()).unwrap());
    let store = Store::new(root.path(), &board());
    let _lock = store.lock().unwrap();
    assert_eq!(store.manifest().unwrap().cover, Cover::up_to(3));
    let mut session = BuildSession::new(&store, &Cover::up_to(4), MEMORY).unwrap();
    let mut done = 0;
    extend(&mut session, |event| {
        done += if let Event::Done(indices) = event { indices } else { 0 };
    })
    .unwrap();
    assert_eq!(done, Slice::new(0, 2, 0, 2).indices(&board()));
    let here = files(root.path());
    let values = |files: &Files| -> Files {
        let files = files.iter().filter(|(path, _)| path.starts_with("4x4"));
        files.map(|(path, bytes)| (path.clone(), bytes.clone())).collect()
    };
    assert!(values(&here) == values(&new));
}
