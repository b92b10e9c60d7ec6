//! The description of the interface, an OpenAPI document.

use axum::http::StatusCode;
use utoipa::openapi::path::Operation;
use utoipa::openapi::{ContentBuilder, Ref, ResponseBuilder};
use utoipa::{Modify, OpenApi};

use super::problem::Problem;
use super::{
    board_routes, certificate_routes, game_routes, openings, slices, solved_routes, tablebase,
};

#[derive(OpenApi)]
#[openapi(
    modifiers(&Refusals),
    components(schemas(Problem)),
    info(
        title = "Draughtproof",
        description = "What certificates and endgame databases say of positions of checkers. Only where \
            a certificate is said to be verified has the program `check` verified it."
    ),
    paths(
        board_routes::boards,
        board_routes::position_route,
        board_routes::positions_route,
        solved_routes::solved_route,
        board_routes::line_route,
        game_routes::game_route,
        game_routes::pdn_route,
        game_routes::analysis_route,
        openings::openings_route,
        game_routes::reply_route,
        slices::slices_route,
        slices::slice_route,
        slices::totals_route,
        tablebase::tablebase_route,
        tablebase::tablebases_route,
        certificate_routes::certificates,
        certificate_routes::certificate_route,
        certificate_routes::node_route,
        certificate_routes::openings_route,
        certificate_routes::why_route,
    )
)]
struct Api;

/// The description of the interface, an OpenAPI document.
pub fn api_document() -> utoipa::openapi::OpenApi {
    Api::openapi()
}

/// Adds the refusals of requests to each address that can answer with them.
struct Refusals;

impl Modify for Refusals {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        for item in document.paths.paths.values_mut() {
            item.get.iter_mut().for_each(|operation| describe(operation, false));
            item.post.iter_mut().for_each(|operation| describe(operation, true));
        }
    }
}

fn describe(operation: &mut Operation, has_body: bool) {
    let has_parameters = operation.parameters.as_ref().is_some_and(|p| !p.is_empty());
    for (status, can_be) in [
        (StatusCode::BAD_REQUEST, has_parameters || has_body),
        (StatusCode::NOT_FOUND, has_parameters),
        (StatusCode::PAYLOAD_TOO_LARGE, has_body),
        (StatusCode::UNSUPPORTED_MEDIA_TYPE, has_body),
        (StatusCode::UNPROCESSABLE_ENTITY, has_body),
        (StatusCode::TOO_MANY_REQUESTS, true),
        (StatusCode::INTERNAL_SERVER_ERROR, true),
        (StatusCode::SERVICE_UNAVAILABLE, true),
    ] {
        if can_be {
            let problem = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem")));
            let response = ResponseBuilder::new()
                .description(status.canonical_reason().unwrap_or_default())
                .content("application/problem+json", problem.build());
            let responses = &mut operation.responses.responses;
            responses.insert(status.as_u16().to_string(), response.build().into());
        }
    }
}
