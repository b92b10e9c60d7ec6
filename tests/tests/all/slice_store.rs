//! A database that machines build without a common directory: slices go through an object store.

use tests::prelude::*;
use tests::s3::S3;

use super::shared_build::{OF, slices};

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
