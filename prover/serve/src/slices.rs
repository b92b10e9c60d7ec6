//! Statistics of the slices of a database.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::problem::Problem;
use super::request::{App, Fresh, InPath, board_of};
use super::site::{BoardSite, Database};
use crate::egdb::stats::{Counts, placements};
use crate::egdb::{BuildError, BuildSession, Figures, Slice};

/// The most bytes that counting a slice may take, besides tables that are mapped.
const COUNT_MEMORY: u64 = 256 << 20;
/// The time after which an answer counts no further slice.
const COUNT_TIME: Duration = Duration::from_secs(2);

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

/// The slices of a database with equally many pieces, together.
#[derive(Serialize, ToSchema)]
pub(super) struct Total {
    /// The number of pieces of both sides.
    pieces: u8,
    /// The number of slices.
    slices: usize,
    /// The slices that are counted; the numbers of values are theirs.
    counted: usize,
    /// The number of positions in all these slices.
    positions: u64,
    /// The bytes of their files.
    bytes: u64,
    /// Positions that the side to move wins.
    win: u64,
    /// Positions that are drawn.
    draw: u64,
    /// Positions that the side to move loses.
    loss: u64,
}

/// The sums of all slices, by the number of pieces. Slices that were never counted are counted now,
/// as many as can be in two seconds; others follow when this is asked again.
#[utoipa::path(get, path = "/api/{board}/totals", params(("board" = String, Path, example = "6x6")),
    responses((status = 200, body = Vec<Total>)))]
pub(super) async fn totals_route(
    State(app): State<Arc<App>>,
    InPath(board): InPath<String>,
) -> Result<Fresh<Vec<Total>>, Problem> {
    let totals = app.heavy(move |site| totals(board_of(site, &board)?));
    Ok(Fresh(totals.await?))
}

fn totals(site: &BoardSite) -> Result<Vec<Total>, Problem> {
    let Some(database) = &site.database else { return Ok(Vec::new()) };
    let end = Instant::now() + COUNT_TIME;
    let figures = database.store.figures();
    let mut totals = BTreeMap::new();
    for record in &database.manifest.slices {
        let slice: Slice = record.name.into();
        let pieces = slice.pieces();
        let none = Total {
            pieces,
            slices: 0,
            counted: 0,
            positions: 0,
            bytes: 0,
            win: 0,
            draw: 0,
            loss: 0,
        };
        let total = totals.entry(pieces).or_insert(none);
        total.slices += 1;
        total.positions += placements(site.board(), slice);
        total.bytes += record.length;
        let counts = match known_counts(site, database, &figures, slice) {
            None if Instant::now() < end => count_by_parts(site, database, slice)?,
            known => known,
        };
        if let Some(counts) = counts {
            total.counted += 1;
            total.win += counts.win;
            total.draw += counts.draw();
            total.loss += counts.loss;
        }
    }
    Ok(totals.into_values().collect())
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
    match known_counts(site, database, &database.store.figures(), slice) {
        None => count_by_parts(site, database, slice),
        known => Ok(known),
    }
}

/// The counts of a slice that was counted before, here or when it was built.
fn known_counts(
    site: &BoardSite,
    database: &Database,
    figures: &[Figures],
    slice: Slice,
) -> Option<Counts> {
    let counted = site.counts.lock().unwrap_or_else(PoisonError::into_inner);
    counted.get(&slice.name().0).copied().or_else(|| noted(database, figures, slice))
}

fn count_by_parts(
    site: &BoardSite,
    database: &Database,
    slice: Slice,
) -> Result<Option<Counts>, Problem> {
    let cover = &database.manifest.cover;
    let mut session = BuildSession::new(&database.store, cover, COUNT_MEMORY)?;
    session.use_tables();
    let counts = match session.count_by_parts(slice) {
        Err(BuildError::Memory { .. }) => return Ok(None),
        counts => counts?,
    };
    let mut counted = site.counts.lock().unwrap_or_else(PoisonError::into_inner);
    counted.insert(slice.name().0, counts);
    Ok(Some(counts))
}

/// The counts from the build of the slice, if it was built on this machine and has not changed.
fn noted(database: &Database, figures: &[Figures], slice: Slice) -> Option<Counts> {
    let name = slice.name();
    let record = database.manifest.slices.iter().find(|record| record.name == name)?;
    let positions = placements(database.store.board(), slice);
    let figures = figures.iter().find(|figures| figures.slice == name)?;
    let is_same = (figures.bytes, figures.positions) == (record.length, positions);
    let counts = Counts { positions, win: figures.win, loss: figures.loss };
    (is_same && counts.win.checked_add(counts.loss)? <= positions).then_some(counts)
}
