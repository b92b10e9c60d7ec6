//! What one note covers, if it is about the subject at hand and a check can have written it.
//!
//! Enforces: that each word and field of a note is judged before anything of it counts; that the
//! note is about this very certificate or its database; and that what it takes for granted comes
//! before what it verifies, since notes could otherwise lean on one another in a circle.

use crate::describe::{DescribedQuestion, Description};
use crate::selection::{Work, below};
use crate::tables::{TableDigest, both};
use certificate_notes::{Note, Shard, Subject, Words};
use certificate_spec::Digest;
use certificate_spec::database::SliceName;
use checker_core::Level;
use std::collections::BTreeSet;
use std::ops::Range;

/// What a note covers.
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
    /// What a note of a shard says of tables, which the shard may have had from anywhere.
    pub(crate) tables: Option<Tables>,
    /// Whether a journal has spoken for some of its slices.
    pub(crate) has_journal: bool,
}

/// The tables of a shard.
pub(crate) struct Tables {
    /// The slices that it verifies, with the digests of their tables.
    pub(crate) verified: Vec<TableDigest>,
    /// The slices whose tables it took for granted.
    pub(crate) prerequisites: Vec<SliceName>,
    /// The digest of the list of their tables; `None` if there are no such slices.
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

/// Why a note covers nothing.
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

/// Reads `A-B/N`, where N must be `of`.
fn range(text: &str, of: usize) -> Option<Range<usize>> {
    let (range, all) = text.split_once('/')?;
    let (start, end) = range.split_once('-')?;
    let (start, end): (usize, usize) = (start.parse().ok()?, end.parse().ok()?);
    let is_right = format!("{start}-{end}/{of}") == text && all.parse() == Ok(of);
    (is_right && start <= end && end <= of).then_some(start..end)
}

/// Reads `Q:A-B/N,…`, one item for each question, where N must be what `of` returns.
fn ranges(
    text: &str,
    questions: &[DescribedQuestion],
    of: fn(&DescribedQuestion) -> usize,
) -> Option<Vec<Range<usize>>> {
    let items: Vec<&str> = text.split(',').collect();
    let one = |(item, question): (&&str, &DescribedQuestion)| {
        range(item.strip_prefix(&format!("{}:", question.question))?, of(question))
    };
    (items.len() == questions.len()).then(|| items.iter().zip(questions).map(one).collect())?
}

/// The number of a question's nodes, with its start as one of them.
fn nodes_of(question: &DescribedQuestion) -> usize {
    question.nodes + 1
}

fn leaves_of(question: &DescribedQuestion) -> usize {
    question.leaves
}

impl Cover {
    /// What a note covers, with these witnesses.
    ///
    /// # Errors
    /// Why the note covers nothing.
    pub(crate) fn read(
        note: &Note,
        about: &Description,
        by: BTreeSet<Witness>,
    ) -> Result<Cover, Objection> {
        let verdict = note.verdict();
        // A refutation does not name its subject, so it may be about this one.
        if verdict.split(' ').next() == Some("REFUTED") {
            return Err(Objection::Disagreement("VERIFIED".into()));
        }
        if verdict.contains(" by cover of ") {
            return Err(Objection::Other("it says what came of a merge, not of a check".into()));
        }
        let words = Words::read(verdict)?;
        judge_subject(&words, about)?;
        let is_database = matches!(words.subject, Subject::Database { .. });
        let level = match words.field("db") {
            Some("consistent") => Level::Consistent,
            _ => Level::Exact,
        };
        let shard = words.shard.map(|_| shard(&words, about, level, is_database));
        let shard = shard.transpose().map_err(Objection::Disagreement)?;
        words.judge()?;
        if about.is_win && !is_database && level == Level::Consistent {
            return Err(Objection::Other("no check says db=consistent of a win".into()));
        }
        if words.shard.is_some_and(|shard| shard.parse::<Shard>().is_err()) {
            return Err(Objection::Other("expected SHARD I/N".into()));
        }
        let has_journal = words.journal().is_some();
        if let Some(shard) = shard {
            return Ok(Cover { by, has_journal, ..shard });
        }
        judge_counts(&words, about, is_database)?;
        judge_journal(&words, about.pairs.len())?;
        let everything = |of: fn(&DescribedQuestion) -> usize| -> Vec<Range<usize>> {
            let range = |q: &DescribedQuestion| if is_database { 0..0 } else { 0..of(q) };
            about.questions.iter().map(range).collect()
        };
        let (nodes, leaves) = (everything(nodes_of), everything(leaves_of));
        let slices = if words.field("db-note").is_some() { 0 } else { about.pairs.len() };
        Ok(Cover { by, level, slices: 0..slices, nodes, leaves, tables: None, has_journal })
    }
}

/// Checks that a note is about the subject at hand, and agrees with what the root stands for.
fn judge_subject(words: &Words<'_>, about: &Description) -> Result<(), Objection> {
    let ours = format!("VERIFIED {}", about.subject);
    let ours = Words::read(&ours)?;
    let is_about_database = matches!(ours.subject, Subject::Database { .. });
    match words.subject {
        Subject::Database { .. } if about.cover.is_empty() => {
            return Err(Objection::Other("it is about a database, and none is needed here".into()));
        }
        Subject::Database { .. } => words
            .expect("db-root", &about.db_root)
            .map_err(|why| Objection::Other(format!("it is about another database: {why}")))?,
        Subject::Certificate { .. } if is_about_database => {
            return Err(Objection::Other("it is about a certificate, not a database".into()));
        }
        Subject::Certificate { .. } => words
            .expect("root", ours.field("root").unwrap_or_default())
            .map_err(|why| Objection::Other(format!("it is about another certificate: {why}")))?,
    }
    // Whatever a note says of another game may be true of that game.
    words.judge_game()?;
    let is_right = match words.subject {
        Subject::Database { board } => board == about.board,
        Subject::Certificate { .. } => {
            words.subject == ours.subject && words.field("start") == ours.field("start")
        }
    };
    let database = [("pieces", about.cover.to_string()), ("db-root", about.db_root.clone())];
    let wrong = database.iter().find_map(|(name, right)| words.expect(name, right).err());
    match (is_right, wrong) {
        (true, None) => Ok(()),
        (false, _) => Err(Objection::Disagreement(about.subject.clone())),
        (true, Some(why)) => Err(Objection::Disagreement(why)),
    }
}

/// Checks that the note of a whole check has the right counts.
fn judge_counts(words: &Words<'_>, about: &Description, is_database: bool) -> Result<(), String> {
    if is_database {
        return words.expect("slices", both(&about.pairs).len());
    }
    let sum = |of: fn(&DescribedQuestion) -> usize| about.questions.iter().map(of).sum::<usize>();
    words.expect("nodes", sum(|question| question.nodes))?;
    words.expect("leaves", sum(leaves_of))?;
    words.expect("positions", about.positions)?;
    judge_assumed(words, about)
}

fn judge_assumed(words: &Words<'_>, about: &Description) -> Result<(), String> {
    match (about.assumed, words.field("assumed")) {
        (0, None) => Ok(()),
        (assumed, _) => words.expect("assumed", assumed),
    }
}

/// Checks that a journal speaks for as many pairs of slices as the part has.
fn judge_journal(words: &Words<'_>, pairs: usize) -> Result<(), String> {
    match words.journal() {
        Some((_, of)) if of != pairs as u64 => {
            Err(format!("expected journal= of {pairs} pairs of slices, found {of}"))
        }
        _ => Ok(()),
    }
}

/// What a note of a shard covers, without witnesses. The error is what the note would have to say.
/// A note about this certificate that cannot be true is an error, as others rest on its tables.
fn shard(
    words: &Words<'_>,
    about: &Description,
    level: Level,
    is_database: bool,
) -> Result<Cover, String> {
    let (pairs, questions) = (&about.pairs, &about.questions);
    let read = |name: &str| words.field(name).and_then(|text| range(text, pairs.len()));
    let slices = read("slices").ok_or_else(|| format!("expected slices=A-B/{}", pairs.len()))?;
    let given = read("given").ok_or_else(|| format!("expected given=A-B/{}", pairs.len()))?;
    // What the values rest on must come before them.
    let most = match level {
        Level::Exact => below(pairs, &slices),
        Level::Consistent => pairs.len(),
    };
    if given.end > most {
        return Err(format!("expected given=0-{most}/{}", pairs.len()));
    }
    let read = |name: &str, of: fn(&DescribedQuestion) -> usize| match words.field(name) {
        _ if is_database => Ok(vec![0..0; questions.len()]),
        Some(text) => ranges(text, questions, of)
            .ok_or_else(|| format!("expected {name}= of these questions: {questions:?}")),
        None => Err(format!("expected {name}=")),
    };
    let (nodes, leaves) = (read("nodes", nodes_of)?, read("leaves", leaves_of)?);
    if !is_database {
        judge_assumed(words, about)?;
        let stated = about.leaf_positions.iter().zip(&leaves);
        let stated = stated.flat_map(|(all, range)| all.get(range.clone()).unwrap_or_default());
        words.expect("positions", stated.fold(0, |sum: u64, n| sum.saturating_add(*n)))?;
    }
    judge_journal(words, slices.len())?;
    if words.field("db-note").is_some() && !slices.is_empty() {
        return Err("expected no slices where notes are trusted for their values".into());
    }
    let own = both(&pairs[slices.clone()]);
    let list = words.field("tables").and_then(|text| match text {
        "none" => Some(Vec::new()),
        text => text.split(',').map(Digest::parse).collect::<Option<_>>(),
    });
    let list = list.filter(|list| list.len() == own.len());
    let list = list.ok_or_else(|| format!("expected tables= of {} slices", own.len()))?;
    let parts = nodes.iter().cloned().zip(leaves.iter().cloned());
    let parts = parts.map(|(nodes, leaves)| [nodes, leaves]).collect();
    let prerequisites = Work { slices: slices.clone(), questions: parts }.prerequisites(pairs);
    let verified = own.into_iter().zip(list);
    let verified = verified.map(|(slice, digest)| TableDigest { slice, digest }).collect();
    let digest = match words.field("given-tables") {
        Some("none") if prerequisites.is_empty() => None,
        Some(text) if !prerequisites.is_empty() => {
            Some(Digest::parse(text).ok_or_else(|| "expected given-tables=DIGEST".to_string())?)
        }
        _ => {
            return Err(format!("expected given-tables= of {} slices", prerequisites.len()));
        }
    };
    // Where notes are trusted, no slices are verified, and values come from files only.
    let tables = Tables { verified, prerequisites, digest };
    let tables = words.field("db-note").is_none().then_some(tables);
    let by = BTreeSet::new();
    Ok(Cover { by, level, slices, nodes, leaves, tables, has_journal: false })
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

/// The numbers of witnesses that each item needs at least.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Least {
    /// Different keys, or notes where no keys are required.
    pub(crate) who: usize,
    /// Different implementations of the checker.
    pub(crate) checkers: usize,
}

/// The first range within `all` that too few witnesses have covered.
pub(crate) fn gap(
    all: Range<usize>,
    least: Least,
    covered: &[Covered<'_>],
) -> Option<Range<usize>> {
    let ends = covered.iter().flat_map(|c| [c.range.start, c.range.end]);
    let ends = ends.chain([all.start, all.end]);
    let ends: BTreeSet<usize> = ends.filter(|end| (all.start..=all.end).contains(end)).collect();
    let ends: Vec<usize> = ends.into_iter().collect();
    let stretches = ends.windows(2).map(|w| w[0]..w[1]);
    stretches.into_iter().find(|stretch| {
        let covers =
            |c: &&Covered<'_>| c.range.start <= stretch.start && stretch.end <= c.range.end;
        let by: Vec<&Witness> = covered.iter().filter(covers).flat_map(|c| c.by).collect();
        let who: BTreeSet<usize> = by.iter().map(|witness| witness.who).collect();
        let checkers: BTreeSet<&str> = by.iter().map(|witness| &*witness.checker).collect();
        who.len() < least.who || checkers.len() < least.checkers
    })
}
