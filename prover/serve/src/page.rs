//! The page for a browser, which is part of the program, and answers that never change: those of
//! addresses that contain a root.

use super::problem::Problem;
use axum::Router;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Serialize;

/// A file of the page: its address, its content type and its content.
type Asset = (&'static str, &'static str, &'static str);

const SCRIPT: &str = "text/javascript; charset=utf-8";

const ASSETS: [Asset; 14] = [
    ("/", "text/html; charset=utf-8", include_str!("page/index.html")),
    ("/page.css", "text/css; charset=utf-8", include_str!("page/page.css")),
    ("/icon.svg", "image/svg+xml", include_str!("page/icon.svg")),
    ("/page.js", SCRIPT, include_str!("page/page.js")),
    ("/address.js", SCRIPT, include_str!("page/address.js")),
    ("/analysis.js", SCRIPT, include_str!("page/analysis.js")),
    ("/ask.js", SCRIPT, include_str!("page/ask.js")),
    ("/board.js", SCRIPT, include_str!("page/board.js")),
    ("/openings.js", SCRIPT, include_str!("page/openings.js")),
    ("/panels.js", SCRIPT, include_str!("page/panels.js")),
    ("/setup.js", SCRIPT, include_str!("page/setup.js")),
    ("/solved.js", SCRIPT, include_str!("page/solved.js")),
    ("/why.js", SCRIPT, include_str!("page/why.js")),
    ("/words.js", SCRIPT, include_str!("page/words.js")),
];

/// The addresses of the page. A browser asks for each whether it has changed.
pub(super) fn page<S: Clone + Send + Sync + 'static>() -> Router<S> {
    ASSETS.into_iter().fold(Router::new(), |router, (path, kind, text)| {
        router.route(path, get(move |headers| async move { file(&headers, kind, text) }))
    })
}

fn file(asked: &HeaderMap, kind: &'static str, text: &'static str) -> Response {
    let mut response = with_tag(asked, text.as_bytes(), HeaderValue::from_static(kind));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

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
fn with_tag(asked: &HeaderMap, body: impl Into<axum::body::Bytes>, kind: HeaderValue) -> Response {
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
