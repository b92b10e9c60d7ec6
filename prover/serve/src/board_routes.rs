//! Requests about boards: positions, lines and lists of positions.

use std::collections::HashSet;
use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::answer::{SourcedMove, SourcedPosition, answer, answer_and_rate};
use super::problem::Problem;
use super::request::{App, Body, Fresh, InPath, board_of, position};
use super::request::{Batch, Fault, answer_all};
use super::site::BoardSite;
use crate::board::Position;
use crate::egdb::ValueRange;

/// The most plies of a line.
const LINE: usize = 200;

/// A board that is served.
#[derive(Serialize, ToSchema)]
pub(super) struct BoardAnswer {
    /// The name of the board.
    #[schema(example = "6x6")]
    board: String,
    /// The game that is played unless a request names another one.
    game: String,
    /// The FEN of the start of that game.
    start: String,
    rows: u8,
    columns: u8,
    /// The positions that the database has: at most N pieces, or N:M, at most M a side; 0 for none.
    pieces: String,
    /// The root of the database, if there is one.
    database: Option<String>,
    /// The roots of the certificates.
    certificates: Vec<String>,
}

/// All boards that are served.
#[utoipa::path(get, path = "/api/boards", responses((status = 200, body = Vec<BoardAnswer>)))]
pub(super) async fn boards(State(app): State<Arc<App>>) -> Fresh<Vec<BoardAnswer>> {
    let mut boards = Vec::new();
    for site in app.site.boards() {
        boards.push(BoardAnswer {
            board: site.board().name(),
            game: site.game().to_string(),
            start: site.board().write_fen(&site.game().start()),
            rows: site.board().rows(),
            columns: site.board().columns(),
            pieces: site.values().cover().to_string(),
            database: site.database_root().map(|root| root.to_string()),
            certificates: site.certificates().map(|c| c.root().to_string()).collect(),
        });
    }
    Fresh(boards)
}

/// The position that is asked for.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct PositionQuery {
    /// A FEN, or `start` for the start of the game.
    #[param(example = "B:W18,24,K30:B12,K16")]
    pub(super) fen: String,
}

/// The value of a position and of each of its moves, as far as known.
#[utoipa::path(get, path = "/api/{board}/position", params(("board" = String, Path, example = "6x6"), PositionQuery),
    responses((status = 200, body = SourcedPosition)))]
pub(super) async fn position_route(
    State(app): State<Arc<App>>,
    InPath(board): InPath<String>,
    query: Result<Query<PositionQuery>, QueryRejection>,
) -> Result<Fresh<SourcedPosition>, Problem> {
    let site = app.board(&board)?;
    let Query(PositionQuery { fen }) = query?;
    let position = position(site, site.game(), &fen)?;
    Ok(Fresh(app.look_up(board, position, answer).await?))
}

/// The answer about a position of a list.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub(super) enum BatchAnswer {
    /// The answer.
    Position(Box<SourcedPosition>),
    /// The text is not a position.
    Fault(Fault),
}

impl From<Fault> for BatchAnswer {
    fn from(fault: Fault) -> Self {
        BatchAnswer::Fault(fault)
    }
}

/// The value of each position of a list, in order, as far as known.
#[utoipa::path(post, path = "/api/{board}/positions", params(("board" = String, Path, example = "6x6")),
    request_body = Batch, responses((status = 200, body = Vec<BatchAnswer>)))]
pub(super) async fn positions_route(
    State(app): State<Arc<App>>,
    InPath(board): InPath<String>,
    Body(batch): Body<Batch>,
) -> Result<Fresh<Vec<BatchAnswer>>, Problem> {
    let into = |found| BatchAnswer::Position(Box::new(found));
    Ok(Fresh(answer_all(app, board, batch, answer, into).await?))
}

/// Best play from a position.
#[derive(Serialize, ToSchema)]
pub(super) struct LineAnswer {
    /// The FEN of the position that the line begins at.
    fen: String,
    /// The moves, each the best one of its position.
    moves: Vec<SourcedMove>,
    /// The reason why the line ends.
    end: LineEnd,
}

/// The reason why a line ends.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum LineEnd {
    /// The side to move has no move.
    NoMove,
    /// The database has the position.
    Database,
    /// The position has come up before.
    Repetition,
    /// Nothing is known of the next move.
    Unknown,
    /// The line has 200 plies.
    Length,
}

/// Best play from a position until the database has the position: by a proof where one has a move,
/// otherwise the best move by value. From a position of the database, the line goes to the end.
#[utoipa::path(get, path = "/api/{board}/line", params(("board" = String, Path, example = "6x6"), PositionQuery),
    responses((status = 200, body = LineAnswer)))]
pub(super) async fn line_route(
    State(app): State<Arc<App>>,
    InPath(board): InPath<String>,
    query: Result<Query<PositionQuery>, QueryRejection>,
) -> Result<Fresh<LineAnswer>, Problem> {
    let Query(PositionQuery { fen }) = query?;
    let line = app.heavy(move |site| {
        let site = board_of(site, &board)?;
        line(site, position(site, site.game(), &fen)?)
    });
    Ok(Fresh(line.await?))
}

fn line(site: &BoardSite, start: Position) -> Result<LineAnswer, Problem> {
    let begins_in_database = site.values().covers(&start);
    let mut moves = Vec::new();
    let mut seen = HashSet::new();
    let mut at = start;
    let end = loop {
        if !begins_in_database && site.values().covers(&at) {
            break LineEnd::Database;
        }
        if !seen.insert(at) {
            break LineEnd::Repetition;
        }
        if moves.len() == LINE {
            break LineEnd::Length;
        }
        let (mut answer, rated) = answer_and_rate(site, &at, &|| false)?;
        let Some(next) = rated.first() else { break LineEnd::NoMove };
        if next.value == ValueRange::UNKNOWN {
            break LineEnd::Unknown;
        }
        moves.push(answer.moves.swap_remove(0));
        at = next.after;
    };
    Ok(LineAnswer { fen: site.board().write_fen(&start), moves, end })
}
