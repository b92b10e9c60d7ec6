//! The statement at the end of a check of the whole or of a part, and the kinds of checks.

use crate::sample::Sample;
use crate::selection::{AllSlices, Everything, SampleSelection, ShardSelection};
use crate::source::Journaled;
use crate::tables::TableFolder;
use certificate_notes::Shard;
use certificate_spec::cover::Cover;
use certificate_spec::database::SliceName;
use checker_core::{
    Board, Level, Looked, LookedAt, Nothing, Options, Selection, Stop, TableSource, Verdict,
    check_database_part, check_part,
};
use std::path::{Path, PathBuf};

/// How much is checked.
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

/// What is accepted for values of the database besides the core's own verification.
#[derive(Debug, Clone)]
pub enum Values {
    /// Nothing else: the core verifies all values.
    Verified,
    /// Tables that other shards have left in a folder. Notes have the digests of these tables, so
    /// the folder need not be trusted. A refutation that used such tables is worth nothing.
    Tables(TableFolder),
    /// The journal in this file, for the slices that it has recorded.
    Journal(PathBuf),
    /// Notes, for all values of the database.
    Trusted(TrustedDatabase),
}

/// What notes state of the values of a database, taken without verification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedDatabase {
    /// The root of the database; the notes count for no other database.
    pub root: String,
    /// The fields that the verdict has about the notes.
    pub fields: String,
    /// Whether signatures of trusted keys were required.
    pub is_signed: bool,
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

/// A kind of item that exists and of which a sample contains none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unseen {
    /// What the verdict calls it: blocks, nodes or leaves.
    pub what: &'static str,
    /// The number of such items that there are.
    pub of: u64,
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
    let subject = |selection: &dyn Selection, source: &dyn TableSource| {
        check_part(path, options, selection, source)
    };
    let whole = || checker_core::check(path, options);
    let everything = |values| Everything { values };
    let counts = |looked: &Looked| {
        let nodes: u64 = looked.questions.iter().map(|q| q.nodes.looked_at - 1).sum();
        let leaves: u64 = looked.questions.iter().map(|q| q.leaves.looked_at).sum();
        format!(" nodes={nodes} leaves={leaves} positions={}", looked.positions)
    };
    run(options, extent, whole, &subject, &everything(true), Some(&everything(false)), &counts)
}

/// Checks a database alone, as far as the extent goes.
pub fn check_database(
    board: &Board,
    cover: Option<&Cover>,
    options: &Options,
    extent: &Extent,
) -> Statement {
    let subject = |selection: &dyn Selection, source: &dyn TableSource| {
        check_database_part(board, cover, options, selection, source)
    };
    let whole = || checker_core::check_database(board, cover, options);
    let counts =
        |looked: &Looked| format!(" slices={} indices={}", looked.slices.len(), looked.indices);
    run(options, extent, whole, &subject, &AllSlices, None, &counts)
}

/// A check of a part with a selection and a source of tables.
type CheckPart<'a> = dyn Fn(&dyn Selection, &dyn TableSource) -> Result<Looked, Stop> + 'a;

/// `everything` selects all work; `positions` all work but values; `counts` words what was looked
/// at.
fn run(
    options: &Options,
    extent: &Extent,
    whole: impl FnOnce() -> Verdict,
    check: &CheckPart<'_>,
    everything: &dyn Selection,
    positions: Option<&dyn Selection>,
    counts: &dyn Fn(&Looked) -> String,
) -> Statement {
    let statement = || -> Result<Statement, Stop> {
        Ok(match extent {
            Extent::Whole(Values::Verified) => whole().into(),
            Extent::Whole(Values::Tables(_)) => {
                return Err(Stop::Error("options: tables without a shard".into()));
            }
            Extent::Whole(Values::Journal(path)) => {
                let looked = check(everything, &Journaled::new(path, ""))?;
                is_whole(&looked, true)?;
                let journal = journal_field(looked.all_pairs, looked.pairs.len());
                let fields = format!("{}{journal}{}", looked.subject, counts(&looked));
                let consistent = options.level == Level::Consistent && looked.questions.is_empty();
                let assumed = looked.assumed;
                Statement::Trusting { fields, assumed, consistent, unsigned: false }
            }
            Extent::Whole(Values::Trusted(trusted)) => {
                let positions = positions.ok_or_else(trusted_alone)?;
                let looked = check(positions, &Nothing)?;
                is_of(&looked, trusted)?;
                is_whole(&looked, false)?;
                let fields = format!("{} {}{}", looked.subject, trusted.fields, counts(&looked));
                let unsigned = !trusted.is_signed;
                let assumed = looked.assumed;
                Statement::Trusting { fields, assumed, consistent: false, unsigned }
            }
            Extent::Shard(shard, values) => {
                let trusted = match values {
                    Values::Trusted(_) if positions.is_none() => return Err(trusted_alone()),
                    Values::Trusted(trusted) => Some(trusted),
                    _ => None,
                };
                let selection = ShardSelection::new(*shard, trusted.is_none());
                let looked = match values {
                    Values::Verified | Values::Trusted(_) => check(&selection, &Nothing),
                    Values::Tables(folder) => check(&selection, folder),
                    Values::Journal(path) => check(&selection, &Journaled::new(path, shard)),
                }?;
                trusted.map_or(Ok(()), |trusted| is_of(&looked, trusted))?;
                let fields = selection.verdict_fields(&looked, options.level, trusted)?;
                Statement::Shard(with_assumed(fields, looked.assumed))
            }
            Extent::Sample(sample) => {
                let selection = SampleSelection::new(*sample);
                let looked = check(&selection, &Nothing)?;
                let fields = selection.verdict_fields(&looked);
                let fields = with_assumed(fields, looked.assumed);
                Statement::Sampled { fields, unseen: SampleSelection::unseen(&looked) }
            }
        })
    };
    statement().unwrap_or_else(Statement::from)
}

fn trusted_alone() -> Stop {
    Stop::Error("options: a database trusted instead of checked".into())
}

/// Checks that every node and leaf was looked at, and with `values` every pair of slices, by this
/// check or as the journal says.
fn is_whole(looked: &Looked, values: bool) -> Result<(), Stop> {
    let all = |q: &LookedAt| q.nodes.looked_at == q.nodes.of && q.leaves.looked_at == q.leaves.of;
    let is_verified = |slice: &SliceName| looked.tables.verified.contains_key(slice);
    let slices = !values || looked.slices.iter().all(is_verified);
    match looked.questions.iter().all(all) && slices {
        true => Ok(()),
        false => Err(Stop::Error("not everything was checked".into())),
    }
}

/// Checks that the trusted values are those of this very database.
fn is_of(looked: &Looked, trusted: &TrustedDatabase) -> Result<(), Stop> {
    let is_same = looked.subject.split(' ').any(|f| f == format!("db-root={}", trusted.root));
    match is_same && trusted.root != "none" {
        true => Ok(()),
        false => Err(Stop::Error("what is trusted is another database than the claim's".into())),
    }
}

/// The field that says for how many of `all` pairs of slices a journal has spoken, given that the
/// check has verified `here` pairs itself. Empty if the journal has spoken for none.
pub(crate) fn journal_field(all: usize, here: usize) -> String {
    match all.saturating_sub(here) {
        0 => String::new(),
        believed => format!(" journal={believed}/{all}"),
    }
}

fn with_assumed(fields: String, assumed: usize) -> String {
    if assumed > 0 { format!("{fields} assumed={assumed}") } else { fields }
}
