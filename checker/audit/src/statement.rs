//! The statement at the end of a check of the whole or of a part, and the kinds of checks.

use crate::sample::Sample;
use crate::selection::{Everything, SampleSelection, ShardSelection, Unseen};
use crate::store::{Store, TableFolder};
use crate::trusted::TrustedDatabase;
use certificate_notes::Shard;
use certificate_spec::Digest;
use certificate_spec::cover::Cover;
use checker_core::{
    Board, Level, LookedAt, Nothing, Options, PartReport, Selection, Stop, TableStore, Verdict,
};
use std::path::Path;

/// The extent of a check.
#[derive(Debug, Clone)]
pub enum Extent {
    /// All of the work.
    Whole(Values),
    /// One shard of the work.
    Shard(Shard, Values),
    /// A random sample of the work.
    Sample(Sample),
}

impl Default for Extent {
    fn default() -> Self {
        Extent::Whole(Values::Verified)
    }
}

/// The values of the database that are accepted besides the core's own verification.
#[derive(Debug, Clone)]
pub enum Values {
    /// Nothing else: the core verifies all values.
    Verified,
    /// Tables in a folder: those that its journal has recorded, which is trusted; or, in a shard,
    /// those that other shards have left there. Notes have the digests of these, so that such a
    /// folder need not be trusted; a refutation that used them is worth nothing.
    Tables(TableFolder),
    /// Notes, for all values of the database.
    Trusted(TrustedDatabase),
}

/// The statement at the end of a check: a line and an exit status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Statement {
    /// The core's verdict of a whole check.
    Whole(Verdict),
    /// Everything is right if what was trusted is: a journal, or notes.
    Trusting {
        /// The fields of the verdict line.
        fields: String,
        /// The number of Assumed nodes.
        assumed: usize,
        /// Whether the subject is a database alone whose values were only found consistent.
        consistent: bool,
        /// Whether notes were accepted without requiring a signature of a trusted key.
        unsigned: bool,
    },
    /// A shard is right. These are the fields of the line.
    Shard(String),
    /// A sample is right.
    Sampled {
        /// The fields of the line.
        fields: String,
        /// The kinds of items that exist and of which the sample contains none.
        unseen: Vec<Unseen>,
    },
}

impl From<Verdict> for Statement {
    fn from(verdict: Verdict) -> Self {
        Statement::Whole(verdict)
    }
}

impl From<Stop> for Statement {
    fn from(stop: Stop) -> Self {
        Statement::Whole(Verdict::Stopped(stop))
    }
}

impl Statement {
    /// The verdict line, without its line feed.
    pub fn line(&self) -> String {
        match self {
            Statement::Whole(verdict) => verdict.line(),
            Statement::Trusting { fields, consistent: true, .. } => {
                format!("s CONSISTENT {fields}")
            }
            Statement::Trusting { fields, assumed: 0, .. } => format!("s VERIFIED {fields}"),
            Statement::Trusting { fields, assumed, .. } => {
                format!("s CONDITIONAL {fields} assumed={assumed}")
            }
            Statement::Shard(fields) => format!("s VERIFIED SHARD {fields}"),
            Statement::Sampled { fields, .. } => format!("s SAMPLED {fields}"),
        }
    }

    /// The words of the verdict in a note: the line without its `s`, and of a refutation what it is
    /// about (`SPEC.md` §12).
    pub fn words(&self) -> String {
        let mut words = self.line().trim_start_matches("s ").to_string();
        if let Statement::Whole(Verdict::Stopped(Stop::Refuted(_, roots))) = self {
            words += &roots.certificate.map_or(String::new(), |root| format!(" root={root}"));
            words += &roots.database.map_or(String::new(), |root| format!(" db-root={root}"));
        }
        words
    }

    /// The exit status.
    pub fn status(&self) -> u8 {
        match self {
            Statement::Whole(verdict) => verdict.status(),
            // Anyone can write a note, so it gives the status of an acceptance only with a trusted
            // signature.
            Statement::Trusting { assumed: 0, unsigned, consistent, .. } => {
                5 * u8::from(*unsigned || *consistent)
            }
            Statement::Trusting { .. } => 2,
            Statement::Shard(_) | Statement::Sampled { .. } => 5,
        }
    }
}

/// Checks the certificate in the folder `path`, as far as the extent goes.
pub fn check(path: &Path, options: &Options, extent: &Extent) -> Statement {
    Subject::Certificate(path).check(options, extent)
}

/// Checks a database alone, as far as the extent goes.
pub fn check_database(
    board: &Board,
    cover: Option<&Cover>,
    options: &Options,
    extent: &Extent,
) -> Statement {
    Subject::Database(board, cover).check(options, extent)
}

/// The subject of a check.
#[derive(Clone, Copy)]
enum Subject<'a> {
    /// The certificate in a folder.
    Certificate(&'a Path),
    /// The database of a board, as far as a cover goes, or all of it.
    Database(&'a Board, Option<&'a Cover>),
}

impl Subject<'_> {
    fn check(self, options: &Options, extent: &Extent) -> Statement {
        let statement = match extent {
            Extent::Whole(values) => self.check_whole(options, values),
            Extent::Shard(shard, values) => self.check_shard(options, *shard, values),
            Extent::Sample(sample) => self.check_sample(options, *sample),
        };
        statement.unwrap_or_else(Statement::from)
    }

    fn check_whole(self, options: &Options, values: &Values) -> Result<Statement, Stop> {
        match values {
            Values::Verified => Ok(match self {
                Subject::Certificate(path) => checker_core::check(path, options).into(),
                Subject::Database(board, cover) => {
                    checker_core::check_database(board, cover, options).into()
                }
            }),
            Values::Tables(folder) if !folder.has_journal() => {
                Err(Stop::Error("options: tables of others without a shard".into()))
            }
            Values::Tables(folder) => {
                let everything = Everything::new(true, self.has_positions());
                let looked = self.check_part(options, &everything, &Store::new(folder, ""))?;
                is_whole(&looked, true)?;
                let journal = believed(&looked, looked.all_pairs);
                let fields = format!("{}{journal}{}", looked.subject, self.counts(&looked));
                let consistent = options.level == Level::Consistent && looked.questions.is_empty();
                let assumed = looked.assumed;
                Ok(Statement::Trusting { fields, assumed, consistent, unsigned: false })
            }
            Values::Trusted(trusted) => {
                self.may_trust_notes()?;
                let positions = Everything::new(false, true);
                let looked = self.check_part(options, &positions, &Nothing)?;
                is_of(positions.database_root(), trusted)?;
                is_whole(&looked, false)?;
                let fields = format!("{} {trusted}{}", looked.subject, self.counts(&looked));
                let unsigned = trusted.keys.is_none();
                let assumed = looked.assumed;
                Ok(Statement::Trusting { fields, assumed, consistent: false, unsigned })
            }
        }
    }

    fn check_shard(
        self,
        options: &Options,
        shard: Shard,
        values: &Values,
    ) -> Result<Statement, Stop> {
        let mut trusted = None;
        if let Values::Trusted(database) = values {
            self.may_trust_notes()?;
            trusted = Some(database);
        }
        let selection = ShardSelection::new(shard, trusted.is_none());
        let looked = match values {
            Values::Verified | Values::Trusted(_) => self.check_part(options, &selection, &Nothing),
            Values::Tables(folder) => {
                self.check_part(options, &selection, &Store::new(folder, shard))
            }
        }?;
        if let Some(trusted) = trusted {
            is_of(selection.database_root(), trusted)?;
        }
        let fields = selection.verdict_fields(&looked, options.level, trusted)?;
        Ok(Statement::Shard(with_assumed(fields, looked.assumed)))
    }

    fn check_sample(self, options: &Options, sample: Sample) -> Result<Statement, Stop> {
        let selection = SampleSelection::new(sample);
        let looked = self.check_part(options, &selection, &Nothing)?;
        let fields = with_assumed(selection.verdict_fields(&looked), looked.assumed);
        Ok(Statement::Sampled { fields, unseen: SampleSelection::unseen(&looked) })
    }

    fn check_part(
        self,
        options: &Options,
        selection: &dyn Selection,
        store: &dyn TableStore,
    ) -> Result<PartReport, Stop> {
        match self {
            Subject::Certificate(path) => checker_core::check_part(path, options, selection, store),
            Subject::Database(board, cover) => {
                checker_core::check_database_part(board, cover, options, selection, store)
            }
        }
    }

    /// Whether there are nodes and leaves to be checked.
    fn has_positions(self) -> bool {
        matches!(self, Subject::Certificate(_))
    }

    /// Checks that more than the values that notes were trusted for is left to be checked.
    fn may_trust_notes(self) -> Result<(), Stop> {
        match self.has_positions() {
            true => Ok(()),
            false => Err(Stop::Error("options: a database trusted instead of checked".into())),
        }
    }

    /// The fields that the verdict on all of the work ends with.
    fn counts(self, looked: &PartReport) -> String {
        if !self.has_positions() {
            return format!(" slices={} indices={}", looked.slices.len(), looked.indices);
        }
        let nodes: u64 = looked.questions.iter().map(|q| q.nodes.looked_at - 1).sum();
        let leaves: u64 = looked.questions.iter().map(|q| q.leaves.looked_at).sum();
        format!(" nodes={nodes} leaves={leaves} positions={}", looked.positions)
    }
}

/// The field that says for how many of `all` pairs of slices a journal has spoken. Empty if it has
/// spoken for none.
pub(crate) fn believed(looked: &PartReport, all: usize) -> String {
    match looked.believed {
        0 => String::new(),
        believed => format!(" journal={believed}/{all}"),
    }
}

/// Checks that every node and leaf was looked at, and with `values` every pair of slices, by this
/// check or as the journal says. The core takes a table for granted only where its pair was not
/// selected, so with `values` nothing was if all pairs are counted.
fn is_whole(looked: &PartReport, values: bool) -> Result<(), Stop> {
    let all = |q: &LookedAt| q.nodes.looked_at == q.nodes.of && q.leaves.looked_at == q.leaves.of;
    let slices = !values || looked.pairs.len() + looked.believed == looked.all_pairs;
    match looked.questions.iter().all(all) && slices {
        true => Ok(()),
        false => Err(Stop::Error("not everything was checked".into())),
    }
}

/// Checks that the trusted values are those of the database that was used.
fn is_of(used: Option<Digest>, trusted: &TrustedDatabase) -> Result<(), Stop> {
    match used.is_some() && used == trusted.root {
        true => Ok(()),
        false if used.is_none() => {
            Err(Stop::Error("the claim has no database whose values could be trusted".into()))
        }
        false => Err(Stop::Error("what is trusted is another database than the claim's".into())),
    }
}

fn with_assumed(fields: String, assumed: usize) -> String {
    if assumed > 0 { format!("{fields} assumed={assumed}") } else { fields }
}
