//! `prove play`, through a pipe.
//!
//! Endings in the database, played against the prover's opponent: it wins in as few plies as
//! possible, delays losses for as long as possible, and keeps draws and makes them hard.

use draughtproof_egdb::{BuildSession, Depths, Slice, Store, Value, position_at};
use draughtproof_game::Strictness;
use draughtproof_play::lookup::{Found, Lookup};
use draughtproof_play::opponent::{GameRecord, GameResult, Opponent};
use draughtproof_proof::heuristic::{Heuristic, Limits};
use std::process::{ChildStdin, ChildStdout};
use tests::prelude::*;

/// A program that plays, with its output.
struct Player {
    game: Game,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Player {
    fn new(game: &str, options: &[&str], here: &Path) -> Player {
        let mut child = start("prove", &[&["play"], options, &["-q"]].concat(), here);
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Player { game: game.parse().unwrap(), child, input, output: BufReader::new(output) }
    }

    /// The output up to the board, and the position on it; the last line says whose turn it is.
    fn read_board(&mut self) -> (Vec<String>, Position) {
        let (mut lines, mut position) = (Vec::new(), None);
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "{lines:?}");
            if let Ok(read) = self.game.board.read_fen(line.trim()) {
                position = Some(read);
            }
            lines.push(line.trim_end().to_owned());
            let is_last = ["to move", "has won", "three times"].iter().any(|e| line.contains(e));
            if let Some(position) = position.filter(|_| is_last) {
                return (lines, position);
            }
        }
    }

    /// Plays random moves to the end; returns the last line and the program's answers.
    fn play_at_random(mut self, mut random: usize) -> (String, Vec<String>) {
        let (mut answers, (mut lines, mut position)) = (Vec::new(), self.read_board());
        for _ in 0..500 {
            let last = lines.last().unwrap().clone();
            if !last.ends_with("to move") {
                drop(self.input);
                assert_eq!(self.child.wait().unwrap().code(), Some(0));
                return (last, answers);
            }
            let moves = self.game.board.moves(&position);
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1442695);
            let after = moves[(random >> 33) % moves.len()].after;
            let name = self.game.board.write_move(&position, &after).unwrap();
            writeln!(self.input, "{name}").unwrap();
            (lines, position) = self.read_board();
            answers.extend(lines.iter().filter(|line| line.contains(" plays ")).cloned());
        }
        panic!("the game does not end: {answers:?}");
    }
}

#[test]
fn proofs_of_wins_win() {
    let here = &Scratch::empty();
    let options = ["--game", "6x4", "--pieces", "3", "--leaf-nodes", "40", "--emit", "cert", "-q"];
    prove(&options, here);
    let mut sources = std::collections::BTreeSet::new();
    for with_depths in [false, true] {
        if with_depths {
            prove(&["db", "--game", "6x4", "--pieces", "3", "--depth", "-q"], here);
        }
        for seed in 0..15 {
            // The program is White.
            let (last, answers) = Player::new("6x4", &["cert"], here).play_at_random(seed);
            assert_eq!(last, "Black has no move: White has won", "{answers:?}");
            let source = |line: &String| line.split(" (").nth(1).unwrap().to_owned();
            sources.extend(answers.iter().map(source));
        }
    }
    assert!(sources.contains("proof: White wins)"), "{sources:?}");
    assert!(sources.iter().any(|source| source.starts_with("database: win")), "{sources:?}");
    assert!(!sources.iter().any(|source| source.contains("loss") || source.contains("draw")));
    assert!(!sources.iter().any(|source| source.starts_with("search")), "{sources:?}");
}

#[test]
fn databases_win_won_games() {
    let here = &Scratch::empty();
    // Depths are found for blocks, by looking up one position after the other, or stored.
    for (more, held) in [(&[][..], "resident"), (&[][..], "cached"), (&["--depth"], "cached")] {
        prove(&[&["db", "--game", "6x6", "--pieces", "3", "-q"], more].concat(), here);
        let position = ["--game", "6x6", "--fen", "B:WK18:BK1,K2"];
        let options = [&position[..], &["--side", "white", "--values", held]].concat();
        for seed in 0..2 {
            let (last, answers) = Player::new("6x6", &options, here).play_at_random(seed);
            assert_eq!(last, "White has no move: Black has won", "{answers:?}");
            // The most plies that the win takes, whatever the program knows.
            assert!(answers.len() <= 13, "{answers:?}");
            let is_shown = answers[0]
                .contains("(database: win, next capture, crowning or move of a man in 25)");
            assert!(is_shown, "{answers:?}");
        }
    }
}

/// Types lines, and returns the output.
fn typed(lines: &str, options: &[&str], here: &Path) -> String {
    let arguments = [&["play"], options, &["-q"]].concat();
    let (out, _, status) = texts(ask("prove", &arguments, here, lines.as_bytes()));
    assert_eq!(status, Some(0));
    out
}

#[test]
fn what_can_be_typed() {
    let here = &Scratch::empty();
    let options = ["--game", "6x6", "--nodes", "3000"];
    let game: Game = "6x6".parse().unwrap();
    let first = typed("", &options, here);
    assert!(first.starts_with("B:W13,14,15,16,17,18:B1,2,3,4,5,6\n  b   b   b   1-3\n"), "{first}");
    assert!(first.ends_with("\nBlack to move\n"), "{first}");
    // Taking a move back leads to the position before; then nothing more can be taken back.
    let back = typed("back\n4-7\nback\nboard\n", &options, here);
    assert!(back.starts_with(&format!("{first}there is no move to take back\nWhite plays ")));
    assert!(back.contains(" (search: score ") && back.ends_with(&first.repeat(2)), "{back}");
    // A hint is a legal move, and an illegal move is refused with a message.
    let hint = typed("hint\n", &options, here);
    let name = hint.strip_prefix(&first).unwrap().split(' ').next().unwrap();
    assert!(game.board.read_move(&game.start(), name).is_ok(), "{hint}");
    let wrong = typed("4-18\nhelp\nquit\n4-7\n", &options, here);
    let said = "expected a legal move; legal moves: ";
    assert!(wrong.contains(said) && !wrong.contains(" plays "), "{wrong}");
    for word in ["back", "hint", "board", "pdn", "quit"] {
        assert!(wrong.contains(&format!("\n{word} ")), "{wrong}");
    }
    // The game in PDN is the one that was played.
    let played = typed("4-7\npdn\n", &options, here);
    let (board, pdn) = played.split_once("[Event").unwrap();
    let read = game.read_pdn("played", format!("[Event{pdn}").as_bytes(), Strictness::Strict);
    assert_eq!((read[0].positions.len(), read[0].result.as_deref()), (2, Some("*")));
    assert!(board.contains(&game.board.write_fen(&read[0].positions[1])));
    // A game that is over, and one in which the other side begins.
    let over = typed("1-5\nhint\npdn\n", &["--game", "6x6", "--fen", "W:W:BK1"], here);
    assert!(over.contains("White has no move: Black has won\nthe game is over; back"), "{over}");
    assert!(over.contains("\nthere is no move\n") && over.ends_with("\n1-0\n"), "{over}");
    let second = typed("pdn\n", &[&options[..], &["--side", "white"]].concat(), here);
    assert!(second.contains("Black plays ") && second.ends_with(" *\n"), "{second}");
}

#[test]
fn what_cannot_be_played() {
    let here = &Scratch::empty();
    for (options, status) in [
        (&["play", "nowhere"][..], 3),
        (&["play", "--fen", "B:W99:B1"], 2),
        (&["play", "--pieces", "3"], 3),
    ] {
        let output = run(&path("prove"), options, here);
        assert_eq!(output.status.code(), Some(status), "{options:?}");
        assert!(String::from_utf8_lossy(&output.stderr).starts_with("prove: "));
    }
}

/// The player on the winning side, and the one on the losing side.
type Players<'p, 'a> = [&'p mut Opponent<'a>; 2];

/// A database with depths.
struct Endings {
    game: Game,
    values: Values,
    depths: Depths,
}

impl Endings {
    fn build(game: &str, pieces: u8, here: &Path) -> Self {
        prove(&["db", "--game", game, "--pieces", &pieces.to_string(), "--depth", "-q"], here);
        let (game, directory): (Game, _) = (game.parse().unwrap(), here.join("egdb"));
        let store = Store::new(&directory, &game.board);
        let session = BuildSession::new(&store, &Cover::up_to(pieces), 1 << 30).unwrap();
        let values = session.load_all(|_| ()).unwrap();
        let depths = Depths::open(&directory, &game.board).unwrap();
        Endings { game, values, depths }
    }

    fn with_depths(&self) -> Opponent<'_> {
        let lookup = Lookup { depths: Some(&self.depths), ..lookup(&self.values, None) };
        Opponent::new(lookup, Heuristic::new(lookup.board, &self.values))
    }

    /// Plays to the end; returns the result, the plies that it takes, and those of perfect play.
    fn play(&self, players: Players<'_, '_>, start: Position) -> (GameResult, u32, u32) {
        let depth = |position: &Position| match self.game.board.can_move(position) {
            true => self.depths.depth(position, value(&self.values, position)).unwrap().unwrap(),
            false => 0,
        };
        let mut record = GameRecord::new(self.game.clone(), start);
        let (mut plies, mut least) = (0, depth(&start));
        let [winner, loser] = players;
        let mut is_winner = value(&self.values, &start) == Value::Win;
        while record.result() == GameResult::Open {
            let before = *record.position();
            let player = if is_winner { &mut *winner } else { &mut *loser };
            let after = player.choose(&record).unwrap().unwrap().after;
            record.push(after).unwrap();
            let men = |p: &Position| (p.black & !p.kings, p.white & !p.kings, p.pieces());
            if men(&before) != men(&after) {
                least += depth(&after);
            }
            (plies, is_winner) = (plies + 1, !is_winner);
        }
        (record.result(), plies, least)
    }
}

fn lookup<'a>(values: &'a Values, found: Option<&'a Found>) -> Lookup<'a> {
    Lookup { board: values.board(), values, depths: None, proofs: &[], found }
}

/// A player without stored depths.
fn player<'a>(values: &'a Values, found: &'a Found) -> Opponent<'a> {
    Opponent::new(lookup(values, Some(found)), Heuristic::new(values.board(), values))
}

fn value(values: &Values, position: &Position) -> Value {
    values.probe(position).unwrap_or(Value::Loss)
}

/// Some positions of each slice, with either side to move.
fn sample(values: &Values, of_slice: u64) -> Vec<Position> {
    let board = values.board();
    let mut positions = Vec::new();
    for slice in Slice::all(board, values.cover()) {
        let step = (slice.indices(board) / of_slice).max(1) | 1;
        let indices = (0..slice.indices(board)).step_by(usize::try_from(step).unwrap());
        positions.extend(indices.filter_map(|index| position_at(board, slice, index)));
    }
    let turned = |(i, p): (usize, &Position)| if i % 2 == 0 { *p } else { p.twin(board) };
    positions.iter().enumerate().map(turned).collect()
}

fn check_wins(game: &str, fens: &[&str], of_slice: u64) {
    let place = tempfile::tempdir().unwrap();
    let endings = Endings::build(game, 4, place.path());
    let board = &endings.game.board;
    let mut positions = sample(&endings.values, of_slice);
    positions.retain(|position| value(&endings.values, position) != Value::Draw);
    assert!(positions.len() > 100, "{}", positions.len());
    positions.extend(fens.iter().map(|fen| board.read_fen(fen).unwrap()));
    // Depths that are stored, found for a block, or found by looking up one position at a time.
    let [blocks, positions_alone] = [Found::MEMORY, 0].map(|memory| Found::new(board, memory));
    let (mut stored, mut found) = (endings.with_depths(), player(&endings.values, &blocks));
    let mut one_by_one = player(&endings.values, &positions_alone);
    for (i, &start) in positions.iter().enumerate() {
        let is_won = value(&endings.values, &start) == Value::Win;
        let winner = if is_won { start.turn } else { start.turn.opponent() };
        let fen = board.write_fen(&start);
        let check = |players: Players<'_, '_>| {
            let (result, plies, least) = endings.play(players, start);
            assert_eq!((result, plies), (GameResult::Won(winner), least), "{fen}");
        };
        check([&mut stored, &mut found]);
        check([&mut found, &mut stored]);
        if i % 40 == 0 {
            check([&mut one_by_one, &mut stored]);
        }
    }
}

#[test]
fn wins_take_the_fewest_plies() {
    check_wins("6x6", &[], 30);
    // Positions in which the winner once moved to and fro.
    check_wins("8x8", &["B:WK18:BK29,K31", "W:WK1,K2:BK32", "B:WK3,K4:BK26"], 8);
}

#[test]
fn without_time_a_win_is_kept() {
    let game: Game = "8x8".parse().unwrap();
    let values = database(&game.board, 3);
    let limits = Limits { time: Some(Duration::ZERO), ..Limits::default() };
    let found = Found::new(values.board(), Found::MEMORY);
    let (mut winner, mut loser) =
        (Opponent { limits, ..player(&values, &found) }, player(&values, &found));
    for fen in ["B:WK18:BK29,K31", "W:WK1,K2:BK32"] {
        let mut record = GameRecord::new(game.clone(), game.board.read_fen(fen).unwrap());
        for _ in 0..10 {
            let after = winner.choose(&record).unwrap().unwrap().after;
            record.push(after).unwrap();
            assert_eq!((value(&values, &after), record.times(&after)), (Value::Loss, 1), "{fen}");
            if record.result() != GameResult::Open {
                break;
            }
            record.push(loser.choose(&record).unwrap().unwrap().after).unwrap();
        }
    }
}

/// The share of the replies in a position that lose.
fn losing_share(values: &Values, position: &Position) -> f64 {
    let mut replies = Vec::new();
    values.board().successors(position, &mut replies);
    let losing = replies.iter().filter(|after| value(values, after) == Value::Win).count();
    losing as f64 / replies.len() as f64
}

#[test]
fn draws_are_kept_and_made_hard() {
    let board = Board::new(6, 6).unwrap();
    let values = database(&board, 4);
    let game: Game = "6x6".parse().unwrap();
    let found = Found::new(values.board(), Found::MEMORY);
    let mut opponent = player(&values, &found);
    let (mut chosen, mut usual, mut seen) = (0.0, 0.0, 0);
    for start in sample(&values, 100) {
        let mut moves = Vec::new();
        board.successors(&start, &mut moves);
        moves.retain(|after| value(&values, after) == Value::Draw);
        if value(&values, &start) != Value::Draw || moves.len() < 2 {
            continue;
        }
        let record = GameRecord::new(game.clone(), start);
        let after = opponent.choose(&record).unwrap().unwrap().after;
        assert!(moves.contains(&after), "{}", board.write_fen(&start));
        seen += 1;
        chosen += losing_share(&values, &after);
        let shares: f64 = moves.iter().map(|after| losing_share(&values, after)).sum();
        usual += shares / moves.len() as f64;
    }
    assert!(seen > 300 && chosen > 1.3 * usual, "{seen} positions, {chosen}, usually {usual}");
}
