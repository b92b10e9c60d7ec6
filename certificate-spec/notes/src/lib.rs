//! Notes: what somebody says that a check has said (`SPEC.md` §12), and the keys that sign them.
//!
//! * [`Note`]: a note that was read, and whose signatures are on it.
//! * [`Words`]: what it says, field by field.
//! * [`one_line`]: how text of others is shown.
//! * [`keys`]: public keys that are trusted, and private ones that sign.
//!
//! What a note is worth is for whoever reads it to say: `check` joins notes, and `prove serve`
//! shows which of its certificates somebody has checked.
#![forbid(unsafe_code)]

pub mod keys;
mod note;
mod shown;
mod words;

pub use note::{HEAD, Note};
pub use shown::one_line;
pub use words::{Found, Subject, Words};
