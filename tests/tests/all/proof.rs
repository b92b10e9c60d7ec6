//! Proofs that are interrupted, conditional, or continued with earlier results.
//!
//! Whole games: proved, written and checked.

use certificate_spec::provenance::Asked;
use draughtproof_egdb::Store;
use draughtproof_egdb::numbers::counted;
use draughtproof_proof::proof::{Item, SearchContext, search_digest};
use draughtproof_proof::search::{Checkpoint, ProgressCallback, Search, SearchProgress};
use std::sync::atomic::Ordering;
use tests::prelude::*;

/// A proof that takes long: the database is small, and each search may expand few nodes.
const LONG: [&str; 9] =
    ["--game", "6x6", "--pieces", "5", "--leaf-nodes", "500", "--quiet", "--emit", "cert"];

/// The line with the root of the certificate.
fn root(said: &str) -> String {
    said.lines().last().unwrap().split("root=").nth(1).unwrap().to_string()
}

#[test]
fn killed_proofs_resume() {
    let calm = tempfile::tempdir().unwrap();
    let begin = Instant::now();
    let want = root(&prove(&LONG, calm.path()));
    let whole = begin.elapsed();
    let killed = tempfile::tempdir().unwrap();
    let mut g = Gen::new(10);
    // The machine may be busy with other work.
    let (mut kills, mut delay) = (0, (whole / 10).min(Duration::from_millis(100)));
    let said = loop {
        let mut prover = start("prove", &LONG, killed.path());
        std::thread::sleep(delay.mul_f64(0.5 + f64::from(u8::arbitrary(&mut g)) / 255.0));
        delay += delay / 3;
        if prover.try_wait().unwrap().is_some() {
            let output = prover.wait_with_output().unwrap();
            assert!(output.status.success(), "{output:?}");
            break String::from_utf8(output.stdout).unwrap();
        }
        prover.kill().unwrap();
        prover.wait().unwrap();
        kills += 1;
        // A certificate is complete or does not exist; the kill may have come just after it was
        // written.
        if killed.path().join("cert").exists() {
            let verdict = check(&["cert"], killed.path()).verdict;
            assert!(verdict.starts_with("s VERIFIED DRAW 6x6"), "{verdict}");
        }
    };
    assert!(kills > 0, "the prover was never killed");
    assert_eq!(root(&said), want);
    // With all results kept it takes a fraction of the time, and one thread gives the same root.
    fs::remove_dir_all(killed.path().join("cert")).unwrap();
    let said = prove(&[&LONG[..], &["--threads", "1"]].concat(), killed.path());
    assert_eq!(root(&said), want);
    let verdict = check(&["cert"], killed.path()).verdict;
    assert!(verdict.starts_with("s VERIFIED DRAW 6x6"), "{verdict}");
}

fn long_item(game: &Game) -> Item {
    Item {
        attacker: Side::White,
        position: game.start(),
        nodes: 1_000_000,
        table: 1 << 30,
        heuristic_nodes: 1000,
        threads: 1,
    }
}

/// Searches an item until `report` stops it, and keeps it in a file; returns its nodes.
fn search_kept(
    context: &SearchContext<'_>,
    file: &Path,
    digest: Digest,
    report: &ProgressCallback<'_>,
) -> u64 {
    let item = long_item(&"6x6".parse().unwrap());
    let checkpoint = Checkpoint::new(file.into(), digest, &|_| ()).always();
    let search = Search::new(context.goal(item.attacker), item.table);
    let mut search = search.with_progress(report).with_checkpoint(checkpoint);
    search.run(&item.position, item.nodes);
    assert!(search.is_stopped() && file.exists());
    search.nodes()
}

/// The kept state of a long search whose process died is used, and leads to the same certificate.
#[test]
fn kept_searches_resume() {
    let directory = tempfile::tempdir().unwrap();
    let whole = directory.path().join("whole");
    let kept = directory.path().join("kept");
    let options = "--pieces 4 --leaf-nodes 1000000 --claim black-not-lost --emit cert";
    let options: Vec<&str> = options.split(' ').collect();
    for directory in [&whole, &kept] {
        fs::create_dir(directory).unwrap();
        prove(&["db", "--pieces", "4", "-q"], directory);
    }
    let want = root(&prove(&options, &whole));

    let game: Game = "6x6".parse().unwrap();
    let manifest = Store::new(&kept.join("egdb"), &game.board).manifest().unwrap();
    let database = database(&game.board, 4);
    let database_root = Some(manifest.root());
    let context = SearchContext { board: &game.board, database: &database, database_root };
    let digest = search_digest(&long_item(&game).encode(&context));
    let file = kept.join(format!("egdb/6x6.results.{}", &digest.to_string()[..16]));
    let heard = AtomicU64::new(0);
    let nodes = search_kept(&context, &file, digest, &|SearchProgress { nodes, .. }| match heard
        .fetch_add(nodes, Ordering::Relaxed)
    {
        0..=100_000 => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    });
    resumed_searches_count_kept_nodes(
        &context,
        &directory.path().join("copy"),
        &file,
        digest,
        nodes,
    );
    // The kept search of another proof stays, and a message names it.
    let others = kept.join("egdb/6x6.results.0123456789abcdef");
    fs::write(&others, [0; 2048]).unwrap();
    fs::write(kept.join("egdb/6x6.results.mine"), "").unwrap();

    let output = run(&path("prove"), &options, &kept);
    let said = String::from_utf8(output.stderr).unwrap();
    let left = "egdb/6x6.results.0123456789abcdef: a search is kept there that this proof has not needed (2,048 bytes)";
    assert!(said.contains(left) && said.matches("a search is kept").count() == 1, "{said}");
    assert!(said.contains(&format!("a search goes on after {}", counted(nodes, "node"))), "{said}");
    assert_eq!(root(&String::from_utf8(output.stdout).unwrap()), want);
    assert!(others.exists() && !file.exists());
}

/// A process that continues a search counts from the kept number of nodes.
fn resumed_searches_count_kept_nodes(
    context: &SearchContext<'_>,
    copy: &Path,
    file: &Path,
    digest: Digest,
    nodes: u64,
) {
    fs::copy(file, copy).unwrap();
    let before = AtomicU64::new(0);
    let now = AtomicU64::new(0);
    let all = search_kept(context, copy, digest, &|progress: SearchProgress| {
        before.fetch_add(progress.before, Ordering::Relaxed);
        now.fetch_add(progress.nodes, Ordering::Relaxed);
        ControlFlow::Break(())
    });
    assert_eq!(before.load(Ordering::Relaxed), nodes);
    assert_eq!(all, nodes + now.load(Ordering::Relaxed));
}

const AT_THRESHOLDS: [&str; 9] =
    ["--game", "5x7/2", "--pieces", "5", "--leaf-nodes", "300", "-q", "--emit", "cert"];

#[test]
fn certificates_at_thresholds() {
    let here = &Scratch::empty();
    let until = ["--threshold", "30", "--increment", "50", "--until-threshold", "80"];
    let until = [&AT_THRESHOLDS[..], &until].concat();
    let emitted = prove(&until, here);
    let said = check(&["cert"], here);
    assert!(said.verdict.starts_with("s CONDITIONAL "), "{said:?}");
    let assumed = said.verdict.split(' ').find_map(|word| word.strip_prefix("assumed=")).unwrap();
    let not_proved = format!("NOT PROVED yet; if {assumed} assumed position");
    assert!(emitted.starts_with(&not_proved), "{emitted}");
    for format in ["text", "html"] {
        let report = prove(&["report", "cert", "--format", format, "-q"], here);
        assert!(report.contains(&not_proved) && !report.contains("is a win for"), "{report}");
    }
    // An assumed node refutes no claim, so this claim holds.
    let claim = ["--threshold", "50", "--until-threshold", "50", "--claim", "white-not-lost"];
    let words = ["NOT PROVED yet; if ", "hold: the claim does not hold"];
    fails(here, &[&AT_THRESHOLDS[..], &claim].concat(), 1, &words);
    weaker_certificates_replace_none(here);
    assert_eq!(check(&["cert"], here).verdict, said.verdict);
    prove(&[&AT_THRESHOLDS[..], &["--threshold", "30"]].concat(), here);
    let said = check(&["cert"], here);
    assert!(said.verdict.starts_with("s VERIFIED DRAW 5x7/2"), "{said:?}");
    // A certificate is not replaced by a conditional one.
    fails(here, &until, 3, &[]);
    assert_eq!(check(&["cert"], here).verdict, said.verdict);
}

/// A certificate that says less, is made in another way, or is of another game does not replace the
/// conditional one.
fn weaker_certificates_replace_none(here: &Path) {
    let lower = ["--threshold", "30", "--increment", "50", "--until-threshold", "30"];
    let other_way = ["--threshold", "30", "--increment", "60", "--until-threshold", "90"];
    for options in [lower, other_way] {
        fails(here, &[&AT_THRESHOLDS[..], &options].concat(), 3, &[]);
    }
    fails(here, &["--game", "4x4", "-q", "--emit", "cert"], 3, &[]);
}

#[test]
fn disguised_assumptions_are_refuted() {
    let directory = &Scratch::empty();
    let until = ["--threshold", "50", "--until-threshold", "50"];
    prove(&[&AT_THRESHOLDS[..], &until].concat(), directory);
    let said = check(&["cert"], directory);
    assert!(said.verdict.starts_with("s CONDITIONAL BLACK-WINS 5x7/2"), "{said:?}");
    let draft = Draft::read(&directory.join("cert"));
    assert!(draft.parts.len() == 1 && draft.parts[0].leaves.is_empty());

    let refused = |what: &str, rules: &[&str], edit: &dyn Fn(&mut Part)| {
        let mut draft = draft.clone();
        edit(&mut draft.parts[0]);
        draft.write(&directory.join("forged"));
        let said = check(&["forged", "--db", "egdb"], directory);
        assert_eq!(said.status, Some(1), "{what}: {said:?}");
        let named = |rule: &&str| said.verdict.starts_with(&format!("s REFUTED {rule} "));
        assert!(rules.iter().any(named), "{what}: {said:?}");
    };
    let is_assumed = |node: &Node| node.kind == kind::ASSUMED;
    refused("left out", &["not-covered"], &|part| part.nodes.retain(|node| !is_assumed(node)));
    for choice in 0..4 {
        // Black is the claimant, so Black's nodes are Or and White's And.
        refused("as inner nodes", &["not-covered", "database-value", "move-index"], &|part| {
            for node in part.nodes.iter_mut().filter(|node| is_assumed(node)) {
                let is_or = node.position.turn == 0;
                node.kind = if is_or { kind::OR } else { kind::AND };
                node.data = if is_or { choice } else { 0 };
            }
        });
    }
    // A leaf of a single position, whose first move leads back into the tree or to a position
    // without proof.
    refused("as leaves", &["leaf-syntax", "database-value"], &|part| {
        let Part { nodes, leaves, .. } = part;
        for node in nodes.iter_mut().filter(|node| is_assumed(node)) {
            (node.kind, node.data) = (kind::LEAF, u32::try_from(leaves.len()).unwrap());
            leaves.push(Leaf { positions: 1, strategy: vec![0] });
        }
    });
    // Nodes that prove each other: all have the same rank.
    refused("in a circle", &["rank"], &|part| part.nodes.iter_mut().for_each(|node| node.rank = 7));
}

#[test]
fn values_replace_bounds() {
    let here = &Scratch::empty();
    let value = ["--game", "4x4", "--pieces", "3", "--emit", "cert", "-q"];
    let half = [&value[..], &["--claim", "black-not-lost"]].concat();
    prove(&half, here);
    // A certificate of one side's claim only, as it was asked for.
    assert_eq!(run(&path("prove"), &value, here).status.code(), Some(3));
    // The certificate that Ctrl-C leaves where the value was asked for.
    let mut draft = Draft::read(&here.join("cert"));
    let provenances = draft.parts.iter_mut().flat_map(|part| &mut part.provenance);
    provenances.for_each(|provenance| provenance.request.claim = Asked::Value);
    draft.write(&here.join("cert"));
    assert!(check(&["cert"], here).verdict.starts_with("s VERIFIED BLACK-NOT-LOST 4x4 "));
    prove(&value, here);
    assert!(check(&["cert"], here).verdict.starts_with("s VERIFIED DRAW 4x4 "));
    // No other certificate replaces that one.
    assert_eq!(run(&path("prove"), &half, here).status.code(), Some(3));
    assert!(check(&["cert"], here).verdict.starts_with("s VERIFIED DRAW 4x4 "));
}

#[test]
fn a_second_process_leaves_the_first_alone() {
    let here = &Scratch::empty();
    prove(&["db", "--game", "6x6", "--pieces", "4", "-q"], here);
    // The proof takes seconds.
    let words = ["--game", "6x6", "--pieces", "4", "--leaf-nodes", "300", "-q", "--emit", "cert"];
    let mut first = start("prove", &words, here);
    while !here.join("egdb/6x6.results").exists() {
        assert!(first.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(10));
    }
    let mut refused = 0;
    while first.try_wait().unwrap().is_none() {
        let second = run(&path("prove"), &words, here);
        refused += u32::from(second.status.code() == Some(3));
    }
    let output = first.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(refused > 0 && here.join("cert/MANIFEST").exists());
}

#[cfg(unix)]
#[test]
fn standard_error_may_be_full() {
    let here = &Scratch::empty();
    for words in
        ["--game 4x4 --pieces 3 --emit cert", "db --game 4x4 --pieces 4", "--no-such-option"]
    {
        let output = Command::new(path("prove"))
            .args(words.split(' '))
            .current_dir(here)
            .stderr(fs::OpenOptions::new().write(true).open("/dev/full").unwrap())
            .output()
            .unwrap();
        let status = if words.starts_with("--no") { 2 } else { 0 };
        assert_eq!(output.status.code(), Some(status), "{words}: {output:?}");
    }
    assert_eq!(check(&["cert"], here).status, Some(0));
}

#[cfg(unix)]
#[test]
fn ctrl_c_emits_what_there_is() {
    let directory = &Scratch::empty();
    prove(&["db", "--game", "6x8", "--pieces", "3", "-q"], directory);
    let game = "--game 6x8 --pieces 3 --leaf-nodes 10000 -q --emit cert".split(' ');
    let game: Vec<&str> = game.collect();
    // Interrupted too early, `prove` has nothing to emit, says so, and goes on from there the next
    // time.
    for delay in [2, 4, 8, 16] {
        let mut prover = start("prove", &game, directory);
        std::thread::sleep(Duration::from_secs(delay));
        assert!(prover.try_wait().unwrap().is_none(), "6x8 cannot be proved in a moment");
        signal(&prover, Signal::INT);
        let output = prover.wait_with_output().unwrap();
        // The certificate is not the one that was asked for, even if one is emitted.
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        if directory.join("cert").exists() {
            let said = String::from_utf8(output.stdout).unwrap();
            let claim = said.lines().next().unwrap();
            assert!(claim.starts_with("NOT PROVED yet; if "), "{said}");
            break;
        }
        assert!(output.stdout.is_empty(), "{output:?}");
    }
    let said = check(&["cert"], directory);
    assert!(said.verdict.starts_with("s CONDITIONAL "), "{said:?}");
}

/// Proves with the given options and checks; the verdict must begin with the given words.
fn prove_and_check(directory: &Path, options: &[&str], words: &str) {
    let _ = fs::remove_dir_all(directory.join("cert"));
    prove(&[options, &["--emit", "cert", "--quiet"]].concat(), directory);
    let said = check(&["cert"], directory);
    let verdict = format!("s VERIFIED {words} ");
    assert!(said.verdict.starts_with(&verdict), "{options:?}: {said:?}");
    assert_eq!(said.status, Some(0));
}

/// Proves a small game with the defaults, then with fewer pieces and tiny leaves, so that nodes,
/// leaves and database positions all matter.
fn game(name: &str, value: &str, pieces: &str, leaf_nodes: &str) {
    let directory = &Scratch::empty();
    let words = format!("{value} {name} start=initial");
    prove_and_check(directory, &["--game", name], &words);
    let deep = ["--game", name, "--pieces", pieces, "--leaf-nodes", leaf_nodes];
    prove_and_check(directory, &deep, &words);
    let consistent = check(&["cert", "--level", "consistent"], directory);
    let want = if value == "DRAW" { "s VERIFIED DRAW" } else { "s DECLINED level" };
    assert!(consistent.verdict.starts_with(want), "{name}: {consistent:?}");
}

#[test]
fn small_games() {
    game("4x4", "DRAW", "2", "3");
    game("6x4", "WHITE-WINS", "3", "20");
    game("5x5/2", "WHITE-WINS", "3", "50");
    game("8x4", "DRAW", "5", "2000");
    game("4x8", "DRAW", "4", "1000");
}

/// Its proof has repetitions.
#[test]
fn game_5x7_2() {
    game("5x7/2", "DRAW", "5", "3000");
}

#[test]
fn game_6x6() {
    game("6x6", "DRAW", "5", "2000");
}

#[test]
fn games_without_a_database() {
    let directory = tempfile::tempdir().unwrap();
    for game in ["3x3/1", "4x2", "3x5/1", "4x4", "6x4"] {
        let options = ["--game", game, "--pieces", "0"];
        let out = prove(&[&options[..], &["--emit", "first", "-q"]].concat(), directory.path());
        let value = out.split(' ').next().unwrap();
        prove_and_check(directory.path(), &options, &format!("{value} {game} start=initial"));
        // The value is the same with a database.
        prove_and_check(
            directory.path(),
            &["--game", game],
            &format!("{value} {game} start=initial"),
        );
        fs::remove_dir_all(directory.path().join("first")).unwrap();
    }
}

#[test]
fn bounds_of_positions() {
    let directory = &Scratch::empty();
    for (fen, claim, value) in [
        // Black is a man ahead and does not lose. (More may be true, and is not claimed.)
        ("B:W13,14,16,18:B1,2,3,5,6", "black-not-lost", "BLACK-NOT-LOST"),
        ("W:W13,14,15,17,18:B1,2,5,6", "white-not-lost", "WHITE-NOT-LOST"),
        // From the start both sides hold the draw.
        ("B:W13,14,15,16,17,18:B1,2,3,4,5,6", "black-not-lost", "BLACK-NOT-LOST"),
        ("B:W13,14,15,16,17,18:B1,2,3,4,5,6", "white-not-lost", "WHITE-NOT-LOST"),
        // The start is in the database, so no node is needed.
        ("B:W17,18:BK1,K2", "black-not-lost", "BLACK-NOT-LOST"),
    ] {
        let options = ["--pieces", "5", "--fen", fen, "--claim", claim];
        let start = if fen.starts_with("B:W13,14,15,16,17") { "initial" } else { fen };
        prove_and_check(directory, &options, &format!("{value} 6x6 start={start}"));
    }
}

#[test]
fn values_of_positions_won_by_either_side() {
    let directory = tempfile::tempdir().unwrap();
    for (fen, value) in [
        ("B:W17,18:B1,2,3,4,5", "BLACK-WINS"),
        ("W:W14,15,16,17,18:B1,2", "WHITE-WINS"),
        // The side to move has no move or no piece, and has lost.
        ("B:W7,8,10,12:B5", "WHITE-WINS"),
        ("W:W:B1", "BLACK-WINS"),
        ("B:W:B1", "BLACK-WINS"),
        ("B:W18:B", "WHITE-WINS"),
    ] {
        let options = ["--pieces", "3", "--leaf-nodes", "50", "--fen", fen];
        prove_and_check(directory.path(), &options, &format!("{value} 6x6 start={fen}"));
    }
}

#[test]
fn threads_do_not_change_certificates() {
    let directory = &Scratch::empty();
    for options in [
        "--game 6x6 --pieces 5 --leaf-nodes 3000",
        "--game 5x5/2 --pieces 3 --leaf-nodes 50",
        "--game 8x4 --pieces 4 --leaf-nodes 3000",
        // By the heuristic scores each side seems to win.
        "--game 5x7/2 --pieces 5 --leaf-nodes 300 --threshold 30 --until-threshold 30",
    ] {
        let options: Vec<&str> = options.split(' ').collect();
        let bytes = |threads: &str| {
            let to = ["--threads", threads, "--emit", threads, "--db", "egdb", "-q"];
            let _ = fs::remove_dir_all(directory.join("egdb"));
            let _ = fs::remove_dir_all(directory.join(threads));
            prove(&[&options[..], &to].concat(), directory);
            let mut database = read_all(&directory.join("egdb"));
            // The files of times and of results depend on the run: figures on time, results on
            // order.
            database.retain(|name, _| !name.ends_with(".figures") && !name.ends_with(".results"));
            (read_all(&directory.join(threads)), database)
        };
        let one = bytes("1");
        assert!(one.0.len() > 3 && one.1.len() > 3, "{options:?}: too little to compare");
        assert!(one == bytes("2"), "{options:?}: 2 threads");
        assert!(one == bytes("4"), "{options:?}: 4 threads");
    }
}

#[test]
fn a_second_run_keeps_the_certificate() {
    let directory = &Scratch::empty();
    let options = ["--game", "4x4", "--emit", "cert", "-q"];
    let kept = || {
        let mut files = read_all(directory);
        // Earlier results are used and not found again.
        files.retain(|name, _| !name.ends_with(".results"));
        files
    };
    let first = prove(&options, directory);
    let before = kept();
    assert_eq!(first, prove(&options, directory));
    assert!(before == kept());
}
