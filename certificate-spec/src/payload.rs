//! Payloads of units (`SPEC.md` §8.3): a checksum, how each part is written, and the codes of
//! parts.

use crate::value::{CHECKSUM, Value, checksum};

/// How the values of one part are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part<'a> {
    /// All quiet positions have this value.
    Constant(Value),
    /// By a code ([`crate::coding`]), which has words of two bytes.
    Coded(&'a [u8]),
}

/// A code with n words is written as n + CODED.
const CODED: usize = 2;
/// Numbers from here on take two bytes, and there are none from the square of this on.
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

/// The parts in a payload of a unit that has so many, if its checksum is right and nothing is left
/// or missing.
pub fn read(payload: &[u8], parts: usize) -> Option<Vec<Part<'_>>> {
    let (sum, mut rest) = payload.split_first_chunk::<CHECKSUM>()?;
    // Every part takes a byte at least: nothing is allocated that is not in the payload.
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
