//! Payloads of units (`SPEC.md` §8.3): a checksum, how each part is written, and the codes of the
//! parts that have one.

use crate::value::{CHECKSUM, Value, checksum};

/// The coding of the values of one part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part<'a> {
    /// All quiet positions have this value.
    Constant(Value),
    /// The values are a code ([`crate::coding`]), which has words of two bytes.
    Coded(&'a [u8]),
}

/// A part that is a code of n words is announced by the number n + CODED.
const CODED: usize = 2;
/// Numbers below this take one byte, others two; numbers from its square on cannot be written.
const BYTE: usize = 128;

/// The payload of these parts.
pub fn encode(parts: &[Part<'_>]) -> Vec<u8> {
    let mut rest = Vec::new();
    let small = |n: usize| u8::try_from(n).unwrap_or(u8::MAX);
    for part in parts {
        let number = match part {
            Part::Constant(value) => *value as usize,
            Part::Coded(code) => code.len() / 2 + CODED,
        };
        if number < BYTE {
            rest.push(small(number));
        } else {
            rest.extend([small(number % BYTE + BYTE), small(number / BYTE)]);
        }
    }
    for part in parts {
        if let Part::Coded(code) = part {
            rest.extend(*code);
        }
    }
    [&checksum(&rest)[..], &rest].concat()
}

/// The parts of the payload of a unit with `parts` parts, if its checksum is right and no byte is
/// left or missing.
pub fn read(payload: &[u8], parts: usize) -> Option<Vec<Part<'_>>> {
    let (sum, mut rest) = payload.split_first_chunk::<CHECKSUM>()?;
    // Every part takes at least a byte, so no more is allocated than the payload justifies.
    if *sum != checksum(rest) || rest.len() < parts {
        return None;
    }
    let mut numbers = Vec::with_capacity(parts);
    for _ in 0..parts {
        let (&low, after) = rest.split_first()?;
        let mut number = usize::from(low);
        rest = after;
        if number >= BYTE {
            let (&high, after) = rest.split_first()?;
            if high == 0 || usize::from(high) >= BYTE {
                return None;
            }
            number += usize::from(high) * BYTE - BYTE;
            rest = after;
        }
        numbers.push(number);
    }
    let mut found = Vec::with_capacity(parts);
    for number in numbers {
        found.push(match u32::try_from(number).ok().and_then(Value::from_number) {
            Some(value) => Part::Constant(value),
            None => {
                let (code, after) = rest.split_at_checked(2 * (number - CODED))?;
                rest = after;
                Part::Coded(code)
            }
        });
    }
    rest.is_empty().then_some(found)
}
