//! A published value against what is proved.

use super::evidence::{ContradictionError, Evidence, Known};
use super::file::Published;
use super::outcomes::Outcomes;
use crate::egdb::Value;

/// The source of a value that is the database's.
const DATABASE: &str = "database";

/// How a published value and what is proved go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// What is proved implies what is published.
    Agree,
    /// It excludes what is published.
    Disagree,
    /// Neither, as too little is proved.
    Open,
}

impl Agreement {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Agreement::Agree => "agree",
            Agreement::Disagree => "disagree",
            Agreement::Open => "open",
        }
    }
}

/// What became of a published value.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// What is proved.
    pub proved: Outcomes,
    /// By what: directories of certificates, the database.
    pub sources: Vec<String>,
    /// How that goes with what is published.
    pub agreement: Agreement,
}

/// Compares a published value with what certificates say and with the value in the database, if it
/// has one.
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
