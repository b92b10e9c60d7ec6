//! Values that are not known exactly.

use std::fmt;

use certificate_spec::value::Value;

/// The possible values of a position for one side: those between two bounds, inclusively.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ValueRange {
    /// The lower bound of the value.
    pub lower: Value,
    /// The upper bound of the value.
    pub upper: Value,
}

impl ValueRange {
    /// The range of a value of which nothing is known.
    pub const UNKNOWN: Self = ValueRange { lower: Value::Loss, upper: Value::Win };
    pub const AT_LEAST_DRAW: Self = ValueRange { lower: Value::Draw, upper: Value::Win };
    pub const AT_MOST_DRAW: Self = ValueRange { lower: Value::Loss, upper: Value::Draw };

    /// The range of a known value.
    pub const fn exact(value: Value) -> Self {
        ValueRange { lower: value, upper: value }
    }

    /// The value, if both bounds are equal.
    pub fn value(self) -> Option<Value> {
        (self.lower == self.upper).then_some(self.lower)
    }

    /// Whether a value is possible.
    pub fn admits(self, value: Value) -> bool {
        self.lower <= value && value <= self.upper
    }

    /// The range for the other side.
    pub const fn reversed(self) -> Self {
        ValueRange { lower: self.upper.reversed(), upper: self.lower.reversed() }
    }

    /// The intersection of two ranges. If they contradict each other, `self` is returned.
    pub fn narrowed(self, other: Self) -> Self {
        let lower = self.lower.max(other.lower);
        let upper = self.upper.min(other.upper);
        if lower <= upper { ValueRange { lower, upper } } else { self }
    }
}

impl fmt::Display for ValueRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.lower, self.upper) {
            (Value::Loss, Value::Win) => "unknown",
            (Value::Draw, Value::Win) => ">=draw",
            (Value::Loss, Value::Draw) => "<=draw",
            (lower, _) => lower.name(),
        })
    }
}
