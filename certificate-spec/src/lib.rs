//! The wire format of Draughtproof certificates and endgame databases, as `SPEC.md` beside this
//! crate's manifest defines it.
//!
//! Bytes in, bytes out: this crate does not know the game, opens no file and trusts no length.
//! Every decoder accepts exactly what its encoder writes (one encoding per object) and says where
//! other bytes are wrong: a [`WireError`] has the offset, what was expected and what was found.
//!
//! Small structured parts are serde types in postcard ([`wire`]), bulk data has a fixed width or is
//! packed into bits ([`nodes`], [`leaves`], [`coding`]).
//!
//! ```
//! use certificate_spec::claim::{Claim, Value};
//! use certificate_spec::cover::Cover;
//! let claim = Claim {
//!     game: "4x4".into(),
//!     start: "B:W7,8:B1,2".into(),
//!     value: Value::Draw,
//!     cover: Cover::none(),
//!     database: None,
//! };
//! assert_eq!(Claim::decode(claim.encode().as_bytes()).unwrap(), claim);
//! ```
#![forbid(unsafe_code)]

pub mod bits;
pub mod claim;
pub mod coding;
pub mod cover;
pub mod database;
pub mod digest;
mod error;
pub mod leaves;
pub mod manifest;
pub mod nodes;
pub mod object;
pub mod payload;
pub mod provenance;
mod reader;
pub mod slice;
pub mod text;
pub mod value;
pub mod wire;
mod write;

pub use digest::{Digest, Hasher};
pub use error::WireError;

/// The version of the format that this crate reads and writes in all files.
pub const VERSION: u32 = 1;
/// The id of the rules in `SPEC.md` §1.
pub const RULES: &str = "english-checkers-1";
