//! Values of positions as they are written in files, and the checksum of payloads.

use crate::Digest;
use serde::{Deserialize, Serialize};

/// The value of a position for the side to move, as a number in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum Value {
    /// The opponent can force the side to move into having no move.
    Loss = 0,
    /// Neither side can force that.
    Draw = 1,
    /// The side to move can force its opponent into having no move.
    Win = 2,
}

impl Value {
    /// The value that is written as this number.
    pub fn from_number(number: u32) -> Option<Value> {
        [Value::Loss, Value::Draw, Value::Win].into_iter().find(|&v| v as u32 == number)
    }

    /// The value for the other side.
    #[inline]
    pub const fn reversed(self) -> Value {
        match self {
            Value::Loss => Value::Win,
            Value::Draw => Value::Draw,
            Value::Win => Value::Loss,
        }
    }

    /// The name of the value, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Value::Loss => "loss",
            Value::Draw => "draw",
            Value::Win => "win",
        }
    }
}

/// The number of bytes of the checksum that a payload begins with.
pub const CHECKSUM: usize = 8;

/// The checksum of the bytes that follow it in a payload.
pub fn checksum(rest: &[u8]) -> [u8; CHECKSUM] {
    let mut out = [0; CHECKSUM];
    out.copy_from_slice(&Digest::of(rest).0[..CHECKSUM]);
    out
}
