//! Cases about databases as a whole: their MANIFEST, their directory, and how certificates are
//! bound to them.

use certificate_spec::value::Value;

use super::slices::{FILE, SLICE, edit_values, index_with, recode, wrong_value};
use super::*;
use crate::consistent::spoil;
use crate::draft::{database_manifest, edit_slice};
use crate::encoding::{DatabaseHead, counted, pad, varint};

pub(super) fn add(corpus: &mut Corpus, bases: &Bases) {
    directories(corpus, &bases.draw, &bases.win);
    manifests(corpus, &bases.draw);
    long_manifests(corpus, &bases.draw);
    alone(corpus, &bases.draw);
}

fn directories(corpus: &mut Corpus, base: &Base, win: &Base) {
    let manifest = |rule: &str| Expected::refuted(rule, "4x4/MANIFEST");
    corpus.add("database-of-another-board", base, |d| {
        fs::remove_dir_all(d.join("egdb/4x4")).expect("a database");
        copy(&win.directory.join("egdb/6x4"), &d.join("egdb/4x4"));
        manifest("database-manifest")
    });
    corpus.add("database-of-fewer-pieces", base, |d| {
        let directory = d.join("egdb/4x4");
        let small = database_manifest(&directory).restricted_to(&Cover::up_to(2));
        for slice in database_manifest(&directory).slices {
            if slice.name.pieces() > 2 {
                fs::remove_file(directory.join(slice.name.file_name())).expect("a slice");
            }
        }
        fs::write(directory.join("MANIFEST"), small.encode()).expect("MANIFEST");
        manifest("database-manifest")
    });
    corpus.add("database-without-a-slice", base, |d| {
        let directory = d.join("egdb/4x4");
        let mut holed = database_manifest(&directory);
        let gone = holed.slices.remove(2);
        fs::remove_file(directory.join(gone.name.file_name())).expect("a slice");
        fs::write(directory.join("MANIFEST"), holed.encode()).expect("MANIFEST");
        let mut draft: Draft = base.draft.clone();
        draft.claim.database = Some(holed.root());
        draft.write(&d.join("cert"));
        manifest("database-manifest")
    });
    corpus.add("database-of-another-root", base, |d| {
        edit_slice(&d.join("egdb/4x4"), SLICE, |bytes| recode(bytes, Frequencies::default()));
        manifest("database-root")
    });
    corpus.add("database-lengths-that-add-up-beyond-2-to-64", base, |d| {
        let directory = d.join("egdb/4x4");
        let mut huge = database_manifest(&directory);
        huge.slices.iter_mut().for_each(|s| s.length = 1 << 63);
        fs::write(directory.join("MANIFEST"), huge.encode()).expect("MANIFEST");
        let mut draft: Draft = base.draft.clone();
        draft.claim.database = Some(huge.root());
        draft.write(&d.join("cert"));
        Expected::refuted("slice-hash", "4x4/0-1-0-1")
    });
    corpus.add("database-slice-removed", base, |d| {
        fs::remove_file(d.join("egdb").join(FILE)).expect("a slice");
        Expected::refuted("listing", FILE)
    });
    corpus.add("database-file-added", base, |d| {
        fs::write(d.join("egdb/4x4/9-9-9-9"), "").expect("a file");
        Expected::refuted("listing", "4x4/9-9-9-9")
    });
    corpus.add("database-slices-swapped", base, |d| {
        let (a, b) = (d.join("egdb/4x4/0-1-1-1"), d.join("egdb/4x4/1-1-0-1"));
        let (x, y) = (fs::read(&a).expect("a slice"), fs::read(&b).expect("a slice"));
        fs::write(a, y).expect("a slice");
        fs::write(b, x).expect("a slice");
        // The slice that comes first in order is reported.
        Expected::refuted("slice-hash", FILE)
    });
    corpus.add("database-missing", base, |d| {
        fs::remove_dir_all(d.join("egdb")).expect("a database");
        Expected::error()
    });
    #[cfg(unix)]
    corpus.add("database-slice-is-a-link", base, |d| {
        let aside = d.join("aside");
        fs::rename(d.join("egdb").join(FILE), &aside).expect("a slice");
        std::os::unix::fs::symlink(aside, d.join("egdb").join(FILE)).expect("a link");
        Expected::refuted("listing", FILE)
    });
}

/// Cases about the bytes and records of a database's MANIFEST.
fn manifests(corpus: &mut Corpus, base: &Base) {
    let (path, file) = ("egdb/4x4/MANIFEST", "4x4/MANIFEST");
    let manifest = database_manifest(&base.directory.join("egdb/4x4"));
    let refuted = |at: usize| Expected::refuted("database-manifest", file).at(at as u64);
    let record = |n: usize| usize::try_from(manifest.offset(n)).expect("small");
    let (records, length) = (manifest.slices.len(), manifest.encode().len());
    let number = record(0) - varint(records as u64).len();
    let mut edit = |name: &str, expected: Expected, edit: &dyn Fn(&mut Vec<u8>)| {
        corpus.add(name, base, |d| {
            let mut bytes = manifest.encode();
            edit(&mut bytes);
            fs::write(d.join(path), bytes).expect("MANIFEST");
            expected
        });
    };
    let version = || Expected::declined("version", file);
    edit("database-manifest-future-version", version(), &|b| b[8] = 2);
    edit("database-manifest-version-and-nothing-more", version(), &|b| {
        (b[8], _) = (9, b.truncate(12));
    });
    edit("database-manifest-empty", refuted(0), &|b| b.clear());
    edit("database-manifest-magic", refuted(0), &|b| b[..8].copy_from_slice(b"DPCERT\0\0"));
    edit("database-manifest-head-alone", refuted(HEAD), &|b| b.truncate(HEAD));
    edit("database-manifest-cut-short", refuted(record(records - 1)), &|b| b.truncate(length - 1));
    edit("database-manifest-trailing-byte", refuted(length), &|b| b.push(0));
    edit("database-manifest-rules-length-padded", refuted(HEAD), &|b| *b = pad(b, HEAD));
    edit("database-manifest-rules-2-to-64", refuted(HEAD), &|b| {
        b.splice(HEAD..=HEAD, varint(u64::MAX));
    });
    edit("database-manifest-rules-beyond-utf-8", refuted(HEAD), &|b| b[HEAD + 1] = 0xff);
    let clauses = HEAD + counted(certificate_spec::RULES.as_bytes()).len() + 2;
    edit("database-manifest-clauses-padded", refuted(clauses), &|b| *b = pad(b, clauses));
    edit("database-manifest-clauses-2-to-64", refuted(HEAD), &|b| {
        b.splice(clauses..=clauses, varint(u64::MAX));
    });
    edit("database-manifest-number-padded", refuted(record(0) - 1), &|b| {
        *b = pad(b, record(0) - 1);
    });
    let count = |n: u64| move |b: &mut Vec<u8>| drop(b.splice(number..record(0), varint(n)));
    edit("database-manifest-count-2-to-64", refuted(number), &count(u64::MAX));
    edit("database-manifest-count-zero", refuted(number), &count(0));
    edit("database-manifest-count-twice", refuted(number), &count(2 * records as u64));
    edit("database-manifest-count-one-more", refuted(number), &count(records as u64 + 1));
    edit("database-manifest-count-one-less", refuted(record(records - 1)), &{
        count(records as u64 - 1)
    });
    let length_of_first = record(0) + 4;
    edit("database-manifest-length-padded", refuted(record(1) - 33), &|b| {
        *b = pad(b, record(1) - 33);
    });
    edit("database-manifest-length-of-eleven-bytes", refuted(record(0)), &|b| {
        b.splice(length_of_first..record(1) - 32, [0x80; 11]);
    });

    let mut change = |name: &str, at: usize, change: &dyn Fn(&mut DatabaseManifest)| {
        corpus.add(name, base, |d| {
            let mut changed = manifest.clone();
            change(&mut changed);
            fs::write(d.join(path), changed.encode()).expect("MANIFEST");
            refuted(usize::try_from(changed.offset(at)).expect("small"))
        });
    };
    change("database-manifest-unsorted", 1, &|m| m.slices.swap(0, 1));
    change("database-manifest-record-twice", 1, &|m| m.slices[1] = m.slices[0]);
    change("database-manifest-another-name", 0, &|m| m.slices[0].name.0 = [0, 9, 0, 9]);

    let mut head = |name: &str, expected: Expected, edit: &dyn Fn(&mut DatabaseHead)| {
        corpus.add(name, base, |d| {
            let mut head = DatabaseHead::of(&manifest);
            edit(&mut head);
            fs::write(d.join(path), head.replace_in(&manifest)).expect("MANIFEST");
            expected
        });
    };
    let rules = || Expected::declined("rules", file);
    head("database-manifest-other-rules", rules(), &|h| h.rules = "russian-1".into());
    head("database-manifest-later-rules", rules(), &|h| h.rules = "english-checkers-2".into());
    head("database-manifest-no-rules", rules(), &|h| h.rules.clear());
    let other_board = || Expected::refuted("database-manifest", file);
    head("database-manifest-of-more-rows", other_board(), &|h| h.board = (6, 4));
    head("database-manifest-turned-board", other_board(), &|h| h.board = (2, 8));
    head("database-manifest-of-no-board", other_board(), &|h| h.board = (0, 255));
}

/// Sparse files that are too large to be read whole before a checker knows that they can be
/// manifests.
fn long_manifests(corpus: &mut Corpus, base: &Base) {
    let file = "4x4/MANIFEST";
    let manifest = database_manifest(&base.directory.join("egdb/4x4"));
    let bytes = manifest.encode();
    let mut long = |name: &str, start: &[u8], expected: Expected| {
        corpus.add(name, base, |d| {
            let path = d.join("egdb").join(file);
            fs::write(&path, start).expect("MANIFEST");
            let file = fs::File::options().write(true).open(path).expect("MANIFEST");
            file.set_len(1 << 26).expect("a file with a hole");
            expected
        });
    };
    let refuted = |at: u64| Expected::refuted("database-manifest", file).at(at);
    long("database-manifest-of-zeros", &[], refuted(0));
    long("database-manifest-of-another-version-and-zeros", &[&bytes[..8], &[9]].concat(), {
        Expected::declined("version", file)
    });
    let number = manifest.offset(0) - varint(manifest.slices.len() as u64).len() as u64;
    long("database-manifest-and-zeros", &bytes, refuted(number));
}

/// Databases without a certificate.
fn alone(corpus: &mut Corpus, base: &Base) {
    let arguments = ["--db", "egdb", "--game", "4x4"];
    corpus.add_with("accept-database", base, &arguments, |_| {
        Expected::verified("DATABASE 4x4 pieces=3")
    });
    let consistent = [&arguments[..], &["--level", "consistent"]].concat();
    corpus.add_with("accept-database-consistent", base, &consistent, |_| {
        Expected::consistent("DATABASE 4x4 pieces=3")
    });
    let two = [&arguments[..], &["--pieces", "2"]].concat();
    corpus.add_with("accept-database-of-two", base, &two, |_| {
        Expected::verified("DATABASE 4x4 pieces=2")
    });
    let four = [&arguments[..], &["--pieces", "4"]].concat();
    corpus.add_with("database-alone-too-small", base, &four, |_| {
        Expected::refuted("database-manifest", "4x4/MANIFEST")
    });
    for level in ["exact", "consistent"] {
        let arguments = [&arguments[..], &["--level", level]].concat();
        for (what, is, to) in [
            ("win-called-a-draw", Value::Win, Value::Draw),
            ("draw-called-a-loss", Value::Draw, Value::Loss),
            ("loss-called-a-win", Value::Loss, Value::Win),
        ] {
            let name = format!("database-alone-{what}-{level}");
            corpus.add_with(&name, base, &arguments, |d| {
                edit_slice(&d.join("egdb/4x4"), SLICE, |bytes| {
                    let index = index_with(bytes, is, 0);
                    edit_values(bytes, |table| table.set(index, to));
                });
                wrong_value(&d.join("egdb/4x4"), SLICE, FILE)
            });
        }
    }
    // Draws that are called wins and losses, which support each other in cycles.
    for (level, expected) in [
        ("consistent", Expected::consistent("DATABASE 4x4 pieces=3")),
        ("exact", Expected { words: "REFUTED slice-value".into(), file: None, offset: None }),
    ] {
        let arguments = [&arguments[..], &["--level", level]].concat();
        let name = format!("database-wrong-in-circles-{level}");
        corpus.add_with(&name, base, &arguments, |d| {
            let board = draughtproof_game::Board::new(4, 4).expect("a board");
            assert!(spoil(&d.join("egdb/4x4"), &board) > 100);
            expected
        });
    }
    // Slices with more pieces must exist, and are not read.
    corpus.add_with("accept-database-of-two-beside-damage", base, &two, |d| {
        fs::write(d.join("egdb").join(FILE), "no slice").expect("a slice");
        Expected::verified("DATABASE 4x4 pieces=2")
    });
    corpus.add_with("database-of-two-beside-a-gap", base, &two, |d| {
        fs::remove_file(d.join("egdb").join(FILE)).expect("a slice");
        Expected::refuted("listing", FILE)
    });
}
