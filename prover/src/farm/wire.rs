//! What managers and workers say to each other, in postcard: format 1.
//!
//! An item travels as its own bytes ([`crate::proof::Item::encode`]), which contain all that its
//! result depends on. Everything else has the number of the format first, so that what another
//! version says is told apart from garbage.

use certificate_spec::{Digest, RULES};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::egdb::Cover;
use crate::proof::SearchContext;

/// The number of the format of messages.
pub const FORMAT: u8 = 1;

/// What the results of a job depend on besides the items.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobContext {
    /// The rules.
    pub rules: String,
    /// Rows of the board.
    pub rows: u8,
    /// Columns of the board.
    pub columns: u8,
    /// What the database has.
    pub cover: Cover,
    /// The root of the database, if there is one.
    pub database: Option<Digest>,
}

impl JobContext {
    /// What results of searches with a board and a database depend on.
    pub fn of(context: &SearchContext<'_>) -> Self {
        let SearchContext { board, database, database_root, .. } = context;
        JobContext {
            rules: RULES.into(),
            rows: board.rows(),
            columns: board.columns(),
            cover: database.cover().clone(),
            database: *database_root,
        }
    }
}

/// What a manager says of its job, again and again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Announcement {
    /// The name of the job.
    pub job: String,
    /// What its results depend on.
    pub context: JobContext,
    /// The most nodes of a search.
    pub nodes: u64,
    /// The most bytes of its table.
    pub table: u64,
    /// An item of which nothing is heard for so many milliseconds goes to another worker.
    pub lease: u64,
    /// Workers whose results are no longer read.
    pub refused: Vec<String>,
    /// Whether the job is done.
    pub is_over: bool,
}

/// A result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultMessage {
    /// What it was found with.
    pub context: JobContext,
    /// The digest of the item.
    pub item: Digest,
    /// What was found.
    pub found: FoundMessage,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FoundMessage {
    /// The bytes of an answer.
    Here(Vec<u8>),
    /// An answer in the object store, by its digest and length.
    Object(Digest, u64),
    /// Nothing, and why.
    Nothing(String),
}

/// How a worker is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Heartbeat {
    /// Threads.
    pub threads: u32,
    /// Items that it holds.
    pub held: u32,
    /// Milliseconds since the oldest of them was taken.
    pub oldest: u64,
    /// Nodes that it has expanded for the job so far.
    pub nodes: u64,
    /// Items that it has done.
    pub items: u64,
    /// Whether it is about to end.
    pub is_leaving: bool,
}

/// A worker asks for strategies that its items rest on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundsRequest {
    /// Whose question.
    pub white_attacks: bool,
    /// The bytes that it has of them.
    pub from: u64,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundsReply {
    /// What follows, or some of it; none if there is no more yet. All of it together is, for each
    /// round, its length, eight bytes, the least significant first, and its strategies
    /// ([`crate::proof::learn`]).
    pub bytes: Vec<u8>,
}

/// A message as bytes.
pub fn encode<T: Serialize>(message: &T) -> Vec<u8> {
    crate::wire::encode(&(FORMAT, message))
}

/// Reads a message.
///
/// # Errors
/// [`BadMessage`] when it is none, or of another version.
pub fn decode<T: Serialize + DeserializeOwned>(bytes: &[u8]) -> Result<T, BadMessage> {
    match bytes.first() {
        Some(&FORMAT) => {
            let read = crate::wire::decode::<(u8, T)>(bytes);
            read.map(|(_, message)| message).ok_or(BadMessage::Bytes)
        }
        Some(&other) => Err(BadMessage::Format(other)),
        None => Err(BadMessage::Bytes),
    }
}

/// Why bytes are no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadMessage {
    /// They are of another version.
    #[error("a message of format {0}, expected {FORMAT}: the program is of another version")]
    Format(u8),
    /// They are none.
    #[error("bytes that are no message")]
    Bytes,
}
