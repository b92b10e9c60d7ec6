//! The common parts of requests: boards, positions and lists of them, and work that may take long.

use super::limits::{Access, Rates, ServerLimits};
use super::problem::Problem;
use super::site::{BoardSite, Site};
use super::solver::Solver;
use crate::board::{FenError, Game, Position};
use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use utoipa::ToSchema;

/// The word that stands for the start of a game in place of its FEN.
const START: &str = "start";

/// The state that all handlers share.
pub(super) struct App {
    pub(super) site: Arc<Site>,
    pub(super) limits: ServerLimits,
    pub(super) access: Access,
    pub(super) rates: Rates,
    pub(super) heavy: Arc<Semaphore>,
    pub(super) solver: Arc<Solver>,
}

impl App {
    pub(super) fn board(&self, name: &str) -> Result<&BoardSite, Problem> {
        board_of(&self.site, name)
    }

    /// Answers about a position: at once, or as work that takes long if depths have to be found.
    pub(super) async fn look_up<T: Send + 'static>(
        self: Arc<Self>,
        board: String,
        position: Position,
        answer: LookUp<T>,
    ) -> Result<T, Problem> {
        let is_cut = Cell::new(false);
        let at_once = answer(self.board(&board)?, &position, &|| {
            is_cut.set(true);
            true
        })?;
        if !is_cut.take() {
            return Ok(at_once);
        }
        self.heavy(move |site| answer(board_of(site, &board)?, &position, &|| false)).await
    }

    /// Does work that may take long; only a limited number of such tasks run at a time.
    pub(super) async fn heavy<T: Send + 'static>(
        self: Arc<Self>,
        work: impl FnOnce(&Site) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let stopped = |detail: String| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, detail);
        let place = Arc::clone(&self.heavy).acquire_owned().await;
        let place = place.map_err(|e| stopped(e.to_string()))?;
        let done = tokio::task::spawn_blocking(move || {
            let _place = place;
            work(&self.site)
        });
        done.await.map_err(|e| stopped(e.to_string()))?
    }
}

/// An answer about a position; depths are found until the function returns true.
type LookUp<T> = fn(&BoardSite, &Position, &dyn Fn() -> bool) -> Result<T, Problem>;

pub(super) fn board_of<'a>(site: &'a Site, name: &str) -> Result<&'a BoardSite, Problem> {
    site.board(name).ok_or_else(|| {
        let names: Vec<_> = site.boards().map(|board| board.board().name()).collect();
        Problem::missing(format!("expected a board of {}, found {name:?}", names.join(", ")))
    })
}

/// Reads a FEN, or `start` for the start of a game on the board.
pub(super) fn position(site: &BoardSite, game: &Game, fen: &str) -> Result<Position, FenError> {
    if fen.trim() == START {
        return Ok(game.start());
    }
    site.board().read_fen(fen)
}

/// A part of the path of an address; a problem if it cannot be read.
pub(super) struct InPath<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for InPath<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Path(path) = Path::from_request_parts(parts, state).await?;
        Ok(InPath(path))
    }
}

/// A body that is an object in JSON, or a problem. (serde would accept an array for a struct, too.)
pub(super) struct Body<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let Json(object) = Json::<Map<String, Value>>::from_request(request, state).await?;
        let wrong = |e| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, format!("the body: {e}"));
        serde_json::from_value(object.into()).map(Body).map_err(wrong)
    }
}

/// An answer that the client must not keep.
pub(super) struct Fresh<T>(pub(super) T);

impl<T: Serialize> IntoResponse for Fresh<T> {
    fn into_response(self) -> Response {
        let mut response = Json(self.0).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}

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
