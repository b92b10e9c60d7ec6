//! Requests that cannot be answered: a JSON problem (RFC 9457) with the status.

use std::time::Duration;

use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use draughtproof_play::lookup::LookupError;
use serde::Serialize;
use utoipa::ToSchema;

use crate::board::{FenError, MoveError};
use crate::egdb::{BuildError, StoreError};

/// The reason why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(super) struct Problem {
    /// The name of the status in HTTP.
    title: &'static str,
    /// The status code of the answer.
    #[schema(example = 404)]
    status: u16,
    /// The expected and the found text.
    detail: String,
    /// Seconds after which to try again.
    #[serde(skip)]
    retry_after: Option<u64>,
}

impl Problem {
    pub(super) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        let title = status.canonical_reason().unwrap_or("Error");
        Problem { title, status: status.as_u16(), detail: detail.into(), retry_after: None }
    }

    /// The problem of a request that is malformed.
    pub(super) fn bad(detail: impl Into<String>) -> Self {
        Problem::new(StatusCode::BAD_REQUEST, detail)
    }

    /// The problem of a request for something that is not served.
    pub(super) fn missing(detail: impl Into<String>) -> Self {
        Problem::new(StatusCode::NOT_FOUND, detail)
    }

    /// The problem of a server that is too busy; the client may try again after this time.
    pub(super) fn busy(detail: impl Into<String>, after: Duration) -> Self {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail).after(after)
    }

    /// Adds the time after which the client may try again.
    pub(super) fn after(self, time: Duration) -> Self {
        Problem { retry_after: Some(time.as_secs().max(1)), ..self }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let retry_after = self.retry_after;
        let mut response = (status, Json(self)).into_response();
        let headers = response.headers_mut();
        let json = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, json);
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(seconds) = retry_after {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

/// The problem of an error on the server's side.
fn failure(error: &impl ToString) -> Problem {
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
}

impl From<LookupError> for Problem {
    fn from(error: LookupError) -> Self {
        failure(&error)
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        failure(&error)
    }
}

impl From<BuildError> for Problem {
    fn from(error: BuildError) -> Self {
        failure(&error)
    }
}

impl From<FenError> for Problem {
    fn from(error: FenError) -> Self {
        Problem::bad(error.to_string())
    }
}

impl From<MoveError> for Problem {
    fn from(error: MoveError) -> Self {
        Problem::bad(error.to_string())
    }
}

impl From<QueryRejection> for Problem {
    fn from(rejection: QueryRejection) -> Self {
        Problem::new(rejection.status(), rejection.body_text())
    }
}

impl From<PathRejection> for Problem {
    fn from(rejection: PathRejection) -> Self {
        Problem::new(rejection.status(), rejection.body_text())
    }
}

impl From<JsonRejection> for Problem {
    fn from(rejection: JsonRejection) -> Self {
        Problem::new(rejection.status(), rejection.body_text())
    }
}
