//! A whole check, and a check of a part: what is verified, and in which order.
//!
//! Theorem (`SPEC.md` §2): where [`check`] makes a [`Verified`], every table of the database that
//! the certificate names was verified at the level asked for, and then the start, every node and
//! every leaf of every question of the claim; so the claim holds.
//!
//! Enforces: that a whole check selects everything and has no store of tables that could speak for
//! something ([`Everything`], [`Nothing`]), that it counts what was verified all the same, and that
//! only a whole check makes a `Verified`.

use crate::certificate::Certificate;
use crate::folder::{self, Values, find};
use crate::options::{Level, Options};
use crate::part::{
    Everything, LookedAt, Nothing, Part, PartReport, Selection, TableStore, WorkSize,
};
use crate::proof::{self, Tree};
use crate::rules::Board;
use crate::values::{Database, Shape, pairs};
use crate::verdict::{Stop, Verdict, Verified, format_and_rules};
use certificate_spec::cover::Cover;
use certificate_spec::database::SliceName;
use certificate_spec::manifest::Kind;
use checker_aid::Progress;
use std::path::Path;

/// Checks the certificate in the folder `path`: all of it.
pub fn check(path: &Path, options: &Options) -> Verdict {
    in_pool(options, || {
        let report = check_certificate(path, options, &Part::new(&Everything, &Nothing))?;
        report.is_everything()?;
        let fields = format!("{} {}", report.subject, report.counts());
        Ok(match report.assumed {
            0 => Verdict::Verified(Verified::new(fields)),
            n => Verdict::Conditional(format!("{fields} assumed={n}")),
        })
    })
    .unwrap_or_else(Verdict::Stopped)
}

/// Checks a database alone, as far as a cover goes, or all of it.
pub fn check_database(board: &Board, cover: Option<&Cover>, options: &Options) -> Verdict {
    in_pool(options, || {
        let report = check_values(board, cover, options, &Part::new(&Everything, &Nothing))?;
        report.is_everything()?;
        let PartReport { subject, slices, indices, .. } = report;
        let fields = format!("{subject} slices={} indices={indices}", slices.len());
        Ok(match options.level {
            Level::Exact => Verdict::Verified(Verified::new(fields)),
            Level::Consistent => Verdict::Consistent(fields),
        })
    })
    .unwrap_or_else(Verdict::Stopped)
}

/// Checks the items of the certificate in the folder `path` that a selection has. CLAIM, manifests,
/// listings and all objects are judged as in a whole check.
///
/// # Errors
/// What is wrong with it, or why it could not be checked.
pub fn check_part(
    path: &Path,
    options: &Options,
    selection: &dyn Selection,
    store: &dyn TableStore,
) -> Result<PartReport, Stop> {
    in_pool(options, || check_certificate(path, options, &Part::new(selection, store)))
}

/// Checks the items of a database alone that a selection has.
///
/// # Errors
/// As for [`check_part`].
pub fn check_database_part(
    board: &Board,
    cover: Option<&Cover>,
    options: &Options,
    selection: &dyn Selection,
    store: &dyn TableStore,
) -> Result<PartReport, Stop> {
    in_pool(options, || check_values(board, cover, options, &Part::new(selection, store)))
}

/// Runs a check on threads of its own.
fn in_pool<T: Send>(
    options: &Options,
    check: impl FnOnce() -> Result<T, Stop> + Send,
) -> Result<T, Stop> {
    // 0 stands for as many threads as the machine has.
    let threads = options.threads.unwrap_or(0);
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(check),
        Err(error) => Err(Stop::Error(format!("cannot start {threads} threads: {error}"))),
    }
}

/// Checks what the `part` selects of a certificate: first the database, then nodes and leaves.
fn check_certificate(path: &Path, options: &Options, part: &Part<'_>) -> Result<PartReport, Stop> {
    let certificate = Certificate::read(path, options.level)?;
    let report = check_claim(&certificate, options, part);
    report.map_err(|stop| stop.about(Some(certificate.root), None))
}

fn check_claim(
    certificate: &Certificate,
    options: &Options,
    part: &Part<'_>,
) -> Result<PartReport, Stop> {
    let board = certificate.game.board();
    let cover = &certificate.claim.cover;
    let database_root = certificate.claim.database;
    let found = database_root.map(|root| find(&options.db, board, Some(cover), Some(root)));
    let found = found.transpose()?;
    let work = WorkSize {
        root: certificate.root,
        database_root,
        board: board.clone(),
        pairs: pairs(board, cover),
        questions: WorkSize::questions(certificate),
    };
    part.selection.begin(&work);
    let values = found.as_ref().map(|found| folder::check(options, found, part)).transpose()?;
    let database = values.as_ref().map(|values| &values.database);
    let questions = check_questions(certificate, database, part, &work, &options.progress)?;

    let level = values.as_ref().map_or("none", |_| options.level.word());
    let db_root = database_root.map_or("none".into(), |root| root.to_string());
    let fields = certificate.verdict_fields();
    let subject = format!("{fields} db={level} pieces={cover} db-root={db_root}");
    Ok(PartReport {
        positions: questions.iter().map(|looked_at| looked_at.positions).sum(),
        questions,
        assumed: certificate.assumed(),
        ..PartReport::of_values(subject, &work, values, part)
    })
}

/// Checks the nodes and leaves of all questions. Returns for each what was looked at.
fn check_questions(
    certificate: &Certificate,
    database: Option<&Database>,
    part: &Part<'_>,
    work: &WorkSize,
    progress: &Progress,
) -> Result<Vec<LookedAt>, Stop> {
    let board = certificate.game.board();
    let nodes: usize = work.questions.iter().map(|size| size.nodes).sum();
    progress.begin("checking nodes and leaves", work.positions().saturating_add(nodes as u64));
    let check = |(q, proof)| {
        let is_wanted = |kind: Kind, i| part.selection.has(kind, q, i);
        proof::check(&Tree { board, database, proof }, certificate, is_wanted, progress)
    };
    certificate.proofs.iter().enumerate().map(check).collect()
}

/// The fields that verdicts about a database begin with.
pub fn database_fields(board: &Board, cover: &Cover, root: &str) -> String {
    format!("DATABASE {} pieces={cover} db-root={root} {}", board.name(), format_and_rules())
}

/// Checks what the `part` selects of a database alone.
fn check_values(
    board: &Board,
    cover: Option<&Cover>,
    options: &Options,
    part: &Part<'_>,
) -> Result<PartReport, Stop> {
    let found = find(&options.db, board, cover, None)?;
    let (cover, root) = (&found.restricted.cover, found.root);
    let work = WorkSize {
        root,
        database_root: Some(root),
        board: board.clone(),
        pairs: pairs(board, cover),
        questions: Vec::new(),
    };
    part.selection.begin(&work);
    let values = folder::check(options, &found, part)?;
    let fields = database_fields(board, cover, &root.to_string());
    let subject = format!("{fields} db={}", options.level.word());
    Ok(PartReport::of_values(subject, &work, Some(values), part))
}

impl PartReport {
    /// Checks that every pair of slices, node and leaf has been verified here, and that no table
    /// was taken for granted.
    fn is_everything(&self) -> Result<(), Stop> {
        let is_all =
            |q: &LookedAt| q.nodes.looked_at == q.nodes.of && q.leaves.looked_at == q.leaves.of;
        let pairs = self.pairs.len() == self.all_pairs;
        match pairs && self.questions.iter().all(is_all) && self.tables.assumed.is_empty() {
            true => Ok(()),
            false => Err(Stop::Error("not everything was checked".into())),
        }
    }

    /// The fields that verdicts of a whole check end with: the numbers of nodes, leaves and
    /// positions.
    fn counts(&self) -> String {
        // The start counts as one of the nodes looked at, and is not one of the certificate.
        let nodes: u64 = self.questions.iter().map(|q| q.nodes.of - 1).sum();
        let leaves: u64 = self.questions.iter().map(|q| q.leaves.of).sum();
        format!("nodes={nodes} leaves={leaves} positions={}", self.positions)
    }

    /// Starts a report that covers only the database.
    fn of_values(
        subject: String,
        work: &WorkSize,
        values: Option<Values>,
        part: &Part<'_>,
    ) -> PartReport {
        let (all_pairs, blocks) = (work.pairs.len(), part.blocks());
        let mut report = PartReport { subject, all_pairs, blocks, ..PartReport::default() };
        if let Some(Values { database, pairs, believed, digests }) = values {
            let indices = |&slice: &SliceName| Shape::new(database.board(), slice).indices;
            report.indices = database.slices.iter().map(indices).fold(0, u64::saturating_add);
            (report.slices, report.tables) = (database.slices, digests);
            (report.pairs, report.believed) = (pairs, believed);
        }
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::part::Count;
    use certificate_spec::Digest;

    /// A whole check has verified each pair, node and leaf here, and took no table for granted.
    #[test]
    fn less_than_everything_is_no_verdict() {
        let all = || {
            let count = |n| Count { looked_at: n, of: n };
            let (nodes, leaves) = (count(3), count(2));
            let question = LookedAt { question: 0, nodes, leaves, positions: 0 };
            PartReport {
                pairs: vec![0, 1],
                all_pairs: 2,
                questions: vec![question.clone(), question],
                ..PartReport::default()
            }
        };
        assert!(all().is_everything().is_ok());
        let without: [fn(&mut PartReport); 6] = [
            |report| report.pairs.truncate(1),
            |report| (report.pairs, report.believed) = (vec![0], 1),
            |report| report.questions[0].nodes.looked_at = 2,
            |report| report.questions[1].nodes.looked_at = 2,
            |report| report.questions[1].leaves.looked_at = 1,
            |report| {
                report.tables.assumed.insert(SliceName([0, 1, 0, 1]), Digest::of(b""));
            },
        ];
        for change in without {
            let mut report = all();
            change(&mut report);
            assert!(report.is_everything().is_err());
        }
    }
}
