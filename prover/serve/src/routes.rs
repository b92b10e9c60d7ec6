//! All addresses, and the headers of every answer.

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::HttpBody;
use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{AllowOrigin, Any, CorsLayer};

use super::document::api_document;
use super::limits::ClientAddress;
use super::limits::{Access, Rates, ServerLimits};
use super::page::page;
use super::problem::Problem;
use super::request::{App, Fresh};
use super::site::Site;
use super::solver::Solver;
use super::{
    board_routes, certificate_routes, game_routes, openings, slices, solved_routes, tablebase,
};

/// Only the page's own scripts, styles and images may be used; no other site may show it in a
/// frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// All addresses of a site.
pub fn routes(site: Site, limits: ServerLimits, access: Access) -> Router {
    let origin = access.origin.clone();
    let site = Arc::new(site);
    let app = Arc::new(App {
        site: Arc::clone(&site),
        limits,
        access,
        rates: Rates::new(&limits),
        heavy: Arc::new(Semaphore::new(limits.heavy)),
        solver: Arc::new(Solver::new(site, limits.solver)),
    });
    let router = Router::new()
        .route("/api/boards", get(board_routes::boards))
        .route("/api/{board}/position", get(board_routes::position_route))
        .route("/api/{board}/positions", post(board_routes::positions_route))
        .route("/api/{board}/solved", get(solved_routes::solved_route))
        .route("/api/{board}/line", get(board_routes::line_route))
        .route("/api/{board}/game", post(game_routes::game_route))
        .route("/api/{board}/pdn", post(game_routes::pdn_route))
        .route("/api/{board}/analysis", post(game_routes::analysis_route))
        .route("/api/{board}/reply", post(game_routes::reply_route))
        .route("/api/{board}/openings", get(openings::openings_route))
        .route("/api/{board}/slices", get(slices::slices_route))
        .route("/api/{board}/slices/{slice}", get(slices::slice_route))
        .route("/api/{board}/totals", get(slices::totals_route))
        .route(
            "/api/{board}/tablebase",
            get(tablebase::tablebase_route).post(tablebase::tablebases_route),
        )
        .route("/api/certificates", get(certificate_routes::certificates))
        .route("/api/certificates/{root}", get(certificate_routes::certificate_route))
        .route("/api/certificates/{root}/nodes/{number}", get(certificate_routes::node_route))
        .route("/api/certificates/{root}/openings", get(certificate_routes::openings_route))
        .route("/api/certificates/{root}/why", get(certificate_routes::why_route))
        .route("/openapi.json", get(|| async { Fresh(api_document()) }))
        .route("/metrics", get(metrics))
        .route("/healthz", get(|| async { "ok\n" }))
        .merge(page())
        .method_not_allowed_fallback(|| async {
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, "expected another method")
        })
        .fallback(|| async { Problem::missing("expected an address of /openapi.json") })
        .layer(DefaultBodyLimit::max(limits.body))
        .layer(from_fn_with_state(Arc::clone(&app), within_limits))
        .layer(CatchPanicLayer::custom(|_| {
            let detail = "a mistake of the server";
            Problem::new(StatusCode::INTERNAL_SERVER_ERROR, detail).into_response()
        }))
        .layer(from_fn_with_state(Arc::clone(&app), counted))
        .with_state(app);
    match origin {
        None => router,
        Some(origin) => router.layer(
            CorsLayer::new()
                .allow_origin(if origin == "*" { Any.into() } else { AllowOrigin::exact(origin) })
                .allow_methods([Method::GET, Method::POST])
                .allow_headers([header::CONTENT_TYPE]),
        ),
    }
}

async fn metrics(State(app): State<Arc<App>>) -> Response {
    match app.site.metrics.text() {
        Ok(text) => {
            let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
            ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-store")], text)
                .into_response()
        }
        Err(e) => Problem::new(StatusCode::INTERNAL_SERVER_ERROR, e.to_string()).into_response(),
    }
}

/// Checks a request against the limits on rate, size and time.
async fn within_limits(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    if let Some(&ClientAddress(peer)) = request.extensions().get() {
        let client = app.access.client(peer, request.headers());
        if let Err(problem) = app.rates.check(client) {
            return problem.into_response();
        }
        request.extensions_mut().insert(ClientAddress(client));
    }
    // A body whose announced size is too large is refused at once.
    let body = request.body().size_hint().lower();
    let most = app.limits.body;
    if body > most as u64 {
        let detail = format!("expected a body of at most {most} bytes, found {body}");
        return Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail).into_response();
    }
    match timeout(app.limits.time, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            let seconds = app.limits.time.as_secs();
            let detail = format!("expected an answer within {seconds} s, found none");
            Problem::busy(detail, app.limits.time).into_response()
        }
    }
}

/// Counts a request, and adds the headers of every answer.
async fn counted(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let start = Instant::now();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    let same_origin = HeaderName::from_static("cross-origin-resource-policy");
    let readers = if app.access.origin.is_some() { "cross-origin" } else { "same-origin" };
    headers.insert(same_origin, HeaderValue::from_static(readers));
    let route = route.as_ref().map_or("none", MatchedPath::as_str);
    app.site.metrics.count(route, response.status().as_u16(), start.elapsed());
    response
}
