//! The page for a browser, which is part of the program.

use axum::Router;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use axum::routing::get;

use super::caching::with_tag;

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
