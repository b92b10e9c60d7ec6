//! Cases about MANIFEST, about the listing, and about bytes that are not what they should be.

use std::fs;
use std::path::{Path, PathBuf};

use certificate_spec::manifest::{HEADER, Kind, Manifest, OBJECT_HEADER, RECORD};
use certificate_spec::{Digest, leaves};

use super::{Base, Bases, Corpus, Expected};
use crate::draft::{DraftObject, write_objects};

pub(super) fn add(corpus: &mut Corpus, bases: &Bases) {
    manifests(corpus, &bases.draw);
    listings(corpus, &bases.draw);
    objects(corpus, &bases.draw);
}

fn manifests(corpus: &mut Corpus, base: &Base) {
    let mut edit = |name: &str, expected: Expected, edit: &dyn Fn(&mut Vec<u8>)| {
        corpus.add(name, base, |d| {
            let path = d.join("cert/MANIFEST");
            let mut bytes = fs::read(&path).expect("MANIFEST");
            edit(&mut bytes);
            fs::write(path, bytes).expect("MANIFEST");
            expected
        });
    };
    let syntax = |at: usize| Expected::refuted("manifest-syntax", "MANIFEST").at(at as u64);
    let record = |n: usize| HEADER + RECORD * n;
    edit("manifest-empty", syntax(0), &|b| b.clear());
    edit("manifest-magic", syntax(0), &|b| b[0] = b'X');
    let version = Expected::declined("version", "MANIFEST");
    edit("manifest-future-version", version, &|b| b[8] = 1);
    edit("manifest-reserved", syntax(12), &|b| b[15] = 1);
    edit("manifest-trailing-byte", syntax(HEADER), &|b| b.push(0));
    edit("manifest-cut-short", syntax(HEADER), &|b| b.truncate(b.len() - 1));
    edit("manifest-count-2-to-64", syntax(HEADER), &|b| b[16..24].fill(0xff));
    edit("manifest-count-wraps-around", syntax(HEADER), &|b| b[23] = 4);
    edit("manifest-no-records", syntax(HEADER), &|b| b[16..24].fill(0));
    edit("manifest-kind", syntax(record(0)), &|b| b[record(0)] = 4);
    edit("manifest-question", syntax(record(0) + 1), &|b| b[record(0) + 1] = 4);
    edit("manifest-record-reserved", syntax(record(0) + 2), &|b| b[record(0) + 7] = 1);
    edit("manifest-gap", syntax(record(0) + 8), &|b| b[record(0) + 8] = 1);
    edit("manifest-count-zero", syntax(record(0) + 16), &|b| b[record(0) + 16..][..8].fill(0));
    edit("manifest-unsorted", syntax(record(1)), &|b| {
        let (first, second) = b[HEADER..].split_at_mut(RECORD);
        first.swap_with_slice(&mut second[..RECORD]);
    });
    edit("manifest-record-twice", syntax(record(1) + 8), &|b| {
        b.copy_within(record(0)..record(1), record(1));
    });
    edit("manifest-question-not-claimed", syntax(record(1) + 1), &|b| b[record(1) + 1] = 2);
}

/// The path of the nth object.
fn nth(d: &Path, n: usize) -> (PathBuf, String) {
    let bytes = fs::read(d.join("cert/MANIFEST")).expect("MANIFEST");
    let manifest = Manifest::decode(&bytes).expect("a manifest");
    let name = format!("objects/{}", manifest.objects[n].digest);
    (d.join("cert").join(&name), name)
}

fn listings(corpus: &mut Corpus, base: &Base) {
    let listing = |file: &str| Expected::refuted("listing", file);
    corpus.add("object-removed", base, |d| {
        let (path, name) = nth(d, 0);
        fs::remove_file(path).expect("an object");
        listing(&name)
    });
    corpus.add("claim-removed", base, |d| {
        fs::remove_file(d.join("cert/CLAIM")).expect("CLAIM");
        listing("CLAIM")
    });
    corpus.add("manifest-removed", base, |d| {
        fs::remove_file(d.join("cert/MANIFEST")).expect("MANIFEST");
        listing("MANIFEST")
    });
    corpus.add("file-added", base, |d| {
        fs::write(d.join("cert/NOTES"), "see here").expect("a file");
        listing("NOTES")
    });
    corpus.add("hidden-file-added", base, |d| {
        fs::write(d.join("cert/.hidden"), "").expect("a file");
        listing(".hidden")
    });
    corpus.add("object-added", base, |d| {
        let name = format!("objects/{}", Digest::of(b"more"));
        fs::write(d.join("cert").join(&name), "more").expect("a file");
        listing(&name)
    });
    corpus.add("directory-added", base, |d| {
        fs::create_dir(d.join("cert/more")).expect("a directory");
        listing("more")
    });
    corpus.add("object-renamed", base, |d| {
        let (path, name) = nth(d, 0);
        fs::rename(&path, path.with_file_name("other")).expect("an object");
        listing(&name)
    });
    corpus.add("object-is-a-directory", base, |d| {
        let (path, name) = nth(d, 0);
        fs::remove_file(&path).expect("an object");
        fs::create_dir(path).expect("a directory");
        listing(&name)
    });
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        corpus.add("object-is-a-link", base, |d| {
            let (path, name) = nth(d, 1);
            let aside = d.join("aside");
            fs::rename(&path, &aside).expect("an object");
            symlink(aside, path).expect("a link");
            listing(&name)
        });
        corpus.add("manifest-is-a-link", base, |d| {
            let aside = d.join("aside");
            fs::rename(d.join("cert/MANIFEST"), &aside).expect("MANIFEST");
            symlink(aside, d.join("cert/MANIFEST")).expect("a link");
            listing("MANIFEST")
        });
        corpus.add("objects-is-a-link", base, |d| {
            let aside = d.join("aside");
            fs::rename(d.join("cert/objects"), &aside).expect("objects");
            symlink(aside, d.join("cert/objects")).expect("a link");
            listing("objects")
        });
        corpus.add("object-is-a-pipe", base, |d| {
            let (path, name) = nth(d, 0);
            fs::remove_file(&path).expect("an object");
            let status = std::process::Command::new("mkfifo").arg(path).status();
            assert!(status.expect("mkfifo").success());
            listing(&name)
        });
    }
}

fn objects(corpus: &mut Corpus, base: &Base) {
    let hash = |file: &str| Expected::refuted("object-hash", file);
    corpus.add("object-bit-flipped", base, |d| {
        let (path, name) = nth(d, 0);
        let mut bytes = fs::read(&path).expect("an object");
        *bytes.last_mut().expect("bytes") ^= 1;
        fs::write(path, bytes).expect("an object");
        hash(&name)
    });
    corpus.add("object-cut-short", base, |d| {
        let (path, name) = nth(d, 1);
        let bytes = fs::read(&path).expect("an object");
        fs::write(path, &bytes[..bytes.len() / 2]).expect("an object");
        hash(&name)
    });
    corpus.add("objects-swapped", base, |d| {
        let ((a, name), (b, _)) = (nth(d, 0), nth(d, 1));
        let (x, y) = (fs::read(&a).expect("an object"), fs::read(&b).expect("an object"));
        fs::write(a, y).expect("an object");
        fs::write(b, x).expect("an object");
        hash(&name)
    });
    corpus.add("manifest-length-2-to-64", base, |d| {
        let path = d.join("cert/MANIFEST");
        let mut bytes = fs::read(&path).expect("MANIFEST");
        bytes[HEADER + 24..HEADER + 32].fill(0xff);
        fs::write(path, bytes).expect("MANIFEST");
        hash(&nth(d, 0).1)
    });

    // Right hashes, wrong bytes.
    let mut edit = |name: &str, n: usize, rule: Rule, edit: &dyn Fn(&mut DraftObject)| {
        corpus.add(name, base, |d| {
            let mut objects = base.draft.objects();
            edit(&mut objects[n]);
            write_objects(&d.join("cert"), base.draft.claim.encode().as_bytes(), &objects);
            let file = format!("objects/{}", Digest::of(&objects[n].bytes));
            match rule {
                Rule::Syntax(at) => Expected::refuted("object-syntax", file).at(at as u64),
                Rule::Header => Expected::refuted("object-syntax", file),
                Rule::Version => Expected::declined("version", file),
            }
        });
    };
    let leaves_at = base.draft.objects().iter().position(|o| o.kind == Kind::Leaves);
    let leaves_at = leaves_at.expect("leaves");
    let directory = leaves::offset(base.draft.parts[0].leaves.len());
    let syntax = Rule::Syntax;
    edit("object-magic", 0, syntax(0), &|o| o.bytes[3] = b'x');
    edit("object-of-the-other-kind", 0, syntax(0), &|o| o.bytes[..8].copy_from_slice(b"DPLEAVES"));
    edit("object-future-version", 0, Rule::Version, &|o| o.bytes[8] = 1);
    edit("object-trailing-byte", 0, syntax(OBJECT_HEADER), &|o| o.bytes.push(0));
    edit("object-count-2-to-64", 0, syntax(OBJECT_HEADER), &|o| o.bytes[24..32].fill(0xff));
    edit("object-reserved", 0, syntax(13), &|o| o.bytes[14] = 1);
    edit("object-of-another-question", 0, Rule::Header, &|o| o.bytes[12] = 1);
    edit("object-of-another-range", 0, Rule::Header, &|o| o.bytes[16] = 1);
    edit("object-of-another-count", 0, Rule::Header, &|o| {
        o.header.count += 1;
    });
    edit("leaves-trailing-byte", leaves_at, Rule::Header, &|o| o.bytes.push(0));
    edit("leaves-count-2-to-64", leaves_at, syntax(OBJECT_HEADER), &|o| o.bytes[24..32].fill(0xff));
    edit("leaves-length-2-to-64", leaves_at, syntax(OBJECT_HEADER), &|o| {
        o.bytes[32..40].fill(0xff)
    });
    edit("leaves-no-positions", leaves_at, syntax(OBJECT_HEADER + 8), &|o| o.bytes[40..48].fill(0));
    // What a certificate says about itself is text and nothing else.
    let about_at = base.draft.objects().iter().position(|o| o.kind == Kind::About).expect("lines");
    let text = syntax(OBJECT_HEADER);
    edit("about-line-feed-missing", about_at, text, &|o| {
        o.bytes.pop();
    });
    edit("about-a-line-more", about_at, text, &|o| o.bytes.push(b'\n'));
    edit("about-a-line-less", about_at, Rule::Header, &|o| o.header.count += 1);
    edit("about-carriage-return", about_at, text, &|o| o.bytes[OBJECT_HEADER] = b'\r');
    edit("about-escape-character", about_at, text, &|o| o.bytes[OBJECT_HEADER] = 0x1b);
    edit("about-beyond-ascii", about_at, text, &|o| o.bytes[OBJECT_HEADER] = 0xe9);
    edit("leaves-cut-short", leaves_at, Rule::Header, &|o| {
        o.bytes.truncate(usize::try_from(directory).expect("small"))
    });
}

#[derive(Clone, Copy)]
enum Rule {
    Syntax(usize),
    Header,
    Version,
}
