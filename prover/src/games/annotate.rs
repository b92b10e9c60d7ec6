//! A game with what its moves were worth.

use rayon::prelude::*;
use serde::Serialize;

use super::judge::{Judge, Verdict};
use super::replay::column;
use crate::board::{MoveError, PdnGame, Position, Remark, RemarkKind, Side, move_number};

/// A move that is worse by so many hundredths of a man than the best one is a mistake.
const MARGIN: i32 = 50;
/// Who is so far ahead has won in any case, or so it counts.
const FAR_AHEAD: i32 = 300;
/// So many moves of better play are shown.
const SHOWN: usize = 6;

/// A game with remarks on its moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotated {
    /// The game, with the remarks that it had and the new ones.
    pub game: PdnGame,
    /// Its mistakes in order.
    pub mistakes: Vec<Mistake>,
}

/// A move with a better one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mistake {
    /// Its number: `7.`, or `7...` for White.
    pub number: String,
    /// The move.
    pub played: String,
    /// A better one.
    pub better: String,
    /// Whether both values are proved.
    pub is_proved: bool,
    /// What the position was worth before it.
    pub before: String,
    /// And after it.
    pub after: String,
}

impl Mistake {
    fn mark(&self) -> &'static str {
        if self.is_proved { "??" } else { "?" }
    }

    /// A line for people.
    pub fn text(&self, game: &PdnGame) -> String {
        let PdnGame { number: n, line, .. } = game;
        let Mistake { number, played, better, before, after, .. } = self;
        let mark = self.mark();
        format!(
            "game {n}, line {line}: {number} {played}{mark} {after}; before {before}; better {better}"
        )
    }
}

/// A game with its mistakes, for programs.
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
    /// The game with all its remarks.
    pub pdn: &'a str,
}

impl<'a> AnnotatedRow<'a> {
    /// What is said of a game that has been written as `pdn`.
    pub fn new(game: &'a PdnGame, mistakes: &'a [Mistake], pdn: &'a str) -> Self {
        let tag = |name| game.tag(name).unwrap_or_default();
        let (event, black, white) = (tag("Event"), tag("Black"), tag("White"));
        AnnotatedRow { game: game.number, line: game.line, event, black, white, mistakes, pdn }
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

/// Says beside each move of a game what it leads to, marks mistakes, and shows better play.
///
/// # Errors
/// [`MoveError`] if a position of the game does not follow from the one before it.
pub fn annotate(judge: &Judge<'_>, game: PdnGame) -> Result<Annotated, MoveError> {
    let positions: Vec<Position> =
        std::iter::once(game.start).chain(game.positions.iter().copied()).collect();
    let mut verdicts: Vec<Verdict> = positions.par_iter().map(|p| judge.judge(p)).collect();
    // Who can move to a position has at least what it is worth for him.
    for n in (1..verdicts.len()).rev() {
        let least = -verdicts[n].most;
        verdicts[n - 1].least = verdicts[n - 1].least.max(least);
    }
    let mut remarks = Remarks::of(&game);
    remarks.say(0, RemarkKind::Comment(verdicts[0].to_string()));
    let mut mistakes = Vec::new();
    for (n, pair) in positions.windows(2).enumerate() {
        let step = Step {
            judge,
            from: pair[0],
            to: pair[1],
            before: &verdicts[n],
            after: &verdicts[n + 1],
        };
        let number = move_number(&game, n);
        let after = verdicts[n + 1].to_string();
        let Some(better) = step.better() else {
            remarks.say(n + 1, RemarkKind::Comment(after));
            continue;
        };
        let mistake = Mistake {
            played: judge.board.write_move(&pair[0], &pair[1])?,
            better: judge.board.write_move(&pair[0], &better.to)?,
            is_proved: step.is_proved_mistake(),
            before: verdicts[n].to_string(),
            after,
            number,
        };
        remarks.say(n + 1, RemarkKind::Mark(mistake.mark().into()));
        let comment = format!("{}; before: {}", mistake.after, mistake.before);
        remarks.say(n + 1, RemarkKind::Comment(comment));
        remarks.say(n + 1, RemarkKind::Variation(step.variation(&mistake, &better)?));
        mistakes.push(mistake);
    }
    Ok(Annotated { game: PdnGame { remarks: remarks.join(), ..game }, mistakes })
}

/// A move of the game.
struct Step<'a, 'j> {
    judge: &'a Judge<'j>,
    from: Position,
    to: Position,
    before: &'a Verdict,
    after: &'a Verdict,
}

/// A move that should have been played.
struct Better {
    to: Position,
    /// What is worth there.
    verdict: Verdict,
}

impl Step<'_, '_> {
    /// Whether it is proved that the move changes the value.
    fn is_proved_mistake(&self) -> bool {
        self.before.least > -self.after.least
    }

    /// A better move, if the move is a mistake.
    fn better(&self) -> Option<Better> {
        if self.is_proved_mistake() {
            return self.saving_move();
        }
        // A move that keeps the value is as good as any.
        let keeps = -self.after.most >= self.before.most;
        let best = *self.before.line.first().filter(|&&best| best != self.to && !keeps)?;
        if !self.is_worse_than(self.before.score) {
            return None;
        }
        // The search before the move saw less far than the one after it: compare like with like.
        let verdict = self.judge.judge(&best);
        self.is_worse_than(-verdict.score).then_some(Better { to: best, verdict })
    }

    /// Whether the move is a mistake where another one has this score.
    fn is_worse_than(&self, score: i32) -> bool {
        let cut = |score: i32| score.clamp(-FAR_AHEAD, FAR_AHEAD);
        cut(score) - cut(-self.after.score) >= MARGIN
    }

    /// A move that keeps what is proved of the position: the best one, if that is shown to keep it.
    fn saving_move(&self) -> Option<Better> {
        let mut moves = Vec::new();
        self.judge.board.successors(&self.from, &mut moves);
        let best = self.before.line.first();
        moves.sort_by_key(|to| Some(to) != best);
        moves.retain(|&to| to != self.to);
        let judged = moves.iter().map(|&to| Better { to, verdict: self.judge.judge(&to) });
        let mut first = None;
        for better in judged {
            if -better.verdict.most >= self.before.least {
                return Some(better);
            }
            first.get_or_insert(better);
        }
        // The search before the move has proved more than those after it.
        first
    }

    /// Better play, in parentheses.
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
            text += &format!(" {}", self.judge.board.write_move(&from, to)?);
            from = *to;
        }
        Ok(text + ")")
    }
}

/// The remarks of a game: after each move, those that it had and new ones.
struct Remarks(Vec<[Vec<RemarkKind>; 2]>);

impl Remarks {
    fn of(game: &PdnGame) -> Self {
        let mut remarks = vec![[Vec::new(), Vec::new()]; game.positions.len() + 1];
        for Remark { after, what } in &game.remarks {
            remarks[*after][0].push(what.clone());
        }
        Remarks(remarks)
    }

    fn say(&mut self, after: usize, what: RemarkKind) {
        self.0[after][1].push(what);
    }

    /// All of them: marks come first, as they stand right behind the move, then the new comment,
    /// as it is about the move; then what there was, and better play.
    fn join(self) -> Vec<Remark> {
        let of_move = |(after, [old, new]): (usize, [Vec<RemarkKind>; 2])| {
            let is_mark = |what: &RemarkKind| matches!(what, RemarkKind::Mark(_));
            let marks = old.iter().take_while(|what| is_mark(what)).count();
            let mut old = old.into_iter();
            let first: Vec<_> = old.by_ref().take(marks).collect();
            let (lines, new): (Vec<_>, Vec<_>) =
                new.into_iter().partition(|what| matches!(what, RemarkKind::Variation(_)));
            let all = first.into_iter().chain(new).chain(old).chain(lines);
            all.map(move |what| Remark { after, what }).collect::<Vec<_>>()
        };
        self.0.into_iter().enumerate().flat_map(of_move).collect()
    }
}
