//! Depths on the command line.

use std::path::Path;
use std::process::Command;

fn prove(arguments: &[&str], directory: &Path) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_prove"));
    let output = command.args(arguments).current_dir(directory).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(said).unwrap())
}

#[test]
fn depths_are_stored_printed_and_summed_up() {
    let directory = tempfile::tempdir().unwrap();
    let d = directory.path();
    let done = |arguments: &[&str]| {
        let (status, said) = prove(arguments, d);
        assert_eq!(status, Some(0), "{arguments:?}: {said}");
        said
    };
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
    let (status, said) = prove(&[&stats[..], &["tsv"]].concat(), d);
    assert_eq!(status, Some(3));
    assert!(said.contains("5x5.depth/0-1-0-1") && said.contains("prove db --depth"), "{said}");
}
