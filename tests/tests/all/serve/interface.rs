//! The answers of the server's interface.
//!
//! The server's answers agree with its OpenAPI document: schemathesis makes requests from the
//! document, valid and invalid, and compares.
//!
//! The tree of a proof, walked over HTTP.

use super::{Server, small_proof};
use draughtproof_game::Game;
use serde_json::{Value, json};
use std::collections::{BTreeSet, VecDeque};
use std::path::Path;
use std::process::Command;
use tests::programs::package;
use tests::programs::prove;

const START: &str = "B:W7,8:B1,2";

#[test]
fn positions_agree_with_probe() {
    let here = tempfile::tempdir().unwrap();
    prove(&["db", "--game", "8x8", "--pieces", "3", "--depth", "-q"], here.path());
    let server = Server::start(&[], here.path());
    for fen in
        ["B:WK26:BK25,21", "W:W31,10:BK3", "B:W18:B15", "W:W32:B1", "B:W5:B", "B:W18,19,20:B1"]
    {
        let probed = prove(&["probe", "--game", "8x8", "--format", "json", "-q", fen], here.path());
        let probed: Value = serde_json::from_str(&probed).unwrap();
        let mut answer = server.get(&format!("/api/8x8/position?fen={fen}")).json();
        let from = answer.as_object_mut().unwrap().remove("from").unwrap();
        let captures = fen == "B:W18:B15";
        let expected = if captures { "capture" } else { "database" };
        if !fen.ends_with(":B") && fen != "B:W18,19,20:B1" {
            assert_eq!(
                from,
                json!({"lower": {"kind": expected}, "upper": {"kind": expected}}),
                "{fen}"
            );
        }
        for m in answer["moves"].as_array_mut().unwrap() {
            assert!(
                m.as_object_mut().unwrap().remove("from").unwrap()["lower"]["kind"].is_string()
            );
        }
        assert_eq!(answer, probed, "{fen}");
    }
    let nothing = server.get("/api/8x8/position?fen=B:W18,19,20:B1").json();
    assert_eq!(nothing["from"]["lower"]["kind"], "none");
    let over = server.get("/api/8x8/position?fen=B:W5:B").json();
    assert_eq!(over["from"]["upper"]["kind"], "rules");
}

#[test]
fn a_proof_gives_bounds_and_moves() {
    let here = tempfile::tempdir().unwrap();
    small_proof(here.path());
    let server = Server::start(&["cert"], here.path());
    assert!(server.said.iter().any(|line| line.contains("not checked by anybody you trust here")));
    let position = server.get(&format!("/api/4x4/position?fen={START}"));
    assert_eq!((position.header("cache-control"), position.header("etag")), ("no-store", ""));
    let start = position.json();
    assert_eq!(start["value"], "draw");
    start_is_a_position(&server, &start);
    let from = &start["from"]["lower"];
    assert!(["node", "leaf"].contains(&from["kind"].as_str().unwrap()), "{from}");
    assert_eq!(from["question"], "black-not-lost");
    let certificate = format!("/api/certificates/{}", from["certificate"].as_str().unwrap());
    nodes_answer_questions(&server, &certificate, &from["number"]);
    openings_follow_the_rules(&server, &certificate);
    let line = server.get(&format!("/api/4x4/line?fen={START}")).json();
    assert_eq!(line["end"], "database");
    assert!(!line["moves"].as_array().unwrap().is_empty());
    certificates_never_change(&server, &certificate, here.path());
}

fn start_is_a_position(server: &Server, start: &Value) {
    assert_eq!(server.get("/api/4x4/position?fen=start").json(), *start);
    assert_eq!(server.get("/api/4x4/line?fen=start").json()["fen"], START);
    let batch = server.post("/api/4x4/positions", r#"{"positions": ["start"]}"#).json();
    assert_eq!(batch, json!([start]));
    let game = server.post("/api/4x4/game", r#"{"start": "start"}"#).json();
    assert_eq!(game["start"], START);
}

fn nodes_answer_questions(server: &Server, certificate: &str, number: &Value) {
    for (question, number) in [("black-not-lost", number), ("white-not-lost", &json!(0))] {
        let node = server.get(&format!("{certificate}/nodes/{number}?question={question}")).json();
        assert_eq!((&node["question"], &node["number"]), (&json!(question), number));
    }
}

fn openings_follow_the_rules(server: &Server, certificate: &str) {
    let lines = server.get(&format!("{certificate}/openings?plies=3")).json();
    let game: Game = "4x4".parse().unwrap();
    for line in lines.as_array().unwrap() {
        let moves = line["moves"].as_str().unwrap();
        let after = game.board.read_line(&game.start(), moves).unwrap();
        assert_eq!(line["fen"], game.board.write_fen(after.last().unwrap()));
    }
    assert!(lines.as_array().unwrap().len() > 1);
}

/// The address of a certificate has its root in it, and the certificate is in memory, so the answer
/// does not change even if its files are removed.
fn certificates_never_change(server: &Server, path: &str, here: &Path) {
    let certificate = server.get(path);
    let answer = certificate.json();
    assert_eq!(answer["value"], "DRAW");
    let mut listed = server.get("/api/certificates").json()[0].take();
    let listed_fields = listed.as_object_mut().unwrap();
    listed_fields.remove("verified").unwrap();
    let checked = ["checked", "checks"].map(|field| listed_fields.remove(field).unwrap());
    assert_eq!((checked, &listed), ([json!(false), json!([])], &answer));
    assert_eq!(certificate.header("cache-control"), "public, max-age=31536000, immutable");
    let tag = certificate.header("etag");
    let again = server.get_with(path, Some(("if-none-match", tag)));
    assert_eq!((again.status, again.body.as_str(), again.header("etag")), (304, "", tag));
    std::fs::remove_dir_all(here.join("cert")).unwrap();
    assert_eq!(server.get(path).json(), answer);
}

#[test]
fn a_conditional_certificate_gives_no_bounds() {
    let here = tempfile::tempdir().unwrap();
    let arguments =
        ["--game", "5x7/2", "--pieces", "3", "--leaf-nodes", "300", "--until-threshold", "1"];
    let arguments = [&arguments[..], &["--threshold", "1", "--emit", "cert", "-q"]].concat();
    tests::programs::run(&tests::programs::path("prove"), &arguments, here.path());
    let server = Server::start(&["cert"], here.path());
    assert!(server.said.iter().any(|line| line.contains(" assumed")));
    let certificates = server.get("/api/certificates").json();
    assert!(certificates[0]["assumed"].as_u64().unwrap() > 0);
    let fen = certificates[0]["start"].as_str().unwrap();
    let start = server.get(&format!("/api/5x7/position?fen={fen}")).json();
    assert_eq!((&start["lower"], &start["upper"]), (&json!("loss"), &json!("win")));
}

#[test]
fn games_are_read_written_and_answered() {
    let here = tempfile::tempdir().unwrap();
    small_proof(here.path());
    let server = Server::start(&["cert"], here.path());
    let game = server.post("/api/4x4/game", r#"{"moves": ["1-3"]}"#).json();
    assert_eq!((&game["start"], &game["result"]), (&json!(START), &json!("open")));
    let read = server.post("/api/4x4/pdn", &json!({ "pdn": game["pdn"] }).to_string()).json();
    assert_eq!(read, game);
    faults_of_games_are_named(&server);
    proofs_keep_the_draw(&server);
    server.post("/api/4x4/game", r#"{"moves": ["1-8"]}"#).problem(400);
    server.post("/api/4x4/game", r#"{"game": "6x6"}"#).problem(400);
    server.post("/api/4x4/pdn", r#"{"pdn": ""}"#).problem(400);
}

#[test]
fn games_are_analysed_as_prove_annotates_them() {
    let here = tempfile::tempdir().unwrap();
    let here = here.path();
    prove(&["db", "--game", "8x8", "--pieces", "2", "-q"], here);
    let server = Server::start(&[], here);
    // A man is lost for nothing.
    let pdn = "[Event \"x\"]\n[FEN \"B:W18,31,32:B1,2,10\"]\n1. 10-15 {why} 18x11 2. 1-5 *\n";
    std::fs::write(here.join("game.pdn"), pdn).unwrap();
    let annotate = ["annotate", "--nodes", "50000", "--format", "json", "-q", "game.pdn"];
    let annotated: Value = serde_json::from_str(&prove(&annotate, here)).unwrap();
    let answer = server.post("/api/8x8/analysis", &json!({ "pdn": pdn }).to_string()).json();
    assert_eq!((&answer["mistakes"], &answer["pdn"]), (&annotated["mistakes"], &annotated["pdn"]));
    assert_eq!(answer["mistakes"][0]["ply"], 0);
    let scores: Vec<_> = answer["scores"].as_array().unwrap().iter().map(Value::as_i64).collect();
    assert_eq!((scores.len(), answer["says"].as_array().unwrap().len()), (4, 4));
    assert!(scores[0] > scores[1] && scores.iter().all(|s| s.unwrap().abs() <= 300), "{scores:?}");
    let long = format!("[FEN \"B:WK29:BK2\"] {} *", "2-7 29-25 7-2 25-29 ".repeat(251));
    server.post("/api/8x8/analysis", &json!({ "pdn": long }).to_string()).problem(400);
}

#[test]
fn openings_have_names_numbers_and_certificates() {
    let here = tempfile::tempdir().unwrap();
    prove(&["db", "--game", "8x8", "--pieces", "2", "-q"], here.path());
    prove(&["db", "--game", "6x6", "--pieces", "2", "-q"], here.path());
    let server = Server::start(&[], here.path());
    assert_eq!(server.get("/api/6x6/openings").json(), json!([]));
    let openings = server.get("/api/8x8/openings").json();
    let openings = openings.as_array().unwrap();
    let game: Game = "8x8".parse().unwrap();
    for opening in openings {
        let line = game.board.read_line(&game.start(), opening["moves"].as_str().unwrap());
        assert_eq!(opening["fen"], game.board.write_fen(line.unwrap().last().unwrap()));
    }
    let with = |field: &str| openings.iter().filter(|o| !o[field].is_null()).count();
    assert_eq!((with("class"), with("published")), (174, 174 + 19));
    let named = |name: &str| openings.iter().find(|o| o["name"] == name).unwrap();
    assert_eq!(named("Old Fourteenth")["moves"], "11-15 23-19 8-11 22-17 4-8");
    assert_eq!(named("ballot 046")["moves"], "9-14 23-18 14x23");
    assert_eq!(named("opening 13")["published"], "white-wins");
    let certified = named("opening 15 after 9 plies");
    let table = include_str!("../../../../corpus/openings/certified.tsv");
    assert!(table.contains(&format!("root={}", certified["certified"]["root"].as_str().unwrap())));
    assert_eq!(certified["certified"]["served"], false);
    assert_eq!(certified["certified"]["value"], "WHITE-NOT-LOST");
}

fn faults_of_games_are_named(server: &Server) {
    // Moves beyond the limit are reported and not dropped silently.
    let long = format!("[FEN \"B:WK8:BK2\"] {} *", "2-4 8-6 4-2 6-8 ".repeat(251));
    for (pdn, moves, fault) in [
        ("1. 1−3 8–5 *", 2, None),
        ("1. 1-3 8\u{a0}5 *", 1, Some("column 8: expected a move")),
        ("1. 1-3 * 8-5 *", 1, Some("move \"8-5\" in ")),
        (&long, 1000, Some("expected at most 1000 moves, found 1004")),
        ("1. 1-3 /FEN \"W:W8:B1\"/ 8-6 *", 1, Some("a position that is set up after 1 moves")),
        ("/FEN \"W:W8:B1\"/ 8-6 *", 1, None),
    ] {
        let read = server.post("/api/4x4/pdn", &json!({ "pdn": pdn }).to_string()).json();
        assert_eq!(read["moves"].as_array().unwrap().len(), moves, "{pdn}: {read}");
        let said = read["fault"].as_str();
        let is_right = said.zip(fault).is_some_and(|(said, fault)| said.contains(fault));
        assert!(is_right || said.is_none() && fault.is_none(), "{pdn}: {said:?}");
    }
}

/// A game of the server against itself ends, and the proofs of both sides keep the draw.
fn proofs_keep_the_draw(server: &Server) {
    let mut moves = Vec::<String>::new();
    let result = loop {
        let request = json!({ "moves": moves }).to_string();
        let game = server.post("/api/4x4/game", &request).json();
        if game["result"] != "open" {
            break game["result"].clone();
        }
        let reply = server.post("/api/4x4/reply", &request).json();
        assert_ne!(reply["by"], "search", "{moves:?}");
        moves.push(reply["move"].as_str().unwrap().to_owned());
        assert!(moves.len() < 200, "{moves:?}");
    };
    assert_eq!(result, "draw", "{moves:?}");
    let over = server.post("/api/4x4/reply", &json!({ "moves": moves }).to_string()).json();
    assert_eq!(over["move"], Value::Null);
}

#[test]
fn lists_and_slices() {
    let here = tempfile::tempdir().unwrap();
    small_proof(here.path());
    let server = Server::start(&[], here.path());
    lists_of_positions_are_answered(&server);
    slices_have_the_counts_of_stats(&server, here.path());
    totals_are_sums(&server);
    counts_need_no_figures(&server, here.path());
}

fn lists_of_positions_are_answered(server: &Server) {
    let batch = json!({ "positions": [START, "<script>", "B:W8:BK1"] }).to_string();
    let answers = server.post("/api/4x4/positions", &batch).json();
    assert_eq!((&answers[0]["lower"], &answers[0]["upper"]), (&json!("loss"), &json!("win")));
    assert!(answers[1]["error"].as_str().unwrap().contains("<script>"));
    assert_eq!(answers[2], server.get("/api/4x4/position?fen=B:W8:BK1").json());
    let too_many = json!({ "positions": vec![START; 1001] }).to_string();
    assert!(server.post("/api/4x4/positions", &too_many).problem(400).contains("1001"));
}

fn slices_have_the_counts_of_stats(server: &Server, here: &Path) {
    let boards = server.get("/api/boards").json();
    assert_eq!((&boards[0]["board"], &boards[0]["pieces"]), (&json!("4x4"), &json!("3")));
    let stats = prove(&["stats", "--game", "4x4", "--format", "tsv", "-q"], here);
    let slices = server.get("/api/4x4/slices").json();
    let slices = slices.as_array().unwrap();
    for line in stats.lines().skip(1).take_while(|line| !line.starts_with("total")) {
        let columns: Vec<&str> = line.split('\t').collect();
        let slice = server.get(&format!("/api/4x4/slices/{}", columns[0])).json();
        for (column, name) in columns[1..].iter().zip(["positions", "win", "draw", "loss"]) {
            assert_eq!(slice[name].to_string(), *column, "{name}: {line}");
        }
        let listed = slices.iter().find(|listed| listed["slice"] == columns[0]).unwrap();
        assert_eq!(listed["positions"], slice["positions"]);
    }
    server.get("/api/4x4/slices/9,9,9,9").problem(404);
}

fn totals_are_sums(server: &Server) {
    let totals = server.get("/api/4x4/totals").json();
    let slices = server.get("/api/4x4/slices").json();
    for total in totals.as_array().unwrap() {
        let of_total = |slice: &&Value| {
            let name = slice["slice"].as_str().unwrap();
            let pieces: u64 = name.split(',').map(|n| n.parse::<u64>().unwrap()).sum();
            total["pieces"] == pieces
        };
        let slices: Vec<_> = slices.as_array().unwrap().iter().filter(of_total).collect();
        assert_eq!((&total["slices"], &total["counted"]), (&json!(slices.len()), &total["slices"]));
        for field in ["positions", "win", "draw", "loss"] {
            let one = |slice: &&Value| {
                let name = slice["slice"].as_str().unwrap();
                server.get(&format!("/api/4x4/slices/{name}")).json()[field].as_u64().unwrap()
            };
            assert_eq!(total[field], slices.iter().map(one).sum::<u64>(), "{field}: {total}");
        }
    }
    assert_eq!(totals.as_array().unwrap().len(), 2);
}

/// Categories of moves are those of the positions after them, and lichess' names are used.
#[test]
fn positions_in_the_shape_of_lila_tablebase() {
    let here = tempfile::tempdir().unwrap();
    prove(&["db", "--game", "8x8", "--pieces", "3", "--depth", "-q"], here.path());
    let server = Server::start(&[], here.path());
    for fen in ["B:WK26:BK25,21", "W:W31,10:BK3", "W:W32:B1", "B:W5:B", "B:W18,19,20:B1"] {
        let ours = server.get(&format!("/api/8x8/position?fen={fen}")).json();
        let theirs = server.get(&format!("/api/8x8/tablebase?fen={fen}")).json();
        let value = ours["value"].as_str().unwrap_or("unknown");
        assert_eq!(theirs["category"], value, "{fen}");
        let sign = if value == "loss" { -1 } else { 1 };
        assert_eq!(theirs["dtc"].as_i64(), ours["depth"].as_i64().map(|n| sign * n), "{fen}");
        let moves = theirs["moves"].as_array().unwrap();
        assert_eq!(theirs["variant_loss"], moves.is_empty());
        for (theirs, ours) in moves.iter().zip(ours["moves"].as_array().unwrap()) {
            assert_eq!(theirs["san"], ours["move"]);
            let after = ours["fen"].as_str().unwrap();
            let after = server.get(&format!("/api/8x8/tablebase?fen={after}")).json();
            // A position can follow from its moves where that is not looked at for a move.
            if theirs["category"] == "unknown" {
                continue;
            }
            for field in ["category", "dtc", "variant_loss"] {
                assert_eq!(theirs[field], after[field], "{fen}: {theirs} and {after}");
            }
        }
    }
    let list = json!({ "positions": ["W:W32:B1", "start", "nothing"] }).to_string();
    let list = server.post("/api/8x8/tablebase", &list).json();
    assert_eq!(list[0], server.get("/api/8x8/tablebase?fen=W:W32:B1").json());
    assert_eq!(list[1]["category"], "unknown");
    assert!(list[2]["error"].as_str().unwrap().contains("nothing"), "{list}");
}

/// The recorded figures of a build are not needed, and those of another slice are not accepted.
fn counts_need_no_figures(server: &Server, here: &Path) {
    let figures = here.join("egdb/4x4.figures");
    let noted = std::fs::read_to_string(&figures).unwrap();
    let one = server.get("/api/4x4/slices/1,0,1,1").json();
    let line = noted.lines().find(|line| line.starts_with("1-0-1-1\t")).unwrap();
    let mut other: Vec<&str> = line.split('\t').collect();
    // The fields of wins and bytes.
    (other[3], other[5]) = ("0", "7");
    std::fs::remove_file(&figures).unwrap();
    assert_eq!(Server::start(&[], here).get("/api/4x4/slices/1,0,1,1").json(), one);
    std::fs::write(&figures, other.join("\t")).unwrap();
    assert_eq!(Server::start(&[], here).get("/api/4x4/slices/1,0,1,1").json(), one);
}

#[test]
fn every_described_address_answers() {
    let here = tempfile::tempdir().unwrap();
    small_proof(here.path());
    let server = Server::start(&["cert"], here.path());
    let root = server.get("/api/certificates").json()[0]["root"].as_str().unwrap().to_owned();
    let document = server.get("/openapi.json").json();
    let paths = document["paths"].as_object().unwrap();
    assert_eq!(paths.len(), 19);
    for (path, methods) in paths {
        let path = path.replace("{board}", "4x4").replace("{slice}", "1,0,1,0");
        let path = path.replace("{root}", &root).replace("{number}", "0");
        if methods.get("get").is_some() {
            let needs_fen = ["position", "line", "solved", "tablebase"];
            let needs_fen = needs_fen.iter().any(|end| path.ends_with(end));
            let query = if needs_fen { "?fen=B:W8:B1" } else { "" };
            server.get(&format!("{path}{query}")).json();
        } else {
            let body = json!({ "positions": [], "moves": [], "pdn": "1. 1-3 *" }).to_string();
            server.post(&path, &body).json();
        }
    }
    assert_eq!(server.get("/healthz").body, "ok\n");
    let metrics = server.get("/metrics").body;
    let counted = "draughtproof_requests_total{route=\"/api/{board}/position\",status=\"200\"} 1";
    assert!(metrics.contains(counted), "{metrics}");
}

const SCHEMATHESIS: &str = "schemathesis==4.32.5";

#[test]
#[ignore = "needs python3 with pip"]
fn answers_match_the_document() {
    let here = tempfile::tempdir().unwrap();
    small_proof(here.path());
    let server = Server::start(&["cert"], here.path());
    let package = package(SCHEMATHESIS, Path::new(env!("CARGO_TARGET_TMPDIR")));
    let mut command = Command::new("python3");
    command.arg(package.join("bin/st")).arg("run");
    command.arg(format!("http://{}/openapi.json", server.address));
    // A FEN of the right form may be that of no legal position, so not every valid request is
    // accepted.
    command.args(["--exclude-checks", "positive_data_acceptance"]);
    command.args(["--phases", "examples,coverage,fuzzing", "--max-examples", "20", "--seed", "1"]);
    command.args(["--warnings", "off", "--no-color"]);
    let output = command.env("PYTHONPATH", &package).current_dir(here.path()).output();
    let output = output.expect("python3 is needed here");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    // Every address was requested, by each of its methods.
    let document = server.get("/openapi.json").json();
    let addresses = document["paths"].as_object().unwrap().values();
    let requests: usize = addresses.map(|methods| methods.as_object().unwrap().len()).sum();
    assert!(said.contains(&format!("{requests} selected")), "{said}");
    server.get("/healthz");
}

fn why(server: &Server, root: &str, question: &str, fen: &str) -> Value {
    server.get(&format!("/api/certificates/{root}/why?question={question}&fen={fen}")).json()
}

#[test]
fn the_tree_leads_to_the_database() {
    let here = tempfile::tempdir().unwrap();
    small_proof(here.path());
    let server = Server::start(&["cert"], here.path());
    let certificate = server.get("/api/certificates").json()[0].take();
    let (root, start) =
        (certificate["root"].as_str().unwrap(), certificate["start"].as_str().unwrap());
    for (question, turn) in [("black-not-lost", 'B'), ("white-not-lost", 'W')] {
        let counted = walk(&server, root, question, start, turn);
        assert!(counted > 3, "{question}: {counted}");
    }
}

/// Visits all positions of a proof, in which each move has an answer. Returns their number, which
/// the first move of the proof states, too.
fn walk(server: &Server, root: &str, question: &str, start: &str, turn: char) -> usize {
    let game: Game = "4x4".parse().unwrap();
    let mut seen = BTreeSet::new();
    let mut to_visit = VecDeque::from([start.to_owned()]);
    let mut ends = BTreeSet::new();
    while let Some(fen) = to_visit.pop_front() {
        let answer = why(server, root, question, &fen);
        let kind = answer["place"]["kind"].as_str().unwrap();
        let moves = answer["moves"].as_array().unwrap();
        if !["node", "leaf"].contains(&kind) {
            assert!(moves.is_empty() && kind != "outside", "{answer}");
            ends.insert(kind.to_owned());
            continue;
        }
        assert_eq!(answer["claimant_moves"], fen.starts_with(turn), "{answer}");
        if !seen.insert(fen.clone()) {
            continue;
        }
        let at = game.board.read_fen(&fen).unwrap();
        let mut successors = Vec::new();
        game.board.successors(&at, &mut successors);
        let expected = if fen.starts_with(turn) { 1 } else { successors.len() };
        assert_eq!(moves.len(), expected, "{answer}");
        for step in moves {
            let after = game.board.read_move(&at, step["move"].as_str().unwrap()).unwrap();
            assert_eq!(step["fen"], game.board.write_fen(&after));
            if let Some(reply) = step["answer"]["move"].as_str() {
                let end = game.board.read_move(&after, reply).unwrap();
                assert_eq!(step["answer"]["fen"], game.board.write_fen(&end));
            }
            to_visit.push_back(step["fen"].as_str().unwrap().to_owned());
        }
    }
    assert!(ends.contains("database"), "{ends:?}");
    let first = why(server, root, question, start);
    if first["claimant_moves"] == true {
        let below = &first["moves"][0]["below"];
        let counted = below["nodes"].as_u64().unwrap() + below["positions"].as_u64().unwrap();
        // The start itself is not below its move, unless the proof comes back to it.
        let counted = usize::try_from(counted).unwrap();
        assert!([seen.len() - 1, seen.len()].contains(&counted), "{first}");
    }
    seen.len()
}

#[test]
fn the_tree_never_changes_and_has_no_other_positions() {
    let here = tempfile::tempdir().unwrap();
    small_proof(here.path());
    let server = Server::start(&["cert"], here.path());
    let root = server.get("/api/certificates").json()[0]["root"].as_str().unwrap().to_owned();
    let path = format!("/api/certificates/{root}/why");
    let first = server.get(&path);
    assert_eq!(first.header("cache-control"), "public, max-age=31536000, immutable");
    let again = server.get_with(&path, Some(("if-none-match", first.header("etag"))));
    assert_eq!((again.status, &*again.body), (304, ""));
    let outside = server.get(&format!("{path}?fen=B:WK1,K2:BK7,K8")).json();
    assert_eq!((&outside["place"], &outside["moves"]), (&json!({"kind": "outside"}), &json!([])));
    server.get(&format!("{path}?question=black-wins")).problem(404);
    server.get(&format!("{path}?fen=nothing")).problem(400);
}
