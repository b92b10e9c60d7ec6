//! Databases that are copied to another machine, and values of other programs.

use tests::prelude::*;

const DB: [&str; 6] = ["db", "--game", "5x5", "--pieces", "3", "-q"];

/// Runs a command of `prove db`.
fn db(command: &[&str], here: &Path) -> Output {
    run(&path("prove"), &[&["db"], command, &["--game", "5x5", "-q"]].concat(), here)
}

/// Runs a command of `prove db`, which must succeed; returns its output.
fn done(command: &[&str], here: &Path) -> String {
    prove(&[&["db"], command, &["--game", "5x5", "-q"]].concat(), here)
}

fn error(output: &Output) -> String {
    assert_ne!(output.status.code(), Some(0));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn databases_survive_export() {
    let here = &Scratch::empty();
    prove(&[&DB[..], &["--depth"]].concat(), here);
    let said = done(&["export", "out"], here);
    assert!(said.starts_with("out: ") && said.contains("root="), "{said}");
    // An ordinary program verifies the files, too.
    let sums = Command::new("sha256sum")
        .args(["--check", "--strict", "--quiet", "SHA256SUMS"])
        .current_dir(here.join("out"))
        .output()
        .unwrap();
    assert!(sums.status.success(), "{}", String::from_utf8_lossy(&sums.stderr));
    done(&["import", "out", "--db", "there"], here);
    assert_eq!(read_all(&here.join("egdb/5x5")), read_all(&here.join("there/5x5")));
    assert_eq!(read_all(&here.join("egdb/5x5.depth")), read_all(&here.join("there/5x5.depth")));
    // Existing files are never overwritten, in either direction.
    let again = db(&["export", "out"], here);
    assert!(error(&again).contains("out: expected no directory or an empty one"));
    let again = db(&["import", "out", "--db", "there"], here);
    assert!(error(&again).contains("there/5x5: a database is here already"));
}

/// An exported part of a database is the database that would have been built alone.
#[test]
fn a_part_of_a_database_is_exported() {
    let here = &Scratch::empty();
    prove(&DB, here);
    done(&["export", "two", "--pieces", "2"], here);
    done(&["build", "--pieces", "2", "--db", "alone"], here);
    assert_eq!(read_all(&here.join("two/5x5")), read_all(&here.join("alone/5x5")));
    // The part can be extended where it is imported.
    done(&["import", "two", "--db", "more"], here);
    done(&["build", "--pieces", "3", "--db", "more"], here);
    assert_eq!(read_all(&here.join("egdb/5x5")), read_all(&here.join("more/5x5")));
}

#[test]
fn changed_exports_are_rejected() {
    let here = &Scratch::empty();
    prove(&DB, here);
    done(&["export", "out"], here);
    let (sums, slice) = (here.join("out/SHA256SUMS"), here.join("out/5x5/0-1-0-1"));
    let (list, bytes) = (fs::read_to_string(&sums).unwrap(), fs::read(&slice).unwrap());
    let import = || {
        let output = db(&["import", "out", "--db", "there"], here);
        assert!(!here.join("there/5x5/MANIFEST").exists());
        assert!(!here.join("there/.unfinished-import-5x5").exists());
        (output.status.code(), error(&output))
    };
    let mut changed = bytes.clone();
    changed[10] ^= 1;
    for damaged in [changed.clone(), bytes[1..].to_vec(), [&bytes[..], b"!"].concat()] {
        fs::write(&slice, &damaged).unwrap();
        let (status, error) = import();
        assert!(status == Some(3) && error.contains("out/5x5/0-1-0-1: expected"), "{error}");
    }
    fs::remove_file(&slice).unwrap();
    assert!(import().1.contains("out/5x5/0-1-0-1"));

    // A list of digests that agrees with a changed file does not help: the MANIFEST has digests,
    // too.
    fs::write(&slice, &changed).unwrap();
    let sum = Command::new("sha256sum").arg(&slice).output().unwrap();
    let sum = String::from_utf8(sum.stdout).unwrap()[..64].to_owned();
    let line = |line: &str| match line.ends_with("  5x5/0-1-0-1") {
        true => format!("{sum}  5x5/0-1-0-1\n"),
        false => format!("{line}\n"),
    };
    fs::write(&sums, list.lines().map(line).collect::<String>()).unwrap();
    let (status, error) = import();
    assert!(status == Some(3) && error.contains("0-1-0-1") && error.contains("BLAKE3"), "{error}");

    // Names that lead to other folders, and files without a size.
    fs::write(&slice, &bytes).unwrap();
    for (from, to) in [("  5x5/0-1-0-1", "  5x5/../../x"), ("  5x5/0-1-0-1", "  /etc/passwd")] {
        fs::write(&sums, list.replace(from, to)).unwrap();
        let (status, error) = import();
        assert!(status == Some(2) && error.contains("expected a SHA-256"), "{error}");
    }
    let without = list.lines().filter(|l| !l.starts_with('#')).map(|l| format!("{l}\n"));
    fs::write(&sums, without.collect::<String>()).unwrap();
    assert!(import().1.contains("# BYTES 5x5/MANIFEST"));
    fs::write(&sums, "").unwrap();
    assert_eq!(import().0, Some(2));
}

#[test]
fn values_of_another_program_are_compared() {
    let here = &Scratch::empty();
    prove(&DB, here);
    let compare = |text: &str| {
        fs::write(here.join("other"), text).unwrap();
        let (out, error, status) = texts(db(&["compare", "other"], here));
        (status.unwrap(), out, error)
    };
    let right = "fen\tvalue\n# by hand\nB:WK12:BK1\tdraw\n\nB:WK4:BK1\tW\tseen\nB:W6:B4\twin\n\
        B:WK12,K11:BK1,K2\tloss\n";
    let (status, out, error) = compare(right);
    assert_eq!((status, error.as_str()), (0, ""), "{out}");
    assert_eq!(out, "4 compared: 3 agree, 0 disagree, 1 not covered\n");
    let (status, out, error) = compare(&right.replace("B:WK12:BK1\tdraw", "B:WK12:BK1\tw"));
    assert_eq!(status, 1);
    let want = "line 3\tB:WK12:BK1\tfound win\tdatabase draw\n\
        4 compared: 2 agree, 1 disagree, 1 not covered\n";
    assert_eq!(out, want);
    assert_eq!(error, "prove: 1 of 4 values are not those of the database\n");
    for (line, what) in [("B:WK12:BK1", "win, draw or loss"), ("B:WK99:BK1\twin", "a FEN")] {
        let (status, _, error) = compare(line);
        assert!(status == 2 && error.contains("other, line 1") && error.contains(what), "{error}");
    }
}
