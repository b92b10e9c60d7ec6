//! One game between two engines.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use draughtproof_egdb::{Value, Values};
use draughtproof_game::{Game, MoveError, Position, Side};
use draughtproof_play::engine::notation::{read_move, write_move, write_position};
use draughtproof_play::opponent::{GameRecord, GameResult};
use thiserror::Error;

use crate::engine::{Engine, EngineError};
use crate::openings::Opening;

/// The rules by which a game ends, and the time of its moves.
pub struct Rules<'a> {
    /// The game that is played.
    pub game: &'a Game,
    /// The number of plies without a capture or a move of a man after which it is a draw.
    pub draw_plies: usize,
    /// A database whose values end games.
    pub database: Option<&'a Values>,
    pub move_time: Duration,
    /// The additional time after which a late move loses the game.
    pub margin: Duration,
}

/// The reason why a game ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// A side had no move.
    NoMove,
    /// A position came up three times.
    Repetition,
    /// No capture and no move of a man was made for `draw_plies` plies.
    NoProgress,
    /// The database has the value.
    Database,
    /// An engine made no legal move in time.
    Fault(String),
}

impl Ending {
    /// The word for it in the log.
    pub fn text(&self) -> &str {
        match self {
            Ending::NoMove => "no move",
            Ending::Repetition => "repetition",
            Ending::NoProgress => "no progress",
            Ending::Database => "database",
            Ending::Fault(what) => what,
        }
    }

    /// The reason for a word in the log; any other text is that of a fault.
    pub fn read(text: &str) -> Ending {
        let all = [Ending::NoMove, Ending::Repetition, Ending::NoProgress, Ending::Database];
        all.into_iter().find(|e| e.text() == text).unwrap_or_else(|| Ending::Fault(text.into()))
    }
}

/// The effort of the moves of an engine.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Effort {
    pub moves: u32,
    /// The sum of the depths that the engine reported.
    pub depth: f64,
    /// The seconds of all moves together.
    pub seconds: f64,
    /// The seconds of the longest move.
    pub slowest: f64,
}

impl Effort {
    /// The sum of two efforts.
    pub fn and(self, other: Effort) -> Effort {
        Effort {
            moves: self.moves + other.moves,
            depth: self.depth + other.depth,
            seconds: self.seconds + other.seconds,
            slowest: self.slowest.max(other.slowest),
        }
    }
}

/// A game that was played to its end.
#[derive(Debug)]
pub struct Outcome {
    pub result: GameResult,
    /// The reason why it ended.
    pub ending: Ending,
    /// The position after each move, those of the opening included.
    pub positions: Vec<Position>,
    /// The efforts of both engines, Black's first.
    pub effort: [Effort; 2],
}

/// The reason why a move is not made.
#[derive(Debug, Error)]
enum Fault {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("illegal move: {0}")]
    Illegal(#[from] MoveError),
}

/// A game under way.
struct Course<'a> {
    rules: &'a Rules<'a>,
    record: GameRecord,
    positions: Vec<Position>,
    /// The moves in Hub's notation.
    moves: Vec<String>,
    /// The number of plies since the last capture or move of a man.
    quiet: usize,
    effort: [Effort; 2],
}

/// Plays a game; Black's engine is the first. `None` if it was stopped.
///
/// # Errors
/// [`MoveError`] if the opening is not legal.
pub fn play(
    rules: &Rules<'_>,
    opening: &Opening,
    mut engines: [&mut Engine; 2],
    is_stopped: &AtomicBool,
) -> Result<Option<Outcome>, MoveError> {
    let start = rules.game.start();
    let mut course = Course {
        rules,
        record: GameRecord::new(rules.game.clone(), start),
        positions: Vec::new(),
        moves: Vec::new(),
        quiet: 0,
        effort: [Effort::default(); 2],
    };
    for after in &opening.positions {
        course.push(*after)?;
    }
    let mut fault = engines.iter_mut().map(|e| e.new_game()).position(|new| new.is_err());
    while !is_stopped.load(Ordering::Relaxed) {
        let turn = course.record.position().turn;
        if let Some((result, ending)) = course.verdict() {
            return Ok(Some(course.end(result, ending)));
        }
        // An engine that has ended in the meantime has its fault when it is to move.
        let mover = fault.take().map_or(turn, |ended| [Side::Black, Side::White][ended]);
        if let Err(fault) = course.ask(engines[mover as usize], mover) {
            let ending = Ending::Fault(fault.to_string().replace(['\t', '\n'], " "));
            return Ok(Some(course.end(GameResult::Won(mover.opponent()), ending)));
        }
    }
    Ok(None)
}

impl Course<'_> {
    /// Asks an engine for a move, and makes it.
    fn ask(&mut self, engine: &mut Engine, mover: Side) -> Result<(), Fault> {
        let board = &self.rules.game.board;
        let start = write_position(board, &self.rules.game.start());
        let (time, margin) = (self.rules.move_time, self.rules.margin);
        let answer = engine.think(&start, &self.moves, time, margin)?;
        let effort = &mut self.effort[mover as usize];
        *effort = effort.and(Effort {
            moves: 1,
            depth: answer.depth,
            seconds: answer.seconds,
            slowest: answer.seconds,
        });
        let after = read_move(board, self.record.position(), &answer.name)?;
        Ok(self.push(after)?)
    }

    fn push(&mut self, after: Position) -> Result<(), MoveError> {
        let before = *self.record.position();
        self.moves.push(write_move(&self.rules.game.board, &before, &after)?);
        self.record.push(after)?;
        self.positions.push(after);
        let men = |p: &Position| (p.black | p.white) & !p.kings;
        let is_quiet = before.pieces() == after.pieces() && men(&before) == men(&after);
        self.quiet = if is_quiet { self.quiet + 1 } else { 0 };
        Ok(())
    }

    /// The result and the reason, if the game has ended.
    fn verdict(&self) -> Option<(GameResult, Ending)> {
        let position = self.record.position();
        match self.record.result() {
            won @ GameResult::Won(_) => return Some((won, Ending::NoMove)),
            GameResult::Draw => return Some((GameResult::Draw, Ending::Repetition)),
            GameResult::Open => {}
        }
        if self.quiet >= self.rules.draw_plies {
            return Some((GameResult::Draw, Ending::NoProgress));
        }
        let result = match self.rules.database?.probe(position)? {
            Value::Win => GameResult::Won(position.turn),
            Value::Loss => GameResult::Won(position.turn.opponent()),
            Value::Draw => GameResult::Draw,
        };
        Some((result, Ending::Database))
    }

    fn end(self, result: GameResult, ending: Ending) -> Outcome {
        Outcome { result, ending, positions: self.positions, effort: self.effort }
    }
}
