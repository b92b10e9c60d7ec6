//! Writes a certificate, and the summary of it.

use std::path::Path;

use certificate_spec::claim::Claim;
use draughtproof_proof::certificate::{Certificate, Section, Target};
use draughtproof_proof::proof::if_assumed;
use serde::Serialize;

use crate::cli::failure::Failure;
use crate::cli::output::Table;
use crate::egdb::numbers::{counted, size};

/// The summary of a certificate, in JSON.
#[derive(Serialize)]
struct Written {
    value: &'static str,
    game: String,
    start: String,
    certificate: String,
    nodes: usize,
    leaves: usize,
    /// The number of nodes that the value rests on and that are not proved.
    assumed: usize,
    bytes: u64,
    root: String,
}

/// Writes a certificate, and prints its summary.
pub(super) fn write_certificate(
    claim: &Claim,
    sections: &[Section],
    target: Target,
    directory: &Path,
    mut table: Table,
) -> Result<(), Failure> {
    let certificate = Certificate::new(claim, sections);
    certificate.write(target)?;
    let written = Written {
        value: claim.value.word(),
        game: claim.game.clone(),
        start: claim.start.clone(),
        certificate: directory.display().to_string(),
        nodes: sections.iter().map(|section| section.nodes().len()).sum(),
        leaves: sections.iter().map(|section| section.leaves().len()).sum(),
        assumed: sections.iter().map(Section::assumed).sum(),
        bytes: certificate.bytes(),
        root: certificate.root().to_string(),
    };
    let Written { value, game, start, certificate, nodes, leaves, assumed, bytes, root } = &written;
    let claimed = if_assumed(*assumed, &format!("{value} {game} from {start}"));
    let text = format!(
        "{claimed}\ncertificate {certificate}: {}, {}, {}, root={root}",
        counted(*nodes, "node"),
        counted(*leaves, "leaf"),
        size(*bytes)
    );
    table.row(&written, &text)?;
    table.finish()
}
