//! Requests about values that the server solves itself.

use std::cmp::Reverse;
use std::net::IpAddr;
use std::sync::Arc;

use axum::Extension;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use draughtproof_play::lookup::KnownValue;
use serde::Serialize;
use utoipa::ToSchema;

use super::board_routes::PositionQuery;
use super::connections::ClientAddress;
use super::problem::Problem;
use super::request::{App, Fresh, InPath, board_of, position};
use super::solver::{Searched, Solver, Stage};
use crate::board::Position;
use crate::egdb::RatedMove;

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
    /// A guess, in hundredths of a man for the side that makes the move; only where it is made, and
    /// the value is not known.
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
    /// It is searched now.
    Searching,
    /// The search waits for its turn.
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
    client: Option<Extension<ClientAddress>>,
) -> Result<Fresh<SolvedPosition>, Problem> {
    let site = app.board(&board)?;
    let Query(PositionQuery { fen }) = query?;
    let position = position(site, site.game(), &fen)?;
    let client = client.map(|Extension(ClientAddress(address))| address);
    let solver = Arc::clone(&app);
    let answer = app.heavy(move |_| solved(&solver, &board, &position, client));
    Ok(Fresh(answer.await?))
}

fn solved(
    app: &Arc<App>,
    board: &str,
    position: &Position,
    client: Option<IpAddr>,
) -> Result<SolvedPosition, Problem> {
    let site = board_of(&app.site, board)?;
    let (answer, rated) = site.lookup().answer_and_rate(position, &|| false)?;
    let is_open = |m: &RatedMove| m.value.value().is_none();
    let found = |m: &RatedMove| app.solver.found(board, &m.after);
    let is_done = |m: &RatedMove| found(m).is_some_and(|found| found.stage == Stage::Done);
    let open: Vec<_> = rated.iter().filter(|m| is_open(m) && !is_done(m)).collect();
    let open: Vec<Position> = open.into_iter().map(|m| m.after).collect();
    Solver::ask(app, board, &open, client);
    let mut moves = Vec::with_capacity(rated.len());
    for (named, rated) in answer.moves.into_iter().zip(&rated) {
        let found = found(rated);
        let by = match found {
            _ if !is_open(rated) && site.is_known(&rated.after)? => By::Known,
            _ if !is_open(rated) => By::Solved,
            _ if !app.solver.is_on() => By::Known,
            Some(Searched { stage: Stage::Done, .. }) => By::Guess,
            Some(Searched { stage: Stage::Searching, .. }) => By::Searching,
            _ => By::Waiting,
        };
        let score = found.and_then(|found| found.score).filter(|_| is_open(rated));
        moves.push(SolvedMove {
            name: named.name,
            fen: named.fen,
            value: rated.value.into(),
            by,
            nodes: found.map_or(0, |found| found.nodes),
            score: score.map(|score| -score),
        });
    }
    // Moves of which equally much is known are ordered by their scores, the known ones stay.
    for equal in moves.chunk_by_mut(|a, b| a.value == b.value) {
        equal.sort_by_key(|m| Reverse(m.score));
    }
    let done = open.is_empty() || !app.solver.is_on();
    Ok(SolvedPosition { fen: answer.fen, value: answer.value.into(), done, moves })
}
