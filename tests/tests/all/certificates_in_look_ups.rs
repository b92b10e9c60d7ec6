//! Look-ups and play by certificates (`--cert`): the values that they prove, said to be so.

use serde_json::Value;
use tests::prelude::*;

/// A folder with the certificate `cert` of 6x6 and its database.
fn place() -> Scratch {
    let place = Scratch::empty();
    prove(&["--emit", "cert", "--pieces", "5", "-q"], &place);
    place
}

fn objects(arguments: &[&str], here: &Path) -> Vec<Value> {
    let out = prove(&[arguments, &["--format", "json", "-q"]].concat(), here);
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn look_ups_have_the_values_of_certificates() {
    let here = &place();
    let start = &objects(&["probe", "--cert", "cert", "start"], here)[0];
    let is_draw = |at: &Value| at["value"] == "draw" && at["by"] == "proof";
    assert!(is_draw(start), "{start}");
    let moves = start["moves"].as_array().unwrap();
    // The other side does not lose after any move, and this side after the proved one.
    assert!(is_draw(&moves[0]), "{start}");
    let is_bounded = |m: &Value| m["value"] == "draw" || m["upper"] == "draw";
    assert!(moves.iter().all(|m| is_bounded(m) && m["by"] == "proof"), "{start}");
    let text = prove(&["probe", "--cert", "cert", "start", "-q"], here);
    assert!(text.contains("Black to move: draw, by proof\n"), "{text}");
    let line = prove(&["probe", "--cert", "cert", "--format", "tsv", "-q", "start"], here);
    assert!(line.trim_end().ends_with("\tproof"), "{line}");
    // A position of the database, and what is said without certificates.
    let fen = "B:WK18:BK1,K2";
    let known = &objects(&["probe", "--cert", "cert", fen], here)[0];
    assert_eq!(known["by"], "database", "{known}");
    let without = &objects(&["probe", "--game", "6x6", fen], here)[0];
    assert!(without.get("by").is_none() && without["value"] == known["value"], "{without}");
    // Without the database.
    let alone = &objects(&["probe", "--cert", "cert", "--pieces", "0", "start"], here)[0];
    assert!(is_draw(alone), "{alone}");
}

#[test]
fn searches_begin_with_what_certificates_prove() {
    let here = &place();
    let solved = &objects(&["solve", "--cert", "cert", "--nodes", "1000", "start"], here)[0];
    assert_eq!(solved["nodes"], 0, "{solved}");
    assert!(solved["value"] == "draw" && solved["by"] == "proof", "{solved}");
    let analyse = ["analyse", "--cert", "cert", "--depth", "3"];
    let depths = objects(&analyse, here);
    assert_eq!(depths.len(), 3);
    let is_proved = |row: &Value| row["proven"] == "draw" && row["by"] == "proof";
    assert!(depths.iter().all(is_proved), "{depths:?}");
    let text = prove(&[&analyse[..], &["-q"]].concat(), here);
    assert!(text.contains("  draw     proof    "), "{text}");

    fs::write(here.join("game.pdn"), "1. 6-8 *\n").unwrap();
    let annotate = ["annotate", "--cert", "cert", "--depth", "3", "--all", "game.pdn", "-q"];
    let annotated = prove(&annotate, here);
    assert!(annotated.contains("{draw (proof)} 1. 6-8 {draw (proof)} *"), "{annotated}");
}

#[test]
fn the_engine_and_play_go_by_certificates() {
    let here = &place();
    // Writes lines to a program and returns its output up to the line that begins with `last`.
    let said = |arguments: &[&str], lines: &str, last: &str| {
        let mut child = start("prove", arguments, here);
        let mut input = child.stdin.take().unwrap();
        input.write_all(lines.as_bytes()).unwrap();
        let mut found = Vec::new();
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            found.push(line.unwrap());
            if found.last().unwrap().starts_with(last) {
                break;
            }
        }
        drop(input);
        assert!(child.wait().unwrap().success(), "{found:?}");
        found
    };
    let lines = "init\nlevel depth=1\ngo think\n";
    let engine = said(&["engine", "--cert", "cert", "--hash", "1MiB"], lines, "done move=");
    let [ready, info, _] = &engine[..] else { panic!("{engine:?}") };
    assert!(ready == "ready" && info.contains("score=0.00 pv="), "{engine:?}");
    for arguments in [["play", "cert", "-q"], ["play", "--cert=cert", "-q"]] {
        let played = said(&arguments, "hint\nquit\n", "6-8 ");
        assert_eq!(played.last().unwrap(), "6-8 (proof: Black does not lose)", "{played:?}");
    }
}

#[test]
fn certificates_that_do_not_fit_are_errors() {
    let here = &place();
    for command in ["probe", "solve", "analyse", "annotate", "play", "engine"] {
        let file: &[&str] = if command == "annotate" { &["game.pdn"] } else { &[] };
        let with = |more: &[&str], status, words: &[&str]| {
            fails(here, &[&[command], file, more].concat(), status, words)
        };
        with(&["--cert", "nowhere"], 3, &["nowhere/MANIFEST"]);
        let both = ["--cert", "cert", "--game", "4x4"];
        with(&both, 2, &["cert: expected a certificate of 4x4, found 6x6"]);
    }
    prove(&["--game", "4x4", "--pieces", "2", "--emit", "small", "-q"], here);
    let two = ["probe", "--cert", "cert", "--cert", "small", "start"];
    fails(here, &two, 2, &["small: expected a certificate of 6x6, found 4x4"]);
    let object = fs::read_dir(here.join("cert/objects")).unwrap().next().unwrap().unwrap().path();
    let mut bytes = fs::read(&object).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&object, bytes).unwrap();
    fails(here, &["probe", "--cert", "cert", "start"], 3, &["as MANIFEST says"]);
}

#[test]
fn a_mistyped_folder_of_databases_is_an_error_of_the_engine() {
    let here = &place();
    fails(here, &["engine", "--db", "nowhere"], 3, &["nowhere"]);
    fs::create_dir(here.join("empty")).unwrap();
    fails(here, &["engine", "--db", "empty"], 3, &["no database here"]);
    let none = run(&path("prove"), &["engine", "--db", "empty", "--pieces", "0"], here);
    assert!(none.status.success(), "{none:?}");
}
