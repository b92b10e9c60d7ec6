//! The head that every object of a certificate begins with (`SPEC.md` §5).

use crate::WireError;
use crate::claim::Question;
use crate::reader::{REMAKE, Reader};
use crate::wire;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The bytes within which the head of an object ends.
pub const START: usize = wire::HEAD + 5 + 10 + 10;

/// The contents of an object: its question, and the range of that question's nodes or leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectHead {
    /// The question that the object belongs to.
    pub question: Question,
    /// The number of its first node or leaf.
    pub first: u64,
    /// The number of nodes or leaves that it holds.
    pub count: u64,
}

/// The form for people.
impl fmt::Display for ObjectHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &ObjectHead { question, first, count } = self;
        write!(f, "question {}, first {first}, count {count}", question as u8)
    }
}

impl ObjectHead {
    /// The bytes of the head, magic and version included.
    pub(crate) fn encode(&self, magic: &[u8; 8]) -> Vec<u8> {
        let mut out = wire::head(magic);
        wire::append(&mut out, self);
        out
    }

    pub(crate) fn read(r: &mut Reader<'_>, magic: &[u8; 8]) -> Result<Self, WireError> {
        r.head(magic, REMAKE)?;
        r.postcard("the head of an object")
    }

    /// The number of bytes of the head, magic and version included: where the contents begin.
    pub fn length(&self) -> usize {
        self.encode(&[0; 8]).len()
    }
}
