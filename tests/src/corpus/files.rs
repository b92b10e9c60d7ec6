//! Cases about MANIFEST, about the listing, and about wrong bytes in files.
//!
//! Files of other versions, which are declined: files of version 0 as they were, and of versions
//! after this one.

use super::*;
use crate::draft::{DraftObject, manifest as manifest_of, write_objects};
use crate::encoding::{object_head, pad, padded, varint};
use crate::v1;
use certificate_spec::leaves;
use certificate_spec::manifest::MOST_OBJECTS;
use std::os::unix::fs::symlink;

pub(super) fn add(corpus: &mut Corpus, bases: &Bases) {
    manifests(corpus, &bases.draw);
    records(corpus, &bases.draw);
    claims(corpus, &bases.draw);
    long_manifests(corpus, &bases.draw);
    listings(corpus, &bases.draw);
    objects(corpus, &bases.draw);
}

fn syntax(at: usize) -> Expected {
    Expected::refuted("manifest-syntax", "MANIFEST").at(at as u64)
}

fn manifest(base: &Base) -> Manifest {
    manifest_of(base.draft.claim.encode().as_bytes(), &base.draft.objects())
}

/// The offset of the number of records, which follows the length and the digest of CLAIM.
fn number_at(base: &Base) -> usize {
    HEAD + varint(base.draft.claim.encode().len() as u64).len() + 32
}

/// Cases about the bytes of MANIFEST.
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
    let manifest = manifest(base);
    let (records, length) = (manifest.objects.len(), manifest.encode().len());
    let record = |n: usize| usize::try_from(manifest.offset(n)).expect("small");
    let number = number_at(base);
    let count = |n: u64| move |b: &mut Vec<u8>| drop(b.splice(number..=number, varint(n)));
    assert!(records < 128 && number + 1 == record(0));
    edit("manifest-empty", syntax(0), &|b| b.clear());
    edit("manifest-magic", syntax(0), &|b| b[0] = b'X');
    edit("manifest-magic-alone", syntax(8), &|b| b.truncate(8));
    edit("manifest-head-alone", syntax(HEAD), &|b| b.truncate(HEAD));
    let version = || Expected::declined("version", "MANIFEST");
    edit("manifest-future-version", version(), &|b| b[8] = 2);
    edit("manifest-future-version-and-nothing-more", version(), &|b| {
        (b[8], _) = (2, b.truncate(12));
    });
    // A version whose lowest seven bits are those of this version.
    edit("manifest-version-129", version(), &|b| b[8] = 0x81);
    edit("manifest-claim-length-padded", syntax(number - 33), &|b| *b = pad(b, number - 33));
    edit("manifest-number-padded", syntax(number), &|b| *b = pad(b, number));
    edit("manifest-kind-padded", syntax(record(0)), &|b| *b = pad(b, record(0)));
    edit("manifest-question-padded", syntax(record(0) + 1), &|b| *b = pad(b, record(0) + 1));
    edit("manifest-first-padded", syntax(record(0) + 2), &|b| *b = pad(b, record(0) + 2));
    edit("manifest-first-of-eleven-bytes", syntax(record(0)), &|b| {
        b.splice(record(0) + 2..record(0) + 3, [[0x80; 10].as_slice(), &[0]].concat());
    });
    edit("manifest-trailing-byte", syntax(length), &|b| b.push(0));
    edit("manifest-trailing-copy", syntax(number), &|b| b.extend_from_within(..));
    edit("manifest-cut-short", syntax(record(records - 1)), &|b| b.truncate(length - 1));
    edit("manifest-count-2-to-64", syntax(number), &count(u64::MAX));
    edit("manifest-count-wraps-around", syntax(number), &count((1 << 59) + records as u64));
    edit("manifest-no-records", syntax(number), &count(0));
    edit("manifest-count-one-more", syntax(number), &count(records as u64 + 1));
    edit("manifest-count-one-less", syntax(record(records - 1)), &count(records as u64 - 1));
    edit("manifest-count-one-more-than-any", syntax(number), &count(MOST_OBJECTS + 1));
    edit("manifest-kind", syntax(record(0)), &|b| b[record(0)] = 3);
    edit("manifest-kind-127", syntax(record(0)), &|b| b[record(0)] = 127);
    edit("manifest-question", syntax(record(0)), &|b| b[record(0) + 1] = 4);
    edit("manifest-question-127", syntax(record(0)), &|b| b[record(0) + 1] = 127);
}

/// Cases about the records of MANIFEST, each of which is right by itself.
fn records(corpus: &mut Corpus, base: &Base) {
    let mut edit = |name: &str, at: usize, edit: &dyn Fn(&mut Manifest)| {
        corpus.add(name, base, |d| {
            let mut manifest = manifest(base);
            edit(&mut manifest);
            fs::write(d.join("cert/MANIFEST"), manifest.encode()).expect("MANIFEST");
            syntax(usize::try_from(manifest.offset(at)).expect("small"))
        });
    };
    let of_kind =
        |kind| manifest(base).objects.iter().position(|object| object.kind == kind).expect("one");
    edit("manifest-gap", 0, &|m| m.objects[0].first = 1);
    edit("manifest-count-zero", 0, &|m| m.objects[0].count = 0);
    edit("manifest-unsorted", 1, &|m| m.objects.swap(0, 1));
    edit("manifest-record-twice", 1, &|m| m.objects[1] = m.objects[0]);
    edit("manifest-question-not-claimed", 1, &|m| m.objects[1].question = Question::BlackWins);
    edit("manifest-range-beyond-2-to-64", 1, &|m| {
        m.objects[0].count = u64::MAX;
        (m.objects[1], m.objects[1].first) = (m.objects[0], u64::MAX);
    });
    let provenance = of_kind(Kind::Provenance);
    edit("manifest-provenance-of-two", provenance, &|m| m.objects[provenance].count = 2);
    edit("manifest-provenance-twice", provenance + 1, &|m| {
        let again = certificate_spec::manifest::Object { first: 1, ..m.objects[provenance] };
        m.objects.insert(provenance + 1, again);
    });
}

/// A length and a digest that are not those of CLAIM.
fn claims(corpus: &mut Corpus, base: &Base) {
    type Edit = fn(&mut Manifest);
    let edits: [(&str, Edit); 2] = [
        ("manifest-claim-length", |m| m.claim_length += 1),
        ("manifest-claim-digest", |m| m.claim_digest.0[0] ^= 1),
    ];
    for (name, edit) in edits {
        corpus.add(name, base, |d| {
            let mut manifest = manifest(base);
            edit(&mut manifest);
            fs::write(d.join("cert/MANIFEST"), manifest.encode()).expect("MANIFEST");
            Expected::refuted("claim-hash", "CLAIM")
        });
    }
}

/// Sparse files that are too large to be read whole before a checker knows that they can be
/// manifests.
fn long_manifests(corpus: &mut Corpus, base: &Base) {
    let mut long = |name: &str, length: u64, start: &[u8], expected: Expected| {
        corpus.add(name, base, |d| {
            let file = d.join("cert/MANIFEST");
            fs::write(&file, start).expect("MANIFEST");
            let file = fs::File::options().write(true).open(file).expect("MANIFEST");
            file.set_len(length).expect("a file with a hole");
            expected
        });
    };
    const LONG: u64 = 1 << 26;
    let number = number_at(base);
    let bytes = manifest(base).encode();
    long("manifest-of-zeros", LONG, &[], syntax(0));
    long("manifest-of-another-version-and-zeros", LONG, &[&bytes[..8], &[9]].concat(), {
        Expected::declined("version", "MANIFEST")
    });
    long("manifest-and-zeros", LONG, &bytes, syntax(number));
    // The file is as long as this number of records needs, so only the number is wrong.
    let many = [&bytes[..number], &varint(MOST_OBJECTS + 1)].concat();
    long("manifest-of-too-many-records", 40 * (MOST_OBJECTS + 1), &many, syntax(number));
}

/// The path and name of the nth object.
fn nth(d: &Path, n: usize) -> (PathBuf, String) {
    let bytes = fs::read(d.join("cert/MANIFEST")).expect("MANIFEST");
    let manifest = Manifest::decode(&bytes).expect("a manifest");
    let name = format!("objects/{}", manifest.objects[n].digest);
    (d.join("cert").join(&name), name)
}

fn listings(corpus: &mut Corpus, base: &Base) {
    type Edit<'a> = &'a dyn Fn(&Path, &Path) -> std::io::Result<()>;
    const OBJECT: Option<&str> = Some("");
    // The file that the verdict names, `OBJECT` for the first object, `None` for an error; and a
    // change of the certificate's folder or of this object.
    let mut case = |name: &str, file: Option<&str>, edit: Edit<'_>| {
        corpus.add(name, base, |d| {
            let (path, object) = nth(d, 0);
            edit(&d.join("cert"), &path).expect(name);
            let listing = |file: &str| Expected::refuted("listing", file);
            file.map_or_else(Expected::error, |f| listing(if f.is_empty() { &object } else { f }))
        });
    };
    let remove = |c: &Path, file: &str| fs::remove_file(c.join(file));
    let into_link = |c: &Path, path: &Path| {
        let aside = c.with_file_name("aside");
        fs::rename(path, &aside).and_then(|()| symlink(aside, path))
    };
    case("object-removed", OBJECT, &|_, o| fs::remove_file(o));
    case("claim-removed", Some("CLAIM"), &|c, _| remove(c, "CLAIM"));
    case("manifest-removed", Some("MANIFEST"), &|c, _| remove(c, "MANIFEST"));
    case("no-certificate", None, &|c, _| remove(c, "CLAIM").and_then(|()| remove(c, "MANIFEST")));
    case("no-certificate-but-a-manifest", None, &|c, _| {
        remove(c, "CLAIM").and_then(|()| fs::write(c.join("MANIFEST"), "DPEGDB\0\0"))
    });
    for file in [".DS_Store", "NOTES", ".hidden", "objects/more"] {
        let name = format!("file-added-{}", file.trim_start_matches('.').replace('/', "-"));
        case(&name, Some(file), &|c, _| fs::write(c.join(file), "see here"));
    }
    case("directory-added", Some("more"), &|c, _| fs::create_dir(c.join("more")));
    case("object-renamed", OBJECT, &|_, o| fs::rename(o, o.with_file_name("other")));
    case("object-is-a-directory", OBJECT, &|_, o| {
        fs::remove_file(o).and_then(|()| fs::create_dir(o))
    });
    case("object-is-a-link", OBJECT, &|c, o| into_link(c, o));
    case("manifest-is-a-link", Some("MANIFEST"), &|c, _| into_link(c, &c.join("MANIFEST")));
    case("objects-is-a-link", Some("objects"), &|c, _| into_link(c, &c.join("objects")));
    case("object-is-a-pipe", OBJECT, &|_, o| {
        fs::remove_file(o)?;
        Command::new("mkfifo").arg(o).status().map(|status| assert!(status.success()))
    });
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
        let mut manifest = manifest(base);
        manifest.objects[0].length = u64::MAX;
        fs::write(d.join("cert/MANIFEST"), manifest.encode()).expect("MANIFEST");
        hash(&nth(d, 0).1)
    });
    spoilt(corpus, base);
}

/// Objects with right hashes and wrong bytes.
fn spoilt(corpus: &mut Corpus, base: &Base) {
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
    let objects = base.draft.objects();
    let leaves_at = objects.iter().position(|o| o.kind == Kind::Leaves).expect("leaves");
    let (nodes, leaves_head) = (objects[0].head, objects[leaves_at].head);
    // The offsets of the contents of both objects, and of the strategies.
    let (start, directory) = (nodes.length(), leaves_head.length());
    let strategies = leaves::offset(&leaves_head, base.draft.parts[0].leaves.len());
    let syntax = Rule::Syntax;
    edit("object-magic", 0, syntax(0), &|o| o.bytes[3] = b'x');
    edit("object-of-the-other-kind", 0, syntax(0), &|o| o.bytes[..8].copy_from_slice(b"DPLEAVES"));
    edit("object-future-version", 0, Rule::Version, &|o| o.bytes[8] = 2);
    edit("object-head-cut-short", 0, syntax(HEAD), &|o| o.bytes.truncate(HEAD + 2));
    edit("object-trailing-byte", 0, syntax(start), &|o| o.bytes.push(0));
    let endless = |head: ObjectHead| ObjectHead { count: u64::MAX, ..head };
    edit("object-count-2-to-64", 0, syntax(endless(nodes).length()), &|o| {
        o.set_head(&object_head(&endless(nodes)));
    });
    edit("object-first-padded", 0, syntax(HEAD + 1), &|o| o.bytes = pad(&o.bytes, HEAD + 1));
    edit("object-count-padded", 0, syntax(start - 1), &|o| o.bytes = pad(&o.bytes, start - 1));
    edit("object-question-padded", 0, syntax(HEAD), &|o| o.bytes = pad(&o.bytes, HEAD));
    edit("object-question-4", 0, syntax(HEAD), &|o| o.bytes[HEAD] = 4);
    edit("object-count-of-eleven-bytes", 0, syntax(HEAD), &|o| {
        o.set_head(&[&[0, 0][..], &[0x80; 10], &[0]].concat());
    });
    edit("object-of-another-question", 0, Rule::Header, &|o| o.bytes[HEAD] = 1);
    edit("object-of-another-range", 0, Rule::Header, &|o| o.bytes[HEAD + 1] = 1);
    edit("object-of-another-count", 0, Rule::Header, &|o| {
        o.head.count += 1;
    });
    edit("leaves-trailing-byte", leaves_at, Rule::Header, &|o| o.bytes.push(0));
    edit("leaves-count-2-to-64", leaves_at, syntax(endless(leaves_head).length()), &|o| {
        o.set_head(&object_head(&endless(leaves_head)));
    });
    edit("leaves-first-padded", leaves_at, syntax(HEAD + 1), &|o| {
        o.set_head(&[&[0][..], &padded(0), &varint(leaves_head.count)].concat());
    });
    edit("leaves-length-2-to-64", leaves_at, syntax(directory), &|o| {
        o.bytes[directory..directory + 8].fill(0xff)
    });
    edit("leaves-no-positions", leaves_at, syntax(directory + 8), &|o| {
        o.bytes[directory + 8..directory + 16].fill(0);
    });
    edit("leaves-cut-short", leaves_at, Rule::Header, &|o| {
        o.bytes.truncate(usize::try_from(strategies).expect("small"))
    });
}

#[derive(Clone, Copy)]
enum Rule {
    Syntax(usize),
    Header,
    Version,
}

pub(super) fn add_versions(corpus: &mut Corpus, bases: &Bases) {
    let old = v1::folder().join("declined-version-0");
    let (certificate, database) = (["cert", "--db", "egdb"], ["--db", "egdb", "--game", "4x4"]);
    corpus.add_copy("version-0-certificate", &old, &certificate, |_| {
        Expected::declined("version", "CLAIM")
    });
    corpus.add_copy("version-0-database", &old, &database, |_| {
        Expected::declined("version", "4x4/MANIFEST")
    });
    // A certificate of this version over a database of the old one, and beside an old MANIFEST.
    corpus.add("version-0-database-of-a-certificate", &bases.draw, |d| {
        fs::remove_dir_all(d.join("egdb")).expect("a database");
        copy(&old.join("egdb"), &d.join("egdb"));
        Expected::declined("version", "4x4/MANIFEST")
    });
    corpus.add("version-0-manifest", &bases.draw, |d| {
        fs::copy(old.join("cert/MANIFEST"), d.join("cert/MANIFEST")).expect("MANIFEST");
        Expected::declined("version", "MANIFEST")
    });
    for (name, version) in [("object-of-version-0", 0), ("object-of-version-256", 256u32)] {
        corpus.add(name, &bases.draw, |d| {
            let mut objects = bases.draw.draft.objects();
            objects[0].bytes[8..12].copy_from_slice(&version.to_le_bytes());
            let claim = bases.draw.draft.claim.encode();
            write_objects(&d.join("cert"), claim.as_bytes(), &objects);
            let file = format!("objects/{}", Digest::of(&objects[0].bytes));
            Expected::declined("version", file)
        });
    }
}
