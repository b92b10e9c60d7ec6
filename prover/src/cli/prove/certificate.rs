//! Writes a certificate, and the summary of it; checks the database that one rests on.

use std::path::Path;

use certificate_spec::claim::Claim;
use draughtproof_proof::certificate::{Certificate, Section, Stored, Target};
use draughtproof_proof::combine::CombineError;
use draughtproof_proof::proof::if_assumed;
use serde::Serialize;

use crate::cli::failure::Failure;
use crate::cli::options::DatabaseOption;
use crate::cli::output::Table;
use crate::egdb::Store;
use crate::egdb::numbers::{counted, size};

/// The summary of a certificate, in JSON.
#[derive(Serialize)]
pub(super) struct Summary {
    value: &'static str,
    game: String,
    start: String,
    /// The directory of the certificate, if it was written.
    pub(super) certificate: Option<String>,
    pub(super) nodes: usize,
    pub(super) leaves: usize,
    /// The number of nodes that the value rests on and that are not proved.
    assumed: usize,
    bytes: u64,
    root: String,
}

impl Summary {
    /// Writes a certificate to the target, if there is one.
    pub(super) fn write(
        claim: &Claim,
        sections: &[Section],
        target: Option<Target>,
        directory: Option<&Path>,
    ) -> Result<Self, Failure> {
        let certificate = Certificate::new(claim, sections);
        if let Some(target) = target {
            certificate.write(target)?;
        }
        Ok(Summary {
            value: claim.value.word(),
            game: claim.game.clone(),
            start: claim.start.clone(),
            certificate: directory.map(|directory| directory.display().to_string()),
            nodes: sections.iter().map(|section| section.nodes.len()).sum(),
            leaves: sections.iter().map(|section| section.leaves.len()).sum(),
            assumed: sections.iter().map(Section::assumed).sum(),
            bytes: certificate.bytes(),
            root: certificate.root().to_string(),
        })
    }

    /// Formats the claim, the lines of `middle`, and the certificate.
    pub(super) fn text(&self, middle: &str) -> String {
        let Summary { value, game, start, certificate, nodes, leaves, assumed, bytes, root } = self;
        let place = match certificate {
            Some(directory) => format!("certificate {directory}"),
            None => "trimmed, and not written without --emit DIR".into(),
        };
        format!(
            "{}\n{middle}{place}: {}, {}, {}, root={root}",
            if_assumed(*assumed, &format!("{value} {game} from {start}")),
            counted(*nodes, "node"),
            counted(*leaves, "leaf"),
            size(*bytes)
        )
    }
}

/// Writes a certificate, and prints its summary.
pub(super) fn write_certificate(
    claim: &Claim,
    sections: &[Section],
    target: Target,
    directory: &Path,
    mut table: Table,
) -> Result<(), Failure> {
    let written = Summary::write(claim, sections, Some(target), Some(directory))?;
    table.row(&written, &written.text(""))?;
    table.finish()
}

/// Checks that the database of a certificate is there.
pub(super) fn require_database(db: &DatabaseOption, stored: &Stored) -> Result<(), Failure> {
    let Some(expected) = stored.claim.database else { return Ok(()) };
    let store = Store::new(&db.db, &stored.game.board);
    let found = store.manifest_of(&stored.claim.cover)?.root();
    if found == expected {
        return Ok(());
    }
    let (databases, certificate) = (db.db.clone(), stored.directory.clone());
    Err(CombineError::Database { databases, certificate, expected, found }.into())
}
