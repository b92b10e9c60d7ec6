//! An explanation in words, with boards.

use super::explainer::{Basis, Explainer, Explanation};
use crate::notation::Moves;
use checker::commands::ExplainArguments;
use checker_core::{Board, Position, Side, Value, write_fen};
use std::collections::{HashSet, VecDeque};
use std::fmt::Write;

/// The exit status where the certificate says nothing of the position.
const NOTHING: u8 = 6;

/// The exit status where what the certificate says of the position is wrong, as for a refuted
/// certificate.
const WRONG: u8 = 1;

/// The answer to a question about a position.
pub(crate) struct Explained {
    /// The answer in words.
    pub(crate) text: String,
    /// The exit status: 0, 1 if something is wrong, or 6 if there was nothing to say.
    pub(crate) status: u8,
}

/// The most steps of a line that are shown.
const STEPS: usize = 40;

/// Returns the word for a value of the database.
pub(super) fn word(value: Value) -> &'static str {
    match value {
        Value::Win => "win",
        Value::Draw => "draw",
        Value::Loss => "loss",
    }
}

/// What every question says of a position.
pub(super) fn explain(
    explainer: &Explainer,
    position: &Position,
    ask: &ExplainArguments,
) -> Explained {
    let (mut text, mut said) = (String::new(), Said::default());
    for (q, question) in explainer.questions().enumerate() {
        let mut lines = Lines {
            explainer,
            q,
            hashes: ask.hashes,
            out: format!("{}:\n", question.value().word()),
            said: Said::default(),
            shown: HashSet::new(),
            left: VecDeque::new(),
        };
        lines.show(position, ask.lines);
        said.something |= lines.said.something;
        said.wrong |= lines.said.wrong;
        text += &lines.out;
        text.push('\n');
    }
    let status = match said {
        Said { wrong: true, .. } => WRONG,
        Said { something: true, .. } => 0,
        Said { .. } => NOTHING,
    };
    text += "Values of the database were taken from its files as they are; only a check verifies them.\n";
    Explained { text, status }
}

/// Lines of the proof of a question, as they are written down.
struct Lines<'a> {
    explainer: &'a Explainer,
    q: usize,
    hashes: bool,
    out: String,
    said: Said,
    /// The positions of all lines so far.
    shown: HashSet<Position>,
    /// Where other lines begin, those nearest to the start first.
    left: VecDeque<Branch>,
}

/// A move that leads to another line.
struct Branch {
    /// The positions of the line up to the one in which the move is made.
    before: Vec<Position>,
    to: Position,
}

/// What has been said of a position.
#[derive(Debug, Clone, Copy, Default)]
struct Said {
    /// Whether the certificate says anything about it.
    something: bool,
    /// Whether something is wrong with the proof.
    wrong: bool,
}

impl Lines<'_> {
    /// Shows this number of lines from a position, or all that there are.
    fn show(&mut self, start: &Position, count: usize) {
        self.follow(Branch { before: Vec::new(), to: *start });
        for number in 2..=count {
            let (shown, left) = (&self.shown, &mut self.left);
            left.retain(|branch| !shown.contains(&branch.to));
            let Some(branch) = left.pop_front() else {
                self.out += "\nThere are no other lines.\n";
                return;
            };
            let from = branch.before.last().map_or(String::new(), write_fen);
            // Writing into a string cannot fail.
            let _ = writeln!(self.out, "\nLine {number}, from {from}:");
            self.follow(branch);
        }
    }

    /// Goes on from a position to where the proof ends.
    fn follow(&mut self, Branch { before: mut seen, to: mut p }: Branch) {
        let board = self.explainer.board();
        let by = |from: &Position, to| Moves::of(board, from).name(to);
        let mut name = seen.last().map_or(String::new(), |from| by(from, &p));
        for step in 0..STEPS {
            let Some(explanation) = self.explainer.explain(self.q, &p) else { break };
            let is_claimed = !matches!(explanation.basis, Basis::Nothing | Basis::Unclaimed(_));
            self.said.something |= is_claimed;
            self.said.wrong |= explanation.wrong.is_some();
            self.write_position(seen.len(), &name, &p, &explanation);
            if explanation.wrong.is_some() {
                break;
            }
            if !self.shown.insert(p) && !explanation.next.is_empty() {
                self.out += "    and so on as in a line above\n";
                break;
            }
            seen.push(p);
            let moves = Moves::of(board, &p);
            self.write_moves(&moves, &explanation.next);
            if explanation.next.is_empty() {
                break;
            }
            let mut unseen = explanation.next;
            unseen.retain(|y| !seen.contains(y));
            // A line that goes on says more than one that ends in the database.
            unseen.sort_by_key(|y| {
                let basis = self.explainer.explain(self.q, y).map(|e| e.basis);
                matches!(basis, Some(Basis::Database(_) | Basis::NoMove))
            });
            let Some((next, others)) = unseen.split_first() else {
                self.out += "    and so back to a position above: a cycle\n";
                break;
            };
            let branch = |&to| Branch { before: seen.clone(), to };
            self.left.extend(others.iter().map(branch));
            (name, p) = (moves.name(next), *next);
            if step + 1 == STEPS {
                self.out += &format!("\n… and so on; ask for {}\n", write_fen(&p));
            }
        }
    }

    fn write_position(&mut self, step: usize, name: &str, p: &Position, found: &Explanation) {
        let side = if p.turn == Side::Black { "Black" } else { "White" };
        let by = if name.is_empty() { String::new() } else { format!("{name} to ") };
        // Writing into a string cannot fail.
        let _ = writeln!(self.out, "\n{step}. {by}{}, {side} to move", write_fen(p));
        self.out += &draw(self.explainer.board(), p);
        let _ = writeln!(self.out, "    {}", self.basis(found));
        if let Some(wrong) = &found.wrong {
            let place = wrong.position.map_or(String::new(), |p| format!(" at {}", write_fen(&p)));
            let (rule, expected, found) = (wrong.rule, &wrong.expected, &wrong.found);
            let _ =
                writeln!(self.out, "    WRONG [{rule}]{place}: expected {expected}, found {found}");
        }
    }

    /// Writes the replies, those with the same continuation together, or the move that is chosen.
    fn write_moves(&mut self, moves: &Moves, next: &[Position]) {
        if let [only] = next {
            let _ = writeln!(self.out, "    move {}", moves.name(only));
            return;
        }
        let mut groups: Vec<(String, Vec<String>)> = Vec::new();
        for y in next {
            let found = self.explainer.explain(self.q, y);
            let words = found.map_or(String::new(), |e| self.basis(&e));
            match groups.iter_mut().find(|(there, _)| *there == words) {
                Some((_, names)) => names.push(moves.name(y)),
                None => groups.push((words, vec![moves.name(y)])),
            }
        }
        if !next.is_empty() {
            let _ = writeln!(self.out, "    {} moves, each of them answered:", next.len());
        }
        for (words, names) in groups {
            let _ = writeln!(self.out, "      {}: {words}", names.join(", "));
        }
    }

    fn basis(&self, found: &Explanation) -> String {
        let at = |place: &str| if self.hashes { format!(" ({place})") } else { String::new() };
        match &found.basis {
            Basis::Database(value) => {
                format!("the database has a {} for the side to move", word(*value))
            }
            Basis::Unclaimed(value) => format!(
                "the database has a {} for the side to move: this question does not claim it",
                word(*value)
            ),
            Basis::Node(words, place) => format!("a node of the kind {words}{}", at(place)),
            Basis::Leaf(place) => format!("in the strategy of a leaf{}", at(place)),
            Basis::NoMove => "the opponent has no move".into(),
            Basis::Nothing => "nothing is said of it".into(),
        }
    }
}

/// The board with its pieces: b, w, B and W for kings; the numbers of the squares beside it.
fn draw(board: &Board, p: &Position) -> String {
    let (rows, columns) = (usize::from(board.rows()), usize::from(board.columns()));
    let mut out = String::new();
    let mut square = 0;
    for row in 0..rows {
        let first = square + 1;
        out += "    ";
        for column in 0..columns {
            let piece = if (row + column) % 2 == 1 {
                let bit = 1u32 << square;
                square += 1;
                match (p.black & bit != 0, p.white & bit != 0, p.kings & bit != 0) {
                    (true, _, false) => 'b',
                    (true, _, true) => 'B',
                    (_, true, false) => 'w',
                    (_, true, true) => 'W',
                    _ => '.',
                }
            } else {
                ' '
            };
            out.push(piece);
            out.push(' ');
        }
        out += &format!("  {first}-{square}\n");
    }
    out
}
