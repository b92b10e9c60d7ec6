//! For arbitrary bytes `check` has a verdict, and never VERIFIED.

use crate::common::*;
use quickcheck::{Arbitrary, Gen, QuickCheck};

#[derive(Debug, Clone)]
enum Mutation {
    Flip(usize, u8),
    Set(usize, u8),
    Cut(usize),
    Append(Vec<u8>),
    Replace(Vec<u8>),
    Long(usize, u64),
}

impl Arbitrary for Mutation {
    fn arbitrary(g: &mut Gen) -> Self {
        let at = usize::arbitrary(g);
        match u8::arbitrary(g) % 6 {
            0 => Mutation::Flip(at, u8::arbitrary(g).max(1)),
            1 => Mutation::Set(at, u8::arbitrary(g)),
            2 => Mutation::Cut(at),
            3 => Mutation::Append(Vec::arbitrary(g)),
            4 => Mutation::Replace(Vec::arbitrary(g)),
            _ => Mutation::Long(at, u64::arbitrary(g)),
        }
    }
}

fn mutate(bytes: &mut Vec<u8>, mutation: &Mutation) {
    let length = bytes.len().max(1);
    match mutation {
        Mutation::Flip(at, with) => {
            bytes.iter_mut().skip(at % length).take(1).for_each(|b| *b ^= with)
        }
        Mutation::Set(at, to) => bytes.iter_mut().skip(at % length).take(1).for_each(|b| *b = *to),
        Mutation::Cut(at) => bytes.truncate(at % length),
        Mutation::Append(more) => bytes.extend(more),
        Mutation::Replace(all) => bytes.clone_from(all),
        Mutation::Long(at, value) => {
            let at = at % length / 8 * 8;
            bytes.iter_mut().skip(at).zip(value.to_le_bytes()).for_each(|(b, v)| *b = v);
        }
    }
}

fn files(path: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { all.extend(files(&path)) } else { all.push(path) }
    }
    all.sort();
    all
}

#[test]
fn mutated_files_are_never_verified() {
    let oracle = Oracle::new(&board("4x4"), 4);
    let place = Place::new();
    draw_4x4(&oracle, 3).write(&place.cert());
    let options = Options { threads: Some(1), ..place.options() };
    assert_eq!(check_certificate(&place.cert(), &options).status(), 0);
    let all = files(&place.cert());
    let originals: Vec<_> = all.iter().map(|path| fs::read(path).unwrap()).collect();
    let property = |which: usize, mutation: Mutation| {
        let which = which % all.len();
        let mut bytes = originals[which].clone();
        mutate(&mut bytes, &mutation);
        fs::write(&all[which], &bytes).unwrap();
        let verdict = check_certificate(&place.cert(), &options);
        fs::write(&all[which], &originals[which]).unwrap();
        (verdict.status() == 0) == (bytes == originals[which]) && !verdict.line().contains('\n')
    };
    let property: Box<dyn Fn(usize, Mutation) -> bool> = Box::new(property);
    check(3000, property);
}

/// Runs a property with two arguments that is not a plain function.
fn check(times: u64, property: Box<dyn Fn(usize, Mutation) -> bool + '_>) {
    let mut g = Gen::new(64);
    for i in 0..times {
        let (which, mutation) = (usize::arbitrary(&mut g), Mutation::arbitrary(&mut g));
        assert!(property(which, mutation.clone()), "{i}: {which} {mutation:?}");
    }
}

#[test]
fn objects_mutated_under_their_right_digest() {
    // The hashes agree here, so the mutations reach the parsers, the nodes and the replay.
    let oracle = Oracle::new(&board("4x4"), 4);
    let good = draw_4x4(&oracle, 3);
    let objects = good.objects();
    let property: Box<dyn Fn(usize, Mutation) -> bool> = Box::new(|which, mutation| {
        let mut objects = objects.clone();
        let (object, bytes) = &mut objects[which % good.objects().len()];
        let original = bytes.clone();
        mutate(bytes, &mutation);
        object.length = bytes.len() as u64;
        object.digest = certificate_spec::Digest::of(bytes);
        let same = *bytes == original;
        let place = Place::new();
        write_raw(&place.cert(), good.claim.encode().as_bytes(), &objects);
        let verdict =
            check_certificate(&place.cert(), &Options { threads: Some(1), ..place.options() });
        // A changed choice or strategy may be right by another move, so a few of these are right. A
        // certificate that is verified must be verified a second time.
        same || verdict.status() != 0 || {
            let again = check_certificate(&place.cert(), &place.options());
            again == verdict
        }
    });
    check(1500, property);
}

#[test]
fn mutated_databases_are_never_verified() {
    let b = board("4x4");
    let place = Place::new();
    write_database(&place.db(), &database(&b, 3), 3);
    let all = files(&place.db());
    let originals: Vec<_> = all.iter().map(|path| fs::read(path).unwrap()).collect();
    for level in [Level::Exact, Level::Consistent] {
        let options = Options { level, threads: Some(1), ..place.options() };
        let property: Box<dyn Fn(usize, Mutation) -> bool> = Box::new(|which, mutation| {
            let which = which % all.len();
            let mut bytes = originals[which].clone();
            mutate(&mut bytes, &mutation);
            fs::write(&all[which], &bytes).unwrap();
            let verdict = check_database(&b, None, &options);
            fs::write(&all[which], &originals[which]).unwrap();
            let right = if level == Level::Exact { 0 } else { 5 };
            (verdict.status() == right) == (bytes == originals[which])
        });
        check(500, property);
    }
}

/// A database of 4x4 with 3 pieces, of which one slice gets changed and checked.
struct Slices {
    board: Board,
    values: Database,
    good: Files,
    place: Place,
}

impl Slices {
    fn new() -> Slices {
        let board = board("4x4");
        let values = database(&board, 3);
        let (good, place) = (Files::new(&values, 3), Place::new());
        good.write(&place.db());
        Slices { good, values, board, place }
    }

    /// Whether a file with its right digest is verified only if it has the right values.
    fn check(&self, which: usize, bytes: Vec<u8>) -> bool {
        let mut files = self.good.clone();
        let table = self.values.tables()[which];
        let is_right =
            encodes(&self.board, &table.shape, &quiet_values(&self.board, table), &bytes);
        files.slices[which].1 = bytes;
        files.write_one(&self.place.db(), which);
        for level in [Level::Exact, Level::Consistent] {
            let options = Options { level, threads: Some(1), ..self.place.options() };
            let verdict = check_database(&self.board, None, &options);
            let right = if level == Level::Exact { 0 } else { 5 };
            assert!([right, 1, 3].contains(&verdict.status()), "{}", verdict.line());
            assert_eq!(verdict.status() == right, is_right, "{level:?} {}", verdict.line());
        }
        self.good.write_one(&self.place.db(), which);
        is_right
    }
}

#[test]
fn every_byte_of_a_database_changed() {
    let slices = Slices::new();
    let options = Options { threads: Some(1), ..slices.place.options() };
    for path in files(&slices.place.db()) {
        let original = fs::read(&path).unwrap();
        for at in 0..original.len() {
            let mut bytes = original.clone();
            bytes[at] ^= 1 << (at % 8);
            fs::write(&path, bytes).unwrap();
            let verdict = check_database(&slices.board, None, &options);
            assert!([1, 3].contains(&verdict.status()), "{}", verdict.line());
        }
        fs::write(&path, &original).unwrap();
    }
    assert_eq!(check_database(&slices.board, None, &options).status(), 0);
}

#[test]
fn every_byte_of_slices_changed_under_their_right_digests() {
    let slices = Slices::new();
    let mut right = 0;
    for (which, (_, original)) in slices.good.slices.iter().enumerate() {
        let head = SliceHead::decode(original, original.len() as u64).unwrap();
        for at in 0..original.len() {
            let mut bytes = original.clone();
            bytes[at] ^= 1 << (at % 7);
            assert!(!slices.check(which, bytes.clone()), "{which} {at}");
            // The same payload with the right checksum, too.
            let payload = head.units.iter().find_map(|unit| match *unit {
                Unit::Coded { offset, length } => {
                    let start = usize::try_from(offset).unwrap();
                    let range = start..start + length as usize;
                    range.contains(&at).then_some(range)
                }
                Unit::Constant(_) => None,
            });
            match payload {
                Some(range) => repair_payload(&mut bytes[range]),
                None => repair_head(&mut bytes),
            }
            right += usize::from(slices.check(which, bytes));
        }
    }
    // Right files are those with other frequencies for contexts without positions, and those whose
    // checksum became right again.
    assert!(right > 100, "{right}");
}

#[test]
fn mutated_slices_under_their_right_digest() {
    let slices = Slices::new();
    let mut g = Gen::new(64);
    for _ in 0..500 {
        let (which, mutation) = (usize::arbitrary(&mut g), Mutation::arbitrary(&mut g));
        let which = which % slices.good.slices.len();
        let mut bytes = slices.good.slices[which].1.clone();
        mutate(&mut bytes, &mutation);
        if bool::arbitrary(&mut g) {
            repair_head(&mut bytes);
        }
        slices.check(which, bytes);
    }
}

#[test]
fn random_text_is_no_fen_and_no_game() {
    fn property(text: String) -> bool {
        let fen =
            checker_core::parse_fen(&text).is_none_or(|p| checker_core::write_fen(&p) == text);
        fen && checker_core::Game::parse(&text).is_none_or(|g| g.name() == text)
    }
    QuickCheck::new().tests(20_000).quickcheck(property as fn(String) -> bool);
}
