//! Joining notes: decides whether they state together that everything has been verified (`SPEC.md`
//! §12).
//!
//! Soundness: whether a note is believed depends on its signatures and the user; nothing here can
//! recognise a false note. What is enforced is that all notes that count are about this very
//! certificate and database (`cover.rs`), that each item of the work (`selection.rs`) is in enough
//! of them, that none takes for granted what would make a circle, and that each table taken for
//! granted is, by its digest, the one that others have verified. Any other file is named and passed
//! over, so that adding a file cannot spoil an audit.
//!
//! This suffices, whatever place a shard had its tables from: a table that a shard verifies has for
//! quiet positions the values in the slice's file, and for others the values that follow from the
//! tables of slices with fewer pieces. If those tables are what the files come to, so is this one.
//! So by induction over the pieces all tables that shards verify, and with them all that are taken
//! for granted, are what the files come to; `selection.rs` rests on this.

use crate::cover::{Cover, Objection, Witness, gaps};
use crate::describe::{DescribedQuestion, Description};
use crate::selection::Work;
use crate::statement::Statement;
use crate::tables::{TableDigest, both, of_list};
use crate::trusted::TrustedDatabase;
use certificate_notes::keys::PublicKey;
use certificate_notes::{Note, Whole};
use certificate_spec::Digest;
use certificate_spec::database::SliceName;
use checker_core::{Finding, Level, Stop, escaped};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

fn finding(rule: &'static str, note: &Note, expected: impl ToString) -> Finding {
    Finding {
        rule,
        expected: expected.to_string(),
        found: shortened(note.verdict()),
        file: note.file.as_os_str().as_encoded_bytes().to_vec(),
        offset: None,
        position: None,
    }
}

/// The beginning of a text from another program, as much of it as fits on a line.
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

/// Files that may be notes, the keys that are trusted, and how many of them must have signed for
/// each part.
pub struct Notes {
    files: Vec<(PathBuf, Result<Note, String>)>,
    /// The keys that are trusted; without them, every note counts.
    keys: Option<Vec<PublicKey>>,
    /// The number of different keys, or notes where there are no keys, that each part needs.
    least: usize,
}

impl Notes {
    /// Reads notes. A file that is not a note does not count.
    ///
    /// Each part needs `least` keys, or notes where there are no keys.
    pub fn read(files: &[PathBuf], keys: Option<Vec<PublicKey>>, least: usize) -> Notes {
        let files = files.iter().map(|path| (path.clone(), Note::read(path))).collect();
        Notes { files, keys, least }
    }

    /// Sorts the notes into those that count for the description and those that do not.
    pub fn about<'a>(&'a self, about: &'a Description) -> Joined<'a> {
        let mut joined = Joined {
            all: self,
            about,
            counting: Vec::new(),
            copies: HashSet::new(),
            left_out: Vec::new(),
            disagreement: None,
        };
        // Pairs of a note's text (its digest) and a witness for it, to find copies.
        let mut known: BTreeSet<(Digest, usize)> = BTreeSet::new();
        for (i, (path, note)) in self.files.iter().enumerate() {
            match note {
                Ok(note) => joined.judge(i, note, &mut known),
                Err(why) => joined.leave_out(path, why),
            }
        }
        joined.report_what_counts_less();
        joined
    }

    /// The witnesses of a note: the trusted keys that have signed it or, without keys, the note
    /// itself.
    fn signers(&self, i: usize, note: &Note) -> Result<BTreeSet<usize>, String> {
        let Some(keys) = &self.keys else { return Ok(BTreeSet::from([i])) };
        let signers = note.signers(keys).map_err(|name| format!("{name} has not signed this"))?;
        match signers.is_empty() {
            true => Err("no trusted key has signed it".into()),
            false => Ok(signers),
        }
    }
}

/// The result of judging notes: which count, and which do not.
pub struct Joined<'a> {
    all: &'a Notes,
    about: &'a Description,
    counting: Vec<(&'a Note, Cover)>,
    /// The texts and signatures of the notes that count.
    copies: HashSet<Whole<'a>>,
    left_out: Vec<String>,
    /// The first disagreement: a note about this subject that says something else.
    disagreement: Option<Finding>,
}

impl<'a> Joined<'a> {
    /// A line for each file that does not count and each key that counts for nothing, with the
    /// reason.
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    fn leave_out(&mut self, path: &Path, why: &str) {
        let file = escaped(path.as_os_str().as_encoded_bytes());
        self.left_out.push(format!("{file} does not count: {}", shortened(why)));
    }

    /// Decides whether a note counts, and puts it where it belongs.
    fn judge(&mut self, i: usize, note: &'a Note, known: &mut BTreeSet<(Digest, usize)>) {
        let who = match self.all.signers(i, note) {
            Ok(who) => who,
            Err(why) => return self.leave_out(&note.file, &why),
        };
        let mut is_new = false;
        for who in &who {
            is_new |= known.insert((note.digest, *who));
        }
        // Without keys every note is a witness, so that a copy would count twice: copies are left
        // out.
        let is_copy = self.all.keys.is_none() && self.copies.contains(&note.whole());
        if !is_new || is_copy {
            return self.leave_out(&note.file, "the same is in another note");
        }
        let checker = note.checker().to_string();
        let by = who.into_iter().map(|who| Witness { who, checker: checker.clone() }).collect();
        match Cover::read(note, self.about, by) {
            Ok(cover) => {
                self.copies.insert(note.whole());
                self.counting.push((note, cover));
            }
            Err(Objection::Other(why)) => self.leave_out(&note.file, &why),
            Err(Objection::Disagreement(expected)) => {
                let expected = expected.strip_prefix("expected ").unwrap_or(&expected);
                let found = || finding("disagreement", note, expected);
                self.disagreement.get_or_insert_with(found);
            }
        }
    }

    /// Names the keys and notes that count for less than a user may expect.
    fn report_what_counts_less(&mut self) {
        for (note, cover) in &self.counting {
            if self.about.is_win && cover.level == Level::Consistent {
                let file = escaped(note.file.as_os_str().as_encoded_bytes());
                let why = "they were only found consistent, and a win needs them exact";
                let line = format!("{file} does not count for values of the database: {why}");
                self.left_out.push(line);
            }
        }
        let by = self.counting.iter().flat_map(|(_, cover)| &cover.by);
        let has_signed: BTreeSet<usize> = by.map(|witness| witness.who).collect();
        for (i, key) in self.all.keys.iter().flatten().enumerate() {
            if !has_signed.contains(&i) {
                let why = "it has signed no note that counts";
                self.left_out.push(format!("key {} counts for nothing: {why}", key.name));
            }
        }
    }

    fn covers(&self) -> impl Iterator<Item = &Cover> {
        self.counting.iter().map(|(_, cover)| cover)
    }

    /// The notes on which the verdict rests: for a win, those at the level exact.
    fn needed(&self) -> impl Iterator<Item = &(&'a Note, Cover)> {
        let is_win = self.about.is_win;
        self.counting.iter().filter(move |(_, c)| !is_win || c.level == Level::Exact)
    }

    /// Checks that no note says something else, and that all notes that have verified a slice have
    /// the same digest of its table.
    fn agree(&self) -> Result<(), Stop> {
        if let Some(finding) = &self.disagreement {
            return Err(declined(finding.clone()));
        }
        let mut all: BTreeMap<_, Digest> = BTreeMap::new();
        for (note, cover) in &self.counting {
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

    /// Checks that enough other notes have verified the tables that shards took for granted.
    fn check_given_tables(&self) -> Result<(), Stop> {
        let tables = || self.covers().filter_map(|cover| Some((cover, cover.tables.as_ref()?)));
        let ranges: Vec<_> = tables().map(|(cover, _)| cover.slices()).collect();
        let pairs = &self.about.pairs;
        let gaps = gaps(0..pairs.len(), self.all.least, &ranges);
        let is_given = self.given();
        if let Some(i) = gaps.into_iter().flatten().find(|&i| is_given[i]) {
            let name = pairs[i].file_name();
            return Err(self.missing(format!("tables of {name}, which shards rest on")));
        }
        let verified = tables().flat_map(|(_, tables)| &tables.verified);
        let verified: BTreeMap<_, Digest> = verified.map(|t| (t.slice.order(), t.digest)).collect();
        // Notes of the same part have the same list, which is made once.
        let mut lists: HashMap<&Work, Digest> = HashMap::new();
        for (note, cover) in &self.counting {
            let Some((tables, digest)) = cover.tables.as_ref().and_then(|t| Some((t, t.digest?)))
            else {
                continue;
            };
            let right = *lists.entry(&tables.work).or_insert_with(|| {
                // The list is complete: a table that no note has verified has been reported as
                // missing above.
                let digest = |slice: SliceName| verified.get(&slice.order()).copied();
                let all = tables.work.prerequisites(pairs).into_iter();
                let list =
                    all.filter_map(|slice| Some(TableDigest { slice, digest: digest(slice)? }));
                of_list(&list.collect::<Vec<_>>())
            });
            if right != digest {
                let expected = format!("given-tables={right}");
                return Err(declined(finding("disagreement", note, expected)));
            }
        }
        Ok(())
    }

    /// For each pair of slices, whether a note rests on a table of it that it has not verified.
    fn given(&self) -> Vec<bool> {
        let pairs = &self.about.pairs;
        let mut numbers: HashMap<SliceName, usize> = HashMap::new();
        for (i, &pair) in pairs.iter().enumerate() {
            numbers.insert(pair, i);
            numbers.insert(pair.twin(), i);
        }
        let mut is_given = vec![false; pairs.len()];
        // For each pair, the number of notes that need its table, less that number for the pair
        // before.
        let mut more = vec![0i64; pairs.len() + 1];
        for work in self.covers().filter_map(|cover| Some(&cover.tables.as_ref()?.work)) {
            let needed = work.needed(pairs);
            let own = &work.slices;
            for (place, change) in
                [(0, 1), (needed, -1), (own.start.min(needed), -1), (own.end.min(needed), 1)]
            {
                more[place] += change;
            }
            let others = work.crowned(pairs).filter_map(|slice| numbers.get(&slice));
            others.filter(|i| !own.contains(i)).for_each(|&i| is_given[i] = true);
        }
        let mut notes = 0;
        for (is_given, more) in is_given.iter_mut().zip(more) {
            notes += more;
            *is_given |= notes > 0;
        }
        is_given
    }

    fn gap_in_slices(&self, exact: bool) -> Option<Range<usize>> {
        let counts = self.covers().filter(|cover| !exact || cover.level == Level::Exact);
        let ranges: Vec<_> = counts.map(Cover::slices).collect();
        gaps(0..self.about.pairs.len(), self.all.least, &ranges).into_iter().next()
    }

    /// The level at which the notes cover the database, if they agree and rest on nothing else.
    fn level(&self) -> Result<Level, Stop> {
        self.agree()?;
        let level = self.level_of_slices()?;
        self.check_given_tables()?;
        Ok(level)
    }

    /// The level at which enough notes cover all slices of the database.
    fn level_of_slices(&self) -> Result<Level, Stop> {
        if self.gap_in_slices(true).is_none() {
            return Ok(Level::Exact);
        }
        let Some(gap) = self.gap_in_slices(self.about.is_win) else {
            return Ok(Level::Consistent);
        };
        if self.gap_in_slices(false).is_none() {
            return Err(declined(Finding {
                rule: "level",
                expected: Level::Exact.word().into(),
                found: Level::Consistent.word().into(),
                file: "CLAIM".into(),
                offset: None,
                position: None,
            }));
        }
        let name = self.about.pairs.get(gap.start).map_or(String::new(), |s| s.file_name());
        Err(self.missing(format!("slices={}-{} ({name} and on)", gap.start, gap.end)))
    }

    /// The number of trusted keys that must stand for each part, or `none`.
    fn keys(&self) -> String {
        self.all.keys.as_ref().map_or("none".into(), |_| self.all.least.to_string())
    }

    /// The names of the keys that have signed the notes on which the verdict rests; empty where no
    /// signature is required.
    pub fn signers(&self) -> Vec<String> {
        self.names(self.needed())
    }

    /// The names of the keys that have signed these notes, in the order of the keys.
    fn names<'b>(&self, notes: impl Iterator<Item = &'b (&'a Note, Cover)>) -> Vec<String>
    where
        'a: 'b,
    {
        let who: BTreeSet<usize> =
            notes.flat_map(|(_, cover)| &cover.by).map(|witness| witness.who).collect();
        let keys = self.all.keys.iter().flatten().enumerate();
        keys.filter(|(i, _)| who.contains(i)).map(|(_, key)| key.name.clone()).collect()
    }

    /// The names of the implementations whose notes count.
    fn checkers(&self) -> String {
        let by = self.needed().flat_map(|(_, cover)| &cover.by);
        let names: BTreeSet<&str> = by.map(|witness| &*witness.checker).collect();
        names.into_iter().collect::<Vec<_>>().join(",")
    }

    fn missing(&self, what: String) -> Stop {
        let who = if self.all.keys.is_some() { "trusted keys" } else { "notes" };
        declined(Finding {
            rule: "cover",
            expected: format!("{} {who} for each part", self.all.least),
            found: format!("fewer for {what}"),
            file: match self.about.root {
                Some(_) => "MANIFEST".into(),
                None => format!("{}/MANIFEST", self.about.board).into(),
            },
            offset: None,
            position: None,
        })
    }

    /// The level at which the notes cover the values of the database, and what is trusted then.
    ///
    /// # Errors
    /// The notes do not cover all of them, or disagree.
    pub fn database(&self) -> Result<(Level, TrustedDatabase), Stop> {
        let level = self.level()?;
        let used = || self.needed().filter(|(_, cover)| !cover.slices.is_empty());
        let trusted = TrustedDatabase {
            root: self.about.db_root,
            notes: used().map(|(note, _)| note.digest).collect(),
            keys: self.all.keys.as_ref().map(|_| self.all.least),
            signers: self.names(used()),
            journals: used().filter(|(_, cover)| cover.has_journal).count(),
        };
        Ok((level, trusted))
    }

    /// The verdict of all notes together.
    ///
    /// # Errors
    /// The notes do not cover everything, or disagree.
    pub fn verdict(&self) -> Result<Statement, Stop> {
        let level = self.level()?;
        if self.needed().next().is_none() {
            return Err(self.missing("everything".into()));
        }
        let Description { subject, cover, questions, positions, assumed, .. } = self.about;
        let db_root = self.about.db_root_word();
        for (q, &DescribedQuestion { question, nodes, leaves }) in questions.iter().enumerate() {
            for (what, all) in [("nodes", nodes + 1), ("leaves", leaves)] {
                let ranges: Vec<_> = self.covers().map(|cover| cover.positions(what, q)).collect();
                if let Some(gap) = gaps(0..all, self.all.least, &ranges).first() {
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
            true => {
                let slices = both(&self.about.pairs).len();
                format!("{subject} db={db} slices={slices} indices={}", self.about.indices)
            }
            false => {
                let nodes: usize = questions.iter().map(|q| q.nodes).sum();
                let leaves: usize = questions.iter().map(|q| q.leaves).sum();
                format!(
                    "{subject} db={db} pieces={cover} db-root={db_root} nodes={nodes} leaves={leaves} positions={positions}"
                )
            }
        };
        line += &format!(" by cover of {} notes", self.needed().count());
        line += &format!(" keys={} checkers={}", self.keys(), self.checkers());
        match self.needed().filter(|(_, cover)| cover.has_journal).count() {
            0 => {}
            journals => line += &format!(" journals={journals}"),
        }
        Ok(Statement::Trusting {
            fields: line,
            assumed: *assumed,
            consistent: questions.is_empty() && level == Level::Consistent,
            unsigned: self.all.keys.is_none(),
        })
    }
}
