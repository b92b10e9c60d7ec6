//! An engine that plays: the Hub protocol (Fabien Letouzey, version 2, as in Scan) between a
//! program with a board and [`crate::opponent::Opponent`].
//!
//! Lines come in through a thread of their own (`input`), are parsed into typed commands
//! ([`command`]), and are answered by the `session`, which also keeps the time ([`clock`]). The
//! session sends searches to a searching thread (`searcher`), so that it can answer `ping` and
//! `stop` meanwhile. Positions and moves have a form of their own in Hub ([`notation`]).

pub mod clock;
pub mod command;
pub mod notation;
mod parameters;
mod reply;
mod searcher;
mod session;

pub use parameters::{ParameterError, Parameters};
pub use searcher::{Opened, Setup};
pub use session::run;
