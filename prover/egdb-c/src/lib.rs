//! The C library: look-ups in endgame databases ([`database`], [`bounds`], [`moves`]), which there
//! are and whether they are whole ([`files`]), and an engine for programs with a board that know
//! the CheckerBoard API ([`checkerboard`]).
//!
//! No panic gets out of it. Without the feature `checkerboard`, the database alone is built.

pub mod bounds;
#[cfg(feature = "checkerboard")]
pub mod checkerboard;
pub mod database;
pub mod files;
pub mod moves;
mod text;
