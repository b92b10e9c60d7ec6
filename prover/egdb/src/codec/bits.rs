//! Bits of the positions of a part: whether they are quiet, and their values.

/// Win, draw and loss bits of quiet positions; a position without any of them is not known to be
/// quiet.
#[derive(Debug, Default)]
pub(crate) struct Planes {
    groups: Vec<[u64; 3]>,
}

impl Planes {
    pub(crate) fn reset(&mut self, len: u64) {
        self.groups.clear();
        // One group more than needed, so that a word can be read at any place.
        self.groups.resize(len as usize / 64 + 2, [0; 3]);
    }

    /// The bits of 64 places from `at` on.
    #[inline]
    pub(super) fn read(&self, at: usize) -> [u64; 3] {
        let (low, high) = (&self.groups[at / 64], &self.groups[at / 64 + 1]);
        let shift = at % 64;
        if shift == 0 {
            return *low;
        }
        std::array::from_fn(|plane| low[plane] >> shift | high[plane] << (64 - shift))
    }

    #[inline]
    pub(super) fn write(&mut self, at: usize, words: [u64; 3]) {
        let shift = at % 64;
        for (plane, word) in words.into_iter().enumerate() {
            self.groups[at / 64][plane] |= word << shift;
            if shift != 0 {
                self.groups[at / 64 + 1][plane] |= word >> (64 - shift);
            }
        }
    }

    /// The win and loss words from the first place on.
    pub(crate) fn wins_and_losses(&self) -> impl Iterator<Item = (u64, u64)> {
        self.groups.iter().map(|group| (group[2], group[0]))
    }
}

/// At most 64 packed bits from `at` on, fewer at the end of a row; there must be a word behind
/// them.
#[inline]
pub(super) fn read(words: &[u64], at: usize, len: u64) -> u64 {
    let shift = at % 64;
    let word = words[at / 64] >> shift;
    let word = if shift == 0 { word } else { word | words[at / 64 + 1] << (64 - shift) };
    if len < 64 { word & ((1 << len) - 1) } else { word }
}

/// Packed bits, one for each position of a part: whether it is quiet.
#[derive(Debug, Default)]
pub(crate) struct Quiet {
    words: Vec<u64>,
}

impl Quiet {
    pub(super) fn reset(&mut self, len: u64) {
        self.words.clear();
        // One word more than needed, so that a word can be read at any place.
        self.words.resize(len as usize / 64 + 2, 0);
    }

    /// Like [`read`], of these bits.
    #[inline]
    pub(super) fn read(&self, at: usize, len: u64) -> u64 {
        read(&self.words, at, len)
    }

    pub(super) fn write(&mut self, at: usize, word: u64) {
        let shift = at % 64;
        self.words[at / 64] |= word << shift;
        if shift != 0 {
            self.words[at / 64 + 1] |= word >> (64 - shift);
        }
    }

    /// The bits of all places, 64 in a word.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }
}
