//! A folder of tables, whatever its contents, makes no wrong certificate or database pass, and
//! refutes no right one.

use crate::common::*;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The output of `check` with these arguments, and its exit status.
fn run(place: &Place, text: &str) -> Output {
    // An existing note is never overwritten.
    if let Some((_, rest)) = text.split_once("--attest ") {
        let note = rest.split(' ').next().unwrap_or_default();
        let _ = fs::remove_file(place.0.path().join(note));
    }
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("check"));
    command.args(text.split(' ')).current_dir(place.0.path()).output().unwrap()
}

fn check(place: &Place, text: &str) -> (String, Option<i32>) {
    let output = run(place, text);
    let out = String::from_utf8(output.stdout).unwrap();
    (out.lines().last().unwrap_or_default().into(), output.status.code())
}

/// The verdict in a note, with the lists of digests that the printed line only counts.
fn verdict_in(place: &Place, note: &str) -> String {
    let text = fs::read_to_string(place.0.path().join(note)).unwrap();
    text.lines().nth(1).unwrap().to_string()
}

/// The bytes of a file in a folder of tables: `SPEC.md` §11, after the digest of the table.
pub(crate) fn table_file(words: &[[u64; 2]]) -> Vec<u8> {
    let side = |i: usize| words.iter().flat_map(|w| w[i].to_le_bytes()).collect::<Vec<_>>();
    let chunks = [side(0), side(1)].map(|side| {
        side.chunks(1 << 16).flat_map(|chunk| Digest::of(chunk).0).collect::<Vec<u8>>()
    });
    let digest = Digest::of(&chunks.concat());
    let words = words.as_flattened().iter().flat_map(|word| word.to_le_bytes());
    digest.0.into_iter().chain(words).collect()
}

fn is_quiet(board: &Board, p: &checker_core::Position) -> bool {
    successors(board, p).iter().all(|y| y.pieces() == p.pieces())
}

/// A slice of kings only.
const KINGS: SliceName = SliceName([0, 1, 0, 1]);

/// A database that follows from a wrong table of [`KINGS`], but has the right file of that slice; a
/// certificate of a false win that rests on it; and the table.
struct Trap {
    place: Place,
    table: Vec<u8>,
    /// The path at which the table would be read.
    path: PathBuf,
}

/// A trap whose database has positions of at most `pieces` pieces.
fn trap(pieces: u8) -> Trap {
    let (place, b, more) = (Place::new(), board("4x4"), u32::from(pieces) + 1);
    let of_kings = |p: &checker_core::Position| p.pieces() == 2 && p.kings == p.black | p.white;
    let poison = |p: &checker_core::Position| {
        let value = if is_quiet(&b, p) { Value::Loss } else { Value::Win };
        of_kings(p).then_some(value)
    };
    let (right, wrong) = (Oracle::new(&b, more), Oracle::given(&b, more, &poison));
    let spoil = |table: &checker_core::Table, values: &mut Vec<Option<Written>>| {
        let quiet = values.iter_mut().enumerate().filter_map(|(i, v)| Some((i, v.as_mut()?)));
        for (i, value) in quiet.filter(|_| table.shape.slice != KINGS) {
            let p = table.shape.position(&b, i as u64).unwrap();
            *value = match wrong.value(&p) {
                Value::Win => Written::Win,
                Value::Draw => Written::Draw,
                Value::Loss => Written::Loss,
            };
        }
    };
    let files = Files::with_values(&database(&b, pieces), pieces, &spoil);
    let root = files.write(&place.db());
    let file = files.slices.iter().find(|slice| slice.0 == KINGS).unwrap();
    let path = place.0.path().join("tables").join(Digest::of(&file.1).to_string());

    let wins = |p: &&checker_core::Position| {
        p.pieces() == more && p.turn == Side::Black && wrong.value(p) == Value::Win
    };
    let starts = wrong.0.keys().filter(wins).filter(|p| right.value(p) != Value::Win);
    let start = *starts.max_by_key(|p| (wrong.distance(p), **p)).unwrap();
    let maker = Maker { board: &b, oracle: &wrong, pieces, leaf_depth: 2 };
    maker.certificate("4x4", Claimed::BlackWins, start, Some(root)).write(&place.cert());

    let shape = Shape::new(&b, KINGS);
    let mut words = vec![[0; 2]; shape.indices.div_ceil(64).try_into().unwrap()];
    for index in 0..shape.indices {
        if let Some(p) = shape.position(&b, index) {
            let [win, loss] = &mut words[usize::try_from(index / 64).unwrap()];
            *win |= u64::from(wrong.value(&p) == Value::Win) << (index % 64);
            *loss |= u64::from(wrong.value(&p) == Value::Loss) << (index % 64);
        }
    }
    Trap { place, table: table_file(&words), path }
}

/// The number of shards, large enough that each pair of slices is in a shard by itself.
const SHARDS: u32 = 300;

#[test]
fn a_wrong_database_that_follows_from_a_wrong_table() {
    let Trap { place, table, path } = trap(3);
    let folder = path.parent().unwrap();
    fs::create_dir(folder).unwrap();
    for level in ["exact", "consistent"] {
        let what = if level == "exact" { "cert" } else { "--game 4x4" };
        assert!(
            check(&place, &format!("{what} --level {level}")).0.starts_with("s REFUTED slice-")
        );
        let mut notes = Vec::new();
        for i in 1..=SHARDS {
            fs::write(&path, &table).unwrap();
            let text =
                format!("{what} --level {level} --shard {i}/{SHARDS} --tables tables --quiet");
            let (line, status) = check(&place, &format!("{text} --attest {i}.note"));
            // Each shard passes by itself.
            assert_eq!(status, Some(5), "{line}");
            notes.push(format!("{i}.note"));
        }
        let merge = if what == "cert" { "merge cert" } else { "merge --game 4x4" };
        let (line, status) = check(&place, &format!("{merge} {}", notes.join(" ")));
        assert!(line.starts_with("s DECLINED disagreement file="), "{line}");
        assert_eq!(status, Some(3));
        let (line, _) = check(&place, &format!("cert --trust-db {}", notes.join(" --trust-db ")));
        assert!(line.starts_with("s DECLINED "), "{line}");
        // Without the note that verifies the table there is a gap, and a note without the list of
        // tables does not fill it.
        let text = |note: &str| fs::read_to_string(place.0.path().join(note)).unwrap();
        let verifies = |note: &&String| text(note).contains(" slices=0-1/");
        let (first, rest): (Vec<_>, Vec<_>) = notes.iter().partition(verifies);
        assert_eq!(first.len(), 1);
        let rest: Vec<_> = rest.into_iter().map(String::as_str).collect();
        let (line, _) = check(&place, &format!("{merge} {}", rest.join(" ")));
        assert!(line.starts_with("s DECLINED cover "), "{line}");
        let words = text(first[0]);
        let tables = words.split(' ').find(|word| word.starts_with("tables=")).unwrap();
        for (other, rule) in [
            ("tables=none ", "disagreement file=edited"),
            // Without the field, or a list in it, it is no note of a shard.
            ("", "cover"),
            ("tables= ", "cover"),
        ] {
            let edited = words.replace(&format!("{tables} "), other);
            fs::write(place.0.path().join("edited"), edited).unwrap();
            let (line, _) = check(&place, &format!("{merge} {} edited", rest.join(" ")));
            assert!(line.starts_with(&format!("s DECLINED {rule} ")), "{line}");
        }
    }
}

/// A shard that goes on with its journal rests on what its note names. A wrong table that was in
/// the folder when the journal was written, and is not any more, would be in no note.
#[test]
fn a_journal_speaks_for_no_table_that_it_has_not_recorded() {
    let Trap { place, table, path } = trap(2);
    let of = 10;
    let mut refuted = 0;
    for i in 1..=of {
        fs::create_dir(path.parent().unwrap()).unwrap();
        fs::write(&path, &table).unwrap();
        let text = format!("cert --shard {i}/{of} --quiet");
        assert_eq!(check(&place, &format!("{text} --tables tables")).1, Some(5));
        let text = format!("{text} --journal tables");
        check(&place, &text);
        let _ = fs::remove_file(&path);
        let (line, _) = check(&place, &format!("{text} --attest {i}.note"));
        refuted += u32::from(line.starts_with("s REFUTED slice-value file=4x4/"));
        fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }
    assert!(!merge(&place, of).starts_with("s VERIFIED "));
    assert!(refuted > 0);
}

/// A right certificate with its database.
fn right() -> Place {
    let (place, b) = (Place::new(), board("4x4"));
    let oracle = Oracle::new(&b, 4);
    let root = Files::new(&database(&b, 3), 3).write(&place.db());
    let start = longest_win(&oracle, Side::Black);
    let maker = Maker { board: &b, oracle: &oracle, pieces: 3, leaf_depth: 2 };
    maker.certificate("4x4", Claimed::BlackWins, start, Some(root)).write(&place.cert());
    place
}

/// The text of the notes of all `of` shards, without the lines that signatures do not cover.
fn notes(place: &Place, of: u32, more: &str) -> Vec<String> {
    let one = |i| {
        let text = format!("cert --shard {i}/{of} --quiet --attest {i}.note{more}");
        let (line, status) = check(place, &text);
        assert_eq!(status, Some(5), "{line}");
        let note = fs::read_to_string(place.0.path().join(format!("{i}.note"))).unwrap();
        note.lines().filter(|line| !line.starts_with("# ")).collect::<Vec<_>>().join("\n")
    };
    (1..=of).map(one).collect()
}

fn merge(place: &Place, of: u32) -> String {
    let names: Vec<_> = (1..=of).map(|i| format!("{i}.note")).collect();
    check(place, &format!("merge cert {}", names.join(" "))).0
}

#[test]
fn notes_are_the_same_with_tables_and_without() {
    let place = right();
    for (of, level) in [(1, ""), (3, ""), (40, ""), (3, " --memory 1MiB --threads 3")] {
        let plain = notes(&place, of, level);
        assert!(merge(&place, of).starts_with("s VERIFIED BLACK-WINS "));
        // With a folder that does not exist, one that is being filled, and one that is full.
        for _ in 0..2 {
            assert_eq!(notes(&place, of, &format!("{level} --tables new/tables")), plain);
        }
        let folder = place.0.path().join("new/tables");
        let count = fs::read_dir(&folder).unwrap().count();
        assert!(count > 0);
        // Files of various contents that are not tables.
        for entry in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            let bytes = fs::read(&entry).unwrap();
            let other = place.0.path().join("other");
            fs::write(&other, &bytes).unwrap();
            fs::remove_file(&entry).unwrap();
            match bytes[0] % 6 {
                0 => std::os::unix::fs::symlink(&other, &entry).unwrap(),
                1 => assert!(Command::new("mkfifo").arg(&entry).status().unwrap().success()),
                2 => fs::create_dir(&entry).unwrap(),
                3 => fs::write(&entry, &bytes[..bytes.len() - 1]).unwrap(),
                4 => fs::write(&entry, [&bytes[..], &[0]].concat()).unwrap(),
                _ => {
                    let mut bytes = bytes;
                    *bytes.last_mut().unwrap() ^= 1;
                    fs::write(&entry, bytes).unwrap();
                }
            }
        }
        assert_eq!(notes(&place, of, &format!("{level} --tables new/tables")), plain);
        // Every file that can be replaced has been replaced, and no other file is left.
        assert_eq!(fs::read_dir(&folder).unwrap().count(), count);
        fs::remove_dir_all(place.0.path().join("new")).unwrap();
    }
}

#[test]
fn nobody_is_refuted_by_a_table() {
    let place = right();
    let of = 7;
    let plain = notes(&place, of, "");
    let tables = place.0.path().join("tables");
    notes(&place, of, " --tables tables");
    let all: Vec<PathBuf> =
        fs::read_dir(&tables).unwrap().map(|entry| entry.unwrap().path()).collect();
    let mut spoilt = 0;
    for path in &all {
        let good = fs::read(path).unwrap();
        for wrong in [[!0, 0], [0, !0], [0, 0], [!0, !0]] {
            let bad = table_file(&vec![wrong; (good.len() - 32) / 16]);
            let mut differ = false;
            for i in 1..=of {
                fs::write(path, &bad).unwrap();
                let text =
                    format!("cert --shard {i}/{of} --quiet --attest {i}.note --tables tables");
                let (line, status) = check(&place, &text);
                assert_eq!(status, Some(5), "{line}");
                let note = verdict_in(&place, &format!("{i}.note"));
                differ |= !plain[i as usize - 1].contains(&note);
            }
            let merged = merge(&place, of);
            match differ {
                true => assert!(merged.starts_with("s DECLINED disagreement "), "{merged}"),
                false => assert!(merged.starts_with("s VERIFIED BLACK-WINS "), "{merged}"),
            }
            spoilt += u32::from(differ);
        }
        fs::write(path, &good).unwrap();
    }
    assert!(spoilt > 5);
}

#[test]
fn notes_about_a_database_say_what_a_whole_check_says() {
    let place = right();
    for level in ["exact", "consistent"] {
        let whole = check(&place, &format!("--game 4x4 --level {level}"));
        let one = |i| {
            let note = format!("{level}-{i}.note");
            let text = format!("--game 4x4 --level {level} --shard {i}/3 --attest {note}");
            assert_eq!(check(&place, &text).1, Some(5));
            note
        };
        let notes: Vec<String> = (1..=3).map(one).collect();
        let merged = check(&place, &format!("merge --game 4x4 {}", notes.join(" ")));
        let by = " by cover of 3 notes keys=none checkers=draughtproof-check";
        assert_eq!(merged, (whole.0 + by, Some(5)));
    }
}

/// An existing table is used and left alone; one that states another digest is written anew by the
/// shard that verifies the slice.
#[test]
fn a_table_is_written_once() {
    let place = right();
    let plain = notes(&place, 3, " --tables tables");
    let written = || -> Vec<_> {
        let entries = fs::read_dir(place.0.path().join("tables")).unwrap();
        let mut all: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        all.sort();
        // A file that replaces another has a different inode number.
        let number = |path: &PathBuf| fs::metadata(path).unwrap().ino();
        all.into_iter().map(|path| (number(&path), fs::read(&path).unwrap(), path)).collect()
    };
    let before = written();
    assert_eq!(notes(&place, 3, " --tables tables"), plain);
    assert_eq!(written(), before);
    let (_, good, path) = &before[0];
    fs::write(path, table_file(&vec![[0, !0]; (good.len() - 32) / 16])).unwrap();
    notes(&place, 3, " --tables tables");
    assert_eq!(fs::read(path).unwrap(), *good);
}

/// Tables that another program changes all the time: what a shard says of a table is what it has
/// used, or notes of all shards could be merged that rest on something else.
#[test]
fn tables_that_change_while_they_are_read() {
    let place = right();
    let of = 7;
    let plain = notes(&place, of, " --tables tables");
    let files = fs::read_dir(place.0.path().join("tables")).unwrap();
    let files: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    let end = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for n in 0.. {
                if end.load(Relaxed) {
                    break;
                }
                // In the same file, so that a mapping of it would change.
                let path: &PathBuf = &files[n % files.len()];
                let Ok(file) = fs::OpenOptions::new().write(true).open(path) else { continue };
                let length = usize::try_from(file.metadata().unwrap().len()).unwrap();
                let bytes = table_file(&vec![[!0, 0]; length.saturating_sub(32) / 16]);
                let _ = file.write_all_at(&bytes[(n % 2) * 32..], (n % 2 * 32) as u64);
            }
        });
        for _ in 0..5 {
            let said = notes(&place, of, " --tables tables");
            let merged = merge(&place, of);
            match said == plain {
                true => assert!(merged.starts_with("s VERIFIED BLACK-WINS "), "{merged}"),
                false => assert!(merged.starts_with("s DECLINED disagreement "), "{merged}"),
            }
        }
        end.store(true, Relaxed);
    });
}

/// A shard whose stored table would refute is checked without tables, and a message says so.
#[test]
fn a_table_that_would_refute_is_told_of() {
    let place = right();
    notes(&place, 7, " --tables tables");
    let says = |i: u32| {
        let output = run(&place, &format!("cert --shard {i}/7 --tables tables"));
        assert_eq!(output.status.code(), Some(5), "{output:?}");
        let err = String::from_utf8(output.stderr).unwrap();
        let told = "c one of the tables was wrong, and none has been used";
        let is_expected = |line: &str| {
            line == told
                || line.starts_with("c memory: ")
                || line.starts_with("check: not proved yet: ") && line.contains("Shard ")
        };
        assert!(err.lines().all(is_expected), "{err}");
        err.lines().any(|line| line == told)
    };
    assert!(!(1..=7).any(says));
    let mut told = 0;
    for entry in fs::read_dir(place.0.path().join("tables")).unwrap() {
        let path = entry.unwrap().path();
        let good = fs::read(&path).unwrap();
        for i in 1..=7 {
            fs::write(&path, table_file(&vec![[!0, 0]; (good.len() - 32) / 16])).unwrap();
            told += u32::from(says(i));
        }
        fs::write(&path, good).unwrap();
    }
    assert!(told > 0);
}

/// A whole check has no digests of tables in its verdict; the same work as a single shard has them.
#[test]
fn what_whole_checks_do_not_say() {
    let place = right();
    let of = 40;
    let all = notes(&place, of, "");
    let has_slices = |note: &String| {
        let range = note.split(' ').find_map(|word| word.strip_prefix("slices=")).unwrap();
        let (start, end) = range.split_once('/').unwrap().0.split_once('-').unwrap();
        start != end
    };
    let rest = (1..=of).zip(&all).filter(|(_, note)| !has_slices(note));
    let rest: Vec<_> = rest.map(|(i, _)| format!("{i}.note")).collect();
    assert!(!rest.is_empty() && rest.len() < of as usize);
    let with = |options: &str| {
        let (line, _) = check(&place, &format!("--game 4x4 --quiet --attest db.note{options}"));
        assert!(line.starts_with("s VERIFIED "), "{line}");
        check(&place, &format!("merge cert db.note {}", rest.join(" "))).0
    };
    assert!(with("").starts_with("s DECLINED cover "), "{}", with(""));
    assert!(with("").contains("tables%20of%200-1-0-1"), "{}", with(""));
    assert!(with(" --shard 1/1").starts_with("s VERIFIED BLACK-WINS "), "{}", with(" --shard 1/1"));
}

#[test]
fn notes_are_the_same_after_a_break() {
    let place = right();
    let plain = notes(&place, 3, "");
    let journal = place.0.path().join("journal/journal");
    for i in 1..=3 {
        let text = format!("cert --shard {i}/3 --quiet --attest again.note --journal journal");
        assert_eq!(check(&place, &text).1, Some(5));
        let all = fs::read_to_string(&journal).unwrap();
        let lines: Vec<_> = all.split_inclusive('\n').collect();
        for count in 1..=lines.len() {
            fs::write(&journal, lines[..count].concat()).unwrap();
            let (line, _) = check(&place, &text);
            let note = without_journal(&verdict_in(&place, "again.note"));
            assert!(plain[i - 1].contains(&note), "{line}");
            assert_eq!(fs::read_to_string(&journal).unwrap(), all);
        }
        // The journal of a shard is not used for another.
        let (line, _) = check(&place, &format!("cert --shard {}/3 --journal journal", i % 3 + 1));
        assert!(line.contains("its first line is not:"), "{line}");
        fs::remove_dir_all(journal.parent().unwrap()).unwrap();
    }
}

#[test]
fn tables_are_for_shards_alone() {
    let place = right();
    for text in [
        "cert --tables tables",
        "cert --sample 1% --tables tables",
        "cert --shard 1/2 --tables tables --journal j",
        "cert --shard 1/2 --tables tables --trust-db note",
        "--game 4x4 --tables tables",
    ] {
        let (line, status) = check(&place, text);
        assert!(line.starts_with("s ERROR usage:"), "{text}: {line}");
        assert_eq!(status, Some(4));
    }
    for folder in ["cert", "cert/tables", "egdb/4x4", "egdb/new/tables", "cert/CLAIM", "/dev/null"]
    {
        let (line, _) = check(&place, &format!("cert --shard 1/2 --tables {folder}"));
        assert!(line.starts_with("s ERROR "), "{folder}: {line}");
    }
    assert_eq!(check(&place, "cert").1, Some(0));
    assert!(!place.db().join("new").exists());
}
