//! Cases about databases.

use std::fs;
use std::path::Path;

use certificate_spec::database::{GROUP, HEADER, RECORD, SliceName};

use super::{Base, Bases, Corpus, Expected};
use crate::draft::{Draft, copy, database_manifest, edit_slice};

/// The slice that cases change: kings and men, positions that overlap, draws.
const SLICE: SliceName = SliceName([0, 1, 1, 1]);
/// The same file, as it is named in a verdict.
const FILE: &str = "4x4/0-1-1-1";

/// Changes the slice, mends the database's manifest, and binds the certificate to the new root.
fn rebind(d: &Path, base: &Base, slice: SliceName, edit: impl FnOnce(&mut Vec<u8>)) {
    let manifest = edit_slice(&d.join("egdb/4x4"), slice, edit);
    let mut draft = base.draft.clone();
    draft.claim.database = Some(manifest.root());
    draft.write(&d.join("cert"));
}

/// The first index of the slice whose bits (win, loss) are these, in what is left after `skip`.
fn index_with(d: &Path, win: bool, loss: bool) -> usize {
    let bytes = fs::read(d.join("egdb/4x4").join(SLICE.file_name())).expect("a slice");
    let bit = |i: usize, plane: usize| {
        bytes[HEADER + GROUP * (i / 64) + 8 * plane + i % 64 / 8] >> (i % 8) & 1 == 1
    };
    (0..).find(|&i| bit(i, 0) == win && bit(i, 1) == loss).expect("such an index")
}

fn flip(bytes: &mut [u8], index: usize, plane: usize) {
    bytes[HEADER + GROUP * (index / 64) + 8 * plane + index % 64 / 8] ^= 1 << (index % 8);
}

fn group_at(index: usize) -> u64 {
    (HEADER + GROUP * (index / 64)) as u64
}

pub(super) fn add(corpus: &mut Corpus, bases: &Bases) {
    let base = &bases.draw;
    values(corpus, base);
    directories(corpus, base, &bases.win);
    alone(corpus, base);
}

fn values(corpus: &mut Corpus, base: &Base) {
    let value = |i: usize| Expected::refuted("slice-value", FILE).at(group_at(i));
    type Change = (&'static str, (bool, bool), &'static [usize]);
    let changes: [Change; 5] = [
        ("slice-win-called-a-draw", (true, false), &[0]),
        ("slice-win-called-a-loss", (true, false), &[0, 1]),
        ("slice-loss-called-a-draw", (false, true), &[1]),
        ("slice-loss-and-win", (false, true), &[0]),
        ("slice-no-position-called-a-win", (false, false), &[0]),
    ];
    for (name, (win, loss), planes) in changes {
        corpus.add(name, base, |d| {
            let index = index_with(d, win, loss);
            rebind(d, base, SLICE, |bytes| planes.iter().for_each(|&p| flip(bytes, index, p)));
            value(index)
        });
    }
    corpus.add("slice-bits-beyond-the-end", base, |d| {
        // 36 indices: 28 bits of the only group are unused.
        let men = SliceName([1, 0, 1, 0]);
        rebind(d, base, men, |bytes| flip(bytes, 36, 1));
        Expected::refuted("slice-value", "4x4/1-0-1-0").at(group_at(36))
    });
    // Bytes that no longer fit the hash, and bytes that do but are wrong.
    corpus.add("slice-bit-flipped", base, |d| {
        let path = d.join("egdb").join(FILE);
        let mut bytes = fs::read(&path).expect("a slice");
        flip(&mut bytes, 0, 0);
        fs::write(path, bytes).expect("a slice");
        Expected::refuted("slice-hash", FILE)
    });
    corpus.add("slice-cut-short", base, |d| {
        let path = d.join("egdb").join(FILE);
        let bytes = fs::read(&path).expect("a slice");
        fs::write(path, &bytes[..bytes.len() - 1]).expect("a slice");
        Expected::refuted("slice-hash", FILE)
    });
    let mut syntax = |name: &str, edit: &dyn Fn(&mut Vec<u8>), expected: Expected| {
        corpus.add(name, base, |d| {
            rebind(d, base, SLICE, edit);
            expected
        });
    };
    let wrong = || Expected::refuted("slice-syntax", FILE);
    syntax("slice-magic", &|b| b[0] = b'X', wrong().at(0));
    syntax("slice-future-version", &|b| b[8] = 9, Expected::declined("version", FILE));
    syntax("slice-of-another-name", &|b| b[12..16].copy_from_slice(&[1, 0, 1, 1]), wrong());
    syntax("slice-of-another-board", &|b| b[16] = 6, wrong());
    syntax("slice-reserved", &|b| b[18] = 1, wrong().at(18));
    syntax("slice-count-2-to-64", &|b| b[24..32].fill(0xff), wrong());
    syntax("slice-trailing-group", &|b| b.extend([0; GROUP]), wrong());
    syntax("slice-empty", &|b| b.clear(), wrong().at(0));
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
        edit_slice(&d.join("egdb/4x4"), SLICE, |bytes| flip(bytes, 0, 0));
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

/// Marks all indices of the slice of two kings against one at which two kings would share a square as
/// losses; returns the first. A king step leads to them from nowhere.
fn mark_overlaps(directory: &Path) -> usize {
    let mut overlaps = Vec::new();
    for theirs in 0..8 {
        for high in 0..8 {
            for low in 0..high {
                // White's king stands on 7 − theirs as Black sees it.
                if 7 - theirs == low || 7 - theirs == high {
                    overlaps.push(theirs * 28 + high * (high - 1) / 2 + low);
                }
            }
        }
    }
    edit_slice(directory, SliceName([0, 2, 0, 1]), |bytes| {
        overlaps.iter().for_each(|&i| flip(bytes, i, 1));
    });
    overlaps.into_iter().min().expect("overlaps")
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
        corpus.add_with(&format!("database-alone-{level}"), base, &arguments, |d| {
            let index = index_with(d, true, false);
            edit_slice(&d.join("egdb/4x4"), SLICE, |bytes| flip(bytes, index, 0));
            // At the level consistent a position that leads here comes first.
            let expected = Expected::refuted("slice-value", FILE);
            if level == "exact" { expected.at(group_at(index)) } else { expected }
        });
        corpus.add_with(&format!("database-alone-overlaps-{level}"), base, &arguments, |d| {
            let first = mark_overlaps(&d.join("egdb/4x4"));
            Expected::refuted("slice-value", "4x4/0-2-0-1").at(group_at(first))
        });
    }
}
