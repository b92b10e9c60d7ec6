//! A database that several processes build at the same time, each some of its slices.

use draughtproof_egdb::Builder;
use tests::prelude::*;

pub(super) const OF: [&str; 5] = ["--game", "4x6", "--pieces", "4", "--quiet"];

/// The options for all slices, in order, or in reverse order within each layer.
pub(super) fn slices(turned: bool) -> Vec<String> {
    let board = Board::new(4, 6).unwrap();
    let mut pairs: Vec<Slice> =
        (2..=4).flat_map(|n| Builder::pairs(&board, &Cover::up_to(4), n)).collect();
    if turned {
        pairs.iter_mut().for_each(|slice| *slice = slice.twin());
    }
    pairs.iter().map(|slice| slice.name().file_name()).collect()
}

/// A process that builds slices, and with `tables` leaves tables for the others.
fn start(slices: &[String], tables: bool, place: &Path) -> Child {
    let mut command = Command::new(path("prove"));
    command.args(["db", "slice", "--db", "many"]).args(OF).args(slices).current_dir(place);
    if tables {
        command.arg("--map");
    }
    command.stdout(Stdio::null()).spawn().unwrap()
}

#[test]
fn processes_share_a_build() {
    let here = &Scratch::empty();
    let one = prove(&[&["db", "--db", "one"], &OF[..]].concat(), here);
    // Each process builds all slices, and one process is killed.
    let start = |i: usize| start(&slices(i % 2 == 1), i > 1, here);
    let mut processes: Vec<Child> = (0..4).map(start).collect();
    processes[0].kill().unwrap();
    processes[0].wait().unwrap();
    for process in &mut processes[1..] {
        assert!(process.wait().unwrap().success());
    }
    // A temporary file, as of a process that was killed while it wrote.
    fs::write(here.join("many/4x6.building/.unfinished-x"), "part").unwrap();
    assert_eq!(prove(&[&["db", "--db", "many"], &OF[..]].concat(), here), one);
    assert!(read_all(&here.join("one/4x6")) == read_all(&here.join("many/4x6")));
    prove(&["db", "unmap", "--db", "many", "--game", "4x6", "--quiet"], here);
    let beside = fs::read_dir(here.join("many")).unwrap().map(|e| e.unwrap().file_name());
    let mut beside: Vec<_> = beside.collect();
    beside.sort();
    assert_eq!(beside, ["4x6", "4x6.figures", "4x6.lock", "4x6.tables.lock"]);
}

/// Tables are used only if they belong to the existing slices and are complete.
#[test]
fn left_tables_are_checked() {
    let here = &Scratch::empty();
    prove(&[&["db", "--db", "one"], &OF[..]].concat(), here);
    let all = slices(false);
    let (first, rest) = all.split_at(all.len() - 4);
    assert!(start(first, true, here).wait().unwrap().success());
    let tables = here.join("many/4x6.tables");
    let made = fs::read_dir(&tables).unwrap().map(|e| e.unwrap().path()).collect::<Vec<_>>();
    assert!(made.len() > 20, "{made:?}");
    for (i, path) in made.iter().enumerate() {
        let mut bytes = fs::read(path).unwrap();
        match i % 3 {
            0 => continue,
            1 => bytes.truncate(100),
            _ => bytes[5000] ^= 1,
        }
        fs::write(path, bytes).unwrap();
    }
    assert!(start(rest, true, here).wait().unwrap().success());
    prove(&[&["db", "--db", "many"], &OF[..]].concat(), here);
    assert!(read_all(&here.join("one/4x6")) == read_all(&here.join("many/4x6")));
}

#[test]
fn what_is_missing_or_damaged_is_named() {
    let here = &Scratch::empty();
    let build = |slices: &[&str]| {
        let output = run(
            &path("prove"),
            &[&["db", "slice", "--db", "many"], &OF[..], slices].concat(),
            here,
        );
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).unwrap())
    };
    let (status, said) = build(&["0-1-1-0"]);
    assert_eq!(status, Some(3), "{said}");
    let missing = "many/4x6/0-1-0-1: expected slice 0-1-0-1, which slice 0-1-1-0 follows from, found no such file";
    assert!(said.contains(missing) && said.contains("prove db slice 0-1-0-1"), "{said}");
    let (status, said) = build(&["1-0-0-1", "0-1-0-1"]);
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(said.matches("built").count(), 2, "{said}");
    let (status, said) = build(&["0-1-1-0", "0-1-0-1"]);
    assert_eq!((status, said.matches("there, verified").count()), (Some(0), 2), "{said}");

    // A slice that follows from a damaged one names it, and the damaged one can be built again.
    let file = here.join("many/4x6.building/0-1-0-1");
    let whole = fs::read(&file).unwrap();
    let mut damaged = whole.clone();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(&file, damaged).unwrap();
    let (status, said) = build(&["0-2-0-1"]);
    assert_eq!(status, Some(3), "{said}");
    assert!(
        said.contains("found other bytes: build it again, with `prove db slice 0-1-0-1`"),
        "{said}"
    );
    let (status, said) = build(&["0-1-0-1"]);
    assert_eq!((status, said.matches("built").count()), (Some(0), 1), "{said}");
    assert!(fs::read(&file).unwrap() == whole);

    for (slice, expected) in [
        ("2-1-1-1", "expected a slice of 4x6 with 4 pieces, found 2-1-1-1"),
        ("1-1", "expected four numbers, as in 2-0-1-1"),
    ] {
        let (status, said) = build(&[slice]);
        assert_eq!(status, Some(2), "{said}");
        assert!(said.contains(expected), "{said}");
    }
}
