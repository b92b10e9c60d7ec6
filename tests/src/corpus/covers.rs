//! Cases about covers: which positions a claim and a database say that the database has.

use certificate_spec::database::SliceRecord;
use certificate_spec::nodes;

use super::*;
use crate::draft::database_manifest;
use crate::encoding::DatabaseHead;

/// Texts that are not the canonical text of a cover, on any board.
const TEXTS: [(&str, &str); 26] = [
    ("unsorted", "8:4,7"),
    ("side-that-is-no-bound", "7:6"),
    ("side-that-is-no-bound-at-all", "7:7"),
    ("pieces-that-are-no-bound", "9:4"),
    ("implied-first", "4,8:4"),
    ("implied-next", "7,8:6,8:4"),
    ("implied-last", "8:5,9:5"),
    ("twice", "3,3"),
    ("side-rises", "6:3,8:4,10:5,12:6"),
    ("leading-zero", "07"),
    ("leading-zero-of-a-side", "8:04"),
    ("one", "1"),
    ("one-a-side", "3:1"),
    ("none-a-side", "3:0"),
    ("none-and-more", "0,3"),
    ("none-twice", "00"),
    ("more-than-all", "33"),
    ("more-than-all-with-a-side", "64:32"),
    ("more-than-a-byte", "259"),
    ("comma-first", ",3"),
    ("comma-last", "3,"),
    ("two-commas", "3,,6:3"),
    ("colon-last", "6:"),
    ("colon-first", ":3"),
    ("plus", "+3"),
    ("three-numbers", "6:3:2"),
];

/// Clauses that are not those of a canonical cover; each pair is N and M.
const CLAUSES: [(&str, &[(u8, u8)]); 13] = [
    ("unsorted", &[(6, 3), (4, 3)]),
    ("side-that-is-no-bound", &[(4, 4)]),
    ("side-of-255", &[(4, 255)]),
    ("pieces-that-are-no-bound", &[(7, 3)]),
    ("implied-first", &[(4, 3), (6, 3)]),
    ("implied-last", &[(6, 5), (6, 3)]),
    ("twice", &[(4, 3), (4, 3)]),
    ("one-piece", &[(1, 1)]),
    ("no-pieces", &[(0, 0)]),
    ("none-a-side", &[(4, 0)]),
    ("one-a-side", &[(4, 1)]),
    ("more-than-all", &[(33, 32)]),
    ("more-than-all-with-a-side", &[(4, 3), (255, 128)]),
];

pub(super) fn add(corpus: &mut Corpus, bases: &Bases) {
    claims(corpus, &bases.draw);
    parts(corpus, bases);
    manifests(corpus, &bases.draw);
    clauses(corpus, &bases.clauses);
}

fn claims(corpus: &mut Corpus, base: &Base) {
    let text = base.draft.claim.encode();
    let line: usize = text.split_inclusive('\n').take(5).map(str::len).sum();
    let mut case = |name: &str, cover: &str| {
        corpus.add(name, base, |d| {
            let changed = text.replace("\npieces 3\n", &format!("\npieces {cover}\n"));
            assert_ne!(changed, text);
            fs::write(d.join("cert/CLAIM"), changed).expect("CLAIM");
            Expected::refuted("claim-syntax", "CLAIM").at(line as u64)
        });
    };
    for (name, cover) in TEXTS {
        assert_eq!(Cover::parse(cover), None, "{cover}");
        case(&format!("claim-cover-{name}"), cover);
    }
    // Canonical, and of more pieces than the board has squares.
    for (name, cover) in [("clause", "10:5"), ("second-clause", "8,10:5"), ("all", "32")] {
        assert!(Cover::parse(cover).is_some(), "{cover}");
        case(&format!("claim-cover-beyond-the-board-{name}"), cover);
    }
    // A root without a cover, and a cover without a root.
    corpus.add("claim-root-without-a-cover", base, |d| {
        let changed = text.replace("\npieces 3\n", "\npieces 0\n");
        fs::write(d.join("cert/CLAIM"), changed).expect("CLAIM");
        Expected::refuted("claim-syntax", "CLAIM").at(line as u64 + "pieces 0\n".len() as u64)
    });
    corpus.add("claim-cover-without-a-root", base, |d| {
        let root = text.lines().last().expect("a line");
        fs::write(d.join("cert/CLAIM"), text.replace(root, "database none")).expect("CLAIM");
        Expected::refuted("claim-syntax", "CLAIM").at(line as u64 + "pieces 3\n".len() as u64)
    });
}

fn cover(text: &str) -> Cover {
    Cover::parse(text).expect("a cover")
}

/// Claims that rest on a part of a database, on more than it has, or on another part than stated.
fn parts(corpus: &mut Corpus, bases: &Bases) {
    let wide = bases.sides.directory.join("egdb");
    let missing = || Expected::refuted("database-manifest", "6x4/MANIFEST");
    corpus.add("accept-part-of-a-cover", &bases.win, |d| {
        fs::remove_dir_all(d.join("egdb")).expect("a database");
        copy(&wide, &d.join("egdb"));
        Expected::verified("WHITE-WINS 6x4 start=initial")
    });
    corpus.add("cover-beyond-the-database", &bases.sides, |d| {
        fs::remove_dir_all(d.join("egdb")).expect("a database");
        copy(&bases.win.directory.join("egdb"), &d.join("egdb"));
        missing()
    });
    // The roots are right where a root is possible; no node is a position of the database.
    let whole = database_manifest(&wide.join("6x4"));
    let empty = |draft: &mut Draft| {
        draft.parts.iter_mut().for_each(|part| (part.nodes, part.leaves) = Default::default());
    };
    for (name, text) in
        [("pieces", "4"), ("pieces-a-side", "6:3"), ("of-both", "5:3"), ("clauses", "5,6:3")]
    {
        corpus.add_draft(&format!("cover-of-more-{name}"), &bases.sides, |draft| {
            draft.claim.database = Some(whole.restricted_to(&cover(text)).root());
            draft.claim.cover = cover(text);
            empty(draft);
            Box::new(move |_| missing())
        });
    }
    // The nodes of the certificate are not enough with a smaller database.
    corpus.add_draft("cover-that-is-too-small", &bases.sides, |draft| {
        draft.claim.database = Some(whole.restricted_to(&cover("2")).root());
        draft.claim.cover = cover("2");
        Box::new(|_| Expected { words: "REFUTED".into(), file: None, offset: None })
    });
    corpus.add_draft("root-of-the-whole-for-a-part", &bases.sides, |draft| {
        draft.claim.cover = cover("3");
        Box::new(|_| Expected::refuted("database-root", "6x4/MANIFEST"))
    });
    corpus.add_draft("root-of-a-part-for-the-whole", &bases.sides, |draft| {
        draft.claim.database = Some(whole.restricted_to(&cover("3")).root());
        Box::new(|_| Expected::refuted("database-root", "6x4/MANIFEST"))
    });
    // Positions of 2 against 2 are covered, those of 3 against 1 are not.
    corpus.add_draft("cover-has-two-against-two", &bases.sides, |draft| {
        draft.claim.start = "B:WK1,K2:BK11,K12".into();
        empty(draft);
        Box::new(|_| Expected::refuted("database-value", "CLAIM"))
    });
    corpus.add_draft("cover-does-not-have-three-against-one", &bases.sides, |draft| {
        draft.claim.start = "B:W3,4,5:BK12".into();
        empty(draft);
        Box::new(|_| Expected::refuted("start-missing", "CLAIM"))
    });
    corpus.add_draft("cover-that-has-a-node", &bases.win, |draft| {
        let pieces = |node: &Node| (node.position.black | node.position.white).count_ones();
        let all: Vec<u32> = draft.parts[0].nodes.iter().map(pieces).collect();
        let least = *all.iter().min().expect("nodes");
        let first = all.iter().position(|pieces| *pieces == least);
        draft.claim.cover = Cover::up_to(u8::try_from(least).expect("few"));
        Box::new(move |draft| {
            let head = draft.parts[0].head(draft.parts[0].nodes.len());
            let at = nodes::offset(&head, first.expect("the first of these"));
            Expected::refuted("node-position", super::object(draft, 0, Kind::Nodes)).at(at)
        })
    });
}

fn manifests(corpus: &mut Corpus, base: &Base) {
    let manifest = database_manifest(&base.directory.join("egdb/4x4"));
    let mut case = |name: &str, expected: Expected, edit: &dyn Fn(&mut DatabaseHead)| {
        corpus.add(name, base, |d| {
            let mut head = DatabaseHead::of(&manifest);
            edit(&mut head);
            let bytes = head.replace_in(&manifest);
            fs::write(d.join("egdb/4x4/MANIFEST"), bytes).expect("MANIFEST");
            expected
        });
    };
    let refuted = || Expected::refuted("database-manifest", "4x4/MANIFEST");
    for (name, clauses) in CLAUSES {
        let name = format!("database-cover-{name}");
        case(&name, refuted().at(HEAD as u64), &|head| head.clauses = clauses.into());
    }
    // Covers that are canonical, but lack slices that exist or have slices that do not.
    let first = manifest.offset(0);
    case("database-cover-empty", refuted().at(first - 2), &|head| head.clauses.clear());
    case("database-cover-beyond-the-board", refuted(), &|head| head.clauses = vec![(12, 6)]);
    case("database-cover-of-two", refuted(), &|head| head.clauses = vec![(2, 1)]);
    case("database-cover-of-four", refuted(), &|head| head.clauses = vec![(4, 3)]);
    case("database-cover-of-two-a-side", refuted(), &|head| head.clauses = vec![(4, 2)]);
}

/// A database of two clauses: a slice too many, and one too few.
fn clauses(corpus: &mut Corpus, base: &Base) {
    let arguments = ["--db", "egdb", "--game", "4x4"];
    let (folder, file) = ("egdb/4x4", "4x4/MANIFEST");
    let manifest = database_manifest(&base.directory.join(folder));
    assert_eq!(manifest.cover, cover("5,6:3"));
    corpus.add_with("accept-database-of-clauses", base, &arguments, |_| {
        Expected::verified("DATABASE 4x4 pieces=5,6:3")
    });
    for part in ["4", "5:3", "4:2"] {
        let name = format!("accept-database-of-clauses-as-{}", part.replace(':', "-"));
        let arguments = [&arguments[..], &["--pieces", part]].concat();
        corpus.add_with(&name, base, &arguments, |_| {
            Expected::verified(&format!("DATABASE 4x4 pieces={part}"))
        });
    }
    for more in ["6", "7:4", "8:4"] {
        let name = format!("database-of-clauses-as-{}", more.replace(':', "-"));
        let arguments = [&arguments[..], &["--pieces", more]].concat();
        corpus.add_with(&name, base, &arguments, |_| Expected::refuted("database-manifest", file));
    }
    let mut write = |name: &str, edited: &DatabaseManifest, expected: Expected| {
        corpus.add_with(name, base, &arguments, |d| {
            fs::write(d.join(folder).join("MANIFEST"), edited.encode()).expect("MANIFEST");
            let listed = |slice: SliceName| edited.slices.iter().any(|s| s.name == slice);
            for gone in manifest.slices.iter().filter(|slice| !listed(slice.name)) {
                fs::remove_file(d.join(folder).join(gone.name.file_name())).expect("a slice");
            }
            for new in &edited.slices {
                let path = d.join(folder).join(new.name.file_name());
                if !path.exists() {
                    fs::write(path, "").expect("a slice");
                }
            }
            expected
        });
    };
    let refuted = || Expected::refuted("database-manifest", file);
    // Two kings against four: `5,6:3` does not cover them, all positions of 6 pieces would.
    let alien = SliceName([0, 2, 0, 4]);
    let mut more = manifest.clone();
    let at = more.slices.partition_point(|slice| slice.name.order() < alien.order());
    more.slices.insert(at, SliceRecord { name: alien, length: 0, digest: Digest::of(b"") });
    write("clauses-with-four-against-two", &more, refuted().at(more.offset(at)));
    for (name, slice) in [
        ("clauses-without-three-kings-each", SliceName([0, 3, 0, 3])),
        ("clauses-without-three-men-each", SliceName([3, 0, 3, 0])),
        ("clauses-without-a-king-each", SliceName([0, 1, 0, 1])),
    ] {
        let mut fewer = manifest.clone();
        fewer.slices.retain(|record| record.name != slice);
        assert_eq!(fewer.slices.len() + 1, manifest.slices.len());
        write(name, &fewer, refuted());
    }
    let mut neither = manifest.clone();
    neither.slices.retain(|record| record.name.pieces() < 6);
    write("clauses-without-six-pieces", &neither, refuted());
    // Only the file is added.
    corpus.add_with("clauses-and-a-file-of-four-against-two", base, &arguments, |d| {
        fs::write(d.join(folder).join(alien.file_name()), "").expect("a slice");
        Expected::refuted("listing", format!("4x4/{}", alien.file_name()))
    });
}
