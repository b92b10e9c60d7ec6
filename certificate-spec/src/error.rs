//! The errors of decoders.

use thiserror::Error;

/// An error in bytes: its offset, what the format requires there, and what was found.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WireError {
    /// A version of the format that this crate does not know; the file may be right in that
    /// version.
    #[error("offset {offset}: version: expected {expected}, found {found}")]
    Version {
        /// Byte offset of the version.
        offset: u64,
        /// The version that this crate knows.
        expected: String,
        /// The version found.
        found: String,
    },
    /// A set of rules that this crate does not know.
    #[error("offset {offset}: rules: expected {expected}, found {found}")]
    Rules {
        /// Byte offset of the rules id.
        offset: u64,
        /// The rules that this crate knows.
        expected: String,
        /// The rules found.
        found: String,
    },
    /// Any other violation of the format.
    #[error("offset {offset}: expected {expected}, found {found}")]
    Syntax {
        /// Byte offset of the error.
        offset: u64,
        /// The text that the format requires.
        expected: String,
        /// The text that was found.
        found: String,
    },
}

impl WireError {
    /// A [`WireError::Rules`]; the text found is cut to 80 characters.
    pub fn rules(offset: u64, found: &str) -> Self {
        let found = found.chars().take(80).collect();
        WireError::Rules { offset, expected: crate::RULES.into(), found }
    }

    /// A [`WireError::Syntax`] with any texts that can be printed.
    pub fn syntax(offset: u64, expected: impl ToString, found: impl ToString) -> Self {
        WireError::Syntax { offset, expected: expected.to_string(), found: found.to_string() }
    }
}
