//! Notes: signed statements of what a check has said (`SPEC.md` §12), and the keys that sign them.
//!
//! * [`Note`]: a note that was read, with its signatures.
//! * [`Words`]: the words of its verdict; [`Fields`]: the values of its fields;
//!   [`refutation`]: what it refutes.
//! * [`Shard`]: which part of the work a verdict is about.
//! * [`one_line`]: text of others, escaped for display; [`without_lists`]: a verdict for display.
//! * [`keys`]: public keys that are trusted, and private keys that sign.
//!
//! This crate does not say what a note is worth: `check` joins notes by rules of its own, and
//! `prove serve` shows which of its certificates have notes.
#![forbid(unsafe_code)]

pub mod keys;
mod note;
mod shard;
mod shown;
mod words;

pub use note::{HEAD, Note, Whole, open_ordinary};
pub use shard::Shard;
pub use shown::{one_line, without_lists};
pub use words::{
    Believed, Extent, Fields, Found, Level, Part, Refuted, Share, Subject, Words, refutation,
};
