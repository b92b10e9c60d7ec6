//! The openings of a match.

use std::path::Path;

use certificate_spec::text::without_mark;
use draughtproof_game::{Game, MoveError, Position};
use thiserror::Error;

use crate::random::Random;

/// The ballots of the American Checker Federation, with their published values.
const DECK: &str = include_str!("../../../corpus/literature.tsv");

/// The kinds of ballots from which matches are played: others are barred as losing.
const KINDS: [&str; 2] = ["normal", "new"];

/// The first moves of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// The names of the moves, as the file has them or in PDN.
    pub moves: String,
    /// The position after each of the moves.
    pub positions: Vec<Position>,
}

/// The source of a match's openings.
#[derive(Debug)]
pub enum Openings {
    /// Ballots, in an order that the seed decides.
    Ballots(Vec<Opening>),
    /// Random moves from the start.
    Random {
        /// The number of random moves.
        plies: usize,
        /// The seed of the random numbers.
        seed: u64,
    },
}

/// The reason why a file of ballots cannot be used.
#[derive(Debug, Error)]
pub enum BallotError {
    #[error("{file}: {source}")]
    Read { file: String, source: std::io::Error },
    #[error("{0}: expected a head with the columns \"moves\" and \"deck\" or \"class\"")]
    Head(String),
    #[error("{0}: expected ballots of the kinds normal and new, found none")]
    None(String),
    #[error("{file}, line {line}: {error}")]
    Moves { file: String, line: usize, error: Box<MoveError> },
}

impl Openings {
    /// Reads ballots: lines of columns separated by tabs, among them `moves` and `deck` or `class`.
    /// Lines that begin with `#` are comments. Without a file the ballots are those of the American
    /// Checker Federation.
    ///
    /// # Errors
    /// [`BallotError`]
    pub fn ballots(game: &Game, file: Option<&Path>, seed: u64) -> Result<Openings, BallotError> {
        let name = file.map_or("the deck".into(), |file| file.display().to_string());
        let text = match file {
            None => DECK.to_owned(),
            Some(file) => std::fs::read_to_string(file)
                .map_err(|source| BallotError::Read { file: name.clone(), source })?,
        };
        let mut ballots = read_ballots(game, &name, without_mark(&text))?;
        // The order is shuffled (Fisher and Yates), so that the ballots of a short match are no
        // neighbours.
        let mut random = Random::new(seed);
        for i in (1..ballots.len()).rev() {
            ballots.swap(i, random.below(i + 1));
        }
        Ok(Openings::Ballots(ballots))
    }

    /// The opening of a pair of games.
    ///
    /// # Errors
    /// [`MoveError`], which random moves cannot have.
    pub fn of_pair(&self, game: &Game, pair: usize) -> Result<Opening, MoveError> {
        match self {
            Openings::Ballots(ballots) => Ok(ballots[pair % ballots.len()].clone()),
            Openings::Random { plies, seed } => {
                let mut random = Random::new(seed.wrapping_add(pair as u64).wrapping_mul(1 << 20));
                loop {
                    let opening = random_moves(game, *plies, &mut random)?;
                    if opening.positions.last().is_none_or(|last| game.board.can_move(last)) {
                        return Ok(opening);
                    }
                }
            }
        }
    }
}

fn read_ballots(game: &Game, file: &str, text: &str) -> Result<Vec<Opening>, BallotError> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
    let head: Vec<&str> = lines.next().map_or(Vec::new(), |(_, line)| line.split('\t').collect());
    let column = |name| head.iter().position(|column| *column == name);
    let (Some(moves), Some(kind)) = (column("moves"), column("deck").or_else(|| column("class")))
    else {
        return Err(BallotError::Head(file.into()));
    };
    let mut ballots = Vec::new();
    for (line, text) in lines {
        let cells: Vec<&str> = text.split('\t').collect();
        let cell = |column: usize| cells.get(column).copied().unwrap_or_default();
        if KINDS.contains(&cell(kind)) {
            let positions = game.board.read_line(&game.start(), cell(moves)).map_err(|error| {
                BallotError::Moves { file: file.into(), line: line + 1, error: Box::new(error) }
            })?;
            ballots.push(Opening { moves: cell(moves).into(), positions });
        }
    }
    if ballots.is_empty() { Err(BallotError::None(file.into())) } else { Ok(ballots) }
}

/// Plays random moves; fewer if the game ends before.
fn random_moves(game: &Game, plies: usize, random: &mut Random) -> Result<Opening, MoveError> {
    let (mut at, mut names, mut positions) = (game.start(), Vec::new(), Vec::new());
    for _ in 0..plies {
        let moves = game.board.moves(&at);
        if moves.is_empty() {
            break;
        }
        let after = moves[random.below(moves.len())].after;
        names.push(game.board.write_move(&at, &after)?);
        positions.push(after);
        at = after;
    }
    Ok(Opening { moves: names.join(" "), positions })
}

#[cfg(test)]
mod tests {
    use super::{Openings, read_ballots};
    use draughtproof_game::Game;

    fn game() -> Game {
        "8x8".parse().unwrap()
    }

    #[test]
    fn the_deck_without_what_is_barred() {
        let Openings::Ballots(ballots) = Openings::ballots(&game(), None, 1).unwrap() else {
            panic!("ballots")
        };
        // 144 normal and 12 new ballots; 18 are barred.
        assert_eq!(ballots.len(), 156);
        assert!(ballots.iter().all(|ballot| ballot.positions.len() == 3));
        assert!(!ballots.iter().any(|ballot| ballot.moves == "09-13 21-17 10-14"));
        let mut names: Vec<_> = ballots.iter().map(|ballot| &ballot.moves).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 156);
        let other = Openings::ballots(&game(), None, 2).unwrap();
        assert_ne!(other.of_pair(&game(), 0).unwrap(), ballots[0]);
        assert_eq!(other.of_pair(&game(), 156).unwrap(), other.of_pair(&game(), 0).unwrap());
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said() {
        for (text, message) in [
            ("", "f: expected a head with the columns \"moves\" and \"deck\" or \"class\""),
            (
                "moves\tdeck\n9-13\tlosing\n",
                "f: expected ballots of the kinds normal and new, found none",
            ),
            ("# f\nmoves\tdeck\n9-13\tnew\n9-14 1-2\tnew\n", "f, line 4: move \"1-2\" in "),
        ] {
            let error = read_ballots(&game(), "f", text).unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }

    #[test]
    fn random_openings_repeat_and_differ() {
        let random = Openings::Random { plies: 6, seed: 1 };
        let first = random.of_pair(&game(), 0).unwrap();
        assert_eq!(first, random.of_pair(&game(), 0).unwrap());
        assert_ne!(first, random.of_pair(&game(), 1).unwrap());
        assert_eq!(game().board.read_line(&game().start(), &first.moves).unwrap(), first.positions);
        assert_eq!(first.positions.len(), 6);
    }
}
