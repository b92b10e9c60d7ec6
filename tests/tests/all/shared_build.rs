//! A database that several processes build at the same time, each some of its slices.
//!
//! A database that machines build without a common directory: slices go through an object store.

use draughtproof_egdb::Builder;
use tests::prelude::*;
use tests::s3::S3;

const OF: [&str; 5] = ["--game", "4x6", "--pieces", "4", "--quiet"];

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

/// Machines that share only an object store.
struct Machines<'a> {
    here: &'a Path,
    place: &'a str,
    s3: Option<&'a S3>,
}

impl Machines<'_> {
    /// Has a machine build slices, or the database; returns its status and output.
    fn run(&self, machine: &str, slices: &[&str]) -> (Option<i32>, String) {
        let mut command = Command::new(path("prove"));
        let name = if slices.is_empty() { "build" } else { "slice" };
        command.args(["db", name, "--db", machine, "--store", self.place]).args(OF).args(slices);
        command.current_dir(self.here);
        self.s3.iter().for_each(|s3| s3.tell(&mut command));
        let output = command.output().unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        (output.status.code(), text)
    }

    /// Has a machine make a slice, which must fail with this status and text; returns its output.
    fn fails(&self, machine: &str, status: i32, text: &str) -> String {
        let (found, said) = self.run(machine, &["0-1-0-1"]);
        assert_eq!(found, Some(status), "{said}");
        assert!(said.contains(text), "{said}");
        said
    }

    /// Builds all slices, in turn on three machines, and the database on a fourth.
    fn build(&self) {
        for (i, slice) in slices(false).iter().enumerate() {
            let (status, said) = self.run(&format!("machine-{}", i % 3), &[slice]);
            assert!(status == Some(0) && said.contains("built"), "{said}");
        }
        let one = prove(&[&["db", "--db", "one"], &OF[..]].concat(), self.here);
        assert_eq!(self.run("machine-3", &[]), (Some(0), one));
        assert!(read_all(&self.here.join("one/4x6")) == read_all(&self.here.join("machine-3/4x6")));
    }
}

#[test]
#[ignore = "needs python3 with pip"]
fn machines_share_a_bucket() {
    let place = tempfile::tempdir().unwrap();
    let s3 = S3::start(Path::new(env!("CARGO_TARGET_TMPDIR")));
    let machines = Machines { here: place.path(), place: "s3://bucket/some/egdb", s3: Some(&s3) };
    machines.build();
    let elsewhere = Machines { place: "s3://nowhere/egdb", ..machines };
    let said = elsewhere.fails("machine-4", 3, "--store s3://nowhere/egdb: ");
    assert!(said.contains("NoSuchBucket"), "{said}");
}

#[test]
fn wrong_objects_are_rejected() {
    let place = tempfile::tempdir().unwrap();
    let machines = Machines { here: place.path(), place: "store", s3: None };
    machines.build();
    stored_slices_are_taken(&machines);
    let bad = Machines { place: "ftp://somewhere", ..machines };
    bad.fails("bad", 2, "expected a directory or s3://bucket/prefix");
    // A store that is read from has to be there.
    for (wrong, status, text) in
        [("gone", 3, "expected a directory that is there"), ("s3:bucket/x", 2, "s3://bucket/x")]
    {
        let (found, said) = Machines { place: wrong, ..machines }.run("reader", &[]);
        assert!(found == Some(status) && said.contains(text), "{said}");
        assert!(!place.path().join(wrong).exists());
    }
    let entry = place.path().join("store/4x6/slices/0-1-0-1.json");
    let text = fs::read_to_string(&entry).unwrap();
    let name = text.split('"').find(|part| part.len() == 64).unwrap();
    let file = place.path().join("store/4x6/files").join(name);
    changed_files_are_rejected(&machines, &file, name);
    wrong_entries_are_rejected(&machines, &entry, name);
}

fn stored_slices_are_taken(machines: &Machines<'_>) {
    let (status, said) = machines.run("new", &["0-1-0-1"]);
    assert!(status == Some(0) && said.contains("there, verified"), "{said}");
    // A slice that exists does not need the slices that it follows from.
    let (status, said) = machines.run("last", &["0-2-1-1"]);
    assert!(status == Some(0) && said.contains("there, verified"), "{said}");
    assert_eq!(fs::read_dir(machines.here.join("last/4x6.building")).unwrap().count(), 3);
}

fn changed_files_are_rejected(machines: &Machines<'_>, file: &Path, name: &str) {
    let whole = fs::read(file).unwrap();
    let taken =
        |machine: &str| fs::read(machines.here.join(machine).join("4x6.building/0-1-0-1")).ok();
    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 1;
    fs::write(file, changed).unwrap();
    let bytes = whole.len();
    let expected = format!(
        "4x6/files/{name}: expected {bytes} bytes with BLAKE3 {name}, found others with BLAKE3 "
    );
    machines.fails("changed", 3, &expected);
    fs::write(file, &whole[1..]).unwrap();
    machines.fails("shorter", 3, "--store store");
    assert_eq!((taken("changed"), taken("shorter")), (None, None));
    // The machine reads no more bytes of the slice than it should have.
    fs::write(file, [&whole[..], b"x"].concat()).unwrap();
    assert_eq!(machines.run("longer", &["0-1-0-1"]).0, Some(0));
    assert_eq!(taken("longer").as_ref(), Some(&whole));
    fs::remove_file(file).unwrap();
    let said = machines.fails("gone", 3, "found no such object");
    assert!(said.contains("remove 4x6/slices/0-1-0-1.json there"), "{said}");
    fs::write(file, whole).unwrap();
}

fn wrong_entries_are_rejected(machines: &Machines<'_>, entry: &Path, name: &str) {
    let text = fs::read_to_string(entry).unwrap();
    fs::write(entry, "{}").unwrap();
    machines.fails("empty", 3, "4x6/slices/0-1-0-1.json: expected length and BLAKE3 name");
    // Another machine has stored another file of this slice.
    fs::write(entry, text.replace(name, &"0".repeat(64))).unwrap();
    let said = machines.fails("machine-0", 3, " bytes with BLAKE3 0000");
    assert!(said.contains("remove 4x6/slices/0-1-0-1.json there"), "{said}");
    fs::remove_file(entry).unwrap();
    let (status, said) = machines.run("without", &["0-1-0-1"]);
    assert!(status == Some(0) && said.contains("built"), "{said}");
    assert_eq!(fs::read_to_string(entry).unwrap(), text);
}
