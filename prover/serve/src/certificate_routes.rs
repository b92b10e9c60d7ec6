//! Requests about certificates. The answer of an address with a root never changes.

use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use draughtproof_play::lookup::question_name;
use draughtproof_proof::certificate::StoredProof;
use serde::Deserialize;
use utoipa::IntoParams;

use super::certificate_answer::{CertificateAnswer, ListedCertificate, NodeAnswer, node_answer};
use super::openings::{OpeningLine, opening_lines};
use super::page::immutable;
use super::problem::Problem;
use super::request::{App, Fresh, InPath};
use super::site::{ServedCertificate, Site};
use super::why::{WhyAnswer, why};

/// The most plies of opening lines.
const PLIES: usize = 8;
/// The default number of plies.
const USUAL_PLIES: usize = 4;

fn certificate<'a>(site: &'a Site, root: &str) -> Result<&'a ServedCertificate, Problem> {
    site.certificate(root).ok_or_else(|| {
        Problem::missing(format!("expected the root of a certificate, found {root:?}"))
    })
}

/// All certificates that are served, with the notes of those who have checked them.
#[utoipa::path(get, path = "/api/certificates",
    responses((status = 200, body = Vec<ListedCertificate>)))]
pub(super) async fn certificates(State(app): State<Arc<App>>) -> Fresh<Vec<ListedCertificate>> {
    let listed = |certificate| ListedCertificate::new(&app.site, certificate);
    Fresh(app.site.certificates().map(listed).collect())
}

/// A certificate: what it claims, what it consists of, and how it was made.
#[utoipa::path(get, path = "/api/certificates/{root}", params(("root" = String, Path)),
    responses((status = 200, body = CertificateAnswer),
        (status = 304, description = "The client has it")))]
pub(super) async fn certificate_route(
    State(app): State<Arc<App>>,
    InPath(root): InPath<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    immutable(&headers, &CertificateAnswer::from(certificate(&app.site, &root)?))
}

/// The question that is asked for.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct NodeQuery {
    /// `black-not-lost`, `white-not-lost`, `black-wins` or `white-wins` [default: the first of the
    /// certificate].
    question: Option<String>,
}

/// A node of a certificate.
#[utoipa::path(get, path = "/api/certificates/{root}/nodes/{number}",
    params(("root" = String, Path), ("number" = usize, Path), NodeQuery),
    responses((status = 200, body = NodeAnswer),
        (status = 304, description = "The client has it")))]
pub(super) async fn node_route(
    State(app): State<Arc<App>>,
    InPath((root, number)): InPath<(String, String)>,
    query: Result<Query<NodeQuery>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let certificate = certificate(&app.site, &root)?;
    let proof = proof_of(certificate, query?.question.as_deref());
    let question = proof.map(|proof| proof.question);
    let node = question.map_or(Ok(None), |question| {
        number.parse().map_or(Ok(None), |number| node_answer(certificate, question, number))
    })?;
    let node = node.ok_or_else(|| {
        Problem::missing(format!(
            "expected a node of a question of the certificate, found {number:?}"
        ))
    })?;
    immutable(&headers, &node)
}

/// The proof of a question with this name, or of the first question of the certificate.
fn proof_of<'a>(
    certificate: &'a ServedCertificate,
    question: Option<&str>,
) -> Option<&'a StoredProof> {
    let mut proofs = certificate.stored.proofs.iter();
    match question {
        None => proofs.next(),
        Some(name) => proofs.find(|proof| question_name(proof.question) == name),
    }
}

/// The position and the question that are asked about.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct WhyQuery {
    /// A FEN [default: the start of the certificate].
    fen: Option<String>,
    /// `black-not-lost`, `white-not-lost`, `black-wins` or `white-wins` [default: the first of the
    /// certificate].
    question: Option<String>,
}

/// Returns what follows at a position in the proof of a question: the claimant's answer to each
/// move, and what lies below it.
#[utoipa::path(get, path = "/api/certificates/{root}/why", params(("root" = String, Path), WhyQuery),
    responses((status = 200, body = WhyAnswer),
        (status = 304, description = "The client has it")))]
pub(super) async fn why_route(
    State(app): State<Arc<App>>,
    InPath(root): InPath<String>,
    query: Result<Query<WhyQuery>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let Query(WhyQuery { fen, question }) = query?;
    let answer = app.heavy(move |site| {
        let certificate = certificate(site, &root)?;
        let stored = &certificate.stored;
        let position = match &fen {
            Some(fen) => stored.game.board.read_fen(fen)?,
            None => stored.start,
        };
        let proof = proof_of(certificate, question.as_deref());
        let proof = proof.ok_or_else(|| {
            Problem::missing("expected a question of the certificate, found another one")
        })?;
        Ok(why(certificate, proof, &position)?)
    });
    immutable(&headers, &answer.await?)
}

/// The length of the lines.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct OpeningsQuery {
    /// Plies, at most 8 [default: 4].
    plies: Option<usize>,
}

/// The first moves of a proof: those of the claimant as the proof chooses them, all of the other
/// side.
#[utoipa::path(get, path = "/api/certificates/{root}/openings", params(("root" = String, Path), OpeningsQuery),
    responses((status = 200, body = Vec<OpeningLine>),
        (status = 304, description = "The client has it")))]
pub(super) async fn openings_route(
    State(app): State<Arc<App>>,
    InPath(root): InPath<String>,
    query: Result<Query<OpeningsQuery>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let plies = query?.plies.unwrap_or(USUAL_PLIES);
    if plies > PLIES {
        return Err(Problem::bad(format!("expected at most {PLIES} plies, found {plies}")));
    }
    let lines = app.heavy(move |site| Ok(opening_lines(certificate(site, &root)?, plies)?));
    immutable(&headers, &lines.await?)
}
