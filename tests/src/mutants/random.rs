//! Random numbers that are the same everywhere: SplitMix64 (G. Steele, D. Lea, C. Flood, *Fast
//! splittable pseudorandom number generators*, OOPSLA 2014).

/// A sequence of random numbers.
pub struct Random(u64);

impl Random {
    /// The sequence with this number, of a seed.
    pub fn new(seed: u64, number: u64) -> Self {
        let mut outer = Random(seed);
        Random(outer.next() ^ Random(number).next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `n`, or 0 if `n` is 0. Some are likelier by 2⁻³², which does not matter here.
    pub fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % (n as u64).max(1)).expect("below a usize")
    }

    /// True with a probability of 1 in `n`.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// A random element, or `None` if there is none.
    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        all.get(self.below(all.len()))
    }

    pub fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }

    /// A number that a field with the value `now` could have by mistake.
    pub fn number(&mut self, now: u64) -> u64 {
        match self.below(9) {
            0 => 0,
            1 => now.wrapping_add(1),
            2 => now.wrapping_sub(1),
            3 => now ^ 1 << self.below(64),
            4 => u64::MAX,
            5 => 1 << self.below(64),
            6 => (1 << self.below(64)) - 1,
            7 => self.next() % 64,
            _ => self.next(),
        }
    }

    /// Like `number`, for a field of 32 bits.
    pub fn number_u32(&mut self, now: u32) -> u32 {
        let [a, b, c, d, ..] = self.number(now.into()).to_le_bytes();
        u32::from_le_bytes([a, b, c, d])
    }

    /// Changes a few bytes or bits, or inserts or removes some bytes.
    pub fn disturb(&mut self, bytes: &mut Vec<u8>) {
        let at = self.below(bytes.len());
        match self.below(10) {
            0 if !bytes.is_empty() => {
                bytes.remove(at);
            }
            1 => {
                let byte = self.byte();
                bytes.insert(at, byte);
            }
            2 => {
                let end = bytes.len().min(at + 1 + self.below(16));
                bytes[at..end].fill(0);
            }
            3 if !bytes.is_empty() => bytes[at] = self.byte(),
            _ => {
                for _ in 0..1 + self.below(3) {
                    let at = self.below(bytes.len());
                    if let Some(byte) = bytes.get_mut(at) {
                        *byte ^= 1 << self.below(8);
                    }
                }
            }
        }
    }
}
