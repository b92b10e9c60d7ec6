//! The options of `check`, apart from the program, so that its manual pages and completions can be
//! made without one more dependency of the program. Nothing here verifies anything.

pub mod arguments;
pub mod commands;
pub mod memory;
pub mod stderr;
