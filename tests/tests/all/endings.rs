//! Endings in the database, played against the prover's opponent: it wins in as few plies as
//! possible, delays losses for as long as possible, and keeps draws and makes them hard.

use draughtproof_egdb::{BuildSession, Depths, Slice, Store, Value, position_at};
use draughtproof_play::lookup::{Found, Lookup};
use draughtproof_play::opponent::{GameRecord, GameResult, Opponent};
use draughtproof_proof::heuristic::{Heuristic, Limits};
use tests::prelude::*;

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
