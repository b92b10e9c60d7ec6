//! The wire format of Draughtproof certificates and endgame databases, as `SPEC.md` beside this
//! crate's manifest defines it.
//!
//! Bytes in, bytes out: nothing here knows the game, opens a file or trusts a length. Every decoder
//! accepts exactly what its encoder writes (one encoding per object) and says where anything else
//! goes wrong: a [`WireError`] carries the offset, what was expected and what was found.
//!
//! ```
//! use certificate_spec::claim::{Claim, Value};
//! let claim = Claim {
//!     game: "4x4".into(),
//!     start: "B:W7,8:B1,2".into(),
//!     value: Value::Draw,
//!     pieces: 0,
//!     database: None,
//! };
//! assert_eq!(Claim::decode(claim.encode().as_bytes()).unwrap(), claim);
//! ```
#![forbid(unsafe_code)]

pub mod about;
pub mod bits;
pub mod claim;
pub mod coding;
pub mod database;
pub mod digest;
mod error;
pub mod leaves;
pub mod manifest;
pub mod nodes;
mod reader;
pub mod slice;

pub use digest::Digest;
pub use error::WireError;

/// The format version that this crate reads and writes; slice files have their own.
pub const VERSION: u32 = 0;
/// The id of the rules in `SPEC.md` §1.
pub const RULES: &str = "english-checkers-1";
