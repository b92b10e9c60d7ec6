//! Values and moves, as Python gets them.

use draughtproof_egdb::ValueRange;
use draughtproof_play::lookup::depth_in_words;
use pyo3::prelude::*;
use pyo3::types::PyType;

/// The number in arrays for a position whose value is not known.
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

#[pymethods]
impl Value {
    /// Pickles a value as the attribute of its name.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Attribute<'py>)> {
        let name = match self {
            Value::Loss => "Loss",
            Value::Draw => "Draw",
            Value::Win => "Win",
        };
        let getattr = py.import("builtins")?.getattr("getattr")?;
        Ok((getattr, (py.get_type::<Value>(), name)))
    }
}

/// A type and the name of an attribute of it.
type Attribute<'py> = (Bound<'py, PyType>, &'static str);

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
#[pyclass(module = "draughtproof", frozen)]
pub struct Move {
    /// The name of the move in PDN, such as `22x15`.
    #[pyo3(get)]
    pub name: String,
    /// The FEN of the position after the move.
    #[pyo3(get)]
    pub fen: String,
    /// The plies until the next capture, crowning or move of a man, this move included.
    #[pyo3(get)]
    pub depth: Option<u32>,
    /// The source of the value: `database`, `proof` (a certificate), `rules`; `None` if it is
    /// unknown.
    #[pyo3(get)]
    pub by: Option<&'static str>,
    /// The value of the move for the side that makes it.
    pub range: ValueRange,
}

#[pymethods]
impl Move {
    /// The lower bound of the move's value for the side that makes it.
    #[getter]
    fn lower(&self) -> Value {
        self.range.lower.into()
    }

    /// The upper bound of that value.
    #[getter]
    fn upper(&self) -> Value {
        self.range.upper.into()
    }

    /// The value, where both bounds are equal.
    #[getter]
    fn value(&self) -> Option<Value> {
        self.range.value().map(Value::from)
    }

    fn __repr__(&self) -> String {
        let ValueRange { lower, upper } = self.range;
        let value = match self.range.value() {
            Some(value) => value.name().into(),
            None => format!("{} to {}", lower.name(), upper.name()),
        };
        let depth = self.depth.map(|depth| format!(", {}", depth_in_words(depth)));
        let depth = depth.unwrap_or_default();
        format!("<Move {} {value}{depth}>", self.name)
    }
}
