//! Joining notes: whether what they say together is that everything has been verified (`SPEC.md`
//! §12).
//!
//! Soundness: a note is believed or not, as its signatures and the user say; nothing here can tell
//! a false one. What is enforced is that all notes are about this very certificate and database,
//! that each item of the work (`selection.rs`) is in enough of them, that none takes for granted
//! what would make a circle, and that each table taken for granted is, by its digest, the one that
//! others have verified.
//!
//! Why that is enough, wherever a shard had the tables from: a table that a shard verifies has for
//! quiet positions the values in the slice's file, and for others what they come to by the tables
//! of slices with fewer pieces. If those are what the files come to, so is this one. So by
//! induction over the pieces all tables that shards verify, and with them all that are taken for
//! granted, are what the files come to; which is how `selection.rs` has it.

use crate::describe::{DescribedQuestion, Description};
use crate::selection::{Work, below};
use crate::statement::{Statement, TrustedDatabase};
use crate::tables::{TableDigest, both, of_list};
use certificate_notes::Note;
use certificate_notes::keys::PublicKey;
use certificate_spec::Digest;
use certificate_spec::database::SliceName;
use checker_core::{Finding, Level, Stop};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What a note covers.
struct Cover {
    /// Whose word it is, of those that count.
    by: BTreeSet<Witness>,
    /// The level at which values were verified.
    level: Level,
    slices: Range<usize>,
    /// For each question.
    nodes: Vec<Range<usize>>,
    leaves: Vec<Range<usize>>,
    /// Of a shard, which may have had tables from anywhere: what it says of them.
    tables: Option<Tables>,
}

/// The tables of a shard.
struct Tables {
    /// The slices that it verifies, with the digests of their tables.
    verified: Vec<TableDigest>,
    /// The slices whose tables it took for granted,
    prerequisites: Vec<SliceName>,
    /// and what stands for these.
    digest: Option<Digest>,
}

fn finding(rule: &'static str, note: &Note, expected: impl ToString) -> Finding {
    Finding {
        rule,
        expected: expected.to_string(),
        found: shortened(note.verdict()),
        file: note.file.clone().into(),
        offset: None,
        position: None,
    }
}

/// The beginning of a text that somebody else has written, as much as fits on a line.
fn shortened(text: &str) -> String {
    const MOST: usize = 200;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.into(),
    }
}

fn declined(finding: Finding) -> Stop {
    Stop::Declined(Box::new(finding))
}

/// Reads `A-B/N`.
fn range(text: &str, of: usize) -> Option<Range<usize>> {
    let (range, all) = text.split_once('/')?;
    let (start, end) = range.split_once('-')?;
    let (start, end) = (start.parse().ok()?, end.parse().ok()?);
    (all.parse() == Ok(of) && start <= end && end <= of).then_some(start..end)
}

/// A question, and how many nodes or leaves it has.
#[derive(Debug, Clone, Copy)]
struct Numbered {
    question: u8,
    of: usize,
}

/// Reads `Q:A-B/N,…`, one for each question.
fn ranges(text: &str, questions: &[Numbered]) -> Option<Vec<Range<usize>>> {
    let items: Vec<&str> = text.split(',').collect();
    let one = |(item, numbered): (&&str, &Numbered)| {
        range(item.strip_prefix(&format!("{}:", numbered.question))?, numbered.of)
    };
    (items.len() == questions.len()).then(|| items.iter().zip(questions).map(one).collect())?
}

impl Cover {
    /// Its slices.
    fn slices(&self) -> Covered<'_> {
        Covered { range: &self.slices, by: &self.by }
    }

    /// Its nodes or leaves of the `q`th question.
    fn positions(&self, what: &str, q: usize) -> Covered<'_> {
        let ranges = if what == "nodes" { &self.nodes } else { &self.leaves };
        Covered { range: &ranges[q], by: &self.by }
    }

    /// What a note says, if it is about what is described; or what it would have had to say.
    fn read(note: &Note, about: &Description, by: BTreeSet<Witness>) -> Result<Cover, String> {
        let verdict = note.verdict();
        if verdict.contains(" by cover of ") {
            return Err("what a check has said, not a merge".into());
        }
        let (rest, is_shard) = match verdict.strip_prefix("VERIFIED SHARD ") {
            Some(rest) => (rest.split_once(' ').map_or("", |(_, rest)| rest), true),
            None => {
                let whole = ["VERIFIED ", "CONSISTENT ", "CONDITIONAL "]
                    .iter()
                    .find_map(|w| verdict.strip_prefix(w));
                (whole.ok_or("VERIFIED")?, false)
            }
        };
        let fields = note.fields();
        let field = |name: &str| fields.get(name).copied();
        for (name, right) in
            [("pieces", about.cover.to_string()), ("db-root", about.db_root.clone())]
        {
            if field(name) != Some(&right) {
                return Err(format!("{name}={right}"));
            }
        }
        let is_database = rest.starts_with("DATABASE ");
        let is_ours = rest.strip_prefix(&about.subject).is_some_and(|rest| rest.starts_with(' '));
        if !(is_ours || is_database && !about.cover.is_empty()) {
            return Err(about.subject.clone());
        }
        let level = match field("db") {
            Some("consistent") => Level::Consistent,
            Some("exact" | "none") => Level::Exact,
            _ => return Err("db=exact or db=consistent".into()),
        };
        let pairs = &about.pairs;
        let numbered = |of: fn(&DescribedQuestion) -> usize| -> Vec<Numbered> {
            let number = |q: &DescribedQuestion| Numbered { question: q.question, of: of(q) };
            about.questions.iter().map(number).collect()
        };
        let nodes = || numbered(|q| q.nodes + 1);
        let leaves = || numbered(|q| q.leaves);
        if !is_shard {
            let everything = |all: Vec<Numbered>| -> Vec<_> {
                all.into_iter().map(|n| if is_database { 0..0 } else { 0..n.of }).collect()
            };
            let slices = if field("db-note").is_some() { 0 } else { pairs.len() };
            let (nodes, leaves) = (everything(nodes()), everything(leaves()));
            return Ok(Cover { by, level, slices: 0..slices, nodes, leaves, tables: None });
        }
        let read = |name: &str| field(name).and_then(|text| range(text, pairs.len()));
        let slices = read("slices").ok_or_else(|| format!("slices=A-B/{}", pairs.len()))?;
        let given = read("given").ok_or_else(|| format!("given=A-B/{}", pairs.len()))?;
        // What the values rest on must come before them, or the notes could lean on one another in
        // a circle.
        let most = match level {
            Level::Exact => below(pairs, &slices),
            Level::Consistent => pairs.len(),
        };
        if given.end > most {
            return Err(format!("given=0-{most}/{}", pairs.len()));
        }
        let read = |name: &str, all: Vec<Numbered>| match field(name) {
            _ if is_database => Ok(vec![0..0; all.len()]),
            Some(text) => ranges(text, &all).ok_or(format!("{name} of these questions: {all:?}")),
            None => Err(format!("{name}=")),
        };
        let (nodes, leaves) = (read("nodes", nodes())?, read("leaves", leaves())?);
        let questions = nodes.iter().cloned().zip(leaves.iter().cloned());
        let questions = questions.map(|(nodes, leaves)| [nodes, leaves]).collect();
        let prerequisites = Work { slices: slices.clone(), questions }.prerequisites(pairs);
        let own = both(&pairs[slices.clone()]);
        let list = field("tables").and_then(|text| match text {
            "none" => Some(Vec::new()),
            text => text.split(',').map(Digest::parse).collect::<Option<_>>(),
        });
        let list = list.filter(|list| list.len() == own.len());
        let list = list.ok_or_else(|| format!("tables= of {} slices", own.len()))?;
        let verified = own.into_iter().zip(list);
        let verified = verified.map(|(slice, digest)| TableDigest { slice, digest }).collect();
        let digest = match field("given-tables") {
            Some("none") if prerequisites.is_empty() => None,
            Some(text) if !prerequisites.is_empty() => {
                Some(Digest::parse(text).ok_or("given-tables=")?)
            }
            _ => return Err(format!("given-tables= of {} slices", prerequisites.len())),
        };
        // Where notes are trusted, no slices are verified, and values are read from files and
        // nowhere else.
        let tables = Tables { verified, prerequisites, digest };
        let tables = (field("db-note").is_none() || !slices.is_empty()).then_some(tables);
        Ok(Cover { by, level, slices, nodes, leaves, tables })
    }
}

/// Somebody who covers a stretch: a key or note, and the implementation of the checker.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Witness {
    /// The number of the key that has signed or, where no keys are asked for, of the note.
    who: usize,
    /// The name of the implementation.
    checker: String,
}

/// A range that some witnesses have covered.
struct Covered<'a> {
    range: &'a Range<usize>,
    by: &'a BTreeSet<Witness>,
}

/// How many witnesses each item needs.
#[derive(Debug, Clone, Copy)]
struct Least {
    /// Different keys, or notes.
    who: usize,
    /// Different implementations.
    checkers: usize,
}

/// The first stretch of `all` that not enough witnesses have covered.
fn gap(all: Range<usize>, least: Least, covered: &[Covered<'_>]) -> Option<Range<usize>> {
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

/// The notes, the keys that are trusted, and how many of them must have signed for each part.
pub struct Notes {
    /// The notes.
    pub notes: Vec<Note>,
    /// The keys that are trusted; without them, every note counts.
    pub keys: Option<Vec<PublicKey>>,
    /// How many keys, or notes where there are no keys, each part needs.
    pub least: usize,
    /// How many different implementations of the checker each part needs.
    pub distinct_checkers: usize,
}

impl Notes {
    /// How many witnesses each item needs.
    fn least(&self) -> Least {
        Least { who: self.least, checkers: self.distinct_checkers }
    }

    /// What the notes cover, as far as they count.
    fn covers(&self, about: &Description) -> Result<Vec<Cover>, Stop> {
        let mut covers = Vec::new();
        for (i, note) in self.notes.iter().enumerate() {
            let who: BTreeSet<usize> = match &self.keys {
                None => BTreeSet::from([i]),
                Some(keys) => {
                    let signers = note.signers(keys).map_err(|name| {
                        let expected = format!("a signature by {name}");
                        Stop::Refuted(Box::new(finding("note-signature", note, expected)))
                    })?;
                    signers.into_iter().collect()
                }
            };
            // Disagreement is reported whoever disagrees.
            let checker = note.checker().to_string();
            let by = who.into_iter().map(|who| Witness { who, checker: checker.clone() }).collect();
            let cover = Cover::read(note, about, by)
                .map_err(|expected| declined(finding("disagreement", note, expected)))?;
            covers.push(cover);
        }
        self.agree(&covers)?;
        Ok(covers)
    }

    /// A line for each note and each key that does not count, with the reason.
    pub fn left_out(&self, about: &Description) -> Vec<String> {
        let mut lines = Vec::new();
        let mut has_signed = BTreeSet::new();
        for note in &self.notes {
            let file = &note.file;
            match self.keys.as_ref().map(|keys| note.signers(keys)) {
                Some(Err(name)) => {
                    lines.push(format!("{file} does not count: {name} has not signed this"));
                }
                Some(Ok(signers)) if signers.is_empty() => {
                    lines.push(format!("{file} does not count: no trusted key has signed it"));
                }
                Some(Ok(signers)) => has_signed.extend(signers),
                None => {}
            }
            if about.is_win && note.fields().get("db") == Some(&"consistent") {
                let why = "they were only found consistent, and a win needs them exact";
                lines.push(format!("{file} does not count for values of the database: {why}"));
            }
        }
        for (i, key) in self.keys.iter().flatten().enumerate() {
            if !has_signed.contains(&i) {
                lines.push(format!("key {} counts for nothing: it has signed no note", key.name));
            }
        }
        lines
    }

    /// That all who have verified a slice have the same table of it.
    fn agree(&self, covers: &[Cover]) -> Result<(), Stop> {
        let mut all: BTreeMap<_, Digest> = BTreeMap::new();
        for (cover, note) in covers.iter().zip(&self.notes) {
            for &TableDigest { slice, digest } in
                cover.tables.iter().flat_map(|tables| &tables.verified)
            {
                let first = *all.entry(slice.order()).or_insert(digest);
                if first != digest {
                    let expected = format!("{first} as the digest of {}", slice.file_name());
                    return Err(declined(finding("disagreement", note, expected)));
                }
            }
        }
        Ok(())
    }

    /// That the tables that are taken for granted are those that enough others have verified.
    fn discharge(&self, covers: &[Cover], about: &Description) -> Result<(), Stop> {
        let tables = || covers.iter().filter_map(|cover| Some((cover, cover.tables.as_ref()?)));
        let ranges: Vec<_> = tables().map(|(cover, _)| cover.slices()).collect();
        let counted = tables().filter(|(cover, _)| !cover.by.is_empty());
        let given: BTreeSet<_> = counted
            .flat_map(|(_, tables)| &tables.prerequisites)
            .map(|slice| slice.order())
            .collect();
        for (i, &pair) in about.pairs.iter().enumerate() {
            let is_given = both(&[pair]).iter().any(|slice| given.contains(&slice.order()));
            // Tables are taken from shards of the same implementation: the names are not counted
            // here.
            let least = Least { checkers: 1, ..self.least() };
            if is_given && gap(i..i + 1, least, &ranges).is_some() {
                let name = pair.file_name();
                return Err(self.missing(format!("tables of {name}, which shards rest on")));
            }
        }
        let verified = tables().flat_map(|(_, tables)| &tables.verified);
        let verified: BTreeMap<_, Digest> = verified.map(|t| (t.slice.order(), t.digest)).collect();
        for (cover, note) in covers.iter().zip(&self.notes) {
            let Some(Tables { prerequisites, digest: Some(digest), .. }) = &cover.tables else {
                continue;
            };
            let list = prerequisites
                .iter()
                .map(|&slice| Some(TableDigest { slice, digest: *verified.get(&slice.order())? }));
            // Where a table is that nobody has verified, the note does not count.
            let right = list.collect::<Option<Vec<_>>>().map(|list| of_list(&list));
            if let Some(right) = right.filter(|right| right != digest) {
                let expected = format!("given-tables={right}");
                return Err(declined(finding("disagreement", note, expected)));
            }
        }
        Ok(())
    }

    fn gap_in_slices(
        &self,
        covers: &[Cover],
        about: &Description,
        exact: bool,
    ) -> Option<Range<usize>> {
        let counts = covers.iter().filter(|cover| !exact || cover.level == Level::Exact);
        let ranges: Vec<_> = counts.map(Cover::slices).collect();
        gap(0..about.pairs.len(), self.least(), &ranges)
    }

    /// The level at which the notes cover all slices of the database.
    fn level(&self, covers: &[Cover], about: &Description) -> Result<Level, Stop> {
        let level = self.covered(covers, about)?;
        self.discharge(covers, about)?;
        Ok(level)
    }

    fn covered(&self, covers: &[Cover], about: &Description) -> Result<Level, Stop> {
        if self.gap_in_slices(covers, about, true).is_none() {
            return Ok(Level::Exact);
        }
        let gap = match self.gap_in_slices(covers, about, about.is_win) {
            None => return Ok(Level::Consistent),
            Some(gap) => gap,
        };
        if self.gap_in_slices(covers, about, false).is_none() {
            return Err(declined(Finding {
                rule: "level",
                expected: Level::Exact.word().into(),
                found: Level::Consistent.word().into(),
                file: "CLAIM".into(),
                offset: None,
                position: None,
            }));
        }
        let name = about.pairs.get(gap.start).map_or(String::new(), |s| s.file_name());
        Err(self.missing(format!("slices={}-{} ({name} and on)", gap.start, gap.end)))
    }

    /// How many trusted keys stand for each part.
    fn who(&self) -> String {
        self.keys.as_ref().map_or("none".into(), |_| self.least.to_string())
    }

    /// The names of the implementations whose notes count.
    fn checkers(&self, covers: &[Cover]) -> String {
        let by = covers.iter().flat_map(|cover| &cover.by);
        let names: BTreeSet<&str> = by.map(|witness| &*witness.checker).collect();
        names.into_iter().collect::<Vec<_>>().join(",")
    }

    fn missing(&self, what: String) -> Stop {
        let who = if self.keys.is_some() { "trusted keys" } else { "notes" };
        declined(Finding {
            rule: "cover",
            expected: match self.distinct_checkers {
                1 => format!("{} {who} for each part", self.least),
                n => format!("{} {who} and {n} checkers for each part", self.least),
            },
            found: format!("fewer for {what}"),
            file: "MANIFEST".into(),
            offset: None,
            position: None,
        })
    }

    /// The level at which the notes cover the values of the database, and what a verdict says of
    /// them.
    ///
    /// # Errors
    /// They do not cover all of them, or disagree.
    pub fn database(&self, about: &Description) -> Result<(Level, TrustedDatabase), Stop> {
        let level = self.level(&self.covers(about)?, about)?;
        let digests: Vec<String> = self.notes.iter().map(|note| note.digest.to_string()).collect();
        let fields = format!("db-note={} db-note-keys={}", digests.join(","), self.who());
        let (root, is_signed) = (about.db_root.clone(), self.keys.is_some());
        Ok((level, TrustedDatabase { root, fields, is_signed }))
    }

    /// The verdict of all notes together.
    ///
    /// # Errors
    /// They do not cover everything, or disagree.
    pub fn verdict(&self, about: &Description) -> Result<Statement, Stop> {
        let covers = self.covers(about)?;
        let level = self.level(&covers, about)?;
        let Description { subject, cover, db_root, questions, positions, assumed, .. } = about;
        for (q, &DescribedQuestion { question, nodes, leaves }) in questions.iter().enumerate() {
            for (what, all) in [("nodes", nodes + 1), ("leaves", leaves)] {
                let ranges: Vec<_> = covers.iter().map(|cover| cover.positions(what, q)).collect();
                if let Some(gap) = gap(0..all, self.least(), &ranges) {
                    let place = format!("{what}={question}:{}-{}", gap.start, gap.end);
                    return Err(self.missing(place));
                }
            }
        }
        let db = match level {
            _ if cover.is_empty() => "none",
            Level::Exact => "exact",
            Level::Consistent => "consistent",
        };
        let mut line = match questions.is_empty() {
            true => format!("{subject} db={db}"),
            false => {
                let nodes: usize = questions.iter().map(|q| q.nodes).sum();
                let leaves: usize = questions.iter().map(|q| q.leaves).sum();
                format!(
                    "{subject} db={db} pieces={cover} db-root={db_root} nodes={nodes} leaves={leaves} positions={positions}"
                )
            }
        };
        line += &format!(" by cover of {} notes", self.notes.len());
        line += &format!(" keys={} checkers={}", self.who(), self.checkers(&covers));
        let (unsigned, assumed) = (self.keys.is_none(), *assumed);
        let consistent = questions.is_empty() && level == Level::Consistent;
        Ok(Statement::Trusting { fields: line, assumed, consistent, unsigned })
    }
}
