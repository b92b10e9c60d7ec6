//! The entropy code of slice files (`SPEC.md` §8.3): a range variant of asymmetric numeral systems
//! with 32 bits of state and words of 16 (J. Duda, "Asymmetric numeral systems", arXiv:1311.2540,
//! §3).
//!
//! The length of a code depends on its values only: the encoder's state starts at 1, and while the
//! state fits in one word the code has no other words.

use crate::value::Value;

/// The number of contexts.
pub const CONTEXTS: u32 = 576;
/// The sum of the frequencies of a context.
pub const TOTAL: u32 = 1 << BITS;
const BITS: u32 = 14;
/// In a state below this the decoder takes a word, if one is left.
const LOWEST: u32 = 1 << 16;
/// The state of the decoder after the last value.
const END: u32 = 1;

/// Upper bounds of a loss and of a draw among the numbers below [`TOTAL`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bounds([u32; 2]);

impl Bounds {
    /// The default, for a context that is not described.
    const EVEN: Bounds = Bounds([5461, 10923]);

    /// The first of a value's numbers, and how many numbers it has (its frequency).
    fn range(self, value: Value) -> (u32, u32) {
        let Bounds([loss, draw]) = self;
        match value {
            Value::Loss => (0, loss),
            Value::Draw => (loss, draw - loss),
            Value::Win => (draw, TOTAL - draw),
        }
    }
}

/// The frequencies of the values in each context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frequencies {
    bounds: Vec<Bounds>,
}

impl Default for Frequencies {
    fn default() -> Self {
        Frequencies { bounds: vec![Bounds::EVEN; CONTEXTS as usize] }
    }
}

impl Frequencies {
    /// Describes a context by the frequencies of a loss and of a win. Returns whether the
    /// description is valid: the context exists, all three frequencies are at least 1, and they are
    /// not the default.
    pub fn describe(&mut self, context: u16, [loss, win]: [u16; 2]) -> bool {
        let (loss, win) = (u32::from(loss), u32::from(win));
        match self.bounds.get_mut(usize::from(context)) {
            Some(bounds) if loss > 0 && win > 0 && loss + win < TOTAL => {
                *bounds = Bounds([loss, TOTAL - win]);
                *bounds != Bounds::EVEN
            }
            _ => false,
        }
    }

    /// Describes a context by the number of times that each value, by its number, was seen in it.
    pub fn describe_counts(&mut self, context: u16, counts: [u64; 3]) {
        let total: u64 = counts.iter().sum();
        if total == 0 {
            return;
        }
        // Each value gets 1 at least, and the rest in proportion.
        let share = |count: u64| {
            let share = u128::from(count) * u128::from(TOTAL - 3) / u128::from(total);
            1 + u16::try_from(share).unwrap_or(0)
        };
        self.describe(context, [share(counts[0]), share(counts[2])]);
    }

    /// The contexts that differ from the default: their number, and the frequencies of loss and
    /// win.
    pub fn described(&self) -> Vec<(u16, [u16; 2])> {
        let small = |n: u32| u16::try_from(n).unwrap_or(0);
        let described = self.bounds.iter().zip(0..).filter(|(bounds, _)| **bounds != Bounds::EVEN);
        described.map(|(b, context)| (context, [small(b.0[0]), small(TOTAL - b.0[1])])).collect()
    }
}

/// Decodes the values of a code.
pub struct Decoder<'a> {
    frequencies: &'a Frequencies,
    state: u32,
    words: std::slice::Iter<'a, [u8; 2]>,
}

impl<'a> Decoder<'a> {
    /// A decoder of a code, which must have at least one word and begin with one other than 0.
    pub fn new(frequencies: &'a Frequencies, code: &'a [u8]) -> Option<Self> {
        let (words, odd) = code.as_chunks::<2>();
        let mut decoder = Decoder { frequencies, state: 0, words: words.iter() };
        decoder.refill();
        let possible = odd.is_empty() && decoder.state != 0;
        decoder.refill();
        possible.then_some(decoder)
    }

    #[inline]
    fn refill(&mut self) {
        if self.state < LOWEST
            && let Some(word) = self.words.next()
        {
            self.state = self.state << 16 | u32::from(u16::from_le_bytes(*word));
        }
    }

    /// The next value, whose context must be below [`CONTEXTS`].
    #[inline]
    pub fn next(&mut self, context: usize) -> Value {
        let bounds = self.frequencies.bounds[context];
        let number = self.state & (TOTAL - 1);
        let value = if number < bounds.0[0] {
            Value::Loss
        } else if number < bounds.0[1] {
            Value::Draw
        } else {
            Value::Win
        };
        let (start, frequency) = bounds.range(value);
        // The state stays below TOTAL · 2¹⁸ = 2³².
        self.state = frequency * (self.state >> BITS) + number - start;
        self.refill();
        value
    }

    /// Whether the code has been used up exactly by the values read.
    pub fn is_finished(&self) -> bool {
        self.state == END && self.words.as_slice().is_empty()
    }
}

/// Encodes values, each with its context.
pub fn encode(frequencies: &Frequencies, values: &[(u16, Value)]) -> Vec<u8> {
    let low = |state: u32| u16::try_from(state & 0xffff).unwrap_or(0);
    let mut state = END;
    let mut words = Vec::new();
    // The last value is encoded first, so that the first is decoded first.
    for &(context, value) in values.iter().rev() {
        let (start, frequency) = frequencies.bounds[usize::from(context)].range(value);
        if state >> (32 - BITS) >= frequency {
            words.push(low(state));
            state >>= 16;
        }
        state = ((state / frequency) << BITS) + state % frequency + start;
    }
    words.push(low(state));
    if state >= LOWEST {
        words.push(low(state >> 16));
    }
    words.iter().rev().flat_map(|word| word.to_le_bytes()).collect()
}
