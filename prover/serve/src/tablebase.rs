//! Answers in the shape of lila-tablebase, the server of lichess, for programs that know it.
//!
//! As there, the `category` and `dtc` of a move are those of the position after it, for the side to
//! move there: a move with the category `loss` wins.

use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use draughtproof_play::lookup::Lookup;
use serde::Serialize;
use utoipa::ToSchema;

use super::board_routes::PositionQuery;
use super::problem::Problem;
use super::request::{App, Body, Fresh, InPath, position};
use super::request::{Batch, Fault, answer_all};
use super::site::BoardSite;
use crate::board::Position;
use crate::egdb::{RatedMove, Value, ValueRange, converts};

/// A position.
#[derive(Serialize, ToSchema)]
pub(super) struct TablebaseAnswer {
    category: Category,
    /// The plies to the next capture, crowning or move of a man that keeps the value, less than 0
    /// for a loss; none where that is not known.
    dtc: Option<i64>,
    /// Whether the side to move has no move, and so has lost.
    variant_loss: bool,
    /// The legal moves, the best first.
    moves: Vec<TablebaseMove>,
}

/// A legal move.
#[derive(Serialize, ToSchema)]
struct TablebaseMove {
    /// The name of the move in PDN.
    #[schema(example = "22x15x8")]
    uci: String,
    /// The name of the move in PDN.
    #[schema(example = "22x15x8")]
    san: String,
    /// Whether it captures, crowns or moves a man.
    conversion: bool,
    category: Category,
    /// The plies from the position after the move on, as for the position itself.
    dtc: Option<i64>,
    /// Whether the other side has no move after it, and so has lost.
    variant_loss: bool,
}

/// The value for the side to move.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum Category {
    Win,
    Draw,
    Loss,
    /// The value is not known, or only bounds of it are.
    Unknown,
}

impl From<ValueRange> for Category {
    fn from(range: ValueRange) -> Self {
        match range.value() {
            Some(Value::Win) => Category::Win,
            Some(Value::Draw) => Category::Draw,
            Some(Value::Loss) => Category::Loss,
            None => Category::Unknown,
        }
    }
}

/// A position in the shape of lila-tablebase.
#[utoipa::path(get, path = "/api/{board}/tablebase", params(("board" = String, Path, example = "6x6"), PositionQuery),
    responses((status = 200, body = TablebaseAnswer)))]
pub(super) async fn tablebase_route(
    State(app): State<Arc<App>>,
    InPath(board): InPath<String>,
    query: Result<Query<PositionQuery>, QueryRejection>,
) -> Result<Fresh<TablebaseAnswer>, Problem> {
    let site = app.board(&board)?;
    let Query(PositionQuery { fen }) = query?;
    let position = position(site, site.game(), &fen)?;
    Ok(Fresh(app.look_up(board, position, answer).await?))
}

/// The answer about a position of a list.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub(super) enum ListedAnswer {
    /// The answer.
    Position(TablebaseAnswer),
    /// The text is not a position.
    Fault(Fault),
}

impl From<Fault> for ListedAnswer {
    fn from(fault: Fault) -> Self {
        ListedAnswer::Fault(fault)
    }
}

/// The positions of a list in the shape of lila-tablebase.
#[utoipa::path(post, path = "/api/{board}/tablebase", params(("board" = String, Path, example = "6x6")),
    request_body = Batch, responses((status = 200, body = Vec<ListedAnswer>)))]
pub(super) async fn tablebases_route(
    State(app): State<Arc<App>>,
    InPath(board): InPath<String>,
    Body(batch): Body<Batch>,
) -> Result<Fresh<Vec<ListedAnswer>>, Problem> {
    Ok(Fresh(answer_all(app, board, batch, answer, ListedAnswer::Position).await?))
}

fn answer(
    site: &BoardSite,
    at: &Position,
    is_stopped: &dyn Fn() -> bool,
) -> Result<TablebaseAnswer, Problem> {
    let (found, rated) = site.lookup().answer_and_rate(at, is_stopped)?;
    let mut moves = Vec::with_capacity(rated.len());
    for (named, rated) in found.moves.into_iter().zip(rated) {
        let RatedMove { after, value, depth, .. } = rated;
        let value = value.reversed();
        let dtc = depth.and_then(|depth| plies_after(site, at, &after, value, depth).transpose());
        moves.push(TablebaseMove {
            uci: named.name.clone(),
            san: named.name,
            conversion: converts(at, &after),
            category: value.into(),
            dtc: dtc.transpose()?,
            variant_loss: !site.board().can_move(&after),
        });
    }
    Ok(TablebaseAnswer {
        category: found.value.into(),
        dtc: found.depth.and_then(|depth| signed(found.value, depth)),
        variant_loss: moves.is_empty(),
        moves,
    })
}

/// The plies from the position after a move on; after a conversion they are counted afresh.
fn plies_after(
    site: &BoardSite,
    before: &Position,
    after: &Position,
    value: ValueRange,
    depth: u32,
) -> Result<Option<i64>, Problem> {
    if !converts(before, after) {
        return Ok(signed(value, depth.saturating_sub(1)));
    }
    let depth = Lookup { found: None, ..site.lookup() }.answer(after)?.depth;
    Ok(depth.and_then(|depth| signed(value, depth)))
}

/// Plies, less than 0 for a loss; none for a draw.
fn signed(value: ValueRange, depth: u32) -> Option<i64> {
    match value.value()? {
        Value::Win => Some(depth.into()),
        Value::Loss => Some(-i64::from(depth)),
        Value::Draw => None,
    }
}
