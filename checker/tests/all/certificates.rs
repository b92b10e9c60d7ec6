//! Certificates that are right are verified.

use crate::common::*;
use checker_core::Verdict;

#[test]
fn a_draw_with_nodes_alone() {
    let oracle = Oracle::new(&board("4x4"), 4);
    let certificate = draw_4x4(&oracle, u32::MAX);
    let line = verdict(&certificate);
    let nodes: usize = certificate.parts.iter().map(|part| part.nodes.len()).sum();
    assert!(line.starts_with("s VERIFIED DRAW 4x4 start=initial root="), "{line}");
    assert!(
        line.ends_with(&format!(
            "db=none pieces=0 db-root=none nodes={nodes} leaves=0 positions=0"
        )),
        "{line}"
    );
    assert!(nodes > 20);
}

#[test]
fn a_draw_with_leaves_in_many_objects() {
    let oracle = Oracle::new(&board("4x4"), 4);
    for (depth, chunk) in [(0, 1), (1, 3), (3, 2), (5, 7)] {
        let mut certificate = draw_4x4(&oracle, depth);
        certificate.chunk = chunk;
        let line = verdict(&certificate);
        assert!(line.starts_with("s VERIFIED DRAW 4x4"), "{depth}: {line}");
        assert!(certificate.parts.iter().all(|part| !part.leaves.is_empty()));
    }
}

/// Certificates of every value, with and without database and leaves.
fn for_each_kind(check: &mut dyn FnMut(Place, Claimed, u8, Side)) {
    let game = Game::parse("4x4").unwrap();
    let oracle = Oracle::new(game.board(), 4);
    let black = longest_win(&oracle, Side::Black);
    let white = longest_win(&oracle, Side::White);
    let claims = [
        (Claimed::Draw, game.initial()),
        (Claimed::BlackNotLost, black),
        (Claimed::WhiteNotLost, white),
        (Claimed::BlackWins, black),
        (Claimed::WhiteWins, white),
    ];
    for pieces in [0, 2, 3, 4] {
        for leaf_depth in [0, 2, u32::MAX] {
            for (value, start) in claims {
                let place = Place::new();
                let root = (pieces > 0).then(|| {
                    let all = database(game.board(), 4);
                    write_database(&place.db(), &all, 4);
                    // The root of a database of the first slices only.
                    write_database(&Place::new().db(), &database(game.board(), pieces), pieces)
                });
                let maker = Maker { board: game.board(), oracle: &oracle, pieces, leaf_depth };
                maker.certificate("4x4", value, start, root).write(&place.cert());
                check(place, value, pieces, start.turn);
            }
        }
    }
}

#[test]
fn claims_of_every_value() {
    let mut count = 0;
    for_each_kind(&mut |place, value, pieces, _| {
        let line = place.check();
        assert!(line.starts_with(&format!("s VERIFIED {} 4x4 start=", value.word())), "{line}");
        assert!(line.contains(&format!(" pieces={pieces} ")), "{line}");
        let level = if pieces == 0 { " db=none " } else { " db=exact " };
        assert!(line.contains(level), "{line}");
        count += 1;
    });
    assert_eq!(count, 60);
}

#[test]
fn consistent_is_enough_for_not_lost_and_not_for_wins() {
    for_each_kind(&mut |place, value, pieces, _| {
        let options = Options { level: Level::Consistent, ..place.options() };
        let line = check_certificate(&place.cert(), &options).line();
        let wins = matches!(value, Claimed::BlackWins | Claimed::WhiteWins);
        if wins && pieces > 0 {
            assert_eq!(line, "s DECLINED level file=CLAIM expected=exact found=consistent");
        } else {
            assert!(line.starts_with("s VERIFIED "), "{line}");
            assert!(line.contains(" db=none ") || line.contains(" db=consistent "), "{line}");
        }
    });
}

#[test]
fn assumed_nodes_make_it_conditional() {
    let oracle = Oracle::new(&board("4x4"), 4);
    let mut certificate = draw_4x4(&oracle, u32::MAX);
    for part in &mut certificate.parts {
        for node in part.nodes.iter_mut().take(3) {
            node.kind = kind::ASSUMED;
            node.data = u32::MAX;
        }
    }
    let line = verdict(&certificate);
    assert!(line.starts_with("s CONDITIONAL DRAW 4x4 start=initial root="), "{line}");
    assert!(line.ends_with(" assumed=6"), "{line}");
    // One Assumed node, in a proof of winning or of one question only, is enough.
    let maker = Maker { board: &board("4x4"), oracle: &oracle, pieces: 0, leaf_depth: 9 };
    for (winner, value) in [(Side::Black, Claimed::BlackWins), (Side::White, Claimed::WhiteWins)] {
        let start = longest_win(&oracle, winner);
        let mut certificate = maker.certificate("4x4", value, start, None);
        certificate.parts[0].nodes.last_mut().unwrap().kind = kind::ASSUMED;
        certificate.parts[0].nodes.last_mut().unwrap().data = 0;
        let is_leaf = |part: &Part| part.nodes.iter().filter(|n| n.kind == kind::LEAF).count();
        let leaves = is_leaf(&certificate.parts[0]);
        certificate.parts[0].leaves.truncate(leaves);
        let line = verdict(&certificate);
        assert!(line.starts_with(&format!("s CONDITIONAL {} 4x4 ", value.word())), "{line}");
        assert!(line.ends_with(" assumed=1"), "{line}");
    }
    let mut last = draw_4x4(&oracle, u32::MAX);
    last.parts[1].nodes[0].kind = kind::ASSUMED;
    last.parts[1].nodes[0].data = 0;
    assert!(
        verdict(&last).starts_with("s CONDITIONAL DRAW ") && sampled(&last).ends_with("assumed=1")
    );
    // The verdict of a part has the number of assumed nodes, too, where there are any.
    assert!(sampled(&certificate).ends_with(" assumed=6"));
    assert!(!sampled(&draw_4x4(&oracle, u32::MAX)).contains("assumed"));
}

/// The verdict of a sample of the whole certificate.
fn sampled(certificate: &Certificate) -> String {
    let place = Place::new();
    certificate.write(&place.cert());
    let sample = Some(Sample { millionths: 1_000_000, seed: 1 });
    let line = check_certificate(&place.cert(), &Options { sample, ..place.options() }).line();
    assert!(line.starts_with("s SAMPLED "), "{line}");
    line
}

#[test]
fn a_start_in_the_database_or_without_a_move_needs_no_node() {
    let game = Game::parse("4x4").unwrap();
    let oracle = Oracle::new(game.board(), 4);
    let place = Place::new();
    let root = write_database(&place.db(), &database(game.board(), 4), 4);
    let maker = Maker { board: game.board(), oracle: &oracle, pieces: 4, leaf_depth: 9 };
    let certificate = maker.certificate("4x4", Claimed::Draw, game.initial(), Some(root));
    assert!(certificate.parts.iter().all(|part| part.nodes.is_empty()));
    certificate.write(&place.cert());
    // The folder of objects may be missing or be there.
    assert!(place.check().starts_with("s VERIFIED DRAW"));
    std::fs::remove_dir(place.cert().join("objects")).unwrap();
    assert!(place.check().ends_with("nodes=0 leaves=0 positions=0"));

    let stuck = fen("W:W:B1");
    let maker = Maker { pieces: 0, ..maker };
    let line = verdict(&maker.certificate("4x4", Claimed::BlackWins, stuck, None));
    assert!(line.starts_with("s VERIFIED BLACK-WINS 4x4 start=W:W:B1 "), "{line}");
}

/// Every value of a start in the database, with either side to move, and every claim about it.
#[test]
fn a_start_in_the_database_must_suit_the_claim() {
    let (b, place) = (board("4x4"), Place::new());
    let oracle = Oracle::new(&b, 3);
    let root = write_database(&place.db(), &database(&b, 3), 3);
    let mut claims = 0;
    for turn in [Side::Black, Side::White] {
        for value in [Value::Win, Value::Draw, Value::Loss] {
            let is_wanted = |p: &&Position| p.turn == turn && oracle.value(p) == value;
            let start = *oracle.0.keys().filter(is_wanted).max().unwrap();
            let black = match (turn, value) {
                (_, Value::Draw) => Value::Draw,
                (Side::Black, value) => value,
                (Side::White, Value::Win) => Value::Loss,
                (Side::White, _) => Value::Win,
            };
            for (claim, holds) in [
                (Claimed::BlackWins, black == Value::Win),
                (Claimed::WhiteWins, black == Value::Loss),
                (Claimed::BlackNotLost, black != Value::Loss),
                (Claimed::WhiteNotLost, black != Value::Win),
                (Claimed::Draw, black == Value::Draw),
            ] {
                let maker = Maker { board: &b, oracle: &oracle, pieces: 3, leaf_depth: 9 };
                maker.certificate("4x4", claim, start, Some(root)).write(&place.cert());
                let (line, word) = (place.check(), claim.word());
                let right = match holds {
                    true => format!("s VERIFIED {word} 4x4 "),
                    false => "s REFUTED database-value file=CLAIM position=".into(),
                };
                assert!(line.starts_with(&right), "{turn:?} {value:?} {word}: {line}");
                claims += 1;
            }
        }
    }
    assert_eq!(claims, 30);
}

#[test]
fn a_database_with_as_many_pieces_as_there_are_squares() {
    let game = Game::parse("4x2").unwrap();
    let (all, start) = (u8::try_from(game.board().squares()).unwrap(), game.initial());
    let oracle = Oracle::new(game.board(), all.into());
    let value = match oracle.value(&start) {
        Value::Win => Claimed::BlackWins,
        Value::Draw => Claimed::Draw,
        Value::Loss => Claimed::WhiteWins,
    };
    let place = Place::new();
    let root = write_database(&place.db(), &database(game.board(), all), all);
    let maker = Maker { board: game.board(), oracle: &oracle, pieces: all, leaf_depth: 9 };
    maker.certificate("4x2", value, start, Some(root)).write(&place.cert());
    let line = place.check();
    assert!(line.starts_with(&format!("s VERIFIED {} 4x2 ", value.word())), "{line}");
    assert!(line.contains(" pieces=4 "), "{line}");
}

#[test]
fn a_database_alone() {
    let b = board("5x5");
    let place = Place::new();
    let root = write_database(&place.db(), &database(&b, 4), 4);
    for level in [Level::Exact, Level::Consistent] {
        let options = Options { level, ..place.options() };
        let line = check_database(&b, None, &options).line();
        let word = if level == Level::Exact { "VERIFIED" } else { "CONSISTENT" };
        let start = format!(
            "s {word} DATABASE 5x5 pieces=4 db-root={root} format=1 rules=english-checkers-1 db={} slices=",
            level.word()
        );
        assert!(line.starts_with(&start), "{line}");
        let line = check_database(&b, Some(2), &options).line();
        assert!(line.contains(" pieces=2 ") && line.ends_with(" slices=4 indices=484"), "{line}");
        assert!(
            check_database(&b, Some(5), &options)
                .line()
                .starts_with("s REFUTED database-manifest file=5x5/MANIFEST")
        );
        assert!(matches!(
            check_database(&b, Some(1), &options),
            Statement::Whole(Verdict::Stopped(_))
        ));
    }
}

#[test]
fn threads_make_no_difference() {
    let oracle = Oracle::new(&board("4x4"), 4);
    let mut certificate = draw_4x4(&oracle, 4);
    certificate.chunk = 5;
    let mut spoilt = certificate.clone();
    // Of many wrong nodes, the first is always reported.
    for node in &mut spoilt.parts[0].nodes {
        if node.kind == kind::OR {
            node.data = 99;
        }
    }
    for leaf in spoilt.parts.iter_mut().flat_map(|part| &mut part.leaves) {
        leaf.positions += 1;
    }
    for (certificate, start) in [(certificate, "s VERIFIED"), (spoilt, "s REFUTED move-index")] {
        let place = Place::new();
        certificate.write(&place.cert());
        let line = |threads| {
            let options = Options { threads, ..place.options() };
            check_certificate(&place.cert(), &options).line()
        };
        let first = line(Some(1));
        assert!(first.starts_with(start), "{first}");
        for threads in [Some(2), Some(4), None] {
            for _ in 0..20 {
                assert_eq!(line(threads), first);
            }
        }
    }
}

#[test]
fn questions_have_the_claimant_that_their_names_say() {
    assert_eq!(claimant(Question::WhiteWins), Side::White);
    assert_eq!(write_fen(&Game::parse("4x4").unwrap().initial()), "B:W7,8:B1,2");
}

/// One note that is trusted for the database with this root.
fn trusted(root: Option<Digest>) -> TrustedDatabase {
    let (notes, signers) = (vec![Digest([7; 32])], vec!["bob".into()]);
    TrustedDatabase { root, notes, keys: Some(1), signers, journals: 0 }
}

#[test]
fn what_is_trusted_is_one_database_only() {
    for_each_kind(&mut |place, _, pieces, _| {
        let line = place.check();
        let (_, right) = line.split_once("db-root=").unwrap();
        let right = Digest::parse(right.split(' ').next().unwrap());
        assert_eq!(right.is_some(), pieces > 0, "{line}");
        for root in [Some(Digest([0; 32])), None, right] {
            let options = Options { trusted: Some(trusted(root)), ..place.options() };
            for shard in [None, Some("1/1".parse().unwrap())] {
                let options = Options { shard, ..options.clone() };
                let line = check_certificate(&place.cert(), &options).line();
                if root.is_some() && root == right {
                    let notes = format!(" db-note={} db-note-keys=1 ", Digest([7; 32]));
                    assert!(line.starts_with("s VERIFIED ") && line.contains(&notes), "{line}");
                } else {
                    let why = match right {
                        Some(_) => "what is trusted is another database",
                        None => "the claim has no database",
                    };
                    assert!(line.starts_with(&format!("s ERROR {why}")), "{line}");
                }
            }
        }
    });
}

/// Requests that a program can make of the library and that make no sense: nothing is verified
/// then.
#[test]
fn no_verdict_where_values_are_nobodys() {
    let folder = Place::new();
    let tables = Some(TableFolder::shared(folder.0.path()));
    let shard = Some("1/1".parse().unwrap());
    for_each_kind(&mut |place, _, pieces, _| {
        // A folder of tables for a whole check, whose verdict has no digests to bind the tables.
        let whole = Options { tables: tables.clone(), ..place.options() };
        let line = check_certificate(&place.cert(), &whole).line();
        assert!(line.starts_with("s ERROR options:"), "{line}");
        if pieces > 0 {
            let game = Game::parse("4x4").unwrap();
            let trusting = Options { trusted: Some(trusted(None)), ..place.options() };
            for options in [whole, Options { shard, ..trusting.clone() }, trusting] {
                let line = check_database(game.board(), None, &options).line();
                assert!(line.starts_with("s ERROR options:"), "{line}");
            }
        }
    });
}
