//! The C library: look-ups in endgame databases ([`database`]), and an engine for programs with a
//! board that know the CheckerBoard API ([`checkerboard`]).
//!
//! No panic gets out of it. Without the feature `checkerboard`, the database alone is built.

#[cfg(feature = "checkerboard")]
pub mod checkerboard;
pub mod database;
mod text;
