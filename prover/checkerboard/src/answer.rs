//! Answers the request for a move on CheckerBoard's board.

use std::ffi::c_int;

use crate::board::{self, Board8x8, CBmove};
use crate::session::{GAME, Search, proved, session};
use draughtproof_egdb::Value;
use draughtproof_play::opponent::{Choice, Source};
use draughtproof_proof::heuristic::Limits;

/// Neither side can win.
pub const CB_DRAW: c_int = 0;
/// The side that moves wins.
pub const CB_WIN: c_int = 1;
/// The side that moves loses.
pub const CB_LOSS: c_int = 2;
/// Nothing is proved, or no move was made; then the text says why.
pub const CB_UNKNOWN: c_int = 3;

/// The parameters of a request, besides the position.
pub(crate) struct Question<'a> {
    pub(crate) color: c_int,
    pub(crate) limits: Limits,
    /// Whether the position does not follow from the one before.
    pub(crate) is_new_game: bool,
    /// Returns whether the search is to end at once.
    pub(crate) is_stopped: &'a dyn Fn() -> bool,
}

/// The answer to a request.
pub(crate) struct Answer {
    /// The proved value, as a number of the API.
    pub(crate) claim: c_int,
    /// The final text, if it is to replace the last line of the search.
    pub(crate) text: Option<String>,
    pub(crate) made: CBmove,
}

impl Answer {
    /// The answer without a move.
    pub(crate) fn none(claim: c_int, text: &str) -> Answer {
        Answer { claim, text: Some(text.into()), made: CBmove::NONE }
    }

    fn new(choice: &Choice, made: CBmove) -> Answer {
        let claim = match proved(choice) {
            Some(Value::Win) => CB_WIN,
            Some(Value::Draw) => CB_DRAW,
            Some(Value::Loss) => CB_LOSS,
            None => CB_UNKNOWN,
        };
        let is_searched = matches!(choice.source, Source::Search { .. });
        let text = (!is_searched).then(|| choice.source.to_string());
        Answer { claim, text, made }
    }
}

impl Question<'_> {
    /// Finds a move and makes it on the board; `say` gets lines of progress.
    pub(crate) fn answer(self, cells: Option<&mut Board8x8>, say: &mut dyn FnMut(&str)) -> Answer {
        let Question { color, limits, is_new_game, is_stopped } = self;
        let Some(cells) = cells else {
            return Answer::none(CB_UNKNOWN, "board: expected one, found null");
        };
        let position = match board::read(&GAME.board, cells, color) {
            Ok(position) => position,
            Err(error) => return Answer::none(CB_UNKNOWN, &error.to_string()),
        };
        let mut session = session();
        if is_new_game {
            session.forget();
        }
        match session.choose(Search { position, limits, is_stopped, say }) {
            Ok(Some(choice)) => {
                let made = CBmove::new(&GAME.board, &position, &choice.after);
                board::write(&GAME.board, &choice.after, cells);
                Answer::new(&choice, made.unwrap_or(CBmove::NONE))
            }
            Ok(None) => Answer::none(CB_LOSS, "no legal move"),
            Err(error) => Answer::none(CB_UNKNOWN, &error.to_string()),
        }
    }
}
