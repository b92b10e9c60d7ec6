//! What can be asked for besides a whole check, and what of it goes together.

use crate::{Sample, Shard, TableFolder};
use std::path::PathBuf;

/// Somebody's word for the values of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedDatabase {
    /// The root of the database; of no other are the values trusted.
    pub root: String,
    /// What the verdict says of it.
    pub words: String,
}

/// That no option takes away work that the verdict of another speaks for. (The command line refuses these
/// with better words; a program that uses the library may put any together.)
///
/// # Errors
/// What does not go together.
pub fn agree(
    shard: Option<Shard>,
    sample: Option<Sample>,
    journal: &Option<PathBuf>,
    tables: &Option<TableFolder>,
    trusted: &Option<TrustedDatabase>,
    is_database: bool,
) -> Result<(), String> {
    let (shard, sample) = (shard.is_some(), sample.is_some());
    let (journal, tables, trusted) = (journal.is_some(), tables.is_some(), trusted.is_some());
    let wrong = [
        ("a shard of a sample", shard && sample),
        ("a sample with a journal", sample && journal),
        ("values trusted, with a journal", trusted && journal),
        ("a sample of values trusted", trusted && sample),
        ("a database trusted instead of checked", trusted && is_database),
        ("tables without a shard", tables && !shard),
        // The journal may have what was verified with other tables than those that are there now.
        ("tables with a journal", tables && journal),
        // Trusted notes speak of what is in files.
        ("tables of values trusted", tables && trusted),
    ];
    let wrong = wrong.into_iter().find(|&(_, is_so)| is_so);
    wrong.map_or(Ok(()), |(what, _)| Err(format!("options: {what}")))
}
