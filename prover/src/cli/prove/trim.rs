//! `prove trim`.

use std::path::PathBuf;

use crate::cli::failure::Failure;
use crate::cli::notes::notes;
use crate::cli::output::{QuietOption, ResultOptions};
use crate::egdb::numbers::{counted, grouped, size};
use clap::Args;
use draughtproof_proof::certificate::{Certificate, Section, Stored, StoredProof, Target, trim};
use draughtproof_proof::proof::if_assumed;
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
    value: &'static str,
    game: String,
    start: String,
    /// The directory of the trimmed certificate, if it was written.
    certificate: Option<String>,
    nodes: usize,
    leaves: usize,
    /// The number of nodes that the value rests on and that are not proved.
    assumed: usize,
    bytes: u64,
    root: String,
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
    let certificate = Certificate::new(&stored.claim, &sections);
    if let Some(target) = target {
        certificate.write(target)?;
    }
    let nodes: usize = sections.iter().map(|section| section.nodes().len()).sum();
    let leaves: usize = sections.iter().map(|section| section.leaves().len()).sum();
    let all_nodes: usize = stored.proofs.iter().map(|proof| proof.nodes.len()).sum();
    let all_leaves: usize = stored.proofs.iter().map(|proof| proof.leaves.len()).sum();
    let trimmed = Trimmed {
        value: stored.claim.value.word(),
        game: stored.claim.game.clone(),
        start: stored.claim.start.clone(),
        certificate: options.emit.as_ref().map(|directory| directory.display().to_string()),
        nodes,
        leaves,
        assumed: sections.iter().map(Section::assumed).sum(),
        bytes: certificate.bytes(),
        root: certificate.root().to_string(),
        nodes_left_out: all_nodes - nodes,
        leaves_left_out: all_leaves - leaves,
        trimmed_from: stored.root.to_string(),
    };
    table.row(&trimmed, &describe(&trimmed, stored.bytes))?;
    table.finish()
}

/// The claim, what is left out of how much, and the trimmed certificate.
fn describe(trimmed: &Trimmed, bytes_before: u64) -> String {
    let Trimmed { value, game, start, nodes, leaves, assumed, bytes, root, .. } = trimmed;
    let Trimmed { nodes_left_out, leaves_left_out, .. } = trimmed;
    let claimed = if_assumed(*assumed, &format!("{value} {game} from {start}"));
    let left_out = match nodes_left_out {
        0 => "left out: nothing, the start needs all nodes and leaves".into(),
        _ => format!(
            "left out: {} of {} and {} of {}, which nothing reaches from the start; {} before",
            grouped(*nodes_left_out as u64),
            counted(nodes + nodes_left_out, "node"),
            grouped(*leaves_left_out as u64),
            counted(leaves + leaves_left_out, "leaf"),
            size(bytes_before)
        ),
    };
    let place = match &trimmed.certificate {
        Some(directory) => format!("certificate {directory}"),
        None => "trimmed, and not written without --emit DIR".into(),
    };
    format!(
        "{claimed}\n{left_out}\n{place}: {}, {}, {}, root={root}",
        counted(*nodes, "node"),
        counted(*leaves, "leaf"),
        size(*bytes)
    )
}
