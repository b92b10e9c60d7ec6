//! `prove trim`.

use std::path::PathBuf;

use super::certificate::Summary;
use crate::cli::failure::Failure;
use crate::cli::options::notes;
use crate::cli::output::{QuietOption, ResultOptions};
use crate::egdb::numbers::{counted, grouped, size};
use clap::Args;
use draughtproof_proof::certificate::{Stored, StoredProof, Target, trim};
use serde::Serialize;

#[derive(Args, Debug)]
#[command(after_help = notes("trim"))]
pub(crate) struct Options {
    /// The certificate
    #[arg(value_name = "CERT")]
    certificate: PathBuf,
    /// Directory to write the trimmed certificate to; must not exist, be empty, or hold the same
    /// certificate [default: only say what would be left out]
    #[arg(long, value_name = "DIR")]
    emit: Option<PathBuf>,
    #[command(flatten)]
    result: ResultOptions,
    #[command(flatten)]
    quiet: QuietOption,
}

/// The result, in JSON.
#[derive(Serialize)]
struct Trimmed {
    #[serde(flatten)]
    summary: Summary,
    nodes_left_out: usize,
    leaves_left_out: usize,
    /// The root of the certificate that was trimmed.
    trimmed_from: String,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let target = options.emit.as_deref().map(Target::new).transpose()?;
    let mut table = options.result.begin_table()?;
    let stored = Stored::read(&options.certificate)?;
    let work = stored.proofs.iter().map(StoredProof::positions).sum();
    let bar = options.quiet.progress().start("replaying".into(), work, "position");
    let sections = trim(&stored, |positions| bar.add(positions))?;
    bar.finish();
    let summary = Summary::write(&stored.claim, &sections, target, options.emit.as_deref())?;
    let nodes: usize = stored.proofs.iter().map(|proof| proof.nodes.len()).sum();
    let leaves: usize = stored.proofs.iter().map(|proof| proof.leaves.len()).sum();
    let trimmed = Trimmed {
        nodes_left_out: nodes - summary.nodes,
        leaves_left_out: leaves - summary.leaves,
        trimmed_from: stored.root.to_string(),
        summary,
    };
    let left_out = match trimmed.nodes_left_out {
        0 => "left out: nothing, the start needs all nodes and leaves\n".into(),
        left_out => format!(
            "left out: {} of {} and {} of {}, which nothing reaches from the start; {} before\n",
            grouped(left_out as u64),
            counted(nodes, "node"),
            grouped(trimmed.leaves_left_out as u64),
            counted(leaves, "leaf"),
            size(stored.bytes)
        ),
    };
    table.row(&trimmed, &trimmed.summary.text(&left_out))?;
    table.finish()
}
