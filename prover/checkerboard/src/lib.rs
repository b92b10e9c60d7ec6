//! The CheckerBoard API, version 2: `getmove` and `enginecommand`, as Martin Fierz's program
//! CheckerBoard and others that know it find them in the library of an engine. The header is
//! `include/draughtproof_checkerboard.h`.
//!
//! The game is English checkers (type 21), for which nothing else is needed: `islegal` and `get
//! movelist` are for other games. On 32-bit Windows the calling convention is `__stdcall`, which is
//! that of C everywhere else.
//!
//! Pointers are read and written by the calling thread only, and only during the call. A thread of
//! its own (`player`) searches for the move; commands are answered meanwhile. Two calls of
//! `getmove` wait for one another.
#![allow(missing_docs)]

mod answer;
pub mod board;
mod commands;
mod player;
mod session;

pub use answer::{CB_DRAW, CB_LOSS, CB_UNKNOWN, CB_WIN};

use std::ffi::{c_char, c_double, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI32, Ordering};

use answer::{Answer, Question};
use board::{Board8x8, CBmove};
use draughtproof_c_text::{read_bytes, write_message};
use draughtproof_proof::heuristic::Limits;
use player::time_of_move;

/// In `info`: the position does not follow from the one before.
pub const CB_RESET_MOVES: c_int = 1;

/// The bytes of the text buffer of `getmove`.
const TEXT_SIZE: usize = 1024;
/// The bytes of a reply. The API has 1024, but CheckerBoard itself sometimes has no more room than
/// this.
const REPLY_SIZE: usize = 256;
/// The most bytes of a command that does not tell a game.
const MOST_COMMAND: usize = 256;
/// The most bytes of a command that tells a game.
const MOST_GAME: usize = 4096;
/// The prefix of a command that tells a game.
const GAME_COMMAND: &[u8] = b"set gamehist ";

/// Finds a move and makes it on the board. Returns the proved value for the side that moves:
/// `CB_WIN`, `CB_LOSS` (also if it has no move), `CB_DRAW`, or otherwise `CB_UNKNOWN`.
///
/// `board` has pieces as in [`board`]; `color`, which moves, is `CB_WHITE` or `CB_BLACK`. The
/// search takes `maxtime` seconds, or a share of the clock in `info` and `moreinfo`, and ends soon
/// after `playnow` is not 0. Meanwhile `text` shows the state of the search, and `made` gets the
/// parts of the move. If there is no legal move, or the board is no position, the board does not
/// change.
///
/// Positions with at most two moves between them count as one game, unless `info` has
/// `CB_RESET_MOVES` or `set gamehist` has told the game.
///
/// # Safety
/// Pointers must be null or point to memory as large as their types and `TEXT_SIZE` require, to
/// which no other thread writes before the end of the call, except for `playnow`.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn getmove(
    board: *mut [c_int; 8],
    color: c_int,
    maxtime: c_double,
    text: *mut c_char,
    playnow: *mut c_int,
    info: c_int,
    moreinfo: c_int,
    made: *mut CBmove,
) -> c_int {
    // SAFETY: the caller vouches for it.
    let mut say = |line: &str| unsafe { write_message(line, text, TEXT_SIZE) };
    let is_stopped = || {
        // SAFETY: as above; other threads only write to it.
        !playnow.is_null() && unsafe { AtomicI32::from_ptr(playnow) }.load(Ordering::Relaxed) != 0
    };
    // SAFETY: as above.
    let cells = unsafe { board.cast::<Board8x8>().as_mut() };
    let limits = Limits { time: time_of_move(maxtime, info, moreinfo), ..Limits::default() };
    let is_new_game = info & CB_RESET_MOVES != 0;
    let question = Question { color, limits, is_new_game, is_stopped: &is_stopped };
    let answer = catch_unwind(AssertUnwindSafe(|| question.answer(cells, &mut say)));
    let Answer { claim, text: last, made: chosen } =
        answer.unwrap_or_else(|_| Answer::none(CB_UNKNOWN, "internal error"));
    if let Some(line) = last {
        say(&line);
    }
    // SAFETY: the caller vouches for it.
    if let Some(made) = unsafe { made.as_mut() } {
        *made = chosen;
    }
    claim
}

/// Obeys a command, and writes a reply of at most `REPLY_SIZE` bytes. Returns 1 if the command was
/// obeyed; otherwise 0, and the reply says why not.
///
/// # Safety
/// `command` must be null or a string that ends with a zero or has 256 bytes; if it begins with
/// `set gamehist `, 4096. `reply` must be null or have `REPLY_SIZE` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn enginecommand(command: *const c_char, reply: *mut c_char) -> c_int {
    // SAFETY: the caller vouches for it.
    let done = catch_unwind(|| unsafe { read_command(command) }.and_then(|c| commands::obey(&c)));
    let (status, text) = match done {
        Ok(Ok(text)) => (1, text),
        Ok(Err(text)) => (0, text),
        Err(_) => (0, "internal error".into()),
    };
    // SAFETY: the caller vouches for it.
    unsafe { write_message(&text, reply, REPLY_SIZE) };
    status
}

/// Reads a command.
///
/// # Safety
/// As for [`enginecommand`].
unsafe fn read_command(command: *const c_char) -> Result<String, String> {
    if command.is_null() {
        return Err("command: expected one, found null".into());
    }
    // SAFETY: the caller vouches for it.
    let start = unsafe { read_bytes(command, MOST_COMMAND) };
    let bytes = match start {
        Some(bytes) => Some(bytes),
        // SAFETY: as above; the command has that many bytes, and no zero among them.
        None if unsafe { tells_a_game(command) } => unsafe { read_bytes(command, MOST_GAME) },
        None => None,
    };
    let bytes = bytes.ok_or("command: expected a zero at its end, found none")?;
    String::from_utf8(bytes).map_err(|_| "command: expected UTF-8, found other bytes".into())
}

/// Whether a command tells a game.
///
/// # Safety
/// `command` must have as many bytes as [`GAME_COMMAND`].
unsafe fn tells_a_game(command: *const c_char) -> bool {
    // SAFETY: the caller vouches for it.
    unsafe { std::slice::from_raw_parts(command.cast::<u8>(), GAME_COMMAND.len()) == GAME_COMMAND }
}
