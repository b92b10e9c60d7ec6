//! Commands about games and how they are played.

pub(crate) mod analyse;
pub(crate) mod annotate;
pub(crate) mod book;
pub(crate) mod engine;
pub(crate) mod game;
pub(crate) mod perft;
pub(crate) mod replay;
