//! What requests have in common: boards and positions, and work that may take long.

use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::Semaphore;

use super::limits::{Rates, ServerLimits};
use super::problem::Problem;
use super::site::{BoardSite, Site};
use crate::board::{Board, Position};

/// What all handlers share.
pub(super) struct App {
    pub(super) site: Site,
    pub(super) limits: ServerLimits,
    pub(super) rates: Rates,
    pub(super) heavy: Arc<Semaphore>,
}

impl App {
    /// The site of a board.
    pub(super) fn board(&self, name: &str) -> Result<&BoardSite, Problem> {
        board_of(&self.site, name)
    }

    /// Does what may take long, of which only so much is done at a time.
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

/// The site of a board.
pub(super) fn board_of<'a>(site: &'a Site, name: &str) -> Result<&'a BoardSite, Problem> {
    site.board(name).ok_or_else(|| {
        let names: Vec<_> = site.boards().map(|board| board.board().name()).collect();
        Problem::missing(format!("expected a board of {}, found {name:?}", names.join(", ")))
    })
}

/// Reads a FEN.
pub(super) fn position(board: &Board, fen: &str) -> Result<Position, Problem> {
    Ok(board.read_fen(fen)?)
}

/// A body in JSON, or a problem.
pub(super) struct Body<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let Json(body) = Json::from_request(request, state).await?;
        Ok(Body(body))
    }
}

/// An answer that is not to be kept.
pub(super) struct Fresh<T>(pub(super) T);

impl<T: Serialize> IntoResponse for Fresh<T> {
    fn into_response(self) -> Response {
        let mut response = Json(self.0).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}
