//! The examples of `check` in help texts and the manual work as described.

use std::os::unix::fs::symlink;

use tests::examples::{Example, LeftOut, MANUAL, in_help, in_manual, run_all, without_remark};
use tests::prelude::*;

/// A folder with the files that the examples of `check` name: `cert` of 6x6 and its database, one
/// of 8x8, notes by two trusted keys, a list of positions, and the program `prove`.
fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let here = place.path();
    let words = |text: &'static str| text.split(' ').collect::<Vec<_>>();
    prove(&words("--emit cert --pieces 5 --quiet"), here);
    prove(&words("db --game 8x8 --pieces 2 --quiet"), here);
    for name in ["cert-7x7", "combined"] {
        copy(&here.join("cert"), &here.join(name));
    }
    let mut trusted = Vec::new();
    for name in ["bob", "carol"] {
        let key = format!("{name}.key");
        trusted.extend(run(&path("check"), &["keygen", name, "--key", &key], here).stdout);
        for shard in ["1/2", "2/2"] {
            let note = format!("{name}-{}.note", &shard[..1]);
            let options = ["--shard", shard, "--quiet", "--attest", &note, "--key", &key];
            let said = run(&path("check"), &[&["cert"], &options[..]].concat(), here);
            assert_eq!(said.status.code(), Some(5), "{said:?}");
        }
    }
    fs::write(here.join("trusted.txt"), trusted).unwrap();
    let list = "POSITIONS DRAW 4x4 pieces=2 positions=1\nBlack 1 128 129\n";
    fs::write(here.join("reached.list"), list).unwrap();
    let db = words("--game 6x6 --quiet --attest db.note --key bob.key");
    assert!(run(&path("check"), &db, here).status.success());
    fs::create_dir_all(here.join("target/release")).unwrap();
    for link in ["prove", "target/release/prove"] {
        symlink(path("prove"), here.join(link)).unwrap();
    }
    place
}

/// Whether a command has ended with the status that the help states for it.
fn is_right(Example { command, .. }: &Example, output: &Output) -> bool {
    let is_part = [" --shard ", " --sample "].iter().any(|option| command.contains(option));
    let is_consistent = command.contains("--game") && command.contains("consistent");
    let status = if is_part || is_consistent { 5 } else { 0 };
    output.status.code() == Some(status)
}

const LEFT_OUT: [LeftOut; 1] = [LeftOut {
    command: "check --game 8x8 --pieces 7,8:4",
    reason: "this database takes months to build",
}];

#[test]
fn examples_of_check() {
    let place = place();
    let prepare = |here: &Path| {
        for entry in fs::read_dir(place.path()).unwrap() {
            let entry = entry.unwrap();
            copy(&entry.path(), &here.join(entry.file_name()));
        }
    };
    let (help, guide) = (in_help("check"), in_manual(&["check"]));
    let count = |texts: &[Vec<Example>]| texts.iter().map(Vec::len).sum::<usize>();
    assert!(count(&help) > 10 && count(&guide) > 15, "{help:?} {guide:?}");
    run_all(&[help, guide].concat(), &LEFT_OUT, prepare, is_right);
}

#[test]
fn a_remark_is_no_part_of_a_command() {
    for (line, command) in [
        ("check cert", "check cert"),
        ("check cert --seed 7         a sample", "check cert --seed 7"),
        ("check cert     # whole", "check cert"),
        ("prove explain cert --moves \"1-2  3-4\"  why", "prove explain cert --moves \"1-2  3-4\""),
        ("prove farm --farm nats://a#b 'c  #d' # e", "prove farm --farm nats://a#b 'c  #d'"),
    ] {
        assert_eq!(without_remark(line), command);
    }
}

#[test]
fn the_guide_has_examples_of_both_programs() {
    for (program, command) in [("check", "check cert"), ("prove", "prove play")] {
        let all = in_manual(&[program]).concat();
        assert!(all.iter().any(|e| e.command == command), "{all:?}");
        assert!(all.iter().all(|e| MANUAL.iter().any(|d| e.place.starts_with(d))));
    }
}
