//! Compares a published value with what is proved.

use super::evidence::{ContradictionError, Evidence, Known};
use super::file::Published;
use super::outcomes::Outcomes;
use crate::egdb::Value;

/// The name of the database as a source.
const DATABASE: &str = "database";

/// The agreement between a published value and the proved outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// The proved outcomes imply the published value.
    Agree,
    /// The proved outcomes exclude the published value.
    Disagree,
    /// Neither of them, since too little is proved.
    Open,
}

impl Agreement {
    /// The word for it in the output.
    pub fn word(self) -> &'static str {
        match self {
            Agreement::Agree => "agree",
            Agreement::Disagree => "disagree",
            Agreement::Open => "open",
        }
    }
}

/// The result of the comparison of a published value.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The outcomes that are still possible by the proofs.
    pub proved: Outcomes,
    /// The sources of the proofs: directories of certificates, or the database.
    pub sources: Vec<String>,
    /// Whether the proved outcomes agree with the published value.
    pub agreement: Agreement,
}

/// Compares a published value with the claims of certificates, and with the value in the database
/// if there is one.
///
/// # Errors
/// [`ContradictionError`] if the database contradicts a certificate.
pub fn compare(
    published: &Published,
    evidence: &Evidence<'_>,
    in_database: Option<Value>,
) -> Result<Comparison, ContradictionError> {
    let position = &published.position;
    let mut known = evidence.of(position);
    if let Some(value) = in_database {
        let outcomes = Outcomes::of_value(value, position.turn);
        known.add(outcomes, DATABASE.into(), evidence.board, position)?;
    }
    let Known { outcomes, sources } = known;
    let agreement = if outcomes.is_within(published.value) {
        Agreement::Agree
    } else if outcomes.and(published.value).is_empty() {
        Agreement::Disagree
    } else {
        Agreement::Open
    };
    Ok(Comparison { proved: outcomes, sources, agreement })
}
