//! `prove report`.

use std::path::PathBuf;

use clap::Args;
use draughtproof_proof::certificate::{Stored, StoredProof};
use draughtproof_proof::report::{CertificateReport, certificate_page, coq, json, text, tsv};

use crate::cli::failure::Failure;
use crate::cli::output::{PageFormat, PageOptions, QuietOption};

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  prove report cert --format html --out cert.html
  prove report cert --format tsv
  prove report cert --coq --out draw.v

Says of what a certificate consists, without verifying it; no database is needed. For each question come \
four tables. By plies from the start, and by number of pieces: nodes of the proof tree, and positions that \
leaves expand (for each leaf anew, as in the verdict of check). By size of leaf: leaves, and their \
positions. By slice of the database (men and kings of the side to move, men and kings of the opponent): how \
many moves of the proof lead there. In tsv and json each line has question, table, key, count, positions. The page \
of --format html also says what is proved, how the proof begins and how to verify it, for readers who know none of this. \
--coq writes the theorem that the certificate proves, with its nodes and leaves as terms, for the library in \
certificate-spec/formal.

Exit status: as for prove. 3 if the certificate is damaged or a leaf cannot be replayed.")]
pub(crate) struct Options {
    /// The certificate
    #[arg(value_name = "CERT")]
    certificate: PathBuf,
    /// Write a theorem in Coq in place of the report; the certificate must not rest on a database
    #[arg(long, conflicts_with = "format")]
    coq: bool,
    #[command(flatten)]
    page: PageOptions,
    #[command(flatten)]
    quiet: QuietOption,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let mut out = options.page.begin()?;
    let stored = Stored::read(&options.certificate)?;
    if options.coq {
        let theorem = coq(&stored).ok_or_else(|| {
            Failure::Input("--coq: expected no database and no assumed nodes, found some".into())
        })?;
        out.text(&theorem)?;
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
