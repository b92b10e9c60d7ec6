//! Annotates a game with the values of its positions, its mistakes and better play.

use super::judge::{Judge, Verdict};
use super::replay::column;
use crate::board::{MoveError, PdnGame, Position, Remark, RemarkKind, Side, move_number};
use rayon::prelude::*;
use serde::Serialize;
#[cfg(feature = "openapi")]
use utoipa::ToSchema;

/// A move whose score is lower than the best one's by at least this, in hundredths of a man, is a
/// mistake.
const MARGIN: i32 = 50;
/// Scores beyond this, in hundredths of a man, count as this: the side has won in any case.
const FAR_AHEAD: i32 = 300;
/// The most moves of better play that are shown.
const SHOWN: usize = 6;

/// A game with remarks on its moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotated {
    /// The game, with the remarks that it had and the new ones.
    pub game: PdnGame,
    /// The mistakes of the game, in order.
    pub mistakes: Vec<Mistake>,
    /// The verdict on the position in which the first move is made, and on that after each move.
    pub verdicts: Vec<Verdict>,
}

/// A mistake: a move, and a better one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(ToSchema))]
pub struct Mistake {
    /// The number of moves before it.
    pub ply: usize,
    /// The number of the move: `7.`, or `7...` for White.
    pub number: String,
    /// The name of the move that was played.
    pub played: String,
    /// The name of a better move.
    pub better: String,
    /// Whether both values are proved.
    pub is_proved: bool,
    /// The value or score of the position before the move, as text.
    pub before: String,
    /// The value or score of the position after the move, as text.
    pub after: String,
}

impl Mistake {
    fn mark(&self) -> &'static str {
        if self.is_proved { "??" } else { "?" }
    }

    /// A line of text about the mistake.
    pub fn text(&self, game: &PdnGame) -> String {
        let PdnGame { number: n, line, .. } = game;
        let Mistake { number, played, better, before, after, .. } = self;
        let mark = self.mark();
        format!(
            "game {n}, line {line}: {number} {played}{mark} {after}; before {before}; better {better}"
        )
    }
}

/// A game with its mistakes, as a JSON object.
#[derive(Debug, Serialize)]
pub struct AnnotatedRow<'a> {
    /// The number of the game in its file, from 1.
    pub game: usize,
    /// The line on which it begins.
    pub line: usize,
    /// The tag `Event`.
    pub event: &'a str,
    /// The tag `Black`.
    pub black: &'a str,
    /// The tag `White`.
    pub white: &'a str,
    /// The mistakes in order.
    pub mistakes: &'a [Mistake],
    /// The fault of the game, up to which it is annotated; none if there is none.
    pub fault: Option<String>,
    /// The game with all its remarks.
    pub pdn: &'a str,
}

impl<'a> AnnotatedRow<'a> {
    /// The row of a game whose annotated text is `pdn`.
    pub fn new(game: &'a PdnGame, mistakes: &'a [Mistake], pdn: &'a str) -> Self {
        let tag = |name| game.tag(name).unwrap_or_default();
        AnnotatedRow {
            game: game.number,
            line: game.line,
            event: tag("Event"),
            black: tag("Black"),
            white: tag("White"),
            mistakes,
            fault: game.fault.as_ref().map(ToString::to_string),
            pdn,
        }
    }
}

/// The columns of [`mistake_tsv`].
pub const MISTAKE_COLUMNS: &str =
    "game\tline\tevent\tblack\twhite\tnumber\tplayed\tmark\tbefore\tafter\tbetter";

/// Mistakes of a game, a line each, in columns separated by tabs.
pub fn mistake_tsv(game: &PdnGame, mistakes: &[Mistake]) -> String {
    let tag = |name| column(game.tag(name).unwrap_or_default());
    let about =
        [game.number.to_string(), game.line.to_string(), tag("Event"), tag("Black"), tag("White")];
    let lines = mistakes.iter().map(|m| {
        let mistake = [&m.number, &m.played, m.mark(), &m.before, &m.after, &m.better];
        format!("{}\t{}\n", about.join("\t"), mistake.join("\t"))
    });
    lines.collect()
}

/// Annotates a game: marks and comments on mistakes, and better play; with `is_all` also a comment
/// on each other move, with the value of the position after it. The mark of a mistake replaces a
/// strength that the game had, and its comment names that strength. Remarks of earlier annotations
/// are replaced.
///
/// # Errors
/// [`MoveError`] if a position of the game does not follow from the one before it.
pub fn annotate(
    judge: &Judge<'_>,
    mut game: PdnGame,
    is_all: bool,
) -> Result<Annotated, MoveError> {
    game.remarks = remove(game.remarks);
    let mut positions: Vec<Position> =
        std::iter::once(game.start).chain(game.positions.iter().copied()).collect();
    // The position in which each move is made: the one before it, or one that is set up.
    let mut origins: Vec<usize> = (0..positions.len()).collect();
    for (done, position) in game.set_ups() {
        origins[done] = positions.len();
        positions.push(position);
    }
    let mut verdicts: Vec<Verdict> = positions.par_iter().map(|p| judge.judge(p)).collect();
    // The side to move has at least the value of each position that it can move to. A search after
    // the move sees further, so its score counts, too, if it is better.
    for n in (0..game.positions.len()).rev() {
        let (least, score) = (verdicts[n + 1].value.upper.reversed(), -verdicts[n + 1].score);
        let before = &mut verdicts[origins[n]];
        before.value.lower = before.value.lower.max(least);
        before.score = before.score.max(score);
    }
    let mut remarks = Remarks::of(&game);
    let begins = |&(done, n): &(usize, &usize)| is_all && (done == 0 || done != *n);
    for (done, &n) in origins.iter().enumerate().filter(begins) {
        remarks.say_of_start(done, verdicts[n].to_string());
    }
    let mut mistakes = Vec::new();
    for n in 0..game.positions.len() {
        let before = &verdicts[origins[n]];
        let after = &verdicts[n + 1];
        let from = positions[origins[n]];
        let to = positions[n + 1];
        let step = Step { judge, from, to, before, after };
        let number = move_number(&game, n);
        let after = after.to_string();
        let Some(better) = step.better() else {
            if is_all {
                remarks.say(n + 1, RemarkKind::Comment(after));
            }
            continue;
        };
        let mistake = Mistake {
            ply: n,
            played: judge.lookup.board.write_move(&from, &to)?,
            better: judge.lookup.board.write_move(&from, &better.to)?,
            is_proved: step.is_proved_mistake(),
            before: before.to_string(),
            after,
            number,
        };
        let others = remarks.mark(n + 1, mistake.mark());
        let others: String = others.iter().map(|mark| format!("{REPLACED}{mark}")).collect();
        let comment = format!("{}{BEFORE}{}{others}", mistake.after, mistake.before);
        remarks.say(n + 1, RemarkKind::Comment(comment));
        remarks.say(n + 1, RemarkKind::Variation(step.variation(&mistake, &better)?));
        mistakes.push(mistake);
    }
    verdicts.swap(0, origins[0]);
    verdicts.truncate(game.positions.len() + 1);
    Ok(Annotated { game: PdnGame { remarks: remarks.join(), ..game }, mistakes, verdicts })
}

/// A move of the game.
struct Step<'a, 'j> {
    judge: &'a Judge<'j>,
    from: Position,
    to: Position,
    before: &'a Verdict,
    after: &'a Verdict,
}

/// A move that is better than the one played.
struct Better {
    to: Position,
    /// The verdict on the position after it.
    verdict: Verdict,
}

impl Step<'_, '_> {
    /// Whether the move changes the value, which is proved.
    fn is_proved_mistake(&self) -> bool {
        self.before.value.lower > self.after.value.lower.reversed()
    }

    /// A better move, if the move is a mistake.
    fn better(&self) -> Option<Better> {
        if self.is_proved_mistake() {
            return self.saving_move();
        }
        // A move that is proved to keep the value is no mistake.
        let keeps = self.after.value.upper.reversed() >= self.before.value.upper;
        let best = *self.before.line.first().filter(|&&best| best != self.to && !keeps)?;
        if !self.is_worse_than(self.before.score) {
            return None;
        }
        // The search before the move was one move less deep than the one after it, so the best move
        // is searched to compare equal depths.
        let verdict = self.judge.judge(&best);
        self.is_worse_than(-verdict.score).then_some(Better { to: best, verdict })
    }

    /// Whether the move is a mistake, given the score of another move.
    fn is_worse_than(&self, score: i32) -> bool {
        let cut = |score: i32| score.clamp(-FAR_AHEAD, FAR_AHEAD);
        cut(score) - cut(-self.after.score) >= MARGIN
    }

    /// A move that keeps the proved value of the position: preferably the best one, if it is shown
    /// to keep it.
    fn saving_move(&self) -> Option<Better> {
        let mut moves = Vec::new();
        self.judge.lookup.board.successors(&self.from, &mut moves);
        let best = self.before.line.first();
        moves.sort_by_key(|to| Some(to) != best);
        moves.retain(|&to| to != self.to);
        let judged = moves.iter().map(|&to| Better { to, verdict: self.judge.judge(&to) });
        let mut first = None;
        for better in judged {
            if better.verdict.value.upper.reversed() >= self.before.value.lower {
                return Some(better);
            }
            first.get_or_insert(better);
        }
        // The search before the move has proved more than those after it, so no move is shown to
        // keep it.
        first
    }

    /// The better play as a variation, in parentheses.
    fn variation(&self, mistake: &Mistake, better: &Better) -> Result<String, MoveError> {
        let mut text = format!("({} {} {{{}}}", mistake.number, mistake.better, better.verdict);
        let number: usize = mistake.number.trim_end_matches('.').parse().unwrap_or(1);
        let mut from = better.to;
        let mut next = number + 1;
        for (n, to) in better.verdict.line.iter().take(SHOWN - 1).enumerate() {
            match from.turn {
                Side::Black => {
                    text += &format!(" {next}.");
                    next += 1;
                }
                Side::White if n == 0 => text += &format!(" {number}..."),
                Side::White => {}
            }
            text += &format!(" {}", self.judge.lookup.board.write_move(&from, to)?);
            from = *to;
        }
        Ok(text + ")")
    }
}

/// The remarks of a game: those that are new, and those that the game had.
struct Remarks(Vec<AfterMove>);

/// The remarks after a move, in the order in which they are written.
#[derive(Default)]
struct AfterMove {
    /// A strength, and numbers such as `$7`, which stand right behind the move.
    marks: Vec<RemarkKind>,
    /// A comment about the move.
    new: Vec<RemarkKind>,
    old: Vec<RemarkKind>,
    /// Variations with better play.
    lines: Vec<RemarkKind>,
    /// Remarks from a position that is set up on.
    set_up: Vec<RemarkKind>,
}

impl Remarks {
    fn of(game: &PdnGame) -> Self {
        let mut remarks: Vec<AfterMove> = Vec::new();
        remarks.resize_with(game.positions.len() + 1, AfterMove::default);
        for Remark { after, what } in &game.remarks {
            let here = &mut remarks[*after];
            let part = match what {
                RemarkKind::SetUp(_) => &mut here.set_up,
                _ if !here.set_up.is_empty() => &mut here.set_up,
                RemarkKind::Mark(_) => &mut here.marks,
                _ => &mut here.old,
            };
            part.push(what.clone());
        }
        Remarks(remarks)
    }

    fn say(&mut self, after: usize, what: RemarkKind) {
        let here = &mut self.0[after];
        match what {
            RemarkKind::Variation(_) => here.lines.push(what),
            _ => here.new.push(what),
        }
    }

    /// Comments on the position in which a line of moves begins.
    fn say_of_start(&mut self, after: usize, text: String) {
        let here = &mut self.0[after];
        let comment = RemarkKind::Comment(text);
        match here.set_up.iter().rposition(|what| matches!(what, RemarkKind::SetUp(_))) {
            Some(n) => here.set_up.insert(n + 1, comment),
            None => here.new.push(comment),
        }
    }

    /// Marks a move. Returns and removes the strengths that it had.
    fn mark(&mut self, after: usize, strength: &str) -> Vec<String> {
        let marks = &mut self.0[after].marks;
        let mut others = Vec::new();
        marks.retain(|what| match what {
            RemarkKind::Mark(mark) if is_strength(mark) => {
                others.push(mark.clone());
                false
            }
            _ => true,
        });
        marks.insert(0, RemarkKind::Mark(strength.into()));
        others
    }

    fn join(self) -> Vec<Remark> {
        let mut joined = Vec::new();
        for (after, here) in self.0.into_iter().enumerate() {
            let AfterMove { marks, new, old, lines, set_up } = here;
            let all = [marks, new, old, lines, set_up].into_iter().flatten();
            joined.extend(all.map(|what| Remark { after, what }));
        }
        joined
    }
}

/// Whether a mark is the strength of a move, in signs or as a number.
fn is_strength(mark: &str) -> bool {
    !mark.starts_with('$') || matches!(mark, "$1" | "$2" | "$3" | "$4" | "$5" | "$6")
}

/// Between the verdict on a move that is a mistake and the verdict on the position before it.
pub(super) const BEFORE: &str = "; before: ";
/// Before a strength that the mark of a mistake has replaced.
pub(super) const REPLACED: &str = "; the game had ";

/// Removes the remarks of earlier annotations, and restores the strengths that they have replaced.
pub(super) fn remove(remarks: Vec<Remark>) -> Vec<Remark> {
    let mut kept = Vec::new();
    for here in remarks.chunk_by(|one, next| one.after == next.after) {
        let replaced = here.iter().find_map(|remark| match &remark.what {
            RemarkKind::Comment(text) => replaced_by(&on_one_line(text)),
            _ => None,
        });
        let mut is_marked = replaced.is_some();
        for mark in replaced.iter().flatten() {
            kept.push(Remark { after: here[0].after, what: RemarkKind::Mark(mark.clone()) });
        }
        kept.extend(here.iter().filter(|remark| !is_own(&remark.what, &mut is_marked)).cloned());
    }
    kept
}

/// Whether a remark is one of an annotation. `is_marked` tells whether its mark of a mistake is
/// still to come.
fn is_own(what: &RemarkKind, is_marked: &mut bool) -> bool {
    match what {
        RemarkKind::Comment(text) => {
            let text = on_one_line(text);
            Verdict::is_text(&text) || replaced_by(&text).is_some()
        }
        RemarkKind::Mark(mark) => {
            let is_mistake = matches!(mark.as_str(), "?" | "??" | "$2" | "$4");
            is_mistake && std::mem::take(is_marked)
        }
        RemarkKind::Variation(text) => is_better_play(&on_one_line(text)),
        RemarkKind::SetUp(_) => false,
    }
}

/// The strengths that a mistake has replaced, if a comment is the comment on a mistake.
fn replaced_by(comment: &str) -> Option<Vec<String>> {
    let (after, rest) = comment.split_once(BEFORE)?;
    let mut parts = rest.split(REPLACED);
    let is_own = Verdict::is_text(after) && parts.next().is_some_and(Verdict::is_text);
    let replaced: Vec<String> = parts.map(String::from).collect();
    let is_strength = |mark: &String| !mark.contains(char::is_whitespace);
    (is_own && replaced.iter().all(is_strength)).then_some(replaced)
}

/// Whether a variation is a number, a move, the verdict on it and moves without remarks.
fn is_better_play(text: &str) -> bool {
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    let parts = inner.and_then(|text| {
        let (first, rest) = text.split_once('{')?;
        let (verdict, moves) = rest.split_once('}')?;
        Some((first, verdict, moves))
    });
    let is_moves = |text: &str| text.chars().all(|c| c.is_ascii_digit() || "-x. ".contains(c));
    parts.is_some_and(|(first, verdict, moves)| {
        is_moves(first) && first.contains('.') && is_moves(moves) && Verdict::is_text(verdict)
    })
}

/// A text as it was before another program broke its lines.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
