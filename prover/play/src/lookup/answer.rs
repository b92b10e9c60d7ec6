//! The answer about a position as programs get it: an object of JSON, on the command line or over
//! HTTP. Names and order of the fields are part of the interface.

use draughtproof_proof::heuristic::Bound;
use serde::{Serialize, Serializer};
#[cfg(feature = "openapi")]
use utoipa::ToSchema;

use crate::egdb::Value;

/// A position and all that is known of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PositionAnswer {
    /// The position, as a canonical FEN.
    pub fen: String,
    /// Its value for the side to move.
    #[serde(flatten)]
    pub value: KnownValue,
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
    #[serde(flatten)]
    pub value: KnownValue,
    /// The plies until the next capture, crowning or move of a man, this move included.
    pub depth: Option<u32>,
}

/// Converts the bound that a search has proved.
impl From<Bound> for KnownValue {
    fn from(bound: Bound) -> Self {
        let (lower, upper) = match bound {
            Bound::None => (Value::Loss, Value::Win),
            Bound::Win => (Value::Win, Value::Win),
            Bound::Draw => (Value::Draw, Value::Draw),
            Bound::Loss => (Value::Loss, Value::Loss),
            Bound::AtLeastDraw => (Value::Draw, Value::Win),
            Bound::AtMostDraw => (Value::Loss, Value::Draw),
        };
        KnownValue::between(lower, upper)
    }
}

/// A value, or bounds of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(ToSchema))]
#[serde(untagged)]
pub enum KnownValue {
    /// The value is known.
    Exact {
        /// The value.
        #[serde(serialize_with = "word")]
        #[cfg_attr(feature = "openapi", schema(value_type = String, example = "draw"))]
        value: Value,
    },
    /// The value lies between bounds, inclusively. A loss and a win as bounds say nothing.
    Between {
        /// The lower bound.
        #[serde(serialize_with = "word")]
        #[cfg_attr(feature = "openapi", schema(value_type = String, example = "draw"))]
        lower: Value,
        /// The upper bound.
        #[serde(serialize_with = "word")]
        #[cfg_attr(feature = "openapi", schema(value_type = String, example = "draw"))]
        upper: Value,
    },
}

fn word<S: Serializer>(value: &Value, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match value {
        Value::Win => "win",
        Value::Draw => "draw",
        Value::Loss => "loss",
    })
}

impl KnownValue {
    /// The value of which nothing is known.
    pub const UNKNOWN: Self = KnownValue::Between { lower: Value::Loss, upper: Value::Win };

    /// The value between two bounds, inclusively.
    pub fn between(lower: Value, upper: Value) -> Self {
        if lower == upper {
            KnownValue::Exact { value: lower }
        } else {
            KnownValue::Between { lower, upper }
        }
    }

    /// The least possible value.
    pub fn lower(self) -> Value {
        match self {
            KnownValue::Exact { value } => value,
            KnownValue::Between { lower, .. } => lower,
        }
    }

    /// The greatest possible value.
    pub fn upper(self) -> Value {
        match self {
            KnownValue::Exact { value } => value,
            KnownValue::Between { upper, .. } => upper,
        }
    }

    /// The value, if it is known.
    pub fn exact(self) -> Option<Value> {
        match self {
            KnownValue::Exact { value } => Some(value),
            KnownValue::Between { .. } => None,
        }
    }

    /// The value for the other side.
    pub fn for_opponent(self) -> Self {
        let turned = |value| match value {
            Value::Win => Value::Loss,
            Value::Draw => Value::Draw,
            Value::Loss => Value::Win,
        };
        KnownValue::between(turned(self.upper()), turned(self.lower()))
    }

    /// The intersection of two known values. If they contradict each other, `self` is returned.
    pub fn narrowed(self, other: Self) -> Self {
        let (lower, upper) = (self.lower().max(other.lower()), self.upper().min(other.upper()));
        if lower <= upper { KnownValue::between(lower, upper) } else { self }
    }

    /// The value as a [`Bound`].
    pub fn bound(self) -> Bound {
        match (self.lower(), self.upper()) {
            (Value::Win, _) => Bound::Win,
            (_, Value::Loss) => Bound::Loss,
            (Value::Draw, Value::Draw) => Bound::Draw,
            (Value::Draw, Value::Win) => Bound::AtLeastDraw,
            (Value::Loss, Value::Draw) => Bound::AtMostDraw,
            (Value::Loss, Value::Win) => Bound::None,
        }
    }
}
