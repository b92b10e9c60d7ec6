//! A database that machines build without a common directory: slices go through an object store.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tests::files::read_all;
use tests::programs::{path, prove};
use tests::s3::S3;

use super::shared_build::{OF, slices};

/// Machines that share only an object store.
struct Machines<'a> {
    here: &'a Path,
    place: &'a str,
    s3: Option<&'a S3>,
}

impl Machines<'_> {
    /// Runs a machine's part of the work; returns its status and output.
    fn run(&self, machine: &str, more: &[&str]) -> (Option<i32>, String) {
        let mut command = Command::new(path("prove"));
        command.args(["db", "--db", machine, "--store", self.place]).args(OF).args(more);
        command.current_dir(self.here);
        self.s3.iter().for_each(|s3| s3.tell(&mut command));
        let output = command.output().unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        (output.status.code(), text)
    }

    /// Builds all slices, in turn on three machines, and the database on a fourth.
    fn build(&self) {
        for (i, option) in slices(false).chunks(2).enumerate() {
            let option: Vec<&str> = option.iter().map(String::as_str).collect();
            let (status, said) = self.run(&format!("machine-{}", i % 3), &option);
            assert!(status == Some(0) && said.contains("built"), "{said}");
        }
        let one = prove(&[&["db", "--db", "one"], &OF[..]].concat(), self.here);
        assert_eq!(self.run("machine-3", &[]), (Some(0), one));
        assert!(read_all(&self.here.join("one/4x6")) == read_all(&self.here.join("machine-3/4x6")));
    }
}

#[test]
#[ignore = "needs python3 with pip"]
fn machines_with_a_bucket_in_common_make_the_database_of_one() {
    let place = tempfile::tempdir().unwrap();
    let s3 = S3::start(Path::new(env!("CARGO_TARGET_TMPDIR")));
    let machines = Machines { here: place.path(), place: "s3://bucket/some/egdb", s3: Some(&s3) };
    machines.build();
    let elsewhere = Machines { place: "s3://nowhere/egdb", ..machines };
    let (status, said) = elsewhere.run("machine-4", &["--slice", "0-1-0-1"]);
    assert_eq!(status, Some(3), "{said}");
    assert!(
        said.contains("--store s3://nowhere/egdb: ") && said.contains("NoSuchBucket"),
        "{said}"
    );
}

#[test]
fn what_is_wrong_in_the_store_is_not_taken() {
    let place = tempfile::tempdir().unwrap();
    let here = place.path();
    let machines = Machines { here, place: "store", s3: None };
    machines.build();
    let new = |name: &str| machines.run(name, &["--slice", "0-1-0-1"]);
    let (status, said) = new("new");
    assert!(status == Some(0) && said.contains("there, verified"), "{said}");
    // A slice that exists does not need the slices that it follows from.
    let (status, said) = machines.run("last", &["--slice", "0-2-1-1"]);
    assert!(status == Some(0) && said.contains("there, verified"), "{said}");
    assert_eq!(fs::read_dir(here.join("last/4x6.building")).unwrap().count(), 3);

    let entry = here.join("store/4x6/slices/0-1-0-1.json");
    let text = fs::read_to_string(&entry).unwrap();
    let name = text.split('"').find(|part| part.len() == 64).unwrap();
    let file: PathBuf = here.join("store/4x6/files").join(name);
    let whole = fs::read(&file).unwrap();
    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 1;
    let [longer, shorter] = [[&whole[..], b"x"].concat(), whole[1..].to_vec()];
    let bytes = whole.len();
    let expected = format!(
        "4x6/files/{name}: expected {bytes} bytes with BLAKE3 {name}, found others with BLAKE3 "
    );
    let remove = "remove 4x6/slices/0-1-0-1.json there";
    for (i, (bytes, says)) in [
        (changed, &*expected),
        (shorter, "--store store"),
        // The machine reads no more bytes of the slice than it should have.
        (longer, ""),
    ]
    .into_iter()
    .enumerate()
    {
        fs::write(&file, bytes).unwrap();
        let (status, said) = new(&format!("damaged-{i}"));
        assert_eq!(status, Some(if says.is_empty() { 0 } else { 3 }), "{said}");
        assert!(said.contains(says), "{said}");
        let taken = here.join(format!("damaged-{i}/4x6.building/0-1-0-1"));
        assert_eq!(fs::read(taken).ok(), says.is_empty().then(|| whole.clone()));
    }
    fs::remove_file(&file).unwrap();
    let (status, said) = new("gone");
    assert!(status == Some(3) && said.contains("found no such object"), "{said}");
    assert!(said.contains(remove), "{said}");
    fs::write(&entry, "{}").unwrap();
    let (status, said) = new("empty");
    assert_eq!(status, Some(3), "{said}");
    assert!(said.contains("4x6/slices/0-1-0-1.json: expected length and BLAKE3 name"), "{said}");
    // Another machine has stored another file of this slice.
    fs::write(&entry, text.replace(name, &"0".repeat(64))).unwrap();
    let (status, said) = machines.run("machine-0", &["--slice", "0-1-0-1"]);
    assert!(status == Some(3) && said.contains("found "), "{said}");
    assert!(said.contains(&format!("{bytes} bytes with BLAKE3 0000")) && said.contains(remove));
    // The message says to remove this file.
    fs::remove_file(&entry).unwrap();
    let (status, said) = new("without");
    assert!(status == Some(0) && said.contains("built"), "{said}");
    assert_eq!((fs::read_to_string(&entry).unwrap(), fs::read(&file).unwrap()), (text, whole));

    let bad = Machines { place: "ftp://somewhere", ..machines };
    let (status, said) = bad.run("bad", &["--slice", "0-1-0-1"]);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("expected a directory or s3://bucket/prefix"), "{said}");
}
