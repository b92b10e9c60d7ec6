//! The messages between managers and workers, in postcard: format 1.
//!
//! An item travels as its own bytes ([`draughtproof_proof::proof::Item::encode`]), which contain
//! all that its result depends on. All other messages begin with the number of the format, so that
//! a message of another version is told apart from garbage.

use certificate_spec::{Digest, RULES};
use draughtproof_proof::proof::SearchContext;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::egdb::Cover;

/// The number of the format of messages.
pub const FORMAT: u8 = 1;

/// The settings that the results of a job depend on besides its items.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobContext {
    pub rules: String,
    pub rows: u8,
    pub columns: u8,
    pub cover: Cover,
    /// The digest of the database's root, if there is a database.
    pub database: Option<Digest>,
}

impl JobContext {
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

/// The manager's announcement of its job, which is sent repeatedly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Announcement {
    pub job: String,
    /// The context that the job's results depend on.
    pub context: JobContext,
    /// The upper bound on the nodes of one search.
    pub nodes: u64,
    /// The upper bound on the bytes of a search's transposition table.
    pub table: u64,
    /// The lease time, in milliseconds: the broker hands an item to another worker when its worker
    /// has not renewed the lease for this long.
    pub lease: u64,
    /// Names of the workers whose results are no longer read.
    pub refused: Vec<String>,
    /// Whether the job is done.
    pub is_over: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultMessage {
    /// The context in which the result was found.
    pub context: JobContext,
    pub item: Digest,
    /// The result itself.
    pub found: FoundMessage,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FoundMessage {
    /// The bytes of an answer.
    Here(Vec<u8>),
    /// An answer in the object store, by its digest and its length in bytes.
    Object(Digest, u64),
    /// The worker has no answer, for this reason.
    Nothing(String),
}

/// The heartbeat of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Heartbeat {
    pub(crate) threads: u32,
    /// Items that the worker holds.
    pub(crate) held: u32,
    /// Milliseconds since the oldest of them was taken.
    pub(crate) oldest: u64,
    /// Nodes that the worker has expanded for the job so far.
    pub(crate) nodes: u64,
    /// Items that the worker has done.
    pub(crate) items: u64,
    pub(crate) is_leaving: bool,
}

/// Encodes a message, with the number of the format before it.
pub fn encode<T: Serialize>(message: &T) -> Vec<u8> {
    draughtproof_proof::wire::encode(&(FORMAT, message))
}

/// Decodes a message.
///
/// # Errors
/// [`BadMessage`] when the bytes are no message, or one of another version.
pub fn decode<T: Serialize + DeserializeOwned>(bytes: &[u8]) -> Result<T, BadMessage> {
    match bytes.first() {
        Some(&FORMAT) => {
            let read = draughtproof_proof::wire::decode::<(u8, T)>(bytes);
            read.map(|(_, message)| message).ok_or(BadMessage::Bytes)
        }
        Some(&other) => Err(BadMessage::Format(other)),
        None => Err(BadMessage::Bytes),
    }
}

/// An error of decoding a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadMessage {
    #[error("a message of format {0}, expected {FORMAT}: the program is of another version")]
    Format(u8),
    #[error("bytes that are no message")]
    Bytes,
}
