//! A server: answers over HTTP what certificates and databases say of positions.
//!
//! All data is read when the server begins, and nothing is ever written. A [`Site`] has the boards
//! and certificates; [`routes()`] has the addresses of its requests, and [`run`] answers on a
//! socket within [`ServerLimits`].
#![allow(missing_docs)]
// Counts here are bounded by the board (at most 32 squares) or by memory, and what the prover gets
// wrong the checker refutes; the checker keeps the lint.
#![allow(clippy::cast_possible_truncation)]

use draughtproof_egdb as egdb;
use draughtproof_game as board;

mod answer;
mod board_routes;
mod certificate_answer;
mod certificate_routes;
mod checks;
mod document;
mod estimates;
mod game_routes;
mod limits;
mod metrics;
mod openings;
mod page;
mod problem;
mod request;
mod routes;
mod site;
mod slices;
mod solved_routes;
mod solver;
mod tablebase;
mod verification;
mod why;

pub use checks::{NoteError, NotedCheck};
pub use document::api_document;
pub use limits::run;
pub use limits::{Access, ServerLimits};
pub use routes::routes;
pub use site::{BoardSite, Database, ServedCertificate, Site};
pub use solver::SolverLimits;
pub use verification::{Verification, Verifier};
