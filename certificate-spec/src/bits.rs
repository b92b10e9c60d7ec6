//! The bits of a leaf strategy (`SPEC.md` §7): each byte from its lowest bit up.

pub use crate::write::BitWriter;

/// The number of bits that a choice among `n` successors takes: max(1, ⌈log₂ n⌉).
pub fn width(n: usize) -> u32 {
    (usize::BITS - n.saturating_sub(1).leading_zeros()).max(1)
}

/// Reads the choices of a strategy from bytes.
#[derive(Debug, Clone)]
pub struct BitReader<'a> {
    bytes: &'a [u8],
    bits: usize,
}

impl<'a> BitReader<'a> {
    /// A reader at the first bit.
    pub fn new(bytes: &'a [u8]) -> Self {
        BitReader { bytes, bits: 0 }
    }

    /// The next `width` (at most 32) bits, or `None` if fewer are left.
    pub fn take(&mut self, width: u32) -> Option<u32> {
        let mut value = 0;
        for i in 0..width {
            let byte = *self.bytes.get(self.bits / 8)?;
            value |= u32::from(byte >> (self.bits % 8) & 1) << i;
            self.bits += 1;
        }
        Some(value)
    }

    /// Whether all bytes have been used and the bits left in the last one are zero.
    pub fn is_finished(&self) -> bool {
        self.bits.div_ceil(8) == self.bytes.len()
            && self
                .bytes
                .last()
                .is_none_or(|&last| self.bits.is_multiple_of(8) || last >> (self.bits % 8) == 0)
    }
}
