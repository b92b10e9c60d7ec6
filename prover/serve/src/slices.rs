//! Statistics of the slices of a database.

use std::sync::{Arc, PoisonError};

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::problem::Problem;
use super::request::{App, Fresh, InPath, board_of};
use super::site::{BoardSite, Database};
use crate::egdb::stats::{Counts, placements};
use crate::egdb::{BuildError, BuildSession, Slice};

/// The most bytes that counting a slice may take, besides tables that are mapped.
const COUNT_MEMORY: u64 = 256 << 20;

/// A slice.
#[derive(Serialize, ToSchema)]
pub(super) struct SliceAnswer {
    /// The pieces: black men and kings, white men and kings; Black is to move.
    #[schema(example = "2,0,1,1")]
    slice: String,
    /// The number of positions with these pieces.
    positions: u64,
    /// The bytes of its file.
    bytes: u64,
}

/// A slice with the counts of its values.
#[derive(Serialize, ToSchema)]
pub(super) struct CountedSlice {
    #[serde(flatten)]
    slice: SliceAnswer,
    /// Positions that Black wins; none if the slice takes more memory to count than the server may
    /// use.
    win: Option<u64>,
    /// Positions that are drawn.
    draw: Option<u64>,
    /// Positions that Black loses.
    loss: Option<u64>,
    /// The longest depth of a win or loss in plies, if depths are stored.
    longest: Option<u32>,
}

fn slice_answer(site: &BoardSite, slice: Slice, bytes: u64) -> SliceAnswer {
    let [a, b, c, d] = slice.name().0;
    let positions = placements(site.board(), slice);
    SliceAnswer { slice: format!("{a},{b},{c},{d}"), positions, bytes }
}

/// The slices of the database of a board.
#[utoipa::path(get, path = "/api/{board}/slices", params(("board" = String, Path, example = "6x6")),
    responses((status = 200, body = Vec<SliceAnswer>)))]
pub(super) async fn slices_route(
    State(app): State<Arc<App>>,
    InPath(board): InPath<String>,
) -> Result<Fresh<Vec<SliceAnswer>>, Problem> {
    let site = app.board(&board)?;
    let records = site.database.iter().flat_map(|database| &database.manifest.slices);
    let answer = records.map(|record| slice_answer(site, record.name.into(), record.length));
    Ok(Fresh(answer.collect()))
}

/// A slice: the number of positions that are won, drawn and lost.
#[utoipa::path(get, path = "/api/{board}/slices/{slice}",
    params(("board" = String, Path, example = "6x6"), ("slice" = String, Path, example = "2,0,1,1")),
    responses((status = 200, body = CountedSlice)))]
pub(super) async fn slice_route(
    State(app): State<Arc<App>>,
    InPath((board, name)): InPath<(String, String)>,
) -> Result<Fresh<CountedSlice>, Problem> {
    let counted = app.heavy(move |site| {
        let site = board_of(site, &board)?;
        let missing = || Problem::missing(format!("expected a slice of {board}, found {name:?}"));
        let (slice, bytes) = site.slice(&name).ok_or_else(missing)?;
        let database = site.database.as_ref().ok_or_else(missing)?;
        let counts = count(site, database, slice)?;
        Ok(CountedSlice {
            slice: slice_answer(site, slice, bytes),
            win: counts.map(|counts| counts.win),
            draw: counts.map(|counts| counts.draw()),
            loss: counts.map(|counts| counts.loss),
            longest: database.depths.longest(slice)?,
        })
    });
    Ok(Fresh(counted.await?))
}

/// Counts a slice, once. `None` if that takes more memory than [`COUNT_MEMORY`].
fn count(site: &BoardSite, database: &Database, slice: Slice) -> Result<Option<Counts>, Problem> {
    let counted = || site.counts.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(counts) = counted().get(&slice.name().0) {
        return Ok(Some(*counts));
    }
    let counts = match noted(database, slice) {
        Some(counts) => counts,
        None => {
            let cover = &database.manifest.cover;
            let mut session = BuildSession::new(&database.store, cover, COUNT_MEMORY)?;
            session.use_tables()?;
            match session.count_by_parts(slice) {
                Err(BuildError::Memory { .. }) => return Ok(None),
                counts => counts?,
            }
        }
    };
    counted().insert(slice.name().0, counts);
    Ok(Some(counts))
}

/// The counts from the build of the slice, if it was built on this machine and has not changed.
fn noted(database: &Database, slice: Slice) -> Option<Counts> {
    let name = slice.name();
    let record = database.manifest.slices.iter().find(|record| record.name == name)?;
    let positions = placements(database.store.board(), slice);
    let figures = database.store.figures().into_iter().find(|figures| figures.slice == name)?;
    let is_same = (figures.bytes, figures.positions) == (record.length, positions);
    let counts = Counts { positions, win: figures.win, loss: figures.loss };
    (is_same && counts.win.checked_add(counts.loss)? <= positions).then_some(counts)
}
