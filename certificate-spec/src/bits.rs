//! The bits of a leaf strategy (`SPEC.md` §7): each byte from its lowest bit up.

/// The number of bits that a choice among `n` successors takes: max(1, ⌈log₂ n⌉).
pub fn width(n: usize) -> u32 {
    (usize::BITS - n.saturating_sub(1).leading_zeros()).max(1)
}

/// Packs the choices of a strategy into bytes.
#[derive(Debug, Default, Clone)]
pub struct BitWriter {
    bytes: Vec<u8>,
    bits: usize,
}

impl BitWriter {
    /// Appends the lowest `width` bits of `value`.
    pub fn push(&mut self, value: u32, width: u32) {
        for i in 0..width {
            if self.bits.is_multiple_of(8) {
                self.bytes.push(0);
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= u8::from(value >> i & 1 == 1) << (self.bits % 8);
            }
            self.bits += 1;
        }
    }

    /// Returns the bytes; unused bits of the last byte are zero.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
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
