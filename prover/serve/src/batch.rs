//! Lists of positions that are looked up in one request.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::problem::Problem;
use super::request::{App, LookUp, board_of, position};

/// The most positions of a list.
const MOST: usize = 1_000;
/// The time after which no depths are found that are not stored.
const FINDING: Duration = Duration::from_secs(2);

/// Positions to look up.
#[derive(Deserialize, ToSchema)]
pub(super) struct Batch {
    /// FENs or `start`, at most 1,000.
    positions: Vec<String>,
}

/// A text of a list that is not a position.
#[derive(Serialize, ToSchema)]
pub(super) struct Fault {
    /// The text.
    fen: String,
    /// The fault of the text.
    error: String,
}

/// The answers about the positions of a list, in order.
///
/// # Errors
/// [`Problem`] if the list is too long, the board is not served, or `answer` fails.
pub(super) async fn answer_all<A: Send + 'static, T: From<Fault> + Send + 'static>(
    app: Arc<App>,
    board: String,
    Batch { positions }: Batch,
    answer: LookUp<A>,
    into: fn(A) -> T,
) -> Result<Vec<T>, Problem> {
    if positions.len() > MOST {
        let found = positions.len();
        return Err(Problem::bad(format!("expected at most {MOST} positions, found {found}")));
    }
    let answers = app.heavy(move |site| {
        let site = board_of(site, &board)?;
        let end = Instant::now() + FINDING;
        let mut answers = Vec::with_capacity(positions.len());
        for fen in positions {
            answers.push(match position(site, site.game(), &fen) {
                Ok(position) => into(answer(site, &position, &|| Instant::now() >= end)?),
                Err(error) => Fault { fen, error: error.to_string() }.into(),
            });
        }
        Ok::<_, Problem>(answers)
    });
    answers.await
}
