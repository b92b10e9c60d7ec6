//! Covers and depths on the command line, and databases of earlier versions.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs `prove`; returns its status, standard output and standard error.
fn prove(arguments: &[&str], directory: &Path) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_prove"));
    let output = command.args(arguments).current_dir(directory).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// Runs `prove`, which must succeed; returns its standard output.
fn done(arguments: &[&str], directory: &Path) -> String {
    let (status, out, said) = prove(arguments, directory);
    assert_eq!(status, Some(0), "{arguments:?}: {said}");
    out
}

#[test]
fn every_command_speaks_of_covers() {
    let directory = tempfile::tempdir().unwrap();
    let d = directory.path();
    // The clauses of a cover may come in any order, and may imply each other.
    let built = done(&["db", "--game", "4x4", "--pieces", "6:3,5,2", "-q"], d);
    assert!(built.starts_with("database 4x4 with 5,6:3 pieces: "), "{built}");
    let tsv = done(&["stats", "--game", "4x4", "--format", "tsv", "-q"], d);
    let slices: Vec<&str> = tsv.lines().map(|line| line.split('\t').next().unwrap()).collect();
    assert!(slices.contains(&"0,3,0,3") && slices.contains(&"total 6"));
    assert!(!slices.contains(&"0,2,0,4"));
    let page = done(&["stats", "--game", "4x4", "--format", "html", "-q"], d);
    assert!(page.contains("<title>4x4, up to 5 pieces, or up to 6 with at most 3 a side</title>"));
    let probe = |cover: &str, fen: &str| {
        let said = done(&["probe", "--game", "4x4", "--pieces", cover, "--format", "tsv", fen], d);
        said.split('\t').nth(1).unwrap().to_string()
    };
    assert_ne!(probe("5,6:3", "B:WK6,K7,K8:BK1,K2,K3"), "unknown");
    assert_eq!(probe("5", "B:WK6,K7,K8:BK1,K2,K3"), "unknown");
    assert_eq!(probe("5,6:3", "B:WK5,K6,K7,K8:BK1,K2"), "unknown");
    let solved = done(&["solve", "--game", "4x4", "--pieces", "4:2", "start", "-q"], d);
    assert!(solved.contains("\tdraw\t"), "{solved}");
    let plan = done(&["plan", "--game", "4x4", "--pieces", "5:3", "--format", "tsv", "-q"], d);
    assert_eq!(plan.lines().count(), 5, "{plan}");

    // A certificate rests on the requested cover, even if the database has more.
    for (cover, want) in [("2,3:2", "3"), ("4:2", "4:2"), ("3", "3"), ("0", "0")] {
        let _ = fs::remove_dir_all(d.join("cert"));
        done(&["--game", "4x4", "--pieces", cover, "--emit", "cert", "-q"], d);
        let claim = fs::read_to_string(d.join("cert/CLAIM")).unwrap();
        assert!(claim.contains(&format!("\npieces {want}\n")), "{claim}");
        let report = done(&["report", "cert", "-q"], d);
        assert!(report.contains(&format!(" pieces={want} ")), "{report}");
        let _ = fs::remove_dir_all(d.join("all"));
        done(&["combine", "all", "cert", "-q"], d);
        assert_eq!(fs::read_to_string(d.join("all/CLAIM")).unwrap(), claim);
    }

    for (cover, word) in [
        ("1", "expected a cover"),
        ("4:0", "expected a cover"),
        ("3,,4", "expected a cover"),
        ("+3", "expected a cover"),
        ("9", "expected 2 to 8 on 4x4, found 9"),
    ] {
        let arguments = ["--game", "4x4", "--pieces", cover, "--emit", "new"];
        let (status, _, said) = prove(&arguments, d);
        assert!(status == Some(2) && said.contains(word), "{cover}: {said}");
    }
    let (status, _, said) = prove(&["db", "--game", "4x4", "--pieces", "0"], d);
    assert!(status == Some(2) && said.contains("expected 2 to 8 on 4x4, found 0"), "{said}");
}

#[test]
fn a_database_of_version_0_is_refused_and_left_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let d = directory.path();
    let old =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/v1/declined-version-0/egdb/4x4");
    let files = |directory: &Path| -> BTreeMap<OsString, Vec<u8>> {
        let files = fs::read_dir(directory).unwrap().map(|file| file.unwrap());
        files.map(|file| (file.file_name(), fs::read(file.path()).unwrap())).collect()
    };
    fs::create_dir_all(d.join("egdb/4x4")).unwrap();
    for (name, bytes) in files(&old) {
        fs::write(d.join("egdb/4x4").join(name), bytes).unwrap();
    }
    let want = "egdb/4x4/MANIFEST: offset 8: version: expected 1 (make the database again with: \
                prove db), found 0; remove egdb/4x4 to build the database again";
    for arguments in [&["db"][..], &["--emit", "cert"], &["stats"]] {
        let arguments = [arguments, &["--game", "4x4", "--pieces", "3"]].concat();
        let (status, _, said) = prove(&arguments, d);
        assert!(status == Some(3) && said.contains(want), "{said}");
    }
    assert!(files(&d.join("egdb/4x4")) == files(&old));
    fs::remove_dir_all(d.join("egdb/4x4")).unwrap();
    done(&["db", "--game", "4x4", "--pieces", "3", "-q"], d);
}

#[test]
fn a_certificate_of_version_0_is_refused_with_advice() {
    let directory = tempfile::tempdir().unwrap();
    let d = directory.path();
    done(&["--game", "4x4", "--pieces", "0", "--emit", "cert", "-q"], d);
    let mut manifest = fs::read(d.join("cert/MANIFEST")).unwrap();
    manifest[8] = 0;
    fs::write(d.join("cert/MANIFEST"), manifest).unwrap();
    for arguments in [&["report", "cert"][..], &["combine", "new", "cert"]] {
        let (status, _, said) = prove(arguments, d);
        assert_eq!(status, Some(3), "{said}");
        assert!(said.contains("cert/MANIFEST: ") && said.contains("prove --emit"), "{said}");
    }
}

#[test]
fn depths_are_stored_printed_and_summed_up() {
    let directory = tempfile::tempdir().unwrap();
    let d = directory.path();
    let done = |arguments: &[&str]| done(arguments, d);
    let stats = ["stats", "--game", "5x5", "--format"];
    let fens = ["B:WK5:BK1,K10", "B:W6,12:BK1", "B:WK7:BK1", "B:W:BK1"];
    let probe = [&["probe", "--game", "5x5", "--format", "tsv"], &fens[..]].concat();
    let without = done(&["db", "--game", "5x5", "--pieces", "3", "-q"]);
    assert!(done(&[&stats[..], &["tsv"]].concat()).lines().skip(1).all(|l| l.ends_with("\t-")));
    assert!(
        done(&[&stats[..], &["json"]].concat()).lines().all(|l| l.ends_with(r#""longest":null}"#))
    );
    // Values that follow from the rules alone are known without depths: the last move of a game.
    let probed = || -> Vec<String> {
        let columns = |line: &str| line.split('\t').take(3).collect::<Vec<_>>().join("\t");
        done(&probe).lines().map(columns).collect()
    };
    assert!(probed()[..3].iter().all(|line| line.ends_with("\t-")));

    // The database with depths is equal to the one without.
    assert_eq!(done(&["db", "--game", "5x5", "--pieces", "3", "-q", "--depth"]), without);
    let tsv = done(&[&stats[..], &["tsv"]].concat());
    let longest = |line: &str| line.rsplit('\t').next().unwrap().parse::<u32>().ok();
    let mut lines = tsv.lines();
    assert!(lines.next().unwrap().ends_with("\tlongest"));
    let (totals, slices): (Vec<_>, Vec<_>) = lines.partition(|line| line.starts_with("total"));
    let of = |lines: &[&str]| lines.iter().map(|line| longest(line).unwrap()).max();
    assert!(of(&totals) > Some(2));
    assert_eq!(of(&totals), of(&slices));
    let expected = ["win\t10", "loss\t2", "draw\t-", "win\t1"];
    let expected = fens.iter().zip(expected).map(|(f, e)| format!("{f}\t{e}"));
    assert_eq!(probed(), expected.collect::<Vec<_>>());

    // Depths of another database give an error that names the file.
    let other = directory.path().join("egdb/5x5.depth/0-1-0-1");
    std::fs::copy(directory.path().join("egdb/5x5.depth/0-2-0-1"), other).unwrap();
    let (status, _, said) = prove(&[&stats[..], &["tsv"]].concat(), d);
    assert_eq!(status, Some(3));
    assert!(said.contains("5x5.depth/0-1-0-1") && said.contains("prove db --depth"), "{said}");
}
