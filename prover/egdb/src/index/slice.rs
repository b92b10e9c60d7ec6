//! Slices: their order, sizes and indices (`SPEC.md` §8.1 and §8.2).

use super::cover::most_a_side;
use super::sets::{binomial, rank, unrank};
use certificate_spec::cover::Cover;
use certificate_spec::database::SliceName;
use draughtproof_game::{Board, Position, Side};

/// A slice: the numbers of men and kings of the side to move and of its opponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Slice {
    /// The number of men of the side to move.
    pub men: u8,
    /// The number of kings of the side to move.
    pub kings: u8,
    /// The number of men of the opponent.
    pub enemy_men: u8,
    /// The number of kings of the opponent.
    pub enemy_kings: u8,
}

impl From<SliceName> for Slice {
    fn from(name: SliceName) -> Self {
        let [a, b, c, d] = name.0;
        Slice::new(a, b, c, d)
    }
}

impl Slice {
    /// The slice (a, b, c, d) of the specification.
    pub fn new(men: u8, kings: u8, enemy_men: u8, enemy_kings: u8) -> Self {
        Slice { men, kings, enemy_men, enemy_kings }
    }

    /// Parses the name of a slice, which its file has, such as `2-0-1-1`.
    pub fn parse(text: &str) -> Option<Self> {
        let counts: Vec<u8> = text.split('-').map(str::parse).collect::<Result<_, _>>().ok()?;
        let name = SliceName(counts.try_into().ok()?);
        (name.file_name() == text).then_some(name.into())
    }

    pub fn name(self) -> SliceName {
        SliceName([self.men, self.kings, self.enemy_men, self.enemy_kings])
    }

    /// Whether the database of `board` with this cover has this slice.
    pub fn exists(self, board: &Board, cover: &Cover) -> bool {
        self.men.max(self.enemy_men) <= board.man_squares() && cover.admits_slice(self.name())
    }

    pub fn pieces(self) -> u8 {
        self.men + self.kings + self.enemy_men + self.enemy_kings
    }

    /// The slice with the sides exchanged: the other side is to move.
    pub fn twin(self) -> Slice {
        Slice::new(self.enemy_men, self.enemy_kings, self.men, self.kings)
    }

    /// The slice and its twin, once if they are equal.
    pub fn with_twin(self) -> Vec<Slice> {
        if self == self.twin() { vec![self] } else { vec![self, self.twin()] }
    }

    /// The slices of a database of `board` with this cover, in order.
    pub fn all(board: &Board, cover: &Cover) -> Vec<Slice> {
        let side = most_a_side(cover);
        let men = board.man_squares().min(side);
        let sides: Vec<(u8, u8)> =
            (0..=men).flat_map(|men| (0..=side - men).map(move |kings| (men, kings))).collect();
        let pairs = sides.iter().flat_map(|own| sides.iter().map(move |theirs| (own, theirs)));
        let mut slices: Vec<Slice> = pairs
            .map(|(own, theirs)| Slice::new(own.0, own.1, theirs.0, theirs.1))
            .filter(|slice| cover.admits_slice(slice.name()))
            .collect();
        slices.sort_by_key(|s| s.name().order());
        slices
    }

    /// The number of blocks: placements of the men of both sides.
    pub fn blocks(self, board: &Board) -> u64 {
        let squares = board.man_squares();
        binomial(squares, self.men) * binomial(squares, self.enemy_men)
    }

    /// The numbers of sets of the opponent's kings (rows of a block) and of the mover's (columns).
    pub fn block_size(self, board: &Board) -> (u64, u64) {
        (binomial(board.squares(), self.enemy_kings), binomial(board.squares(), self.kings))
    }

    /// The number of indices, including those that stand for no position.
    pub fn indices(self, board: &Board) -> u64 {
        let (rows, columns) = self.block_size(board);
        self.blocks(board) * rows * columns
    }

    /// The index of the first bit of a block's row, by the men of the mover and of the opponent,
    /// and the kings of the opponent, each as their owner sees them.
    #[inline]
    pub fn row_index(self, board: &Board, men: u32, enemy_men: u32, enemy_kings: u32) -> u64 {
        let (rows, columns) = self.block_size(board);
        let block = rank(men) * binomial(board.man_squares(), self.enemy_men) + rank(enemy_men);
        (block * rows + rank(enemy_kings)) * columns
    }
}

/// The set `set` as the other side sees it.
#[inline]
pub fn turn(board: &Board, set: u32) -> u32 {
    set.reverse_bits() >> (32 - board.squares())
}

/// The slice and index of a position with pieces of both sides.
pub fn locate(board: &Board, position: &Position) -> (Slice, u64) {
    let view = |side| {
        let pieces = position.of(side);
        let seen = |bits| {
            let dense = board.to_dense(bits);
            if side == Side::Black { dense } else { turn(board, dense) }
        };
        (seen(pieces & !position.kings), seen(pieces & position.kings))
    };
    let (men, kings) = view(position.turn);
    let (enemy_men, enemy_kings) = view(position.turn.opponent());
    let count = |set: u32| set.count_ones() as u8;
    let slice = Slice::new(count(men), count(kings), count(enemy_men), count(enemy_kings));
    (slice, slice.row_index(board, men, enemy_men, enemy_kings) + rank(kings))
}

/// The position with Black to move at an index of a slice, or `None` if its pieces overlap; the
/// inverse of [`locate`].
pub fn position_at(board: &Board, slice: Slice, index: u64) -> Option<Position> {
    let (rows, columns) = slice.block_size(board);
    let enemies = binomial(board.man_squares(), slice.enemy_men);
    let (row, block) = (index / columns % rows, index / columns / rows);
    let men = unrank(block / enemies, slice.men);
    let enemy_men = unrank(block % enemies, slice.enemy_men);
    let kings = unrank(index % columns, slice.kings);
    let enemy_kings = unrank(row, slice.enemy_kings);
    let position = compose(board, men, kings, enemy_men, enemy_kings);
    let apart = position.pieces() == u32::from(slice.pieces());
    (apart && position.black & position.white == 0).then_some(position)
}

/// The position with Black to move that has these sets, each as their owner sees it.
pub fn compose(board: &Board, men: u32, kings: u32, enemy_men: u32, enemy_kings: u32) -> Position {
    let own_kings = board.from_dense(kings);
    let white_kings = board.from_dense(turn(board, enemy_kings));
    Position {
        black: board.from_dense(men) | own_kings,
        white: board.from_dense(turn(board, enemy_men)) | white_kings,
        kings: own_kings | white_kings,
        turn: Side::Black,
    }
}

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
