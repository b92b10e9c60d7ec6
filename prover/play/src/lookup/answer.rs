//! The answer about a position as programs get it: an object of JSON, on the command line or over
//! HTTP. Names and order of the fields are part of the interface.

use serde::{Serialize, Serializer};
#[cfg(feature = "openapi")]
use utoipa::ToSchema;

use super::Basis;
use crate::egdb::ValueRange;

/// Returns in words what a depth counts. It is not the number of plies to the end of the game.
pub fn depth_in_words(depth: u32) -> String {
    format!("next capture, crowning or move of a man in {depth}")
}

/// A position and all that is known of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PositionAnswer {
    /// The position, as a canonical FEN.
    pub fen: String,
    /// Its value for the side to move.
    #[serde(flatten, serialize_with = "known_value")]
    pub value: ValueRange,
    /// The source of the value; only where certificates are asked, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Basis>,
    /// The plies until the next capture, crowning or move of a man that keeps the value; 0 if there
    /// is no move. None for draws and where it is not known.
    pub depth: Option<u32>,
    /// The legal moves, the best first.
    pub moves: Vec<MoveAnswer>,
    /// The moves of both sides to the end of a win, if the value is a win or loss and all depths
    /// that lead there are known; otherwise empty.
    pub line: Vec<String>,
}

/// A legal move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(ToSchema))]
pub struct MoveAnswer {
    /// The name of the move in PDN.
    #[serde(rename = "move")]
    pub name: String,
    /// The position after it, as a canonical FEN.
    pub fen: String,
    /// The value of the move for the side that makes it.
    #[serde(flatten, serialize_with = "known_value")]
    #[cfg_attr(feature = "openapi", schema(value_type = KnownValue))]
    pub value: ValueRange,
    /// The source of the value; only where certificates are asked, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub by: Option<Basis>,
    /// The plies until the next capture, crowning or move of a man, this move included.
    pub depth: Option<u32>,
}

/// A value, or bounds of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(ToSchema))]
#[serde(untagged)]
pub enum KnownValue {
    /// The value is known.
    Exact {
        #[cfg_attr(feature = "openapi", schema(example = "draw"))]
        value: &'static str,
    },
    /// The value lies between bounds, inclusively. A loss and a win as bounds say nothing.
    Between {
        /// The lower bound.
        #[cfg_attr(feature = "openapi", schema(example = "draw"))]
        lower: &'static str,
        /// The upper bound.
        #[cfg_attr(feature = "openapi", schema(example = "draw"))]
        upper: &'static str,
    },
}

impl From<ValueRange> for KnownValue {
    fn from(range: ValueRange) -> Self {
        match range.value() {
            Some(value) => KnownValue::Exact { value: value.name() },
            None => KnownValue::Between { lower: range.lower.name(), upper: range.upper.name() },
        }
    }
}

fn known_value<S: Serializer>(range: &ValueRange, serializer: S) -> Result<S::Ok, S::Error> {
    KnownValue::from(*range).serialize(serializer)
}
