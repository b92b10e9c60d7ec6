//! Files of other versions, which are declined: files of version 0 as they were, and of versions
//! after this one.

use super::*;

use crate::draft::write_objects;
use crate::v1;

pub(super) fn add(corpus: &mut Corpus, bases: &Bases) {
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
