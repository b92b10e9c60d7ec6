//! The C library: look-ups in endgame databases ([`database`], [`bounds`], [`moves`]), their
//! identification and verification ([`files`]), and an engine for programs with a board that know
//! the CheckerBoard API ([`checkerboard`]).
//!
//! No panic leaves the library. Without the feature `checkerboard` only the database is built.

pub mod bounds;
#[cfg(feature = "checkerboard")]
pub mod checkerboard;
pub mod database;
pub mod files;
pub mod moves;
mod text;
