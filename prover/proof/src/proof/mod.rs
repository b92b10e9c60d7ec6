//! From a start to proofs: the proof tree above the leaf searches.
//!
//! [`solve()`] decides which questions are asked. [`prove()`] decides one question, by searching
//! frontier positions of a growing [`Tree`] with df-pn, each within a budget of nodes. A decision
//! of the tree is exact for any order of the searches, and the order does not depend on the number
//! of threads. The part of the tree that a decision rests on is a [`QuestionProof`].

mod follow;
mod ledger;
mod lines;
mod manager;
mod prove;
mod question_proof;
mod queue;
mod settings;
mod solve;
mod tree;

pub use certificate_spec::provenance::{Asked, Iteration, Thresholds};
pub use ledger::{KeptSearch, Ledger, LedgerError, Record};
pub use manager::{ProofError, ProofResult, Stop};
pub use prove::{Grown, Work, prove, work};
pub use question_proof::{Basis, ProofNode, QuestionProof, if_assumed, question_decided};
pub use queue::{
    Answer, BadAnswer, Delivery, Finding, Guess, Item, Lease, ManagerQueue, QuestionState,
    QueueSource, SearchContext, WorkerQueue, search_digest,
};
pub use settings::{Environment, IsStopped, LineSettings, ProofSettings, ROUND, Threads, Workers};
pub use solve::{PositionValue, position_value};
pub use solve::{Request, Solution, SolveError, Undecided, solve};
pub use tree::{Link, NodeId, Reason, Tree};
