//! Positions as programs pass them.

use std::ffi::c_int;

use draughtproof_game::{Board, Position, Side};

/// The form of the positions that are looked up.
#[derive(Clone, Copy)]
pub(crate) enum Bitboards {
    /// Black, white and kings; bit n − 1 stands for square n.
    Normal,
    /// Men and kings of Black, men and kings of White; the squares of each row are the other way
    /// round.
    RowReversed,
}

impl Bitboards {
    /// The form with this number in the interface.
    pub(crate) fn new(number: c_int) -> Result<Self, String> {
        match number {
            0 => Ok(Bitboards::Normal),
            1 => Ok(Bitboards::RowReversed),
            _ => Err(format!("bitboard type: expected 0 or 1, found {number}")),
        }
    }

    /// Reads a position; `None` if it is not one of the board, or the side to move has no such
    /// number.
    ///
    /// # Safety
    /// `words` must point to the words of this form.
    pub(crate) unsafe fn read(
        self,
        board: &Board,
        words: *const u32,
        color: c_int,
    ) -> Option<Position> {
        let turn = match color {
            0 => Side::Black,
            1 => Side::White,
            _ => return None,
        };
        match self {
            Bitboards::Normal => {
                // SAFETY: the caller vouches for the words.
                let [black, white, kings] = unsafe { words.cast::<[u32; 3]>().read() };
                board.position(black, white, kings, turn)
            }
            Bitboards::RowReversed => {
                // SAFETY: as above.
                let words = unsafe { words.cast::<[u32; 4]>().read() };
                let [black_men, black_kings, white_men, white_kings] = words.map(reverse_rows);
                if black_men & black_kings != 0 || white_men & white_kings != 0 {
                    return None;
                }
                let kings = black_kings | white_kings;
                board.position(black_men | black_kings, white_men | white_kings, kings, turn)
            }
        }
    }
}

/// The set with the four squares of each row the other way round.
fn reverse_rows(set: u32) -> u32 {
    let pairs = (set & 0x5555_5555) << 1 | (set >> 1) & 0x5555_5555;
    (pairs & 0x3333_3333) << 2 | (pairs >> 2) & 0x3333_3333
}
