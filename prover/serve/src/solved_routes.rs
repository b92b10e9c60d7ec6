//! Requests about values that the server solves itself.

use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use draughtproof_play::lookup::KnownValue;
use serde::Serialize;
use utoipa::ToSchema;

use super::board_routes::PositionQuery;
use super::problem::Problem;
use super::request::{App, Fresh, InPath, board_of, position};
use super::solver::{Solved, Solver};
use crate::board::Position;
use crate::egdb::{RatedMove, ValueRange};

/// A position and its moves, with values that the server has solved.
#[derive(Serialize, ToSchema)]
pub(super) struct SolvedPosition {
    fen: String,
    #[serde(flatten)]
    value: KnownValue,
    /// Whether nothing more will be found: each move has a value, or its budget is spent.
    done: bool,
    /// The legal moves, the best first.
    moves: Vec<SolvedMove>,
}

/// A legal move. Its value is for the side that makes it.
#[derive(Serialize, ToSchema)]
struct SolvedMove {
    /// The name of the move in PDN.
    #[serde(rename = "move")]
    name: String,
    /// The FEN of the position after the move.
    fen: String,
    #[serde(flatten)]
    value: KnownValue,
    /// The source of the value.
    by: By,
    /// The nodes that were searched for it here.
    nodes: u64,
    /// A guess, in hundredths of a man for the side that makes the move; only where a search has
    /// begun, and the value is not known.
    score: Option<i32>,
}

/// The source of a value.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum By {
    /// A proof, the database or the rules, as the answer about the position says.
    Known,
    /// A search of this server, whose strategies were replayed.
    Solved,
    /// Nothing decides the value within the budget; the score is a guess.
    Guess,
    /// The search has not ended.
    Waiting,
}

/// The value of a position and of each of its moves. What neither a proof nor the database decides
/// is solved in the background, within budgets: the answer changes until `done`.
#[utoipa::path(get, path = "/api/{board}/solved", params(("board" = String, Path, example = "6x6"), PositionQuery),
    responses((status = 200, body = SolvedPosition)))]
pub(super) async fn solved_route(
    State(app): State<Arc<App>>,
    InPath(board): InPath<String>,
    query: Result<Query<PositionQuery>, QueryRejection>,
) -> Result<Fresh<SolvedPosition>, Problem> {
    let site = app.board(&board)?;
    let Query(PositionQuery { fen }) = query?;
    let position = position(site, site.game(), &fen)?;
    let solver = Arc::clone(&app);
    let answer = app.heavy(move |_| solved(&solver, &board, &position));
    Ok(Fresh(answer.await?))
}

fn solved(app: &Arc<App>, board: &str, position: &Position) -> Result<SolvedPosition, Problem> {
    let site = board_of(&app.site, board)?;
    let mut moves = Vec::new();
    let mut open = Vec::new();
    for mut rated in site.lookup().moves(position)? {
        let mut by = By::Known;
        let mut found = None;
        if rated.value.value().is_none() {
            found = app.solver.found(board, &rated.after);
            (rated.value, by) = narrowed(rated.value, found, app.solver.is_on());
            if found.is_none() {
                open.push(rated.after);
            }
        }
        moves.push((rated, by, found));
    }
    Solver::ask(app, board, &open);
    moves.sort_by_key(|(rated, ..)| rated.rank());
    let done = moves.iter().all(|(_, by, _)| *by != By::Waiting);
    let rated: Vec<RatedMove> = moves.iter().map(|(rated, ..)| *rated).collect();
    let value = match site.values().known(position)? {
        known if known.value().is_some() => known,
        _ => RatedMove::best_value(&rated).narrowed(site.lookup().proved(position)),
    };
    let value = match app.solver.found(board, position) {
        Some(found) => value.narrowed(found.value),
        None => value,
    };
    let mut named = Vec::new();
    for (rated, by, found) in moves {
        named.push(SolvedMove {
            name: site.board().write_move(position, &rated.after)?,
            fen: site.board().write_fen(&rated.after),
            value: rated.value.into(),
            by,
            nodes: found.map_or(0, |found| found.nodes),
            score: match rated.value.value() {
                None => found.and_then(|found| found.score).map(|score| -score),
                Some(_) => None,
            },
        });
    }
    let fen = site.board().write_fen(position);
    Ok(SolvedPosition { fen, value: value.into(), done, moves: named })
}

/// The value of a move with what was found about the position after it, and where it comes from.
fn narrowed(known: ValueRange, found: Option<Solved>, is_on: bool) -> (ValueRange, By) {
    let Some(found) = found else {
        return (known, if is_on { By::Waiting } else { By::Known });
    };
    let value = known.narrowed(found.value.reversed());
    let by = match (value.value(), found.is_done) {
        (Some(_), _) => By::Solved,
        (None, true) => By::Guess,
        (None, false) => By::Waiting,
    };
    (value, by)
}
