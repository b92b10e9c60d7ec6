//! `prove report`.

use std::path::PathBuf;

use clap::Args;
use draughtproof_proof::certificate::{Stored, StoredProof};
use draughtproof_proof::report::{CertificateReport, certificate_page, coq, json, text, tsv};

use super::certificate::require_database;
use crate::cli::failure::Failure;
use crate::cli::options::DatabaseOption;
use crate::cli::options::notes;
use crate::cli::output::{PageFormat, PageOptions, QuietOption};
use crate::egdb::{BuildSession, Slice, Store};

/// The most indices of a database that is written for Coq, whose parser is slow.
const MOST_INDICES: u64 = 20_000_000;
/// Memory for the values of such a database.
const MEMORY: u64 = 1 << 30;

#[derive(Args, Debug)]
#[command(after_help = notes("report"))]
pub(crate) struct Options {
    /// The certificate
    #[arg(value_name = "CERT")]
    certificate: PathBuf,
    /// Write a theorem in Coq in place of the report; the values of a database are its hypothesis
    #[arg(long, conflicts_with = "format")]
    coq: bool,
    /// Directory of the databases: with --coq, write the values of the database, too, so that the
    /// theorem has no hypothesis; for claims of not losing, over a small database
    #[arg(long, value_name = "DIR", requires = "coq")]
    db: Option<PathBuf>,
    #[command(flatten)]
    page: PageOptions,
    #[command(flatten)]
    quiet: QuietOption,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let mut out = options.page.begin()?;
    let stored = Stored::read(&options.certificate)?;
    if options.coq {
        out.text(&theorem(&stored, options)?)?;
        return out.finish();
    }
    let work = stored.proofs.iter().map(StoredProof::positions).sum();
    let bar = options.quiet.progress().start("replaying".into(), work, "position");
    let report = CertificateReport::new(&stored, |positions| bar.add(positions))?;
    bar.finish();
    let text = match options.page.format() {
        PageFormat::Html => certificate_page(&report)?,
        PageFormat::Text => text(&report),
        PageFormat::Tsv => tsv(&report),
        PageFormat::Json => json(&report),
    };
    out.text(&text)?;
    out.finish()
}

/// The theorem that a certificate proves.
fn theorem(stored: &Stored, options: &Options) -> Result<String, Failure> {
    let wrong = |text: String| Err(Failure::Input(text));
    if stored.assumed() > 0 {
        return wrong(format!("--coq: expected no assumed nodes, found {}", stored.assumed()));
    }
    let Some(db) = options.db.clone() else { return Ok(coq(stored, None)) };
    let (board, cover) = (&stored.game.board, &stored.claim.cover);
    let indices = Slice::all(board, cover).into_iter().map(|slice| slice.indices(board));
    let indices = indices.fold(0, u64::saturating_add);
    if stored.proofs.iter().any(|proof| proof.question.is_win()) || indices > MOST_INDICES {
        return wrong(format!(
            "--db: expected a claim of not losing over 1 to {MOST_INDICES} indices, found {} over \
             {indices}; without --db the values are a hypothesis",
            stored.claim.value.word(),
        ));
    }
    require_database(&DatabaseOption { db: db.clone() }, stored)?;
    let store = Store::new(&db, board);
    let values = BuildSession::new(&store, cover, MEMORY)?.load_all(|_| ())?;
    Ok(coq(stored, Some(&values)))
}
