//! Cases about databases as a whole: their MANIFEST, their directory, and how certificates are bound to them.

use std::fs;

use certificate_spec::coding::Frequencies;
use certificate_spec::database::{HEADER, RECORD};
use certificate_spec::slice::Value;

use super::slices::{FILE, SLICE, edit_values, index_with, recode, wrong_value};
use super::{Base, Bases, Corpus, Expected};
use crate::draft::{Draft, copy, database_manifest, edit_slice};

pub(super) fn add(corpus: &mut Corpus, bases: &Bases) {
    directories(corpus, &bases.draw, &bases.win);
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
        let small = database_manifest(&directory).up_to(2);
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
    corpus.add("database-manifest-unsorted", base, |d| {
        let path = d.join("egdb/4x4/MANIFEST");
        let mut bytes = fs::read(&path).expect("MANIFEST");
        let (first, second) = bytes[HEADER..].split_at_mut(RECORD);
        first.swap_with_slice(&mut second[..RECORD]);
        fs::write(path, bytes).expect("MANIFEST");
        manifest("database-manifest").at((HEADER + RECORD) as u64)
    });
    corpus.add("database-manifest-future-version", base, |d| {
        let path = d.join("egdb/4x4/MANIFEST");
        let mut bytes = fs::read(&path).expect("MANIFEST");
        bytes[8] = 1;
        fs::write(path, bytes).expect("MANIFEST");
        Expected::declined("version", "4x4/MANIFEST")
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
        // The first of the two in the order of slices.
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

/// Databases without a certificate.
fn alone(corpus: &mut Corpus, base: &Base) {
    let arguments = ["--db", "egdb", "--game", "4x4"];
    corpus.add_with("accept-database", base, &arguments, |_| {
        Expected::verified("DATABASE 4x4 pieces=3")
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
    // What has more pieces must be there, and is not read.
    corpus.add_with("accept-database-of-two-beside-damage", base, &two, |d| {
        fs::write(d.join("egdb").join(FILE), "no slice").expect("a slice");
        Expected::verified("DATABASE 4x4 pieces=2")
    });
    corpus.add_with("database-of-two-beside-a-gap", base, &two, |d| {
        fs::remove_file(d.join("egdb").join(FILE)).expect("a slice");
        Expected::refuted("listing", FILE)
    });
}
