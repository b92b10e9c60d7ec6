//! Covers: their only text, their only bytes, and what they admit.

use crate::prelude::*;
use certificate_spec::cover::Clause;

/// Arbitrary clauses, valid or not.
#[derive(Clone, Debug)]
pub(crate) struct AnyClauses(pub(crate) Vec<Clause>);

impl Arbitrary for AnyClauses {
    fn arbitrary(g: &mut Gen) -> Self {
        let number = |g: &mut Gen| match *g.choose(&[0, 1, 2, 2, 2]).unwrap() {
            0 => u8::arbitrary(g),
            1 => u8::arbitrary(g) % 40,
            _ => u8::arbitrary(g) % 12,
        };
        let count = u8::arbitrary(g) % 7;
        AnyClauses((0..count).map(|_| Clause { pieces: number(g), side: number(g) }).collect())
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let all = self.0.clone();
        Box::new((0..all.len()).map(move |i| {
            let mut less = all.clone();
            less.remove(i);
            AnyClauses(less)
        }))
    }
}

/// Whether clauses admit positions with `one` pieces of one side and `other` of the other side, by
/// their definition. A board has at most 32 pieces.
fn admitted(clauses: &[Clause], one: u32, other: u32) -> bool {
    let admits = |clause: &Clause| {
        let (most, side) = (u32::from(clause.pieces), u32::from(clause.side));
        one + other <= most && one <= side && other <= side
    };
    one >= 1 && other >= 1 && one + other <= 32 && clauses.iter().any(admits)
}

/// All numbers of pieces of the two sides that a board has room for, and some more.
fn sides() -> impl Iterator<Item = (u32, u32)> {
    (0..34).flat_map(|one| (0..34).map(move |other| (one, other)))
}

/// The bytes of a manifest with this cover.
fn bytes(cover: &Cover) -> Vec<u8> {
    let (cover, slices) = (cover.clone(), Vec::new());
    DatabaseManifest { rows: 8, columns: 8, cover, slices }.encode()
}

#[test]
fn a_cover_admits_what_its_clauses_say() {
    fn is_so(AnyClauses(clauses): AnyClauses) -> bool {
        let cover = Cover::of(clauses.iter().copied());
        let most = sides().filter(|&(one, other)| admitted(&clauses, one, other));
        let most = most.map(|(one, other)| one + other).max().unwrap_or(0);
        sides().all(|(one, other)| {
            let small = |n: u32| u8::try_from(n / 2).unwrap();
            let slice = |n| [small(n), u8::try_from(n).unwrap() - small(n)];
            let [[a, b], [c, d]] = [slice(one), slice(other)];
            let right = admitted(&clauses, one, other);
            cover.admits(one, other) == right
                && cover.admits_slice(SliceName([a, b, c, d])) == right
                && admitted(cover.clauses(), one, other) == right
        }) && cover.is_empty() == (most == 0)
            && u32::from(cover.most_pieces()) == most
    }
    QuickCheck::new().tests(300).quickcheck(is_so as fn(AnyClauses) -> bool);
}

#[test]
fn one_cover_includes_another_if_it_admits_as_much() {
    fn is_so(AnyClauses(one): AnyClauses, AnyClauses(other): AnyClauses) -> bool {
        let (one, other) = (Cover::of(one), Cover::of(other));
        let both = Cover::of([one.clauses(), other.clauses()].concat());
        let includes = |one: &Cover, other: &Cover| {
            sides().all(|(a, b)| one.admits(a, b) || !other.admits(a, b))
        };
        [(&one, &other), (&other, &one), (&both, &one), (&one, &both)]
            .iter()
            .all(|(one, other)| one.includes(other) == includes(one, other))
            && both.includes(&one)
            && both.includes(&other)
            // Covers of the same positions are the same.
            && (one == other) == (includes(&one, &other) && includes(&other, &one))
    }
    QuickCheck::new().tests(300).quickcheck(is_so as fn(AnyClauses, AnyClauses) -> bool);
}

#[test]
fn a_cover_is_closed_under_moves() {
    fn is_so(AnyClauses(clauses): AnyClauses) -> bool {
        let cover = Cover::of(clauses);
        // A move removes pieces of one side, or none.
        sides().filter(|&(one, other)| cover.admits(one, other)).all(|(one, other)| {
            (1..=other).all(|left| cover.admits(one, left))
                && (1..=one).all(|left| cover.admits(left, other))
        })
    }
    QuickCheck::new().tests(300).quickcheck(is_so as fn(AnyClauses) -> bool);
}

#[test]
fn a_cover_has_one_text_and_one_encoding() {
    fn is_so(AnyClauses(clauses): AnyClauses) -> bool {
        let cover = Cover::of(clauses);
        let text = cover.to_string();
        Cover::parse(&text).as_ref() == Some(&cover)
            && text.parse().as_ref() == Ok(&cover)
            && Cover::of(cover.clauses().iter().copied()) == cover
            && DatabaseManifest::decode(&bytes(&cover)).map(|m| m.cover) == Ok(cover)
    }
    QuickCheck::new().tests(2000).quickcheck(is_so as fn(AnyClauses) -> bool);
}

#[test]
fn what_is_typed_is_a_cover_and_only_its_own_text_is_a_claim() {
    fn is_so(AnyClauses(mut clauses): AnyClauses) -> bool {
        clauses.retain(|c| (2..=32).contains(&c.pieces) && (1..=32).contains(&c.side));
        if clauses.is_empty() {
            return true;
        }
        let words: Vec<String> =
            clauses.iter().map(|c| format!("{}:{}", c.pieces, c.side)).collect();
        let (text, cover) = (words.join(","), Cover::of(clauses));
        text.parse().as_ref() == Ok(&cover)
            && Cover::parse(&text) == (cover.to_string() == text).then_some(cover)
    }
    QuickCheck::new().tests(2000).quickcheck(is_so as fn(AnyClauses) -> bool);
}

/// Clauses that are not those of a cover are refused at the offset of the value they are part of.
#[test]
fn clauses_that_are_no_cover_are_refused() {
    fn is_so(AnyClauses(clauses): AnyClauses) -> bool {
        let cover = Cover::of(clauses.iter().copied());
        let mut wire = bytes(&cover);
        let old = 1 + 2 * cover.clauses().len();
        let mut new = vec![u8::try_from(clauses.len()).unwrap()];
        new.extend(clauses.iter().flat_map(|clause| [clause.pieces, clause.side]));
        wire.splice(33..33 + old, new);
        let read = DatabaseManifest::decode(&wire);
        let is_canonical = cover.clauses() == clauses;
        match read {
            Ok(manifest) => is_canonical && manifest.cover == cover,
            Err(error) => !is_canonical && error.to_string().starts_with("offset 12: "),
        }
    }
    QuickCheck::new().tests(2000).quickcheck(is_so as fn(AnyClauses) -> bool);
}

#[test]
fn only_canonical_texts_are_for_claims() {
    for text in ["0", "2", "6", "32", "7,8:4", "10:5", "7:5,8:4", "31,32:16"] {
        assert_eq!(Cover::parse(text).map(|cover| cover.to_string()).as_deref(), Some(text));
    }
    // Each text with the canonical one of the same cover, if a command line may use it.
    let others = [
        ("8:4,7", Some("7,8:4")),
        ("7:6", Some("7")),
        ("7:7", Some("7")),
        ("9:4", Some("8:4")),
        ("4,8:4", Some("8:4")),
        ("2,4:2", Some("4:2")),
        ("07", Some("7")),
        ("8:04", Some("8:4")),
        ("7,7", Some("7")),
        ("7,8", Some("8")),
        ("7,8:4,8:4", Some("7,8:4")),
        ("32:32", Some("32")),
        ("1", None),
        ("33", None),
        ("33:4", None),
        ("8:33", None),
        ("256", None),
        ("260:4", None),
        ("8:0", None),
        ("1:1", None),
        ("0,7", None),
        ("7,0", None),
        ("00", None),
        ("", None),
        (",", None),
        ("7,", None),
        (",7", None),
        ("7,,8:4", None),
        ("7:", None),
        (":4", None),
        ("8:4:2", None),
        ("+7", None),
        ("-7", None),
        (" 7", None),
        ("7 ", None),
        ("7, 8:4", None),
        ("7;8:4", None),
        ("٧", None),
        ("seven", None),
    ];
    for (text, lenient) in others {
        assert_eq!(Cover::parse(text), None, "{text}");
        let read = text.parse::<Cover>().ok().map(|cover| cover.to_string());
        assert_eq!(read.as_deref(), lenient, "{text}");
    }
}

#[test]
fn what_a_command_line_is_told_of_a_text_that_is_no_cover() {
    let error = "seven".repeat(100).parse::<Cover>().unwrap_err().to_string();
    assert!(error.starts_with("expected a cover: N ") && error.contains("7,8:4"), "{error}");
    assert!(error.contains("found sevenseven") && error.len() < 300, "{error}");
}

#[test]
fn covers_that_are_used() {
    assert_eq!(Cover::none().to_string(), "0");
    assert_eq!(Cover::none(), Cover::default());
    assert!(Cover::none().is_empty() && !Cover::none().admits(1, 1));
    assert_eq!([Cover::up_to(0), Cover::up_to(1)], [Cover::none(), Cover::none()]);
    assert_eq!([Cover::up_to(6).to_string(), Cover::up_to(200).to_string()], ["6", "32"]);
    // Chinook's database of 1994: all positions of at most 7 pieces, and those of 4 against 4.
    let chinook = Cover::parse("7,8:4").unwrap();
    assert_eq!(chinook.clauses(), [(7, 6), (8, 4)].map(|(pieces, side)| Clause { pieces, side }));
    assert!(chinook.admits(6, 1) && chinook.admits(4, 4) && !chinook.admits(5, 3));
    assert!(chinook.includes(&Cover::up_to(7)) && !chinook.includes(&Cover::up_to(8)));
    assert!(Cover::up_to(8).includes(&chinook) && chinook.includes(&Cover::none()));
    assert!(!Cover::none().includes(&Cover::up_to(2)));
}
