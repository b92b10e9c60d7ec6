//! The verdict does not depend on the place of the tables, memory or a file.

use crate::common::*;

pub(crate) const LEVELS: [Level; 2] = [Level::Exact, Level::Consistent];

/// A place with the database of this board.
pub(crate) fn place(name: &str, pieces: u8) -> Place {
    let place = Place::new();
    Files::new(&database(&board(name), pieces), pieces).write(&place.db());
    place
}

pub(crate) fn check(name: &str, options: &Options) -> String {
    check_database(&board(name), None, options).line()
}

/// These options with all tables in a file.
pub(crate) fn in_a_file(options: &Options) -> Options {
    Options { memory: Some(0), ..options.clone() }
}

#[test]
fn the_same_verdict_wherever_the_tables_are() {
    for (name, pieces) in [("6x6", 4), ("5x5", 4), ("4x8", 4), ("3x5", 5), ("4x4", 6), ("8x8", 4)] {
        let place = place(name, pieces);
        for level in LEVELS {
            let options = Options { level, ..place.options() };
            let line = check(name, &options);
            let word = if level == Level::Exact { "VERIFIED" } else { "CONSISTENT" };
            assert!(line.starts_with(&format!("s {word} DATABASE {name} pieces={pieces} ")));
            for threads in [1, 3] {
                let options = Options { threads: Some(threads), ..options.clone() };
                assert_eq!(check(name, &in_a_file(&options)), line);
            }
        }
    }
}

/// A table that was not filled yet reads as draws, and a draw is not lost. So a claim about a lost
/// position is the cheapest false one: of a whole check, of a check that goes on from a journal,
/// and of shards that take the table for granted.
#[test]
fn a_lost_position_is_not_taken_for_a_draw() {
    let (b, place) = (board("4x4"), Place::new());
    let (oracle, root) = (oracle_4x4(), write_database(&place.db(), &database(&b, 3), 3));
    let (cover, mut claims) = (Cover::up_to(3), 0);
    for p in all_positions(&b, 3).iter().filter(|p| oracle.value(p) == Value::Loss).step_by(5) {
        let value =
            if p.turn == Side::Black { Claimed::BlackNotLost } else { Claimed::WhiteNotLost };
        let (game, start) = ("4x4".into(), checker_core::write_fen(p));
        let claim = Claim { game, start, value, cover: cover.clone(), database: Some(root) };
        write_raw(&place.cert(), claim.encode().as_bytes(), &Vec::new());
        let journal = Some(place.0.path().join("journal"));
        for options in [place.options(), Options { journal, ..place.options() }] {
            for options in [in_a_file(&options), options] {
                let line = check_certificate(&place.cert(), &options).line();
                refuted(&line, "database-value", "file=CLAIM position=");
            }
        }
        // The claim is an item of the second shard, which takes tables of the first for granted.
        let shard = Some(Shard { number: 2, of: 2 });
        let options = in_a_file(&Options { shard, ..place.options() });
        let line = check_certificate(&place.cert(), &options).line();
        refuted(&line, "database-value", "file=CLAIM position=");
        claims += 1;
    }
    assert!(claims > 20, "{claims}");
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
fn the_same_error_wherever_the_tables_are() {
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
            assert_eq!(check("4x4", &in_a_file(&options)), line);
            let journal = Some(place.0.path().join(format!("journal-{level:?}")));
            for _ in 0..2 {
                let options = Options { journal: journal.clone(), ..options.clone() };
                assert_eq!(check("4x4", &options), line);
            }
        }
    }
}

/// In large slices the first error does not depend on where the tables are, either.
#[test]
fn the_same_error_in_large_slices() {
    let b = board("8x8");
    let values = database(&b, 4);
    let good = Files::new(&values, 4);
    let is_large = |slice: SliceName| slice.0[0] + slice.0[2] == 1 && slice.pieces() == 4;
    let large = values.tables().into_iter().enumerate();
    let large = large.filter(|(_, table)| is_large(table.shape.slice));
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
            assert_eq!(check("8x8", &in_a_file(&options)), line);
        }
    }
}

#[test]
fn a_certificate_over_tables_in_a_file() {
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
    let with = |journal| {
        let options = Options { journal, ..in_a_file(&place.options()) };
        check_certificate(&place.cert(), &options).line()
    };
    assert_eq!(with(None), line);
    // The second run takes its tables from the journal's.
    let journal = Some(place.0.path().join("journal"));
    assert_eq!(with(journal.clone()), line);
    assert_ne!(with(journal.clone()), line);
    assert_eq!(without_journal(&with(journal)), line);
}

/// 90 kB that ask for petabytes: every command that reads the database says so before any work.
#[test]
fn small_files_that_ask_for_much() {
    let place = Place::new();
    let files = all_drawn(12);
    assert!(files.slices.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() < 200_000);
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
    let (db, scratch) = (place.db(), place.0.path().join("scratch"));
    let run = |arguments: &[&str], memory: &str| {
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("check"));
        let output = command.args(arguments).arg("--db").arg(&db).args(["--memory", memory]);
        let output = output.arg("--scratch").arg(&scratch).output().unwrap();
        let [out, err] = [output.stdout, output.stderr].map(|b| String::from_utf8(b).unwrap());
        (output.status.code(), out, err)
    };
    std::fs::create_dir(&scratch).unwrap();
    for memory in ["1MiB", "1000000000GiB"] {
        for arguments in [
            &["--game", "8x8"][..],
            &["--game", "8x8", "--shard", "2/2"],
            &["--game", "8x8", "--sample", "1%"],
            &[cert],
            &[cert, "--shard", "2/2"],
            &[cert, "--sample", "0.01%"],
        ] {
            let (status, out, err) = run(arguments, memory);
            assert_eq!(status, Some(4), "{arguments:?} {out} {err}");
            assert!(out.starts_with("s ERROR no room for "), "{arguments:?} {out}");
            let place = if memory == "1MiB" { "a file in /" } else { "memory: " };
            assert!(out.contains(&format!(" PiB) of tables in {place}")), "{arguments:?} {out}");
            assert!(!err.contains("reading the database"), "{err}");
            assert_eq!(scratch.read_dir().unwrap().count(), 0);
        }
    }
    // A folder that is not there, one that is checked, and one that is enough.
    let files = all_drawn(4);
    files.write(&place.0.path().join("less"));
    let with = |folder: &std::path::Path| {
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("check"));
        command.args(["--game", "8x8", "--memory", "0", "--db"]).arg(place.0.path().join("less"));
        let output = command.arg("--scratch").arg(folder).output().unwrap();
        (String::from_utf8(output.stdout).unwrap(), output.status.code())
    };
    let (out, status) = with(&place.0.path().join("nowhere"));
    assert!(out.starts_with("s ERROR no room for ") && status == Some(4), "{out}");
    let (out, status) = with(&place.0.path().join("less/8x8"));
    assert!(out.contains("cannot be among what is checked") && status == Some(4), "{out}");
    let (out, status) = with(&scratch);
    assert!(out.starts_with("s REFUTED slice-value file=8x8/0-1-0-1 "), "{out}");
    assert_eq!((status, scratch.read_dir().unwrap().count()), (Some(1), 0));
}
