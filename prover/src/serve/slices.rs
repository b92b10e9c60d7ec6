//! Statistics of the slices of a database.

use std::sync::{Arc, PoisonError};

use axum::extract::{Path, State};
use serde::Serialize;
use utoipa::ToSchema;

use super::problem::Problem;
use super::request::{App, Fresh, board_of};
use super::site::{BoardSite, Database};
use crate::egdb::stats::{Counts, placements};
use crate::egdb::{BuildSession, Slice};

/// The most bytes that counting a slice may decode.
const COUNT_MEMORY: u64 = 256 << 20;

/// A slice.
#[derive(Serialize, ToSchema)]
pub(super) struct SliceAnswer {
    /// Black men and kings, White men and kings; Black to move.
    #[schema(example = "2,0,1,1")]
    slice: String,
    /// The positions with these pieces.
    positions: u64,
    /// Bytes of its file.
    bytes: u64,
}

/// A slice with what it has in it.
#[derive(Serialize, ToSchema)]
pub(super) struct CountedSlice {
    #[serde(flatten)]
    slice: SliceAnswer,
    /// Black wins.
    win: u64,
    /// Draws.
    draw: u64,
    /// Black loses.
    loss: u64,
    /// The longest depth of a win or loss in plies, if depths are stored.
    longest: Option<u32>,
}

fn slice_answer(site: &BoardSite, slice: Slice, bytes: u64) -> SliceAnswer {
    let [a, b, c, d] = slice.name().0;
    let positions = placements(site.board(), slice);
    SliceAnswer { slice: format!("{a},{b},{c},{d}"), positions, bytes }
}

/// The slices of the database of a board.
#[utoipa::path(get, path = "/api/{board}/slices", params(("board", example = "6x6")),
    responses((status = 200, body = Vec<SliceAnswer>), (status = 404, body = Problem)))]
pub(super) async fn slices_route(
    State(app): State<Arc<App>>,
    Path(board): Path<String>,
) -> Result<Fresh<Vec<SliceAnswer>>, Problem> {
    let site = app.board(&board)?;
    let records = site.database.iter().flat_map(|database| &database.manifest.slices);
    let answer = records.map(|record| slice_answer(site, record.name.into(), record.length));
    Ok(Fresh(answer.collect()))
}

/// A slice: how many positions are won, drawn and lost.
#[utoipa::path(get, path = "/api/{board}/slices/{slice}",
    params(("board", example = "6x6"), ("slice", example = "2,0,1,1")),
    responses((status = 200, body = CountedSlice), (status = 404, body = Problem)))]
pub(super) async fn slice_route(
    State(app): State<Arc<App>>,
    Path((board, name)): Path<(String, String)>,
) -> Result<Fresh<CountedSlice>, Problem> {
    let counted = app.heavy(move |site| {
        let site = board_of(site, &board)?;
        let missing = || Problem::missing(format!("expected a slice of {board}, found {name:?}"));
        let (slice, bytes) = site.slice(&name).ok_or_else(missing)?;
        let database = site.database.as_ref().ok_or_else(missing)?;
        let counts = count(site, database, slice)?;
        Ok(CountedSlice {
            slice: slice_answer(site, slice, bytes),
            win: counts.win,
            draw: counts.draw(),
            loss: counts.loss,
            longest: database.depths.longest(slice)?,
        })
    });
    Ok(Fresh(counted.await?))
}

/// Counts a slice, once.
fn count(site: &BoardSite, database: &Database, slice: Slice) -> Result<Counts, Problem> {
    let counted = || site.counts.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(counts) = counted().get(&slice.name().0) {
        return Ok(*counts);
    }
    let cover = &database.manifest.cover;
    let mut session = BuildSession::new(&database.store, cover, COUNT_MEMORY)?;
    session.use_tables()?;
    let counts = session.count(slice)?;
    counted().insert(slice.name().0, counts);
    Ok(counts)
}
