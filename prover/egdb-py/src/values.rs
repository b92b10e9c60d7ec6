//! Values and moves, as Python gets them.

use pyo3::prelude::*;

/// The number in arrays for a position that the database does not cover.
pub const UNKNOWN: i8 = 3;

/// The value of a position for the side to move. As a number: 0, 1, 2.
#[pyclass(module = "draughtproof", eq, eq_int, hash, frozen)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Value {
    /// The side to move loses.
    Loss = 0,
    /// Neither side can win.
    Draw = 1,
    /// The side to move wins.
    Win = 2,
}

impl From<draughtproof_egdb::Value> for Value {
    fn from(value: draughtproof_egdb::Value) -> Self {
        match value {
            draughtproof_egdb::Value::Loss => Value::Loss,
            draughtproof_egdb::Value::Draw => Value::Draw,
            draughtproof_egdb::Value::Win => Value::Win,
        }
    }
}

/// A value as a number in an array.
pub fn number(value: Option<draughtproof_egdb::Value>) -> i8 {
    value.map_or(UNKNOWN, |value| Value::from(value) as i8)
}

/// A legal move with its value and depth, as far as known.
#[pyclass(module = "draughtproof", get_all, frozen)]
pub struct Move {
    /// The name of the move in PDN, such as `22x15`.
    pub name: String,
    /// The FEN of the position after the move.
    pub fen: String,
    /// The lower bound of the move's value for the side that makes it.
    pub lower: Value,
    /// The upper bound of that value.
    pub upper: Value,
    /// The plies until the next capture, crowning or move of a man, this move included.
    pub depth: Option<u32>,
}

#[pymethods]
impl Move {
    /// The value, where both bounds are equal.
    #[getter]
    fn value(&self) -> Option<Value> {
        (self.lower == self.upper).then_some(self.lower)
    }

    fn __repr__(&self) -> String {
        let word = |value| match value {
            Value::Loss => "loss",
            Value::Draw => "draw",
            Value::Win => "win",
        };
        let (lower, upper) = (word(self.lower), word(self.upper));
        let value = if lower == upper { lower.into() } else { format!("{lower} to {upper}") };
        let depth = self.depth.map_or(String::new(), |depth| format!(" in {depth}"));
        format!("<Move {} {value}{depth}>", self.name)
    }
}
