//! The C library: look-ups in endgame databases ([`database`], [`bounds`], [`moves`]), and their
//! identification and verification ([`files`]). No panic leaves the library.

pub mod bounds;
pub mod database;
pub mod files;
pub mod moves;
