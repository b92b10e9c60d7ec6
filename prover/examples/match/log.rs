//! The games of a match as lines of a file, from which an interrupted match can be resumed, and
//! reports on them.

use crate::game::{Effort, Ending, Outcome};
use crate::score::Sprt;
use crate::score::{Estimate, Score};
use draughtproof_game::{Game, MoveError, PdnGame, Side, write_pdn};
use draughtproof_play::opponent::GameResult;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A game of a match.
#[derive(Debug)]
pub struct Played {
    /// The number of the game, from 0. Two games are a pair; in the first the first engine is
    /// Black.
    pub number: usize,
    /// The moves of the opening.
    pub opening: String,
    /// The course and the result of the game.
    pub outcome: Outcome,
}

impl Played {
    /// The number of the game's pair.
    pub fn pair(&self) -> usize {
        self.number / 2
    }

    /// The side of the first engine.
    pub fn first(&self) -> Side {
        first_side(self.number)
    }

    /// The score of the first engine, in half points.
    pub fn half_points(&self) -> usize {
        match self.outcome.result {
            GameResult::Won(side) => 2 * usize::from(side == self.first()),
            _ => 1,
        }
    }

    /// The efforts of the first and of the second engine.
    pub fn effort(&self) -> [Effort; 2] {
        let [black, white] = self.outcome.effort;
        if self.first() == Side::Black { [black, white] } else { [white, black] }
    }

    /// The game in PDN.
    ///
    /// # Errors
    /// None: all moves are legal.
    pub fn pdn(&self, game: &Game, names: [&str; 2]) -> Result<String, MoveError> {
        let (positions, result) = (self.outcome.positions.clone(), self.outcome.result.to_string());
        let mut pdn = PdnGame::new(game, game.start(), positions, &result);
        let [first, second] = names;
        let by_side = if self.first() == Side::Black { [first, second] } else { [second, first] };
        let round = (self.number + 1).to_string();
        let ending = self.outcome.ending.text();
        let more = [("Round", round.as_str()), ("Black", by_side[0]), ("White", by_side[1])];
        let more =
            more.into_iter().chain([("Opening", self.opening.as_str()), ("Termination", ending)]);
        pdn.tags.extend(more.map(|(name, value)| (name.into(), value.into())));
        write_pdn(&game.board, &pdn)
    }
}

/// The side of the first engine in a game.
pub fn first_side(number: usize) -> Side {
    if number.is_multiple_of(2) { Side::Black } else { Side::White }
}

/// The reason why a file of games cannot be used.
#[derive(Debug, Error)]
pub enum LogError {
    #[error("{file}: {source}")]
    File { file: PathBuf, source: io::Error },
    #[error("{file}: expected the games of this match ({expected}), found those of {found:?}")]
    OtherMatch { file: PathBuf, expected: String, found: String },
    #[error("{file}, line {line}: expected a game, found {found:?}")]
    Line { file: PathBuf, line: usize, found: String },
    #[error(transparent)]
    Move(#[from] MoveError),
}

/// The second line of the file, with the names of the columns.
const HEAD: &str = "game\topening\tfirst\tresult\tplies\tending\tfirst_moves\tfirst_depth\tfirst_seconds\t\
    first_slowest\tsecond_moves\tsecond_depth\tsecond_seconds\tsecond_slowest\tmoves";

/// The file of a match: `# ` and the description, a line of headings, and a line for each game.
pub struct Log {
    file: File,
    path: PathBuf,
}

impl Log {
    /// Opens or creates the file; also returns the games that are in it. Half a line at the end,
    /// from an interruption of the match, is removed.
    ///
    /// # Errors
    /// [`LogError`]
    pub fn open(path: &Path, game: &Game, what: &str) -> Result<(Log, Vec<Played>), LogError> {
        let io = |source| LogError::File { file: path.into(), source };
        let mut options = OpenOptions::new();
        let mut file =
            options.read(true).write(true).create(true).truncate(false).open(path).map_err(io)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(io)?;
        text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
        file.set_len(text.len() as u64).map_err(io)?;
        file.seek(SeekFrom::End(0)).map_err(io)?;
        let mut log = Log { file, path: path.into() };
        let mut lines = text.lines().enumerate();
        match lines.next() {
            None => log.write(&format!("# {what}\n{HEAD}\n"))?,
            Some((_, first)) if first == format!("# {what}") => {}
            Some((_, found)) => {
                let (file, found) = (path.into(), found.trim_start_matches("# ").into());
                return Err(LogError::OtherMatch { file, expected: what.into(), found });
            }
        }
        let mut games = Vec::new();
        for (line, text) in lines.filter(|(_, text)| *text != HEAD) {
            games.push(read_line(game, text).ok_or_else(|| LogError::Line {
                file: path.into(),
                line: line + 1,
                found: text.into(),
            })?);
        }
        Ok((log, games))
    }

    /// Adds a game.
    ///
    /// # Errors
    /// [`LogError`]
    pub fn add(&mut self, game: &Game, played: &Played) -> Result<(), LogError> {
        let line = write_line(game, played)?;
        self.write(&line)
    }

    fn write(&mut self, text: &str) -> Result<(), LogError> {
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.flush());
        written.map_err(|source| LogError::File { file: self.path.clone(), source })
    }
}

fn write_line(game: &Game, played: &Played) -> Result<String, MoveError> {
    let mut at = game.start();
    let mut names = Vec::new();
    for after in &played.outcome.positions {
        names.push(game.board.write_move(&at, after)?);
        at = *after;
    }
    let effort = played
        .effort()
        .map(|e| format!("{}\t{}\t{:.3}\t{:.3}", e.moves, e.depth, e.seconds, e.slowest));
    let side = if played.first() == Side::Black { "black" } else { "white" };
    Ok(format!(
        "{}\t{}\t{side}\t{}\t{}\t{}\t{}\t{}\n",
        played.number + 1,
        played.opening,
        played.outcome.result,
        names.len(),
        played.outcome.ending.text(),
        effort.join("\t"),
        names.join(" "),
    ))
}

fn read_line(game: &Game, text: &str) -> Option<Played> {
    let cells: Vec<&str> = text.split('\t').collect();
    let [number, opening, _, result, _, ending, efforts @ .., moves] = cells.as_slice() else {
        return None;
    };
    let number = number.parse::<usize>().ok()?.checked_sub(1)?;
    let open = [GameResult::Won(Side::Black), GameResult::Won(Side::White), GameResult::Draw];
    let result = open.into_iter().find(|r| r.to_string() == *result)?;
    let (first, second) = (read_effort(efforts.get(..4)?)?, read_effort(efforts.get(4..)?)?);
    let effort = if first_side(number) == Side::Black { [first, second] } else { [second, first] };
    let positions = game.board.read_line(&game.start(), moves).ok()?;
    let outcome = Outcome { result, ending: Ending::read(ending), positions, effort };
    Some(Played { number, opening: (*opening).into(), outcome })
}

fn read_effort(cells: &[&str]) -> Option<Effort> {
    let [moves, depth, seconds, slowest] = cells else { return None };
    let number = |text: &str| text.parse::<f64>().ok();
    Some(Effort {
        moves: moves.parse().ok()?,
        depth: number(depth)?,
        seconds: number(seconds)?,
        slowest: number(slowest)?,
    })
}

/// The state of a match.
pub struct Report {
    /// The names of the engines.
    pub names: [String; 2],
    /// The number of games that are to be played.
    pub planned: usize,
    /// The result so far.
    pub score: Score,
    /// The efforts of the engines.
    pub effort: [Effort; 2],
    /// The numbers of games that each engine lost by a crash, an illegal move or a timeout.
    pub faults: [usize; 2],
    /// The sequential test, if there is one.
    pub sprt: Option<Sprt>,
}

/// The headings of [`Report::tsv`].
const REPORT_HEAD: &str = "first\tsecond\tgames\twins\tdraws\tlosses\tscore\telo\telo_low\telo_high\tsuperiority\t\
    pairs\tllr\tfirst_depth\tfirst_seconds\tsecond_depth\tsecond_seconds\tfirst_faults\tsecond_faults";

impl Report {
    /// Counts a game.
    pub fn add(&mut self, played: &Played) {
        self.score.add(played.pair(), played.half_points());
        for (sum, effort) in self.effort.iter_mut().zip(played.effort()) {
            *sum = sum.and(effort);
        }
        if let Ending::Fault(_) = played.outcome.ending {
            self.faults[usize::from(played.half_points() == 2)] += 1;
        }
    }

    /// Whether the sequential test has decided.
    pub fn is_decided(&self) -> bool {
        self.sprt.is_some_and(|sprt| sprt.decision(&self.score.pairs).is_some())
    }

    /// A line about a game that was counted, with the totals after it.
    pub fn game(&self, played: &Played) -> String {
        let [wins, draws, losses] = self.score.games;
        let side = played.first() as usize;
        let [black, white] = [&self.names[side], &self.names[1 - side]];
        let who = match played.outcome.result {
            GameResult::Draw | GameResult::Open => "",
            GameResult::Won(winner) => &self.names[winner as usize ^ side],
        };
        let blank = if who.is_empty() { "" } else { " " };
        format!(
            "game {} of {}: {} | {black} - {white} {}{blank}{who}, {} plies, {} | +{wins} ={draws} \
             -{losses}, {:.1} %{}",
            played.number + 1,
            self.planned,
            played.opening,
            played.outcome.result,
            played.outcome.positions.len(),
            played.outcome.ending.text(),
            self.score.share() * 100.0,
            self.ratio().map_or(String::new(), |ratio| format!(", LLR {ratio:.2}")),
        )
    }

    fn ratio(&self) -> Option<f64> {
        self.sprt.map(|sprt| sprt.ratio(&self.score.pairs))
    }

    /// The report at the end of the match, as text.
    pub fn text(&self) -> String {
        let [first, second] = &self.names;
        let [wins, draws, losses] = self.score.games;
        let mut text = format!(
            "{first} - {second}: +{wins} ={draws} -{losses}, {:.1} % of {} games\n",
            self.score.share() * 100.0,
            wins + draws + losses,
        );
        if let Some(Estimate { elo, low, high, superiority }) = self.score.estimate() {
            let pairs = self.score.pairs.map(|n| n.to_string()).join(" ");
            text += &format!(
                "Elo {elo:+.1}, 95 %: {low:+.1} to {high:+.1}; stronger with {:.1} %\n\
                 pairs with 0, 1/2, 1, 1 1/2, 2 points: {pairs}\n",
                superiority * 100.0
            );
        }
        if let Some((sprt, ratio)) = self.sprt.zip(self.ratio()) {
            let (low, high) = Sprt::bounds();
            let decision = match sprt.decision(&self.score.pairs) {
                Some(higher) => format!("Elo {} is accepted", sprt.accepted(higher)),
                None => "nothing is decided".into(),
            };
            text += &format!("SPRT: LLR {ratio:.2}, bounds {low:.2} and {high:.2}: {decision}\n");
        }
        for ((name, effort), faults) in self.names.iter().zip(&self.effort).zip(self.faults) {
            let [depth, seconds] = means(effort);
            text += &format!(
                "{name}: depth {depth:.1}, {seconds:.3} s a move, at most {:.3} s; {faults} faults\n",
                effort.slowest
            );
        }
        text
    }

    /// The report as a table of one row, in TSV.
    pub fn tsv(&self) -> String {
        let [wins, draws, losses] = self.score.games;
        let numbers = |numbers: &[f64], digits: usize| {
            let texts: Vec<_> = numbers.iter().map(|n| format!("{n:.digits$}")).collect();
            texts.join("\t")
        };
        let estimate = self.score.estimate().map_or("-\t-\t-\t-".into(), |e| {
            let elo = numbers(&[e.elo, e.low, e.high], 1);
            format!("{elo}\t{:.4}", e.superiority)
        });
        format!(
            "{REPORT_HEAD}\n{}\t{}\t{wins}\t{draws}\t{losses}\t{:.4}\t{estimate}\t{}\t{}\t{}\t{}\t{}\n",
            self.names.join("\t"),
            wins + draws + losses,
            self.score.share(),
            self.score.pairs.map(|n| n.to_string()).join(" "),
            self.ratio().map_or("-".into(), |ratio| format!("{ratio:.2}")),
            numbers(&means(&self.effort[0]), 3),
            numbers(&means(&self.effort[1]), 3),
            self.faults.map(|n| n.to_string()).join("\t"),
        )
    }
}

/// The mean depth and the mean seconds of a move.
fn means(effort: &Effort) -> [f64; 2] {
    let moves = f64::from(effort.moves.max(1));
    [effort.depth / moves, effort.seconds / moves]
}
