//! A journal does not change the verdict, whenever a check was interrupted, except that the verdict
//! has a field with the number of pairs of slices that the journal has spoken for.

use crate::common::*;
use crate::memory::{LEVELS, check, in_a_file, place};
use std::process::Stdio;
use std::time::Duration;

/// The lines of a journal, the first one included.
fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap().split_inclusive('\n').map(String::from).collect()
}

/// Options with a journal, and the file that has its lines.
fn with_journal(place: &Place) -> (Options, PathBuf) {
    let folder = place.0.path().join("journal");
    (Options { journal: Some(folder.clone()), ..place.options() }, folder.join("journal"))
}

/// The files of tables in the folder of a journal.
fn tables(path: &Path) -> Vec<PathBuf> {
    let all = fs::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
    let mut tables: Vec<PathBuf> = all.filter(|file| file != path).collect();
    tables.sort();
    tables
}

#[test]
fn a_journal_is_gone_on_with() {
    for level in LEVELS {
        let place = place("4x4", 4);
        let (options, path) = with_journal(&place);
        let options = Options { level, ..options };
        let line = check("4x4", &Options { level, ..place.options() });
        assert_eq!(check("4x4", &options), line);
        let all = lines(&path);
        assert!(all.len() > 20 && all[0].starts_with("draughtproof-check-journal 3 4x4 "));
        for memory in [None, Some(0)] {
            let options = Options { memory, ..options.clone() };
            for count in 0..=all.len() {
                // Whole lines, and one that is torn.
                let whole = all[..count].concat();
                let next = all.get(count).map_or("", |next| &next[..next.len() * (count % 7) / 7]);
                fs::write(&path, whole + next).unwrap();
                let said = check("4x4", &options);
                assert_eq!(without_journal(&said), line);
                // The first line has no pair of slices.
                let pairs = all.len() - 1;
                let field = format!(" db={} journal={}/{pairs} ", level.word(), count.max(1) - 1);
                assert_eq!(said.contains(&field), count > 1, "{said}");
                assert_eq!(said == line, count <= 1, "{said}");
                assert_eq!(lines(&path), all);
            }
        }
    }
}

/// A table that is not there is verified again, and so is one that is damaged, another one, or the
/// right one of another slice. The journal stays as it is.
#[test]
fn a_journal_whose_tables_are_not_right() {
    let place = place("4x4", 4);
    let (options, path) = with_journal(&place);
    let line = check("4x4", &options);
    let (all, files) = (lines(&path), tables(&path));
    let good: Vec<Vec<u8>> = files.iter().map(|file| fs::read(file).unwrap()).collect();
    let pairs = all.len() - 1;
    let believed = |said: &str| {
        let field = said.split(' ').find_map(|word| word.strip_prefix("journal="));
        field.map_or(0, |field| field.split_once('/').unwrap().0.parse().unwrap())
    };
    assert_eq!(believed(&check("4x4", &options)), pairs);
    for (i, file) in files.iter().enumerate() {
        let mut flipped = good[i].clone();
        *flipped.last_mut().unwrap() ^= 1;
        // All wins, with a digest that is right for that.
        let wins = crate::tables::table_file(&vec![[!0, 0]; (good[i].len() - 32) / 16]);
        let other = &good[(i + 1) % good.len()];
        for bytes in [&flipped, &wins, other, &good[i][..40].to_vec(), &Vec::new()] {
            fs::write(file, bytes).unwrap();
            let said = check("4x4", &options);
            assert_eq!(without_journal(&said), line);
            assert_eq!(believed(&said), pairs - 1, "{said}");
            assert_eq!((lines(&path), fs::read(file).unwrap()), (all.clone(), good[i].clone()));
        }
    }
    // Where all are wrong, or none is there, all are there afterwards.
    for (file, bytes) in files.iter().zip(&good) {
        fs::write(file, [&bytes[..32], &vec![0xff; bytes.len() - 32]].concat()).unwrap();
    }
    assert_eq!(check("4x4", &options), line);
    assert_eq!(believed(&check("4x4", &options)), pairs);
    files.iter().for_each(|file| fs::remove_file(file).unwrap());
    assert_eq!(check("4x4", &options), line);
    assert_eq!(believed(&check("4x4", &options)), pairs);
    assert_eq!((lines(&path), tables(&path)), (all.clone(), files));
    // A journal that has recorded another table than the right one is found out where it is not
    // there.
    let fields: Vec<&str> = all[1].split(' ').collect();
    let wrong = with_checksum(&all[0], &format!("{} {}", fields[0], Digest::of(b"")));
    fs::write(&path, [&all[0], &*wrong].concat()).unwrap();
    let said = check("4x4", &options);
    assert!(said.ends_with("the journal has another table of 0-1-0-1"), "{said}");
}

/// The lock is that of the file: it goes when the check ends, however it ends.
#[test]
fn two_checks_do_not_share_a_journal() {
    let place = place("4x4", 3);
    let (options, path) = with_journal(&place);
    let line = check("4x4", &options);
    let file = fs::File::open(&path).unwrap();
    file.lock().unwrap();
    let all = fs::read_to_string(&path).unwrap();
    let said = check("4x4", &options);
    assert!(said.ends_with("another check is using this journal"), "{said}");
    assert_eq!(fs::read_to_string(&path).unwrap(), all);
    drop(file);
    assert_eq!(without_journal(&check("4x4", &options)), line);
}

/// A long file is not read before its first line is right, and a pipe is not waited for.
#[test]
fn journals_that_could_take_for_ever() {
    let place = place("4x4", 3);
    let (options, path) = with_journal(&place);
    fs::create_dir(path.parent().unwrap()).unwrap();
    let file = fs::File::create(&path).unwrap();
    file.set_len(1 << 40).unwrap();
    let said = check("4x4", &options);
    assert!(said.contains("its first line is not:"), "{said}");
    fs::remove_file(&path).unwrap();
    assert!(check("4x4", &options).starts_with("s VERIFIED "));
    fs::OpenOptions::new().append(true).open(&path).unwrap().set_len(1 << 40).unwrap();
    let said = check("4x4", &options);
    assert!(said.contains("is damaged"), "{said}");
    fs::remove_file(&path).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    let said = check("4x4", &options);
    assert!(said.contains("not an ordinary file"), "{said}");
}

/// Of large slices, too, some tables are taken from the journal's and others are verified.
#[test]
fn a_journal_of_large_slices() {
    let place = place("8x8", 4);
    let (options, path) = with_journal(&place);
    let line = check("8x8", &options);
    assert!(line.starts_with("s VERIFIED"), "{line}");
    let all = lines(&path);
    let options = in_a_file(&options);
    for count in [0, all.len() * 4 / 5, all.len() - 2, all.len()] {
        fs::write(&path, all[..count].concat()).unwrap();
        assert_eq!(without_journal(&check("8x8", &options)), line, "{count}");
        assert_eq!(lines(&path), all, "{count}");
    }
}

/// A shard with nodes and leaves looks values up in slices that its journal has spoken for.
#[test]
fn a_journal_of_a_shard() {
    let place = Place::new();
    let values = database(&board("8x8"), 4);
    let root = Files::new(&values, 4).write(&place.db());
    let claim = Claim {
        game: "8x8".into(),
        start: "B:WK32:BK1,2,K3".into(),
        value: Claimed::BlackNotLost,
        cover: Cover::up_to(4),
        database: Some(root),
    };
    write_raw(&place.cert(), claim.encode().as_bytes(), &Vec::new());
    let shard = Some(Shard { number: 1, of: 1 });
    let options = Options { shard, ..place.options() };
    let line = check_certificate(&place.cert(), &options).line();
    assert!(line.starts_with("s VERIFIED SHARD 1/1 BLACK-NOT-LOST 8x8 "), "{line}");
    for memory in [None, Some(0)] {
        let folder = place.0.path().join(format!("journal-{}", memory.is_some()));
        let path = folder.join("journal");
        let options = Options { journal: Some(folder), memory, ..options.clone() };
        assert_eq!(check_certificate(&place.cert(), &options).line(), line);
        let all = lines(&path);
        for count in [all.len(), all.len() / 2] {
            fs::write(&path, all[..count].concat()).unwrap();
            let again = check_certificate(&place.cert(), &options).line();
            assert_eq!(without_journal(&again), line, "{memory:?} {count}");
        }
    }
}

/// The line with this text in a journal with this first line.
fn with_checksum(first: &str, text: &str) -> String {
    let digest = Digest::of([first, text].concat().as_bytes()).to_string();
    format!("{text} {}\n", &digest[..16])
}

#[test]
fn journals_that_are_not_taken() {
    let place = place("4x4", 3);
    let (options, path) = with_journal(&place);
    assert!(check("4x4", &options).starts_with("s VERIFIED"));
    let good = lines(&path);
    let refused = |name: &str, options: &Options, text: &str, why: &str| {
        fs::write(&path, text).unwrap();
        let verdict = check_database(&board(name), options.journal.as_ref().map(|_| 3), options);
        assert_eq!(verdict.status(), 4);
        assert!(verdict.line().contains(why), "{}", verdict.line());
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    };
    let first = "its first line is not:";
    let (text, level) = (good.concat(), Level::Consistent);
    refused("4x4", &Options { level, ..options.clone() }, &text, first);
    refused("4x4", &options, &text.replacen("journal 3", "journal 2", 1), first);
    refused("4x4", &options, &text.replacen(" 4x4 ", " 4x6 ", 1), first);
    refused("4x4", &options, "another file\n", first);
    refused("4x4", &options, "another file", first);
    // Another database, and fewer pieces of the same.
    let other = crate::memory::place("4x4", 4);
    refused("4x4", &Options { db: other.db(), ..options.clone() }, &text.replace(' ', "  "), first);
    let fewer = check_database(&board("4x4"), Some(2), &options);
    assert!(fewer.line().contains(first) && fewer.status() == 4);
    // A line that has been changed, and a line of another journal.
    for at in [0, 8, 40, good[2].len() - 3] {
        let mut edited = good.clone();
        let old = edited[2].remove(at);
        edited[2].insert(at, if old == '1' { '2' } else { '1' });
        refused("4x4", &options, &edited.concat(), "is damaged");
    }
    // Lines with a right checksum that no check writes: half of a pair, its slices the other way
    // round, a slice twice, and something that is no slice.
    let entries: Vec<&str> = good[2].split(' ').collect();
    let (slice, twin) = (&entries[..2], &entries[2..4]);
    let digest = slice[1];
    for fields in [
        slice,
        twin,
        &[twin, slice].concat(),
        &[slice, slice].concat(),
        &[slice, twin, slice].concat(),
        &["0-1-0", digest],
        &["00-1-0-1", digest],
        &["0-1-0-1"],
    ] {
        let line = with_checksum(&good[0], &fields.join(" "));
        refused("4x4", &options, &[&good[..2], &[line]].concat().concat(), "is not of a new pair");
    }
    refused("4x4", &options, &[&good[..3], &good[2..3]].concat().concat(), "is not of a new pair");
    // A changed last line counts as incomplete.
    fs::write(&path, text.trim_end().to_owned() + "x\n").unwrap();
    assert!(check("4x4", &options).starts_with("s VERIFIED"));
    assert_eq!(lines(&path), good);
    for (journal, why) in [
        ("/dev/full", "/dev/full: expected a folder for tables, found a file"),
        ("/proc/self", "/proc/self/journal: "),
        ("/proc/nowhere", "/proc/nowhere: "),
    ] {
        let verdict = check("4x4", &Options { journal: Some(journal.into()), ..options.clone() });
        assert!(verdict.starts_with(&format!("s ERROR {why}")), "{verdict}");
    }
}

#[test]
fn a_file_that_has_changed_since_is_refuted() {
    let place = place("4x4", 4);
    let (options, _) = with_journal(&place);
    assert!(check("4x4", &options).starts_with("s VERIFIED"));
    for name in ["0-1-0-1", "1-1-1-0", "2-0-1-1"] {
        let path = place.db().join("4x4").join(name);
        let bytes = fs::read(&path).unwrap();
        let mut other = bytes.clone();
        *other.last_mut().unwrap() ^= 1;
        fs::write(&path, other).unwrap();
        let place = format!("s REFUTED slice-hash file=4x4/{name} ");
        assert!(check("4x4", &options).starts_with(&place));
        fs::write(&path, bytes).unwrap();
    }
    assert!(check("4x4", &options).starts_with("s VERIFIED"));
}

#[test]
fn killed_at_any_moment() {
    let place = place("6x6", 4);
    let (options, path) = with_journal(&place);
    let line = check("6x6", &place.options());
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("check"));
    command.args(["--game", "6x6", "--quiet", "--memory", "0", "--db"]).arg(place.db());
    command.arg("--journal").arg(path.parent().unwrap()).stdout(Stdio::piped());
    let mut known = Vec::new();
    for i in 0..40u64 {
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(i * 13 % 97));
        // A program cannot handle this signal.
        child.kill().unwrap();
        child.wait().unwrap();
        let now = fs::read_to_string(&path).unwrap_or_default();
        let whole: Vec<String> = now.split_inclusive('\n').map(String::from).collect();
        let whole: Vec<_> = whole.into_iter().filter(|line| line.ends_with('\n')).collect();
        assert!(whole.starts_with(&known), "{known:?} {whole:?}");
        known = whole;
    }
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(without_journal(&said), line.clone() + "\n");
    let all = lines(&path);
    assert!(all.starts_with(&known));
    // The verdict is that of a check without interruption. What another program has written, such
    // as this test, does not count.
    let other = check("6x6", &options);
    assert!(other.starts_with("s ERROR ") && other.contains("another program"), "{other}");
    fs::remove_file(&path).unwrap();
    let output = command.output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), line + "\n");
    assert_eq!(lines(&path), all);
}
