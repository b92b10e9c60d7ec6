//! Errors that would make a command fail at its end are reported at its beginning, before anything
//! is built or searched.

use std::net::TcpListener;

use tests::prelude::*;
use tests::programs;

/// Runs `prove`, which must fail with this status, print these words, and make no database.
fn fails(here: &Path, arguments: &[&str], status: i32, words: &[&str]) {
    let said = programs::fails(here, arguments, status, words);
    let databases = here.join("egdb");
    let is_built = |file: fs::DirEntry| file.path().join("MANIFEST").exists();
    let mut files = databases.read_dir().into_iter().flatten().flatten();
    assert!(!files.any(is_built), "{arguments:?}: a database was built: {said}");
}

/// A proof that takes hours.
const LONG: [&str; 7] = ["--game", "8x8", "--pieces", "6", "--leaf-nodes", "4000000000", "--emit"];

#[test]
fn a_directory_with_another_certificate() {
    let here = &Scratch::empty();
    let proof = ["--game", "4x4", "--pieces", "2", "--db", "other", "-q", "--emit"];
    prove(&[&proof[..], &["cert"]].concat(), here);
    let again = |more: &[&str], words: &str| {
        let arguments = ["--game", "4x4", "--pieces", "2", "-q", "--emit", "cert"];
        fails(here, &[&arguments[..], more].concat(), 3, &["cert: expected nothing", words]);
    };
    fails(
        here,
        &[&LONG[..], &["cert"]].concat(),
        3,
        &["found something else, a certificate of 4x4 from B:W7,8:B"],
    );
    again(&["--moves", "2-4"], "found something else, a certificate of 4x4 from B:W7,8:B1,2");
    again(&["--claim", "black-not-lost"], "that it is DRAW");
    again(&["--leaf-nodes", "7"], "made with other options");
    again(&["--max-nodes", "1000000"], "made with other options");
    let three = ["--game", "4x4", "--pieces", "3", "-q", "--emit", "cert"];
    fails(here, &three, 3, &["over 2 pieces"]);
    // The same certificate may be there already.
    let said = prove(&[&proof[..], &["cert"]].concat(), here);
    assert!(said.contains("DRAW 4x4"), "{said}");
    // An incomplete certificate does not count as one.
    let objects = here.join("cert/objects").read_dir().unwrap().next().unwrap().unwrap();
    fs::remove_file(objects.path()).unwrap();
    again(&[], "expected nothing, an empty directory or this very certificate");

    let opening = ["--game", "6x4", "--pieces", "2", "--db", "other", "-q"];
    prove(&[&opening[..], &["--moves", "4-5", "--emit", "after"]].concat(), here);
    fails(here, &["combine", "cert", "after", "-q"], 3, &["cert: expected nothing"]);
}

#[test]
fn a_place_that_cannot_be_written_to() {
    let here = &Scratch::empty();
    fs::write(here.join("file"), "").unwrap();
    fs::write(here.join("games.pdn"), "1. 11-15 23-19 *\n").unwrap();
    fails(here, &[&LONG[..], &["file"]].concat(), 3, &["file"]);
    fails(here, &[&LONG[..], &["file/cert"]].concat(), 3, &["file"]);
    let out = [&LONG[..], &["cert", "--out"]].concat();
    for place in ["none/out", "file/out", "."] {
        fails(here, &[&out[..], &[place]].concat(), 3, &[place]);
        let book = ["book", "--nodes", "1000000000", "--out", place];
        fails(here, &book, 3, &[place]);
        for long in ["games.pdn", "--time 600 games.pdn"] {
            let options = ["annotate", "--table", place];
            let words: Vec<&str> = options.into_iter().chain(long.split(' ')).collect();
            fails(here, &words, 3, &[place]);
        }
        for long in ["db --game 8x8 --pieces 7", "plan --pieces 3", "analyse --time 600"] {
            let words: Vec<&str> = long.split(' ').chain(["--out", place]).collect();
            fails(here, &words, 3, &[place]);
        }
        let status = ["farm", "status", "--farm", "nats://127.0.0.1:9", "--out", place];
        fails(here, &status, 3, &[place]);
    }
    let results = [&LONG[..], &["cert", "--results", "file/results"]].concat();
    fails(here, &results, 3, &["file"]);
    let compare = ["db", "compare", "none", "--game", "8x8", "--pieces", "7"];
    fails(here, &compare, 3, &[]);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    fails(here, &["serve", "none", "--listen", &address], 3, &[&address]);
}

#[test]
fn what_there_is_too_little_of() {
    let here = &Scratch::empty();
    let cert = [&LONG[..], &["cert"]].concat();
    let table = ["--leaf-table", "900GiB", "--memory", "1GiB"];
    fails(here, &[&cert[..], &table].concat(), 3, &["--leaf-table"]);
    let resident = ["--values", "resident", "--memory", "300MiB", "--leaf-table", "1MiB"];
    fails(here, &[&cert[..], &resident].concat(), 3, &["needs"]);
    let mapped = ["--values", "mapped", "--map-space", "1000TiB", "--memory", "64GiB"];
    let seven = ["--game", "8x8", "--pieces", "10", "--emit", "cert", "--leaf-table", "1MiB"];
    fails(here, &[&seven[..], &mapped].concat(), 3, &["free"]);
}

#[test]
fn a_farm_that_cannot_be_used() {
    let here = &Scratch::empty();
    let cert = [&LONG[..], &["cert", "--farm"]].concat();
    fails(here, &[&cert[..], &["nats://host:x"]].concat(), 2, &["--farm: expected an address"]);
    let farm = [&cert[..], &["nats://127.0.0.1:9"]].concat();
    fails(here, &[&farm[..], &["--farm-creds", "none"]].concat(), 3, &["--farm-creds none"]);
    fails(here, &[&farm[..], &["--objects", "ftp://none"]].concat(), 2, &["--objects ftp"]);
    fs::write(here.join("file"), "").unwrap();
    fails(here, &[&farm[..], &["--objects", "file"]].concat(), 3, &["--objects file"]);
}

/// Space and memory are judged where no folder exists yet, too.
#[test]
fn nothing_is_refused_where_nothing_is() {
    let here = &Scratch::empty();
    let small = ["--game", "4x4", "--pieces", "2", "-q", "--db", "a/b/c"];
    prove(&[&["db", "--depth"], &small[..]].concat(), here);
    let small = ["--game", "4x4", "--pieces", "2", "-q", "--db", "d/e"];
    prove(&[&["plan"], &small[..]].concat(), here);
    assert!(!here.join("d").exists());
    for (values, name) in [("mapped", "f"), ("resident", "g"), ("cached", "h")] {
        let (game, db) = (["--game", "4x4", "--pieces", "2", "-q"], format!("{name}-db"));
        let options = ["--values", values, "--emit", name, "--db", &db];
        prove(&[&game[..], &options].concat(), here);
    }
}
