//! `prove report`.

use std::path::PathBuf;

use clap::Args;
use draughtproof_proof::certificate::{Stored, StoredProof};
use draughtproof_proof::report::{CertificateReport, certificate_page, coq, json, text, tsv};

use crate::cli::failure::Failure;
use crate::cli::notes::notes;
use crate::cli::output::{PageFormat, PageOptions, QuietOption};

#[derive(Args, Debug)]
#[command(after_help = notes("report"))]
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
