//! Positions as text, and their moves.

use std::ffi::{CStr, c_char, c_int};

use crate::database::{
    EGDB_INVALID, answer, depth_number, egdb_database, egdb_position, guard, number, read,
};
use draughtproof_c_text::write_message;
use draughtproof_egdb::{Database, RatedMove};
use draughtproof_game::{Board, MoveError, Position, Side};

/// The bytes of the name of a move, its zero included.
pub const EGDB_MOVE_SIZE: usize = 48;

/// A legal move.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct egdb_move {
    /// The name of the move in PDN, such as `22x15`; ends with a zero.
    pub name: [c_char; EGDB_MOVE_SIZE],
    /// The position after the move.
    pub after: egdb_position,
    /// The lower bound of the move's value for the side that makes it.
    pub lower: c_int,
    /// The upper bound of that value.
    pub upper: c_int,
    /// The plies until the next capture, crowning or move of a man, this move included; or
    /// `EGDB_NO_DEPTH`.
    pub depth: c_int,
}

/// Reads a FEN such as `B:W18,24,K30:B12,K16`, of the board of the database. Returns 0, or
/// `EGDB_INVALID` and a message that names the fault and its place.
///
/// # Safety
/// `database` must be open, `fen` a string that ends with a zero, `position` a place for one, and
/// `error` null or of `error_size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_read_fen(
    database: *const egdb_database,
    fen: *const c_char,
    position: *mut egdb_position,
    error: *mut c_char,
    error_size: usize,
) -> c_int {
    // SAFETY: the caller vouches for it.
    let database = unsafe { database.as_ref() };
    let Some(egdb_database(database)) = database.filter(|_| !fen.is_null() && !position.is_null())
    else {
        return EGDB_INVALID;
    };
    // SAFETY: not null, and the caller vouches for the zero.
    let fen = unsafe { CStr::from_ptr(fen) }.to_string_lossy();
    let board = database.board();
    let read = || match board.read_fen(&fen) {
        Ok(there) => {
            // SAFETY: not null, and the caller vouches for it.
            unsafe { position.write(write(board, &there)) };
            Ok(0)
        }
        Err(wrong) => {
            // SAFETY: the caller vouches for the buffer.
            unsafe { write_message(&wrong.to_string(), error, error_size) };
            Ok(EGDB_INVALID)
        }
    };
    // SAFETY: the caller vouches for the buffer.
    unsafe { guard(read, error, error_size) }
}

/// Writes the FEN of a position, and a zero, into `size` bytes (`text` may be null). Returns the
/// length of the whole text, which is cut off if it does not fit, or `EGDB_INVALID`.
///
/// # Safety
/// `database` must be open, and `text` null or of `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_write_fen(
    database: *const egdb_database,
    position: egdb_position,
    text: *mut c_char,
    size: usize,
) -> c_int {
    // SAFETY: the caller vouches for it.
    let Some(egdb_database(database)) = (unsafe { database.as_ref() }) else {
        return EGDB_INVALID;
    };
    let board = database.board();
    let Some(position) = read(board, position) else { return EGDB_INVALID };
    let fen = board.write_fen(&position);
    // SAFETY: the caller vouches for the buffer.
    unsafe { write_message(&fen, text, size) };
    c_int::try_from(fen.len()).unwrap_or(c_int::MAX)
}

/// The legal moves of a position, the best first, with their values: writes the first `count` of
/// them and returns the number of all; if there are none, the side to move has lost. Moves that
/// lead to equal positions are one. Otherwise it returns `EGDB_INVALID`, or `EGDB_ERROR` and a
/// message.
///
/// # Safety
/// `database` must be open, `moves` of `count` elements (null if that is 0), and `error` null or of
/// `error_size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn egdb_moves(
    database: *const egdb_database,
    position: egdb_position,
    moves: *mut egdb_move,
    count: usize,
    error: *mut c_char,
    error_size: usize,
) -> c_int {
    if count > 0 && moves.is_null() {
        return EGDB_INVALID;
    }
    let find = |database: &Database, position: &Position| {
        let board = database.board();
        let found = database.moves(position).map_err(|e| e.to_string())?;
        for (n, found) in found.iter().take(count).enumerate() {
            let found = in_c(board, position, found).map_err(|e| e.to_string())?;
            // SAFETY: n < count, and the caller vouches for the elements.
            unsafe { moves.add(n).write(found) };
        }
        Ok(c_int::try_from(found.len()).unwrap_or(c_int::MAX))
    };
    // SAFETY: the caller vouches for it.
    unsafe { answer(database, position, (error, error_size), find) }
}

fn in_c(board: &Board, before: &Position, found: &RatedMove) -> Result<egdb_move, MoveError> {
    let text = board.write_move(before, &found.after)?;
    let mut name = [0; EGDB_MOVE_SIZE];
    // SAFETY: the array has as many bytes.
    unsafe { write_message(&text, name.as_mut_ptr(), name.len()) };
    Ok(egdb_move {
        name,
        after: write(board, &found.after),
        lower: number(Some(found.value.lower)),
        upper: number(Some(found.value.upper)),
        depth: depth_number(found.depth),
    })
}

fn write(board: &Board, position: &Position) -> egdb_position {
    egdb_position {
        black: board.to_dense(position.black),
        white: board.to_dense(position.white),
        kings: board.to_dense(position.kings),
        white_to_move: u32::from(position.turn == Side::White),
    }
}
