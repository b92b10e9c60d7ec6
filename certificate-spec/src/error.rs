//! What can be wrong with bytes.

use thiserror::Error;

/// Bytes that are not what the format says: where, what it says, and what is there.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WireError {
    /// A version of the format that this crate does not know (it may be right all the same).
    #[error("offset {offset}: version: expected {expected}, found {found}")]
    Version {
        /// Byte offset of the version.
        offset: u64,
        /// The version known here.
        expected: String,
        /// The version found.
        found: String,
    },
    /// A set of rules that this crate does not know.
    #[error("offset {offset}: rules: expected {expected}, found {found}")]
    Rules {
        /// Byte offset of the rules id.
        offset: u64,
        /// The rules known here.
        expected: String,
        /// The rules found.
        found: String,
    },
    /// Anything that breaks the format.
    #[error("offset {offset}: expected {expected}, found {found}")]
    Syntax {
        /// Byte offset.
        offset: u64,
        /// What the format wants there.
        expected: String,
        /// What is there.
        found: String,
    },
}

impl WireError {
    /// A [`WireError::Rules`]; what is found is cut to 80 characters.
    pub fn rules(offset: u64, found: &str) -> Self {
        let found = found.chars().take(80).collect();
        WireError::Rules { offset, expected: crate::RULES.into(), found }
    }

    /// A [`WireError::Syntax`] from anything that can be shown.
    pub fn syntax(offset: u64, expected: impl ToString, found: impl ToString) -> Self {
        WireError::Syntax { offset, expected: expected.to_string(), found: found.to_string() }
    }
}
