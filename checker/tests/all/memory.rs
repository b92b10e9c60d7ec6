//! A bound on memory does not change the verdict.

use crate::common::files::{Files, SliceParts, all_drawn, quiet_values};
use crate::common::maker::{Maker, write_raw};
use crate::common::oracle::{Oracle, longest_win};
use crate::common::{Options, check_certificate, check_database};
use crate::common::{Place, board, database, without_journal};
use certificate_spec::claim::{Claim, Value as Claimed};
use certificate_spec::database::SliceName;
use certificate_spec::value::Value as Written;
use checker_core::{Database, Level};

pub(crate) const LEVELS: [Level; 2] = [Level::Exact, Level::Consistent];

/// A place with the database of this board.
pub(crate) fn place(name: &str, pieces: u8) -> Place {
    let place = Place::new();
    Files::new(&database(&board(name), pieces), pieces).write(&place.db());
    place
}

/// The bytes that all tables of values take.
pub(crate) fn bytes(values: &Database) -> u64 {
    values.tables().iter().map(|table| table.shape.indices.div_ceil(64) * 16).sum()
}

pub(crate) fn check(name: &str, options: &Options) -> String {
    check_database(&board(name), None, options).line()
}

/// The numbers of the error that there is too little memory: the bytes needed and the bound.
fn too_little(line: &str) -> Option<(u64, u64)> {
    let words = line.strip_prefix("s ERROR memory: the tables for ")?;
    let (_, words) = words.split_once(" take ")?;
    let (needed, bound) = words.split_once(" bytes, the bound is ")?;
    Some((needed.parse().unwrap(), bound.parse().unwrap()))
}

/// The lowest bound with which a check comes to a verdict, and that verdict.
pub(crate) fn with_least(name: &str, options: &Options) -> (u64, String) {
    let mut least = 0;
    loop {
        let line = check(name, &Options { memory: Some(least), ..options.clone() });
        match too_little(&line) {
            None => return (least, line),
            Some((needed, bound)) => {
                assert!(bound == least && needed > least, "{line}");
                least = needed;
            }
        }
    }
}

#[test]
fn the_same_verdict_with_any_memory() {
    for (name, pieces) in [("6x6", 4), ("5x5", 4), ("4x8", 4), ("3x5", 5), ("4x4", 6), ("8x8", 4)] {
        let place = place(name, pieces);
        for level in LEVELS {
            let options = Options { level, ..place.options() };
            let line = check(name, &options);
            let word = if level == Level::Exact { "VERIFIED" } else { "CONSISTENT" };
            assert!(line.starts_with(&format!("s {word} DATABASE {name} pieces={pieces} ")));
            let (least, same) = with_least(name, &options);
            assert_eq!(same, line);
            for (memory, threads) in [(least + 1, 3), (least * 5 / 4, 1), (least * 2, 2)] {
                let (memory, threads) = (Some(memory), Some(threads));
                let options = Options { memory, threads, ..options.clone() };
                assert_eq!(check(name, &options), line);
            }
            // A lower bound does not always need more memory.
            let memory = Some(least - 1);
            let less = check(name, &Options { memory, ..options });
            assert!(less == line || too_little(&less).is_some(), "{less}");
        }
    }
}

#[test]
fn less_than_all_is_enough() {
    let place = place("6x6", 4);
    let (least, _) = with_least("6x6", &place.options());
    let all = bytes(&database(&board("6x6"), 4));
    assert!(least < all / 2, "{least} of {all}");
}

/// Another value for the quiet position with this number, counted from the front or from the back.
fn spoil(values: &mut [Option<Written>], n: usize, from_the_back: bool) {
    let mut all: Vec<_> = values.iter_mut().flatten().collect();
    if from_the_back {
        all.reverse();
    }
    if let Some(value) = all.into_iter().nth(n) {
        *value = if *value == Written::Draw { Written::Win } else { Written::Draw };
    }
}

#[test]
fn the_same_error_with_the_least_memory() {
    let b = board("4x4");
    let values = database(&b, 5);
    let names: Vec<String> = values.tables().iter().map(|t| t.shape.slice.file_name()).collect();
    let count = names.len();
    let good = Files::new(&values, 5);
    // Slices with a wrong value early or late, and perhaps one slice with a payload that cannot be
    // decoded.
    let mut cases: Vec<(Vec<usize>, Option<usize>)> =
        (0..count).step_by(7).map(|i| (vec![i], None)).collect();
    for i in (1..count).step_by(5) {
        cases.push((vec![i, count - i, (i * 37) % count], None));
        // All slices from the `i`th on, among them several pairs of each group.
        cases.push(((i..count).collect(), None));
        cases.push((vec![i], Some(count - 1 - i)));
    }
    for (n, (wrong, bad)) in cases.iter().enumerate() {
        let mut files = good.clone();
        for &i in wrong {
            let table = values.tables()[i];
            let mut spoilt = quiet_values(&b, table);
            spoil(&mut spoilt, n % 3, n % 2 == 1);
            files.slices[i].1 = SliceParts::new(&b, &table.shape, &spoilt).bytes();
        }
        if let Some(bad) = *bad {
            *files.slices[bad].1.last_mut().unwrap() ^= 1;
        }
        let place = Place::new();
        files.write(&place.db());
        for level in LEVELS {
            let options = Options { level, ..place.options() };
            let line = check("4x4", &options);
            assert!(line.starts_with("s REFUTED slice-"), "{line}");
            assert_eq!(with_least("4x4", &options).1, line);
            let journal = Some(place.0.path().join(format!("journal-{level:?}")));
            for _ in 0..2 {
                let options = Options { journal: journal.clone(), ..options.clone() };
                assert_eq!(check("4x4", &options), line);
            }
        }
    }
}

/// Large slices, which are checked layer by layer, give the same error under any bound.
#[test]
fn the_same_error_in_large_slices() {
    let b = board("8x8");
    let values = database(&b, 4);
    let good = Files::new(&values, 4);
    let place = place("8x8", 4);
    let (least, _) = with_least("8x8", &place.options());
    let large = values.tables().into_iter().enumerate().filter(|(_, table)| {
        let SliceName([a, _, c, _]) = table.shape.slice;
        a + c > 0 && table.shape.layer_bytes(&b).len() > 1
    });
    let large: Vec<usize> = large.map(|(i, _)| i).collect();
    assert_eq!(large.len(), 6);
    for (n, &i) in large.iter().enumerate().step_by(2) {
        for case in 0..3 {
            let mut files = good.clone();
            let bytes = &mut files.slices[i].1;
            if case == 0 {
                // A code that cannot be decoded, far back in one unit, or in the only one.
                let place = bytes.len() - 1 - n * bytes.len() / 50;
                bytes[place] ^= 1;
            } else {
                let table = values.tables()[i];
                let mut spoilt = quiet_values(&b, table);
                spoil(&mut spoilt, 10_000 * n, case == 2);
                *bytes = SliceParts::new(&b, &table.shape, &spoilt).bytes();
            }
            let place = Place::new();
            files.write(&place.db());
            let options = Options { level: LEVELS[(n / 2 + case) % 2], ..place.options() };
            let line = check("8x8", &options);
            assert!(line.starts_with("s REFUTED slice-"), "{line}");
            let memory = Some(least * 5 / 4);
            let same = check("8x8", &Options { memory, ..options });
            assert_eq!(same, line);
        }
    }
}

#[test]
fn a_certificate_over_tables_that_do_not_fit() {
    let place = place("4x4", 3);
    let b = board("4x4");
    let oracle = Oracle::new(&b, 4);
    let maker = Maker { board: &b, oracle: &oracle, pieces: 3, leaf_depth: 2 };
    let start = longest_win(&oracle, checker_core::Side::Black);
    let root = Files::new(&database(&b, 3), 3).write(&place.db());
    let value = certificate_spec::claim::Value::BlackWins;
    maker.certificate("4x4", value, start, Some(root)).write(&place.cert());
    let line = place.check();
    assert!(line.starts_with("s VERIFIED BLACK-WINS"), "{line}");
    let all = bytes(&database(&b, 3));
    let with = |memory, journal| {
        let options = Options { memory: Some(memory), journal, ..place.options() };
        check_certificate(&place.cert(), &options).line()
    };
    let mut fewer = 0;
    for memory in (0..=all / 16).map(|n| 16 * n) {
        let said = with(memory, None);
        if let Some((needed, bound)) = too_little(&said) {
            assert!(needed > bound && bound == memory);
            continue;
        }
        assert_eq!(said, line, "{memory}");
        fewer += u64::from(memory < all);
        // The second run looks up values in tables made again from the files.
        let journal = Some(place.0.path().join(format!("journal-{memory}")));
        assert_eq!(with(memory, journal.clone()), line);
        assert_eq!(without_journal(&with(memory, journal)), line);
    }
    assert!(fewer > 2, "{fewer}");
}

/// 29 kB that ask for 14.5 GiB: where that exceeds the bound, every command that reads the database
/// says so before any work.
#[test]
fn small_files_that_ask_for_much() {
    let place = Place::new();
    let files = all_drawn(7);
    assert!(files.slices.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() < 30_000);
    let root = files.write(&place.db());
    let claim = Claim {
        game: "8x8".into(),
        start: "B:W32:BK1".into(),
        value: Claimed::BlackNotLost,
        cover: files.cover.clone(),
        database: Some(root),
    };
    write_raw(&place.cert(), claim.encode().as_bytes(), &Vec::new());
    let cert = place.cert();
    let cert = cert.to_str().unwrap();
    let db = place.db();
    let run = |arguments: &[&str], memory: &str| {
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("check"));
        let output = command.args(arguments).arg("--db").arg(&db).args(["--memory", memory]);
        let output = output.output().unwrap();
        let [out, err] = [output.stdout, output.stderr].map(|b| String::from_utf8(b).unwrap());
        (output.status.code(), out, err)
    };
    // A whole check can check large slices layer by layer.
    for (arguments, memory) in [
        (&["--game", "8x8"][..], "100MiB"),
        (&["--game", "8x8", "--shard", "2/2"], "1GiB"),
        (&["--game", "8x8", "--sample", "1%"], "1GiB"),
        (&[cert], "100MiB"),
        (&[cert, "--shard", "2/2"], "1GiB"),
        (&[cert, "--sample", "0.01%"], "1GiB"),
        (&["explain", cert, "B:W32:BK1"], "1GiB"),
    ] {
        let (status, out, err) = run(arguments, memory);
        assert_eq!(status, Some(4), "{arguments:?} {out} {err}");
        assert!(out.starts_with("s ERROR memory: the tables for "), "{arguments:?} {out}");
        let (bytes, bound) = match memory {
            "1GiB" => ("1073741824", "1 GiB"),
            _ => ("104857600", "100 MiB"),
        };
        let bytes = format!(" bytes, the bound is {bytes}\n");
        assert!(out.ends_with(&bytes), "{arguments:?} {out}");
        let all = "all tables of values take 14.5 GiB";
        let estimate = format!("c memory: {all}; at most {bound} at a time\n");
        assert!(err.contains(&estimate), "{arguments:?} {err}");
    }
    // A whole check with enough memory finds the first wrong value at once.
    let (status, out, _) = run(&["--game", "8x8"], "100GiB");
    assert_eq!(status, Some(1));
    assert!(out.starts_with("s REFUTED slice-value file=8x8/0-1-0-1 "), "{out}");
}
