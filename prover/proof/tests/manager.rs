//! Proofs of questions: their answers do not depend on guesses, workers, or earlier results.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use certificate_spec::{Digest, RULES};
use draughtproof_egdb::{Cover, Store, Values};
use draughtproof_game::{Game, Position, Side};
use draughtproof_proof::certificate::Section;
use draughtproof_proof::prepare_database::{Room, load};
use draughtproof_proof::progress::Progress;
use draughtproof_proof::proof::{
    Answer, Environment, Finding, Grown, Guess, IsStopped, Item, Ledger, LedgerError, LineSettings,
    ProofError, ProofSettings, ROUND, Record, SearchContext, Stop, Thresholds, Tree, Workers,
    prove,
};
use draughtproof_proof::search::{INFINITE, Outcome, PackedStrategy, Probes, ProofNumbers, Search};

/// The memory for small databases.
const ROOM: Room = Room { memory: 1 << 30, holding: None, map_space: None };

/// A game and a database of few pieces.
fn game(name: &str, pieces: u8) -> (Game, Values) {
    let game: Game = name.parse().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let store = Store::new(directory.path(), &game.board);
    let database = load(&store, &Cover::up_to(pieces), &ROOM, &Progress::Quiet).unwrap();
    (game, database)
}

fn context<'a>(game: &'a Game, database: &'a Values) -> SearchContext<'a> {
    SearchContext { board: &game.board, database, database_root: Some(Digest([7; 32])) }
}

fn settings(leaf_nodes: u64) -> ProofSettings {
    ProofSettings {
        leaf_nodes,
        leaf_table: 1 << 20,
        leaf_threads: 1,
        lines: None,
        round: ROUND,
        max_nodes: None,
        thresholds: None,
    }
}

/// Proves with two workers and the ledger in a file.
fn prove_by_two<'g>(
    settings: &ProofSettings,
    context: &'g SearchContext<'g>,
    attacker: Side,
    start: &Position,
    ledger: &Path,
) -> Grown<'g> {
    prove_with(2, settings, context, attacker, start, ledger, &|| false)
}

fn prove_with<'g>(
    workers: usize,
    settings: &ProofSettings,
    context: &'g SearchContext<'g>,
    attacker: Side,
    start: &Position,
    ledger: &Path,
    is_stopped: &IsStopped<'_>,
) -> Grown<'g> {
    let ledger = Ledger::open(ledger).unwrap();
    let workers = Workers::threads(workers);
    let environment =
        Environment { ledger: &ledger, workers: &workers, is_stopped, progress: &Progress::Quiet };
    prove(settings, context, attacker, start, environment).unwrap()
}

/// The section of a decided tree.
fn section(tree: Tree<'_>) -> Section {
    let goal = tree.goal();
    Section::new(goal.board, goal.database, tree.into_proof().unwrap()).unwrap()
}

/// All positions, claims and moves of the section of a decided tree, as text.
fn emitted(tree: Tree<'_>) -> String {
    format!("{:?}", section(tree))
}

const GAMES: [(&str, u8, [bool; 2]); 4] = [
    // For each game: whether Black wins, and whether White wins.
    ("4x4", 2, [false, false]),
    ("5x5/2", 4, [false, true]),
    ("6x4", 3, [false, true]),
    ("6x6", 5, [false, false]),
];

#[test]
fn thresholds_do_not_change_answers() {
    for (name, pieces, wins) in GAMES {
        let (game, database) = game(name, pieces);
        let context = context(&game, &database);
        let directory = tempfile::tempdir().unwrap();
        for (attacker, wins) in [Side::Black, Side::White].into_iter().zip(wins) {
            for first in [None, Some(10), Some(100)] {
                let until = None;
                let thresholds = first.map(|first| Thresholds { first, increment: 60, until });
                let settings = ProofSettings { thresholds, ..settings(1000) };
                let results = directory.path().join(format!("{first:?}"));
                let Grown { tree, result } =
                    prove_by_two(&settings, &context, attacker, &game.start(), &results);
                let want = if wins { Outcome::Proved } else { Outcome::Disproved };
                assert_eq!((result.outcome, result.stop), (want, Stop::Decided), "{name}");
                assert_eq!(section(tree).assumed(), 0);
                let last = result.history.last().unwrap();
                assert_eq!((last.threshold, last.searched), (None, result.nodes));
                let raised =
                    result.history.windows(2).all(|w| match (w[0].threshold, w[1].threshold) {
                        (Some(a), Some(b)) => a < b,
                        (a, None) => a.is_some(),
                        _ => false,
                    });
                assert!(raised && (result.history.len() > 1) == first.is_some());
            }
        }
    }
}

#[test]
fn thresholds_leave_assumptions() {
    let (game, database) = game("6x6", 3);
    let context = context(&game, &database);
    let directory = tempfile::tempdir().unwrap();
    let thresholds = Some(Thresholds { first: 40, increment: 20, until: Some(60) });
    let settings = ProofSettings { thresholds, ..settings(50) };
    let file = directory.path().join("results");
    let Grown { tree, result } =
        prove_by_two(&settings, &context, Side::White, &game.start(), &file);
    assert_eq!(result.history.last().unwrap().threshold, Some(60));
    assert!(!matches!(result.outcome, Outcome::Unknown(_)));
    assert!(section(tree).assumed() > 0);
}

#[test]
fn workers_and_ledgers_do_not_change_trees() {
    let (game, database) = game("6x6", 5);
    let context = context(&game, &database);
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let run = |workers: usize, settings: ProofSettings, name: &str| {
        let start = game.start();
        let ledger = path(name);
        let Grown { tree, result } =
            prove_with(workers, &settings, &context, Side::Black, &start, &ledger, &|| false);
        (emitted(tree), result)
    };
    let want = run(2, settings(1000), "one");
    for workers in [1, 2, 4] {
        let name = format!("with {workers}");
        assert!(run(workers, settings(1000), &name) == want, "{workers} workers");
    }
    // The ledger has all results.
    assert!(run(2, settings(1000), "one") == want);
    // The ledger has some results: those of a run that ended early, and those of searches with
    // another budget.
    let half = ProofSettings { max_nodes: Some(want.1.nodes / 2), ..settings(1000) };
    let stopped = prove_by_two(&half, &context, Side::Black, &game.start(), &path("half"));
    assert_eq!(stopped.result.stop, Stop::Budget);
    run(2, settings(700), "half");
    assert!(run(2, settings(1000), "half") == want);
}

#[test]
fn a_proof_can_be_stopped() {
    let (game, database) = game("6x6", 3);
    let context = context(&game, &database);
    let directory = tempfile::tempdir().unwrap();
    let ledger = directory.path().join("results");
    let start = game.start();
    let Grown { result, .. } =
        prove_with(2, &settings(50), &context, Side::Black, &start, &ledger, &|| true);
    assert_eq!((result.stop, result.searches), (Stop::Interrupted, 0));
}

fn item(attacker: Side, position: Position, nodes: u64) -> Item {
    Item { attacker, position, nodes, table: 1 << 20, heuristic_nodes: 20, threads: 1 }
}

/// Items of a proof, with their answers.
fn items(
    context: &SearchContext<'_>,
    start: &Position,
    attacker: Side,
    leaf_nodes: u64,
) -> Vec<(Item, Answer)> {
    let mut found = Vec::new();
    let mut todo = vec![*start];
    while let Some(position) = todo.pop().filter(|_| found.len() < 200) {
        let item = item(attacker, position, leaf_nodes);
        let answer = Answer::of(&item, context, &|_| ControlFlow::Continue(()), None)
            .expect("it is not stopped");
        if matches!(answer.found, Finding::TooHard(_)) {
            context.board.successors(&position, &mut todo);
        }
        found.push((item, answer));
    }
    found
}

#[test]
fn wrong_guesses_do_not_change_answers() {
    for (name, pieces, wins) in GAMES {
        let (game, database) = game(name, pieces);
        let context = context(&game, &database);
        for (attacker, wins) in [Side::Black, Side::White].into_iter().zip(wins) {
            let directory = tempfile::tempdir().unwrap();
            let file = directory.path().join("results");
            let mut wrong = 0;
            {
                let ledger = Ledger::open(&file).unwrap();
                for (item, mut answer) in items(&context, &game.start(), attacker, 1000) {
                    let Finding::TooHard(guesses) = &mut answer.found else { continue };
                    for (i, guess) in guesses.iter_mut().enumerate() {
                        let score = [-30_000, 30_000, 0, 99_999, -70][(i + wrong) % 5];
                        let ProofNumbers { proof, disproof } = guess.numbers;
                        let (proof, disproof) = (disproof * 3, proof.div_ceil(2));
                        let ends_in_draw = i % 3 == 0;
                        let numbers = ProofNumbers { proof, disproof };
                        *guess = Guess { numbers, score, ends_in_draw };
                    }
                    ledger.put(Record {
                        item: item.encode(&context),
                        result: answer.encode(),
                        is_over: true,
                    });
                    wrong += 1;
                }
                ledger.write().unwrap();
            }
            let thresholds = Some(Thresholds { first: 50, increment: 5000, until: None });
            let settings = ProofSettings { thresholds, ..settings(1000) };
            let Grown { tree, result } =
                prove_by_two(&settings, &context, attacker, &game.start(), &file);
            let want = if wins { Outcome::Proved } else { Outcome::Disproved };
            assert_eq!(result.outcome, want, "{name}");
            assert_eq!(section(tree).assumed(), 0);
        }
    }
}

/// Whether an answer with these bytes is rejected.
fn is_rejected(bytes: &[u8], item: &Item, context: &SearchContext<'_>) -> bool {
    Answer::decode(bytes, item, context).is_err()
}

#[test]
fn false_answers_are_rejected() {
    let (game, database) = game("6x6", 5);
    let context = context(&game, &database);
    let mut decided = 0;
    for (item, answer) in items(&context, &game.start(), Side::Black, 300) {
        let bytes = answer.encode();
        assert_eq!(Answer::decode(&bytes, &item, &context).unwrap().encode(), bytes);
        assert_eq!(Item::decode(&item.encode(&context), &context), Some(item));
        for wrong in [&[], &bytes[..bytes.len() - 1], &[&bytes[..], &[0]].concat()] {
            assert!(is_rejected(wrong, &item, &context));
        }
        match &answer.found {
            Finding::TooHard(guesses) => false_guesses_are_rejected(&item, guesses, &context),
            Finding::Decided(strategy) => {
                decided += 1;
                false_strategies_are_rejected(&item, &answer, strategy, &context);
            }
        }
    }
    assert!(decided > 10, "{decided}");
}

/// Guesses for too few successors, numbers that would decide the proof, and scores beyond all
/// bounds are rejected.
fn false_guesses_are_rejected(item: &Item, guesses: &[Guess], context: &SearchContext<'_>) {
    let with = |guesses: Vec<Guess>| {
        let found = Finding::TooHard(guesses);
        Answer { nodes: 1, probes: Probes::default(), found }.encode()
    };
    assert!(is_rejected(&with(guesses[1..].to_vec()), item, context));
    let numbers = |proof, disproof| ProofNumbers { proof, disproof };
    let good = guesses[0];
    for wrong in [
        Guess { numbers: numbers(0, 1), ..good },
        Guess { numbers: numbers(1, 0), ..good },
        Guess { numbers: numbers(INFINITE, 1), ..good },
        Guess { numbers: numbers(1, u32::MAX), ..good },
        Guess { score: i32::MIN, ..good },
        Guess { score: 100_001, ..good },
    ] {
        assert!(is_rejected(&with([&[wrong], &guesses[1..]].concat()), item, context));
    }
}

/// The opposite answer with an unchanged strategy is rejected. With any bit flipped an answer is
/// rejected, or has another strategy that holds.
fn false_strategies_are_rejected(
    item: &Item,
    answer: &Answer,
    strategy: &PackedStrategy,
    context: &SearchContext<'_>,
) {
    let opposite = PackedStrategy { is_win: !strategy.is_win, leaf: strategy.leaf.clone() };
    let opposite = Answer { found: Finding::Decided(opposite), ..answer.clone() };
    assert!(is_rejected(&opposite.encode(), item, context));
    let mut search = Search::new(context.goal(item.attacker), item.table);
    let is_win = search.run(&item.position, 1 << 20) == Outcome::Proved;
    let bytes = answer.encode();
    for bit in 0..8 * bytes.len() {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        if let Ok(Answer { found: Finding::Decided(strategy), .. }) =
            Answer::decode(&flipped, item, context)
        {
            assert_eq!(strategy.is_win, is_win);
        }
    }
}

/// Bad answers in the file of results are detected, searched again and replaced.
#[test]
fn bad_stored_answers_are_replaced() {
    let (game, database) = game("6x6", 5);
    let context = context(&game, &database);
    let directory = tempfile::tempdir().unwrap();
    let prove = |file: &str| {
        let file = directory.path().join(file);
        prove_by_two(&settings(300), &context, Side::Black, &game.start(), &file)
    };
    let Grown { tree, result: want, .. } = prove("clean");
    let ledger = Ledger::open(&directory.path().join("garbage")).unwrap();
    for node in tree.nodes() {
        let item = item(Side::Black, node.position, 300).encode(&context);
        ledger.put(Record { item, result: vec![1; 40], is_over: true });
    }
    ledger.write().unwrap();
    drop(ledger);
    let again = prove("garbage");
    assert!(again.result == want && emitted(again.tree) == emitted(tree));
}

#[test]
fn items_are_bound_to_game_and_database() {
    let (game, database) = game("4x4", 3);
    let context = context(&game, &database);
    let item = item(Side::White, game.start(), 5);
    let bytes = item.encode(&context);
    assert_eq!(Item::decode(&bytes, &context), Some(item));
    // An item contains the rules, so a result is never used for another game.
    assert!(bytes.windows(RULES.len()).any(|part| part == RULES.as_bytes()));
    let (other_game, other_database) = self::game("5x5/2", 3);
    let empty = Values::empty(&game.board);
    let root = context.database_root;
    for other in [
        SearchContext { database_root: None, ..context },
        SearchContext { database_root: Some(Digest([8; 32])), ..context },
        SearchContext { database: &empty, ..context },
        SearchContext { board: &other_game.board, database: &other_database, database_root: root },
    ] {
        assert_ne!(item.encode(&other), bytes);
        assert_eq!(Item::decode(&bytes, &other), None);
    }
}

#[test]
fn lines_of_play_decide_as_leaves_do() {
    let settings = ProofSettings {
        lines: Some(LineSettings { plies: 4, analysis_nodes: 2000, first_budget: 300 }),
        leaf_table: 1 << 24,
        ..settings(1000)
    };
    for (name, pieces, attacker, expected) in [
        ("6x6", 5, Side::White, Outcome::Disproved),
        ("6x6", 5, Side::Black, Outcome::Disproved),
        ("5x5/2", 3, Side::White, Outcome::Proved),
        ("5x5/2", 3, Side::Black, Outcome::Disproved),
    ] {
        let (game, database) = game(name, pieces);
        let context = context(&game, &database);
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("results");
        let grown = || prove_by_two(&settings, &context, attacker, &game.start(), &file);
        let Grown { tree, result } = grown();
        assert_eq!(result.outcome, expected, "{name} {attacker:?}");
        assert!(result.searches > 1, "{name}: {result:?}");
        // From the ledger alone: every search and analysis is there.
        let again = grown();
        assert_eq!(again.result, result);
        // Interrupted again and again, it goes on from what is kept, and takes the same searches.
        let file = directory.path().join("interrupted");
        let mut most_polls = 0;
        let ended = loop {
            let polls = AtomicU32::new(0);
            let is_stopped = || polls.fetch_add(1, Ordering::Relaxed) >= most_polls;
            let start = game.start();
            let part = prove_with(2, &settings, &context, attacker, &start, &file, &is_stopped);
            if part.result.stop == Stop::Decided {
                break part;
            }
            most_polls += 1 + most_polls / 2;
        };
        assert_eq!(ended.result, result);
        assert_eq!(again.tree.nodes().len(), tree.nodes().len());
        assert_eq!(section(tree).assumed(), 0);
    }
}

#[test]
fn one_process_opens_a_ledger() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("results");
    let _first = Ledger::open(&file).unwrap();
    let error = Ledger::open(&file).err().unwrap();
    assert!(matches!(error, LedgerError::InUse { .. }), "{error}");
    let message = ProofError::from(error).to_string();
    assert!(message.contains("results: another process") && message.contains("--results"));
}

#[test]
fn damaged_ledgers_are_detected() {
    const PAGE: usize = 4096;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("results");
    let items: Vec<Vec<u8>> = (0..300u32).map(|i| i.to_le_bytes().repeat(40)).collect();
    {
        let ledger = Ledger::open(&file).unwrap();
        for item in &items {
            ledger.put(Record { item: item.clone(), result: item[..30].to_vec(), is_over: true });
        }
        ledger.write().unwrap();
    }
    let clean = fs::read(&file).unwrap();
    let used = (0..clean.len()).step_by(PAGE).filter(|&at| clean[at..][..PAGE] != [0; PAGE]);
    let mut damaged = vec![clean[..clean.len() / 2].to_vec(), clean[..100].to_vec()];
    for at in used {
        for bytes in [[0; PAGE], [0xa5; PAGE]] {
            let mut one = clean.clone();
            one[at..at + PAGE].copy_from_slice(&bytes);
            damaged.push(one);
        }
    }
    assert!(damaged.len() > 20, "{}", damaged.len());
    let mut found_out = 0;
    for bytes in damaged {
        fs::write(&file, bytes).unwrap();
        match Ledger::open(&file) {
            // The remaining results are right.
            Ok(ledger) => {
                let got = ledger.get(&items).unwrap();
                assert!(items.iter().zip(got).all(|(i, got)| got.is_none_or(|got| got == i[..30])));
            }
            Err(error) => {
                found_out += 1;
                assert!(error.to_string().contains("remove it"), "{error}");
            }
        }
    }
    assert!(found_out > 10, "{found_out}");
}
