//! Answers that never change: those of addresses that contain a root.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::problem::Problem;

/// Clients may keep the answer for a year, the usual maximum.
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// An answer in JSON that never changes; 304 if the client has it.
pub(super) fn immutable(asked: &HeaderMap, answer: &impl Serialize) -> Result<Response, Problem> {
    let body = serde_json::to_vec(answer)
        .map_err(|e| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, e.to_string()))?;
    let mut response = with_tag(asked, body, HeaderValue::from_static("application/json"));
    response.headers_mut().insert(header::CACHE_CONTROL, IMMUTABLE);
    Ok(response)
}

/// An answer with a tag that depends on its content; 304 if the client has it.
pub(super) fn with_tag(
    asked: &HeaderMap,
    body: impl Into<axum::body::Bytes>,
    kind: HeaderValue,
) -> Response {
    let body = body.into();
    let tag = format!("\"{}\"", &blake3::hash(&body).to_hex()[..32]);
    let known = asked.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let has_it = known.is_some_and(|known| known.trim() == "*" || known.contains(&tag));
    let mut response = match has_it {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => ([(header::CONTENT_TYPE, kind)], body).into_response(),
    };
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}
