//! Common behaviour of all subcommands of `prove`: how they print, what their error messages say,
//! and how they end.
//!
//! Words for people: numbers with their nouns, answers that lead on, one default board, one
//! vocabulary.

use serde_json::Value as Json;
use tests::prelude::*;

/// The text that a program printed to a stream.
fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// The help of a command with all of its options.
fn help(command: &str) -> String {
    let arguments = if command.is_empty() { vec!["--help-all"] } else { vec![command, "--help"] };
    prove(&arguments, Path::new("."))
}

/// The subcommands, and the command without one.
fn commands() -> BTreeSet<String> {
    let help = help("");
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = lines.take_while(|line| line.starts_with("  "));
    let names = names.filter(|line| !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").chain([""]).map(String::from).collect()
}

/// The long options that a text names, except those of other commands, which are in backquotes.
fn options_in(text: &str) -> BTreeSet<String> {
    let own = text.split('`').step_by(2);
    let words = own.flat_map(|text| text.split(|c: char| !(c.is_alphanumeric() || c == '-')));
    words.filter(|word| word.starts_with("--") && word.len() > 2).map(String::from).collect()
}

/// Commands without a format of results: dialogues print none, a book is a file of its own, and a
/// worker answers a manager.
const WITHOUT_FORMAT: [&str; 5] = ["play", "serve", "engine", "book", "worker"];

/// Commands whose output has a form of its own, and which show no progress.
const FOR_OTHER_PROGRAMS: [&str; 3] = ["manual", "completions", "farm"];

/// A directory in which each command has something to do, with the arguments for it.
fn place() -> (tempfile::TempDir, Vec<Vec<&'static str>>) {
    let place = tempfile::tempdir().unwrap();
    let here = place.path();
    for (claim, name) in [("black-not-lost", "black"), ("white-not-lost", "white")] {
        prove(&["--game", "4x4", "--pieces", "3", "--claim", claim, "--emit", name, "-q"], here);
    }
    fs::write(here.join("values.tsv"), "fen\tvalue\nB:W8:B1\t>=draw\n").unwrap();
    fs::write(here.join("games.pdn"), "[Event \"e\"]\n1. 1-3 1/2-1/2\n").unwrap();
    let jobs = "--game 4x4 --pieces 3 --emit cert
        db --game 4x4 --pieces 3
        db build --game 4x4 --pieces 3
        db slice 0-1-0-1 --game 4x4 --pieces 3 --db slices
        db map --game 4x4
        db unmap --game 4x4
        plan --game 4x4 --pieces 3
        stats --game 4x4
        probe --game 4x4 W:W8:B1 start
        solve --game 4x4 --nodes 1000 W:W8:B1 start
        analyse --game 4x4 --depth 3 W:W8:B1 start
        combine all black white
        report black
        explain black
        expand black --pieces 2 --emit larger
        trim black
        expand black --pieces 2 --emit larger
        replay --game 4x4 games.pdn
        annotate --game 4x4 games.pdn
        perft --game 4x4 --depth 3";
    (place, jobs.lines().map(|line| line.split_whitespace().collect()).collect())
}

/// The help without a subcommand fits on a screen, names all subcommands and leads to the rest.
#[test]
fn help_fits_on_a_screen() {
    let shown = |arguments: &[&str]| {
        let output = run(&path("prove"), arguments, Path::new("."));
        let status = if arguments.is_empty() { 2 } else { 0 };
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        [text(&output.stdout), text(&output.stderr)].concat()
    };
    let overview = shown(&["--help"]);
    let summary = shown(&["-h"]);
    assert_eq!(shown(&[]), summary);
    assert_eq!(shown(&["help"]), overview);
    for (help, most) in [(&overview, 56), (&summary, 25)] {
        assert!(help.lines().count() <= most, "{help}");
        let examples = help.find("Examples:").unwrap();
        let words: BTreeSet<&str> =
            help[examples..].split(|c: char| !(c.is_alphanumeric() || c == '-')).collect();
        // `perft` is for developers, and --help-all has it.
        for command in commands().iter().filter(|name| !["", "perft"].contains(&name.as_str())) {
            assert!(words.contains(command.as_str()), "no {command} in {help}");
        }
        assert!(words.contains("--help-all"), "{help}");
    }
    let all = options_in(&help(""));
    assert!(options_in(&overview).is_subset(&all));
    for option in ["--leaf-nodes", "--farm", "--until-threshold"] {
        assert!(all.contains(option), "{option}");
    }
}

#[test]
fn all_commands_print_by_the_same_options() {
    let (place, jobs) = place();
    let here = place.path();
    let done: BTreeSet<String> = (jobs.iter())
        .map(|job| if job[0].starts_with('-') { "" } else { job[0] })
        .chain(WITHOUT_FORMAT)
        .chain(FOR_OTHER_PROGRAMS)
        .map(String::from)
        .collect();
    assert_eq!(commands(), done, "a command without a job for this test");
    let others = |command: &String| !FOR_OTHER_PROGRAMS.contains(&command.as_str());
    for command in commands().into_iter().filter(others) {
        let has = options_in(&help(&command));
        assert!(has.contains("--quiet"), "{command}");
        if !WITHOUT_FORMAT.contains(&command.as_str()) {
            assert!(has.contains("--format") && has.contains("--out"), "{command}: {has:?}");
        }
    }
    let is_json = |text: &str, job: &[&str]| {
        assert!(!text.is_empty(), "{job:?}");
        for line in text.lines() {
            let object: Json =
                serde_json::from_str(line).unwrap_or_else(|e| panic!("{job:?}: {e}: {line}"));
            assert!(object.is_object(), "{job:?}: {line}");
        }
    };
    for job in &jobs {
        let with = |more: &[&str]| run(&path("prove"), &[&job[..], more].concat(), here);
        let json = with(&["--format", "json", "-q"]);
        assert_eq!(json.status.code(), Some(0), "{job:?}: {}", text(&json.stderr));
        assert_eq!(text(&json.stderr), "", "{job:?}");
        is_json(text(&json.stdout), job);
        fs::write(here.join("result"), "old").unwrap();
        let filed = with(&["--format", "json", "-q", "--out", "result"]);
        assert_eq!((filed.status.code(), text(&filed.stdout)), (Some(0), ""), "{job:?}");
        let filed = fs::read_to_string(here.join("result")).unwrap();
        is_json(&filed, job);
        assert_eq!(filed.lines().count(), text(&json.stdout).lines().count(), "{job:?}");
        let tsv = with(&["--format", "tsv", "-q"]);
        let lines: Vec<&str> = text(&tsv.stdout).lines().filter(|l| !l.starts_with('#')).collect();
        let columns = |line: &&str| line.split('\t').count();
        assert!(!lines.is_empty(), "{job:?}");
        assert!(
            lines.iter().all(|l| columns(l) > 1 && columns(l) == columns(&lines[0])),
            "{lines:?}"
        );
        assert!(!with(&["--format", "text", "-q"]).stdout.is_empty(), "{job:?}");
    }
    let left = fs::read_dir(here).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = left.filter(|name| name.to_string_lossy().starts_with('.')).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Jobs that fail, for all commands that write a file; the file would be `result`, or the directory
/// `black`.
const FAILING: &str = "--game 4x4 --pieces 0 --leaf-nodes 2 --max-nodes 5 --emit cert --out result
    --game 4x4 --pieces 0 --emit black
    probe --game 8x8 start --out result
    probe --game 4x4 W:W8:B1 B:W9:B1 --out result
    solve --game 4x4 W:W9:B1 --out result
    analyse --game 4x4 W:W9:B1 --out result
    report none --out result
    explain none --out result
    explain black W:W9:B1 --out result
    expand none --pieces 2 --emit new --out result
    expand white --pieces 2 --emit black --out result
    trim none --out result
    expand none --pieces 2 --emit larger --out result
    trim white --emit black --out result
    stats --game 4x4 --memory 1 --out result
    combine all black --out result
    perft --game 4x4 --depth 3 W:W9:B1 --out result
    plan --game 4x4 --pieces 3 --out no/such
    db --game 8x8 --pieces 6 --memory 1 --out result
    db compare games.pdn --game 4x4 --out result
    db slice 9-9-9-9 --game 4x4 --pieces 3 --out result
    db import none --game 4x4 --db none --out result
    db export black --game 4x4 --out result
    db map --game 4x4 --memory 1 --out result
    db unmap --game 4x4 --db result --out result
    replay --game 4x4 none --out result
    replay --game 4x4 values.tsv none --out result
    replay --game 4x4 empty --out result
    annotate --game 4x4 none --out result --table table
    annotate --game 4x4 empty --out result --table table
    annotate --game 4x4 games.pdn --out result --table no/such
    annotate --game 4x4 games.pdn --out no/such --table table
    annotate --game 4x4 long.pdn --out result --table table
    book --game 4x4 --openings none --out result
    book --game 4x4 --openings values.tsv --out result
    manual --out result";

/// A result replaces a file only when it is complete.
#[test]
fn failures_keep_old_files() {
    let (place, _) = place();
    let here = place.path();
    let claim = fs::read(here.join("black/CLAIM")).unwrap();
    for file in ["result", "table"] {
        fs::write(here.join(file), "kept").unwrap();
    }
    fs::write(here.join("empty"), "{nothing}").unwrap();
    fs::write(here.join("long.pdn"), format!("1. 1-3 {{{}}} *", "x".repeat(1 << 20))).unwrap();
    let jobs: Vec<Vec<&str>> =
        FAILING.lines().map(|job| job.split_whitespace().collect()).collect();
    for command in commands() {
        let writes = options_in(&help(&command)).contains("--out");
        let is_tried = jobs.iter().any(|job| job[0] == command || command.is_empty());
        assert!(is_tried || !writes, "{command} has no job for this test");
    }
    for job in &jobs {
        let output = run(&path("prove"), job, here);
        assert_ne!(output.status.code(), Some(0), "{job:?}");
        for file in ["result", "table"] {
            let there = fs::read_to_string(here.join(file)).unwrap();
            assert_eq!(there, "kept", "{job:?}: {}", text(&output.stderr));
        }
        assert_eq!(fs::read(here.join("black/CLAIM")).unwrap(), claim, "{job:?}");
    }
    let nowhere = ["stats", "--game", "4x4", "--format", "html", "--out", "no/such"];
    let output = run(&path("prove"), &nowhere, here);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("no/such"), "{}", text(&output.stderr));
}

#[test]
fn a_bad_line_is_answered_in_its_place() {
    let (place, _) = place();
    let here = place.path();
    let lines = b"B:W8:B1\nB:W9:B1\n\n\xff\xfe\n[FEN \"b:w8:b1:h0:f1\"]\r\nstart\n".as_slice();
    for job in [
        &["probe", "--game", "4x4", "-q"][..],
        &["solve", "--game", "4x4", "-q"],
        &["analyse", "--game", "4x4", "--depth", "1", "-q", "-"],
    ] {
        let json = ask("prove", &[job, &["--format", "json"]].concat(), here, lines);
        assert_eq!(json.status.code(), Some(1), "{job:?}: {}", text(&json.stderr));
        let said = "prove: 2 of 5 lines without a position; the others are answered\n";
        assert_eq!(text(&json.stderr), said, "{job:?}");
        let answers: Vec<Json> =
            text(&json.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(answers.len(), 5, "{job:?}");
        let errors: Vec<bool> = answers.iter().map(|a| a.get("error").is_some()).collect();
        assert_eq!(errors, [false, true, true, false, false], "{job:?}");
        let error = answers[1]["error"].as_str().unwrap();
        let place =
            "standard input, line 2: FEN \"B:W9:B1\", character 4: expected a square from 1";
        assert!(error.starts_with(place), "{error}");
        assert_eq!(
            (&answers[1]["fen"], &answers[3]["fen"]),
            (&"B:W9:B1".into(), &answers[0]["fen"])
        );

        let tsv = ask("prove", &[job, &["--format", "tsv"]].concat(), here, lines);
        assert_eq!(tsv.status.code(), Some(1), "{job:?}");
        let rows: Vec<Vec<&str>> =
            text(&tsv.stdout).lines().map(|line| line.split('\t').collect()).collect();
        let rows: Vec<_> = rows.iter().filter(|row| row[0] != "fen").collect();
        assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{rows:?}");
        assert_eq!((rows.len(), rows[1][1]), (5, "error"), "{rows:?}");
        assert!(rows[1].last().unwrap().contains("line 2"), "{rows:?}");

        let plain = ask("prove", job, here, lines);
        assert_eq!(plain.status.code(), Some(1), "{job:?}");
        assert_eq!(text(&plain.stdout).matches("standard input, line ").count(), 2, "{job:?}");
        // Without a bad line the job succeeds.
        assert_eq!(ask("prove", job, here, b"B:W8:B1\n").status.code(), Some(0), "{job:?}");
    }
}

/// Messages name only options that the command has.
#[test]
fn messages_name_real_options() {
    let (place, _) = place();
    let here = place.path();
    let fails = |arguments: &str, status: i32, named: &[&str]| {
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        let output = run(&path("prove"), &arguments, here);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {said}");
        let command = if arguments[0].starts_with('-') { "" } else { arguments[0] };
        let (has, names) = (options_in(&help(command)), options_in(said));
        assert!(names.is_subset(&has), "{command}: {:?} in {said}", names.difference(&has));
        for option in named {
            assert!(names.contains(*option), "{command}: no {option} in {said}");
        }
        said.to_owned()
    };
    let few = "--game 4x4 --memory 1";
    for command in ["analyse", "solve --nodes 0", "play", "annotate games.pdn"] {
        fails(&format!("{command} {few} --values resident"), 3, &["--pieces", "--memory"]);
    }
    fails(&format!("stats {few}"), 3, &["--pieces", "--memory"]);
    let said = fails(&format!("db {few} --pieces 4"), 3, &["--pieces", "--memory", "--partly"]);
    assert!(said.contains(" of memory, and 1 byte may be used"), "{said}");
    fails("combine all black white --memory 1 --values resident", 3, &["--memory"]);
    fails(&format!("--emit cert {few} --pieces 4"), 3, &["--pieces", "--memory"]);
    fails(&format!("solve {few} --pieces 0"), 3, &["--leaf-table", "--nodes", "--memory"]);
    fails(&format!("--emit cert {few} --pieces 0"), 3, &["--leaf-table", "--threads"]);
    fails("combine other black white --opening 1", 2, &["--opening"]);
    let budget = "--game 4x4 --pieces 0 --leaf-nodes 2 --max-nodes 5 --emit cert";
    fails(budget, 1, &["--max-nodes", "--pieces"]);
}

/// A user who interrupts a proof is told which results are kept, and only those.
#[cfg(unix)]
#[test]
fn an_interrupted_proof_says_what_is_kept() {
    let interrupted = |leaf_nodes: &str| {
        let directory = tempfile::tempdir().unwrap();
        let game = "--game 8x8 --pieces 0 --leaf-table 64MiB --emit cert --claim black-not-lost";
        let options = [&*game.split(' ').collect::<Vec<_>>(), &["--threads", "1"]].concat();
        let options = [&options[..], &["--leaf-nodes", leaf_nodes]].concat();
        let child = start("prove", &options, directory.path());
        while !directory.path().join("egdb/8x8.results").exists() {
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_secs(2));
        signal(&child, Signal::INT);
        let output = child.wait_with_output().unwrap();
        (output.status.code(), text(&output.stderr).to_owned())
    };
    // One search, which is too short to be kept.
    let (status, said) = interrupted("4000000000");
    assert_eq!(status, Some(1), "{said}");
    assert!(
        said.contains("interrupted before it was decided") && said.contains("is kept, as"),
        "{said}"
    );
    assert!(!said.contains("goes on"), "{said}");
    // Many searches, whose results are kept.
    let (status, said) = interrupted("100");
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains(": the same command goes on from what is kept"), "{said}");
}

/// The output of `prove` on standard output and on standard error, and its status.
fn heard(arguments: &str, here: &Scratch) -> (String, String, Option<i32>) {
    texts(run(&path("prove"), &arguments.split(' ').collect::<Vec<_>>(), here))
}

#[test]
fn counts_have_their_nouns() {
    let here = &Scratch::empty();
    let said = prove(&["--emit", "cert", "--pieces", "5", "--quiet"], here);
    assert!(said.contains("certificate cert: ") && said.contains(" bytes, root="), "{said}");
    let stored = "--game 4x4 --fen B:W7:B1,2 --pieces 2 --leaf-nodes 1000 --claim black-not-lost";
    let (out, err, _) = heard(&format!("{stored} --emit one"), here);
    assert!(out.contains(": 1 node, 1 leaf, "), "{out}");
    assert!(err.contains(" in 1 search, tree 1\n"), "{err}");
    let output = run(&path("check"), &["one"], here);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("All of it was verified, 1 node and 1 leaf, and "), "{said}");
    // Thousands are separated everywhere, and never in results for programs.
    let (text, _, _) = heard("stats --game 6x6 --pieces 5 -q", here);
    let (tsv, _, _) = heard("stats --game 6x6 --pieces 5 -q --format tsv", here);
    let last =
        |text: &str| text.lines().last().unwrap().split_whitespace().nth(2).unwrap().to_owned();
    assert_eq!(last(&text), "5,276,874");
    assert!(tsv.lines().last().unwrap().starts_with("total 5\t5276874\t"), "{tsv}");
}

#[test]
fn a_budget_is_what_was_asked_for() {
    let here = &Scratch::empty();
    let words = "--game 6x6 --pieces 2 --leaf-nodes 1000 --max-nodes 2000 --emit cert --quiet";
    let (_, err, status) = heard(words, here);
    assert!(status == Some(1) && err.contains("wins within 2,000 nodes"), "{err}");
}

#[test]
fn answers_lead_on() {
    let here = &Scratch::empty();
    for (command, usage) in [("check cert", "check CERT"), ("merge a b", "check merge")] {
        let (_, err, status) = heard(command, here);
        let advice = format!("checking is a program of its own: `{usage}`");
        assert!(status == Some(2) && err.contains(&advice), "{err}");
    }
    prove(&["db", "--game", "4x4", "--pieces", "3", "--quiet"], here);
    for command in ["solve", "probe"] {
        let reads = |quiet: &[&str]| {
            let mut prove = Command::new(path("prove"));
            prove.arg(command).args(quiet).current_dir(&**here).stdin(Stdio::null());
            let output = prove.output().unwrap();
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stderr).unwrap().contains("reading FENs from standard input")
        };
        assert!(reads(&[]) && !reads(&["-q"]) && !reads(&["--quiet", "-"]), "{command}");
    }
}

/// The board is that of a certificate, or of the only database; `--game` may say the same.
#[test]
fn one_default_board() {
    let here = &Scratch::empty();
    let board = |command: &str| {
        let (out, err, status) = heard(command, here);
        assert_eq!(status, Some(0), "{command}: {err}");
        out
    };
    prove(&["db", "--game", "4x4", "--pieces", "4", "--quiet"], here);
    let fen = "B:W7,8:B1,2";
    assert_eq!(board(&format!("probe {fen} -q --format tsv")).split('\t').next(), Some(fen));
    let start = "B:W7,8:B1,2";
    assert!(board("analyse --depth 2 -q start").starts_with(start));
    assert!(board("solve -q start").starts_with(start));
    assert!(board("stats -q").contains("total 4 "));
    assert!(board("db --pieces 2 -q").contains("database 4x4 with 2 pieces: "));
    // Files of games are of checkers, and a proof is of what is named.
    std::fs::write(here.join("games.pdn"), "1. 11-15 23-19 *\n").unwrap();
    assert!(board("annotate --pieces 0 --nodes 100 -q games.pdn").contains("11-15"));
    prove(&["--emit", "cert", "--pieces", "4", "--quiet"], here);
    let first = "B:W13,14,15,16,17,18:B1,2,3,4,5,6";
    for game in ["", "--game 6x6 "] {
        assert!(board(&format!("analyse {game}--cert cert --depth 1 -q start")).starts_with(first));
    }
    let (_, err, status) = heard("analyse --game 4x4 --cert cert --depth 1 start", here);
    assert!(status == Some(2) && err.contains("expected a certificate of 4x4, found 6x6"), "{err}");
}

/// A position is proved over the largest database that is there.
#[test]
fn a_position_is_proved_over_what_is_there() {
    let here = &Scratch::empty();
    prove(&["db", "--game", "6x6", "--pieces", "6", "--quiet"], here);
    prove(&["--fen", "B:W13,14,15:B1,2", "--emit", "cert", "--quiet"], here);
    let claim = std::fs::read_to_string(here.join("cert/CLAIM")).unwrap();
    assert!(claim.contains("\npieces 6\n"), "{claim}");
}

#[test]
fn the_words_of_verdicts() {
    let here = &Scratch::empty();
    prove(&["--emit", "cert", "--pieces", "5", "--quiet"], here);
    let (text, _, _) = heard("report cert -q", here);
    let (tsv, _, _) = heard("report cert -q --format tsv", here);
    assert!(
        text.contains("\nBLACK-NOT-LOST: ") && tsv.contains("\nWHITE-NOT-LOST\t"),
        "{text}{tsv}"
    );
    let all = [text, tsv, heard("report cert -q --format json", here).0].concat();
    assert!(!all.contains("NotLost"), "{all}");
    let explained = run(&path("prove"), &["explain", "cert", "--moves", "4-7 15-12"], here);
    let explained = String::from_utf8(explained.stdout).unwrap();
    assert!(explained.starts_with("black-not-lost: "), "{explained}");
    for word in ["Loss", "Win", "Draw", "a node, "] {
        assert!(!explained.contains(word), "{word}: {explained}");
    }
}
