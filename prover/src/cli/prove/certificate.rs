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
