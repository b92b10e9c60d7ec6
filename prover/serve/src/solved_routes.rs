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
use super::estimates::named_line;
use super::limits::ClientAddress;
use super::problem::Problem;
use super::request::{App, Fresh, InPath, board_of, position};
use super::solver::{Searched, Stage};
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
    /// The engine's estimate, in hundredths of a man for the side that makes the move; only where
    /// the value is not known. It proves nothing.
    score: Option<i32>,
    /// The moves that the engine expects after it, where there is an estimate.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(example = json!(["22-17", "8-11"]))]
    line: Vec<String>,
}

/// The source of a value.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum By {
    /// A proof, the database or the rules, as the answer about the position says.
    Known,
    /// A search of this server, whose strategies were replayed.
    Solved,
    /// Nothing decides the value within the budget; the score is an estimate.
    Guess,
    /// It is searched now.
    Searching,
    /// The search waits for its turn.
    Waiting,
}

/// The value of a position and of each of its moves. Moves that neither a proof nor the database
/// decides have the engine's estimate at once, and are solved in the background, within budgets:
/// the answer changes until `done`.
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
    let open: Vec<Position> = rated.iter().filter(|m| is_open(m)).map(|m| m.after).collect();
    let mut estimates = site.estimates.of(site.lookup(), &open).into_iter();
    let found = |after: &Position| app.solver.found(board, after);
    let is_done = |after: &Position| found(after).is_some_and(|found| found.stage == Stage::Done);
    let is_wanted = |after: &Position| app.solver.takes(site, after) && !is_done(after);
    let wanted: Vec<Position> = open.into_iter().filter(is_wanted).collect();
    app.solver.ask(board, &wanted, client);
    let mut moves = Vec::with_capacity(rated.len());
    for (named, rated) in answer.moves.into_iter().zip(&rated) {
        let found = found(&rated.after);
        let by = match found {
            _ if !is_open(rated) && site.is_known(&rated.after)? => By::Known,
            _ if !is_open(rated) => By::Solved,
            _ if !wanted.contains(&rated.after) => By::Guess,
            Some(Searched { stage: Stage::Searching, .. }) => By::Searching,
            _ => By::Waiting,
        };
        let estimate = is_open(rated).then(|| estimates.next()).flatten();
        let line = estimate.as_ref().map(|e| named_line(site.board(), &rated.after, &e.line));
        moves.push(SolvedMove {
            name: named.name,
            fen: named.fen,
            value: rated.value.into(),
            by,
            nodes: found.map_or(0, |found| found.nodes),
            score: estimate.map(|estimate| -estimate.score),
            line: line.transpose()?.unwrap_or_default(),
        });
    }
    // Moves of which equally much is known are ordered by their scores, the known ones stay.
    for equal in moves.chunk_by_mut(|a, b| a.value == b.value) {
        equal.sort_by_key(|m| Reverse(m.score));
    }
    let done = wanted.is_empty();
    Ok(SolvedPosition { fen: answer.fen, value: answer.value.into(), done, moves })
}
