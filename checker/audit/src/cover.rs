//! The cover of one note, if the note is about the subject at hand and a check can have written it.
//!
//! Enforces: that each word and field of a note is judged before anything of it counts; that the
//! note is about this very certificate or its database; and that what it takes for granted comes
//! before what it verifies, since notes could otherwise lean on one another in a circle.

use crate::describe::{DescribedQuestion, Description};
use crate::selection::{Work, below};
use crate::tables::{TableDigest, both};
use certificate_notes::{
    self as notes, Believed, Extent, Fields, Note, Part, Refuted, Share, Subject, Words, refutation,
};
use certificate_spec::Digest;
use checker_core::{Board, Game, Level, Position, parse_fen};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The part of the work that a note covers.
pub(crate) struct Cover {
    /// The witnesses of the note that count.
    pub(crate) by: BTreeSet<Witness>,
    /// The level at which values were verified.
    pub(crate) level: Level,
    /// The pairs of slices that it covers, by number.
    pub(crate) slices: Range<usize>,
    /// For each question, the nodes that it covers, by number; the start is number 0.
    pub(crate) nodes: Vec<Range<usize>>,
    pub(crate) leaves: Vec<Range<usize>>,
    /// The digests of tables in a note of a shard; the shard may have the tables from anywhere.
    pub(crate) tables: Option<Tables>,
    /// Whether a journal has spoken for some of its slices.
    pub(crate) has_journal: bool,
}

/// The tables of a shard.
pub(crate) struct Tables {
    /// The slices that it verifies, with the digests of their tables.
    pub(crate) verified: Vec<TableDigest>,
    /// The work that the shard verified. The tables that it took for granted follow from it.
    pub(crate) work: Work,
    /// The digest of the list of these tables; `None` if there are none.
    pub(crate) digest: Option<Digest>,
}

/// A witness for a range of items: a key or a note, and the implementation of the checker.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Witness {
    /// The number of the signing key or, where no keys are required, of the note.
    pub(crate) who: usize,
    /// The name of the implementation.
    pub(crate) checker: String,
}

/// The reason for which a note covers nothing.
pub(crate) enum Objection {
    /// The note is about something else, or no check can have written it, for this reason.
    Other(String),
    /// The note is about this subject and disagrees; the text is what it would have to say.
    Disagreement(String),
}

impl From<String> for Objection {
    fn from(why: String) -> Objection {
        Objection::Other(why)
    }
}

/// The range of a share, which must be of `of` items.
fn range(name: &str, share: &Share, of: usize) -> Result<Range<usize>, String> {
    match share.of == of {
        true => Ok(share.start..share.end),
        false => Err(format!("expected {name}= of {of}, found {name}= of {}", share.of)),
    }
}

/// The ranges of shares of each question's items.
fn ranges(
    name: &str,
    shares: &[Share],
    questions: &[DescribedQuestion],
    of: fn(&DescribedQuestion) -> usize,
) -> Result<Vec<Range<usize>>, String> {
    shares.iter().zip(questions).map(|(share, question)| range(name, share, of(question))).collect()
}

/// The number of a question's nodes, with its start as one of them.
fn nodes_of(question: &DescribedQuestion) -> usize {
    question.nodes + 1
}

fn leaves_of(question: &DescribedQuestion) -> usize {
    question.leaves
}

impl Cover {
    /// Reads the cover of a note, with these witnesses.
    ///
    /// # Errors
    /// Why the note covers nothing.
    pub(crate) fn read(
        note: &Note,
        about: &Description,
        by: BTreeSet<Witness>,
    ) -> Result<Cover, Objection> {
        let verdict = note.verdict();
        if let Some(Refuted { root, db_root }) = refutation(verdict)? {
            let is_of = |named: Option<Digest>, ours| named.is_some() && named == ours;
            return Err(match is_of(root, about.root) || is_of(db_root, about.db_root) {
                true => Objection::Disagreement("VERIFIED".into()),
                false => Objection::Other("it refutes something else, or does not name it".into()),
            });
        }
        if verdict.contains(" by cover of ") {
            return Err(Objection::Other("it says what came of a merge, not of a check".into()));
        }
        let words = Words::read(verdict)?;
        judge_root(&words, about)?;
        // This comes before the rest, since what a note says of another game may be true of it.
        let fields = words.judge()?;
        judge_game(&words, &fields)?;
        let is_database = matches!(words.subject, Subject::Database { .. });
        let level = match fields.level {
            Some(notes::Level::Consistent) => Level::Consistent,
            Some(notes::Level::Exact) | None => Level::Exact,
        };
        judge_subject(&words, &fields, about).map_err(Objection::Disagreement)?;
        if let Extent::Shard(_, part) = &fields.extent {
            let shard = shard(part, &fields, about, level).map_err(Objection::Disagreement)?;
            return Ok(Cover { by, ..shard });
        }
        judge_counts(&fields, about)?;
        judge_journal(fields.believed, about.pairs.len())?;
        let everything = |of: fn(&DescribedQuestion) -> usize| -> Vec<Range<usize>> {
            let range = |q: &DescribedQuestion| if is_database { 0..0 } else { 0..of(q) };
            about.questions.iter().map(range).collect()
        };
        Ok(Cover {
            by,
            level,
            slices: 0..if fields.believed == Believed::Notes { 0 } else { about.pairs.len() },
            nodes: everything(nodes_of),
            leaves: everything(leaves_of),
            tables: None,
            has_journal: matches!(fields.believed, Believed::Journal { .. }),
        })
    }
}

/// Checks that a note is about the subject at hand or its database, by the root.
fn judge_root(words: &Words<'_>, about: &Description) -> Result<(), String> {
    match (words.subject, about.root) {
        (Subject::Database { .. }, _) => {
            let Some(root) = about.db_root else {
                return Err("it is about a database, and none is needed here".into());
            };
            words
                .expect("db-root", root)
                .map_err(|why| format!("it is about another database: {why}"))
        }
        (Subject::Certificate { .. }, None) => {
            Err("it is about a certificate, not a database".into())
        }
        (Subject::Certificate { .. }, Some(root)) => words
            .expect("root", root)
            .map_err(|why| format!("it is about another certificate: {why}")),
    }
}

/// The board with this name.
fn board_of(name: &str) -> Option<Board> {
    let (rows, columns) = name.split_once('x')?;
    let board = Board::new(rows.parse().ok()?, columns.parse().ok()?)?;
    (board.name() == name).then_some(board)
}

/// Checks that a board or game of this name exists, that a claim about it can have this start, and
/// that the board has as many squares as the cover admits pieces.
fn judge_game(words: &Words<'_>, fields: &Fields) -> Result<(), String> {
    let squares = match words.subject {
        Subject::Database { board } => {
            board_of(board).ok_or_else(|| format!("there is no board {board}"))?.squares()
        }
        Subject::Certificate { game, .. } => {
            let start = words.field("start").unwrap_or_default();
            let game = Game::parse(game).ok_or_else(|| format!("there is no game {game}"))?;
            let is_right = |p: &Position| game.board().is_possible(p) && *p != game.initial();
            if start != "initial" && !parse_fen(start).is_some_and(|p| is_right(&p)) {
                let expected = "expected the start of a claim";
                return Err(format!("{expected} on {}, found start={start}", game.name()));
            }
            game.board().squares()
        }
    };
    match u32::from(fields.cover.most_pieces()) <= squares {
        true => Ok(()),
        false => Err(format!("expected at most {squares} pieces, found {}", fields.cover)),
    }
}

/// Checks that a note with the right root agrees with what the root stands for. The error is what
/// the note would have to say.
fn judge_subject(words: &Words<'_>, fields: &Fields, about: &Description) -> Result<(), String> {
    let ours = format!("VERIFIED {}", about.subject);
    let ours = Words::read(&ours)?;
    let is_right = match words.subject {
        Subject::Database { board } => board == about.board,
        Subject::Certificate { .. } => {
            words.subject == ours.subject && words.field("start") == ours.field("start")
        }
    };
    if !is_right {
        return Err(about.subject.clone());
    }
    if fields.cover != about.cover {
        return Err(format!("expected pieces={}, found pieces={}", about.cover, fields.cover));
    }
    if fields.db_root != about.db_root {
        let found = words.field("db-root").unwrap_or_default();
        return Err(format!("expected db-root={}, found db-root={found}", about.db_root_word()));
    }
    Ok(())
}

/// Checks that the note of a whole check has the right counts.
fn judge_counts(fields: &Fields, about: &Description) -> Result<(), String> {
    match fields.extent {
        Extent::Database { slices, indices } => {
            expect("slices", both(&about.pairs).len() as u64, slices)?;
            expect("indices", about.indices, indices)
        }
        Extent::Certificate { nodes, leaves, positions } => {
            let sum = |of: fn(&DescribedQuestion) -> usize| {
                about.questions.iter().map(|question| of(question) as u64).sum()
            };
            expect("nodes", sum(|question| question.nodes), nodes)?;
            expect("leaves", sum(leaves_of), leaves)?;
            expect("positions", about.positions, positions)?;
            expect("assumed", about.assumed as u64, fields.assumed)
        }
        Extent::Shard(..) => Err("expected a whole check, found a shard".into()),
    }
}

/// Checks that a field has the right number.
fn expect(name: &str, right: u64, found: u64) -> Result<(), String> {
    match found == right {
        true => Ok(()),
        false => Err(format!("expected {name}={right}, found {name}={found}")),
    }
}

/// Checks that a journal speaks for as many pairs of slices as the part has.
fn judge_journal(believed: Believed, pairs: usize) -> Result<(), String> {
    match believed {
        Believed::Journal { of } if of != pairs => {
            Err(format!("expected journal= of {pairs} pairs of slices, found {of}"))
        }
        _ => Ok(()),
    }
}

/// Returns the cover of a note of a shard, without witnesses. The error is what the note would have
/// to say. A note about this certificate that cannot be true is an error, as others rest on its
/// tables.
fn shard(part: &Part, fields: &Fields, about: &Description, level: Level) -> Result<Cover, String> {
    let (pairs, questions) = (&about.pairs, &about.questions);
    let of = pairs.len();
    let slices = range("slices", &part.slices, of)?;
    let given = range("given", &part.given, of)?;
    // What the values rest on must come before them.
    let most = match level {
        Level::Exact => below(pairs, &slices),
        Level::Consistent => of,
    };
    if given.end > most {
        return Err(format!("expected given=0-{most}/{of}"));
    }
    let mut nodes = vec![0..0; questions.len()];
    let mut leaves = nodes.clone();
    if let Some(found) = &part.positions {
        nodes = ranges("nodes", &found.nodes, questions, nodes_of)?;
        leaves = ranges("leaves", &found.leaves, questions, leaves_of)?;
        expect("assumed", about.assumed as u64, fields.assumed)?;
        let stated = about.leaf_positions.iter().zip(&leaves);
        let stated: u128 = stated.map(|(sums, range)| sums[range.end] - sums[range.start]).sum();
        expect("positions", u64::try_from(stated).unwrap_or(u64::MAX), found.positions)?;
    }
    judge_journal(fields.believed, slices.len())?;
    let trusts_notes = fields.believed == Believed::Notes;
    if trusts_notes && !slices.is_empty() {
        return Err("expected no slices where notes are trusted for their values".into());
    }
    let own = both(&pairs[slices.clone()]);
    if part.tables.len() != own.len() {
        return Err(format!("expected tables= of {} slices", own.len()));
    }
    let parts = nodes.iter().cloned().zip(leaves.iter().cloned());
    let parts = parts.map(|(nodes, leaves)| [nodes, leaves]).collect();
    let work = Work { slices: slices.clone(), questions: parts };
    if part.given_tables.is_none() != work.rests_on_nothing(pairs) {
        let count = work.prerequisites(pairs).len();
        return Err(format!("expected given-tables= of {count} slices"));
    }
    let verified = own.into_iter().zip(&part.tables);
    let verified = verified.map(|(slice, &digest)| TableDigest { slice, digest }).collect();
    let tables = Tables { verified, work, digest: part.given_tables };
    Ok(Cover {
        by: BTreeSet::new(),
        level,
        slices,
        nodes,
        leaves,
        // Where notes are trusted, no slices are verified, and values come from files only.
        tables: (!trusts_notes).then_some(tables),
        has_journal: matches!(fields.believed, Believed::Journal { .. }),
    })
}

/// A range of items, and the witnesses that have covered it.
pub(crate) struct Covered<'a> {
    range: &'a Range<usize>,
    by: &'a BTreeSet<Witness>,
}

impl Cover {
    /// The pairs of slices that it covers.
    pub(crate) fn slices(&self) -> Covered<'_> {
        Covered { range: &self.slices, by: &self.by }
    }

    /// The nodes or leaves of the `q`th question that it covers.
    pub(crate) fn positions(&self, what: &str, q: usize) -> Covered<'_> {
        let ranges = if what == "nodes" { &self.nodes } else { &self.leaves };
        Covered { range: &ranges[q], by: &self.by }
    }
}

/// The ranges within `all` that fewer than `least` different witnesses have covered, in order.
pub(crate) fn gaps(all: Range<usize>, least: usize, covered: &[Covered<'_>]) -> Vec<Range<usize>> {
    let ends = |(c, Covered { range, .. }): (usize, &Covered<'_>)| {
        [(range.start, false, c), (range.end, true, c)]
    };
    let mut ends: Vec<(usize, bool, usize)> = covered.iter().enumerate().flat_map(ends).collect();
    ends.push((all.end, false, usize::MAX));
    ends.sort_unstable();
    // The number of ranges of each witness at this place.
    let mut who: BTreeMap<usize, usize> = BTreeMap::new();
    let mut gaps: Vec<Range<usize>> = Vec::new();
    let mut begin = all.start;
    for (place, is_end, c) in ends {
        let end = place.clamp(all.start, all.end);
        if end > begin && who.len() < least {
            gaps.push(begin..end);
        }
        begin = end;
        for witness in covered.get(c).into_iter().flat_map(|c| c.by) {
            match who.entry(witness.who) {
                Entry::Occupied(mut there) if is_end => match there.get() {
                    0 | 1 => drop(there.remove()),
                    n => *there.get_mut() = n - 1,
                },
                entry => *entry.or_default() += usize::from(!is_end),
            }
        }
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The gaps are the items that too few cover, one by one.
    #[test]
    fn gaps_are_what_too_few_cover() {
        let mut seed = 1u64;
        let mut random = |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from((seed >> 33) % n).unwrap()
        };
        for _ in 0..500 {
            let mut all = Vec::new();
            for _ in 0..random(7) {
                let (a, b) = (random(9), random(9));
                let by = |who| Witness { who, checker: String::new() };
                let by: BTreeSet<Witness> = (0..random(3)).map(|_| by(random(4))).collect();
                all.push((a.min(b)..a.max(b), by));
            }
            let least = 1 + random(3);
            let covered: Vec<_> = all.iter().map(|(range, by)| Covered { range, by }).collect();
            let few = |i: &usize| {
                let by = all.iter().filter(|(range, _)| range.contains(i)).flat_map(|c| &c.1);
                let who: BTreeSet<usize> = by.map(|w| w.who).collect();
                who.len() < least
            };
            let right: Vec<usize> = (0..8).filter(few).collect();
            let found: Vec<usize> = gaps(0..8, least, &covered).into_iter().flatten().collect();
            assert_eq!(found, right, "{all:?} {least:?}");
        }
    }
}
