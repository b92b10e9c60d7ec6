//! Reports on a match.

use draughtproof_play::opponent::GameResult;

use crate::game::{Effort, Ending};
use crate::log::Played;
use crate::score::{Estimate, Score};
use crate::sprt::Sprt;

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
const HEAD: &str = "first\tsecond\tgames\twins\tdraws\tlosses\tscore\telo\telo_low\telo_high\tsuperiority\t\
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
            "{HEAD}\n{}\t{}\t{wins}\t{draws}\t{losses}\t{:.4}\t{estimate}\t{}\t{}\t{}\t{}\t{}\n",
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
