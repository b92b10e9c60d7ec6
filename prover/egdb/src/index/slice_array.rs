//! An array of the slices of a cover.

use certificate_spec::cover::Cover;

use super::cover::most_a_side;
use super::slice::Slice;

/// An array with a place for each slice of which neither side has more than some number of pieces.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SliceArray {
    /// One more than the most men, or kings, of a side.
    base: usize,
}

impl SliceArray {
    /// An array for the slices of a cover, and some others.
    pub(crate) fn new(cover: &Cover) -> Self {
        SliceArray { base: usize::from(most_a_side(cover)) + 1 }
    }

    /// All slices that have a place, in the order of places.
    pub(crate) fn slices(self) -> impl Iterator<Item = Slice> {
        (0..self.base.pow(4)).map(move |place| {
            let digit = |power: u32| (place / self.base.pow(power) % self.base) as u8;
            Slice::new(digit(3), digit(2), digit(1), digit(0))
        })
    }

    #[inline]
    pub(crate) fn place(self, slice: Slice) -> usize {
        let counts = [slice.men, slice.kings, slice.enemy_men, slice.enemy_kings];
        counts.iter().fold(0, |place, &n| place * self.base + usize::from(n))
    }
}

#[cfg(test)]
mod tests {
    use certificate_spec::cover::Cover;

    use super::SliceArray;

    #[test]
    fn every_slice_has_its_place() {
        let array = SliceArray::new(&Cover::parse("7,8:4").expect("a cover"));
        assert!(array.slices().enumerate().all(|(place, slice)| array.place(slice) == place));
    }
}
