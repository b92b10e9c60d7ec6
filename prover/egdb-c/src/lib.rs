//! The C library: look-ups in endgame databases ([`database`], [`moves`]), and their
//! identification and verification ([`files`]). No panic leaves the library.

pub mod database;
pub mod files;
pub mod moves;
