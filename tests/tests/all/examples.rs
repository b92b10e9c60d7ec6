//! The examples in the help texts of `prove`, and those of `prove` in the manual, with small
//! databases. Those that take long are started and stopped, since a wrong option or a missing file
//! is reported at once.
//!
//! The examples of `check` in help texts and the manual work as described.

use std::os::unix::fs::symlink;
use tests::examples::{Example, LeftOut, MANUAL, in_help, in_manual, run_all, without_remark};
use tests::prelude::*;

const OTHER_MACHINE: &str = "takes a database to where there is none";
const STORE: &str = "needs an object store";
const HOURS: &str = "takes certificates of hours";

const LEFT_OUT: [LeftOut; 5] = [
    LeftOut { command: "prove db import 8x8-5 --game 8x8", reason: OTHER_MACHINE },
    LeftOut {
        command: "prove db slice 2-0-1-1 --game 8x8 --pieces 5 --store s3://bucket/egdb",
        reason: STORE,
    },
    LeftOut {
        command: "prove db build --game 8x8 --pieces 5 --store s3://bucket/egdb",
        reason: STORE,
    },
    LeftOut { command: "prove serve cert cert-7x7 --db /data/egdb --pieces 6", reason: HOURS },
    LeftOut {
        command: "prove manual --out ~/.local/share/man/man1 && man prove-probe",
        reason: "needs man",
    },
];

/// Words of examples that do not end by themselves, or take long.
const LONG: [&str; 12] = [
    " expand ",
    " serve",
    " worker",
    "--farm",
    " plan ",
    " book ",
    "6x8",
    "7x7",
    "5x7/2",
    "--depth 1",
    "--opening",
    "--nodes 1",
];
/// The seconds that such an example runs.
const MOMENT: &str = "0.5";
/// The exit status of `timeout` when it has stopped a program.
const STOPPED: i32 = 124;

/// The command that is run: the example with four pieces, with files in this folder instead of
/// folders of the user or the system, and stopped after a moment if it takes long.
fn shortened(example: &Example) -> Example {
    let Example { place, command } = example;
    let mut command = command.clone();
    for pieces in ["5", "6", "7,8:4", "7", "8"] {
        command = format!("{command} ").replace(&format!("--pieces {pieces} "), "--pieces 4 ");
    }
    for folder in [
        "~/.local/share/man/",
        "~/.local/share/bash-completion/completions/",
        "~/.zfunc/",
        "~/.config/fish/completions/",
        "/var/lib/node_exporter/",
    ] {
        command = command.replace(folder, "");
    }
    // A search that is stopped after a moment needs no table for all its nodes, which would take
    // more memory than a small machine has.
    command = command.replace(" --leaf-table 4GiB", "");
    command =
        command.replace("--leaf-nodes 4000000000", "--leaf-nodes 4000000000 --leaf-table 64MiB");
    // A proof over five pieces takes a second.
    let is_proof = command.contains("--emit") && !command.starts_with("prove trim ");
    if is_proof && !command.contains("--pieces") {
        command += " --pieces 5";
    }
    for time in ["10", "2", "1"] {
        command = format!("{command} ").replace(&format!("--time {time} "), "--time 0.01 ");
    }
    for folder in ["/shared/egdb", "/data/egdb"] {
        command = command.replace(folder, "egdb");
    }
    if command.contains(" serve") && !command.contains("--listen") {
        command += "--listen 127.0.0.1:0";
    }
    if LONG.iter().any(|word| command.contains(word)) {
        command = command.replacen("prove ", &format!("timeout {MOMENT} prove "), 1);
    }
    Example { place: place.clone(), command: command.trim().into() }
}

/// Makes files with the names that the examples use.
fn prepare(from: &Path, here: &Path) {
    copy(&from.join("egdb"), &here.join("egdb"));
    for file in ["after-4-7", "white", "cert", "book.tsv", "6x6.note", "trusted.txt"] {
        copy(&from.join(file), &here.join(file));
    }
    for (name, of) in [("cert-1", "after-4-7"), ("cert-2", "white")] {
        copy(&from.join(of), &here.join(name));
    }
    fs::create_dir(here.join("corpus")).unwrap();
    fs::create_dir(here.join("corpus/ladder")).unwrap();
    for file in ["endings.tsv", "literature.tsv", "ladder/7x7"] {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
        copy(&corpus.join(file), &here.join("corpus").join(file));
    }
    for (name, text) in [
        ("games.pdn", "1. 11-15 23-19 *\n"),
        ("more.pdn", "1. 11-15 23-18 *\n"),
        ("small.pdn", "1. 4-7 15-12 *\n"),
        ("annotated.pdn", "1. 11-15 {good} 23-19 *\n"),
        ("positions.txt", "B:W18,24,K30:B12\nB:WK26:BK25,21\n"),
        ("other.tsv", "fen\tvalue\nB:W32:BK1\twin\n"),
    ] {
        fs::write(here.join(name), text).unwrap();
    }
}

/// Whether an example has ended as it should, or was stopped.
fn is_right(_: &Example, output: &Output) -> bool {
    matches!(output.status.code(), Some(0 | STOPPED))
}

#[test]
fn examples_of_prove() {
    let from = tempfile::tempdir().unwrap();
    let make = |more: &[&str]| {
        prove(&[&["-q", "--pieces", "5"], more].concat(), from.path());
    };
    prove(&["db", "--game", "8x8", "--pieces", "4", "--depth", "-q"], from.path());
    // Results that are found here are used again by the examples.
    make(&["--emit", "cert"]);
    make(&["--moves", "4-7", "--emit", "after-4-7", "--claim", "black-not-lost"]);
    make(&["--claim", "white-not-lost", "--emit", "white"]);
    let book = ["book", "--game", "6x6", "--out", "book.tsv", "--nodes", "100", "-q"];
    prove(&[&book[..], &["--positions", "2"]].concat(), from.path());

    let keygen = run(&path("check"), &["keygen", "alice", "--key", "key"], from.path());
    fs::write(from.path().join("trusted.txt"), keygen.stdout).unwrap();
    let attest = ["cert", "--attest", "6x6.note", "--key", "key"];
    assert!(run(&path("check"), &attest, from.path()).status.success());

    let texts = [in_help("prove"), in_manual(&["prove"])].concat();
    let all = texts.concat();
    for LeftOut { command, reason } in LEFT_OUT {
        assert!(all.iter().any(|e| e.command == command), "{command} ({reason}): shown nowhere");
    }
    std::thread::scope(|scope| {
        for text in texts {
            let from = from.path();
            scope.spawn(move || {
                let is_run = |e: &&Example| LEFT_OUT.iter().all(|l| l.command != e.command);
                let run: Vec<Example> = text.iter().filter(is_run).map(shortened).collect();
                // A file that an example writes does not exist before.
                let written: Vec<&str> = run
                    .iter()
                    .flat_map(|e| {
                        let words = e.command.split(' ');
                        words
                            .skip_while(|word| !["--emit", "--out", "combine"].contains(word))
                            .nth(1)
                    })
                    .collect();
                let prepare = |here: &Path| {
                    prepare(from, here);
                    for name in &written {
                        // The name may be that of a file or a directory, or not exist.
                        let _ = fs::remove_file(here.join(name));
                        let _ = fs::remove_dir_all(here.join(name));
                    }
                };
                if !run.is_empty() {
                    run_all(std::slice::from_ref(&run), &[], prepare, is_right);
                }
            });
        }
    });
}

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
fn ends_as_stated(Example { command, .. }: &Example, output: &Output) -> bool {
    let is_part = [" --shard ", " --sample "].iter().any(|option| command.contains(option));
    let is_consistent = command.contains("--game") && command.contains("consistent");
    let status = if is_part || is_consistent { 5 } else { 0 };
    output.status.code() == Some(status)
}

const LEFT_OUT_OF_CHECK: [LeftOut; 1] = [LeftOut {
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
    run_all(&[help, guide].concat(), &LEFT_OUT_OF_CHECK, prepare, ends_as_stated);
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
