//! Certificates and their nodes, as answers.

use certificate_spec::claim::Question;
use certificate_spec::provenance::{Mode, Provenance};
use draughtproof_play::lookup::question_name;
use draughtproof_proof::certificate::{StoredBasis, StoredNode, StoredProof};
use serde::Serialize;
use utoipa::ToSchema;

use super::checks::NotedCheck;
use super::site::{ServedCertificate, Site};
use super::verification::Verification;
use crate::board::{Board, MoveError, Position};

/// A certificate.
#[derive(Serialize, ToSchema)]
pub(super) struct CertificateAnswer {
    /// The root of the certificate.
    root: String,
    /// The name of the game, `RxC/k`.
    #[schema(example = "6x6")]
    game: String,
    /// The FEN of its start.
    start: String,
    /// The claimed value: `DRAW`, `BLACK-WINS`, `WHITE-WINS`, `BLACK-NOT-LOST`, `WHITE-NOT-LOST`.
    #[schema(example = "DRAW")]
    value: &'static str,
    /// The positions for which it rests on the database.
    pieces: String,
    /// The root of that database, if there is one.
    database: Option<String>,
    /// The bytes of the certificate's files.
    bytes: u64,
    /// Positions that it takes for granted. If there are any, no value follows from the
    /// certificate.
    assumed: usize,
    /// The questions that the certificate answers.
    questions: Vec<QuestionAnswer>,
}

/// A certificate, with the notes of those who have checked it.
#[derive(Serialize, ToSchema)]
pub(super) struct ListedCertificate {
    #[serde(flatten)]
    certificate: CertificateAnswer,
    /// Whether a key that this server trusts has signed that all of the certificate was verified.
    checked: bool,
    /// The notes about the certificate.
    checks: Vec<CheckAnswer>,
    /// The verdict of the program `check` about the certificate since the server began; none if it
    /// was not run.
    verified: Option<VerificationAnswer>,
}

/// The verdict of the program `check` about a certificate on the server's machine.
#[derive(Serialize, ToSchema)]
#[serde(tag = "state", rename_all = "kebab-case")]
enum VerificationAnswer {
    /// The check is under way.
    Running,
    /// All of the certificate is right.
    Verified {
        /// The name and version of the program.
        #[schema(example = "check 0.1.0")]
        checker: String,
        /// The duration of the check in seconds.
        seconds: f64,
    },
    /// The certificate does not count as verified.
    NotVerified {
        /// The reason.
        why: String,
    },
}

impl From<Verification> for VerificationAnswer {
    fn from(verification: Verification) -> Self {
        match verification {
            Verification::Running => VerificationAnswer::Running,
            Verification::Verified { checker, time } => {
                VerificationAnswer::Verified { checker, seconds: time.as_secs_f64() }
            }
            Verification::NotVerified(why) => VerificationAnswer::NotVerified { why },
        }
    }
}

/// A note about a certificate.
#[derive(Serialize, ToSchema)]
struct CheckAnswer {
    /// The verdict; only the beginning of a long one.
    #[schema(example = "VERIFIED DRAW 6x6 start=initial")]
    verdict: String,
    /// The implementation of the checker.
    #[schema(example = "draughtproof-check")]
    checker: String,
    /// The names of the trusted keys that have signed the note.
    signers: Vec<String>,
    /// The reason for which the certificate does not count as checked by this note, if any.
    objection: Option<String>,
}

impl From<&NotedCheck> for CheckAnswer {
    fn from(check: &NotedCheck) -> Self {
        CheckAnswer {
            verdict: check.verdict.clone(),
            checker: check.checker.clone(),
            signers: check.signers.clone(),
            objection: check.objection.clone(),
        }
    }
}

impl ListedCertificate {
    pub(super) fn new(site: &Site, certificate: &ServedCertificate) -> Self {
        let root = certificate.root();
        ListedCertificate {
            certificate: certificate.into(),
            checked: site.is_checked(root),
            checks: site.checks(root).iter().map(CheckAnswer::from).collect(),
            verified: site.verification(root).map(VerificationAnswer::from),
        }
    }
}

/// A question of a certificate.
#[derive(Serialize, ToSchema)]
struct QuestionAnswer {
    #[schema(example = "black-not-lost")]
    question: &'static str,
    nodes: usize,
    leaves: usize,
    /// The number of positions that the leaves expand.
    positions: u64,
    made: Option<Making>,
}

/// The provenance of an answer, as the certificate states it. No proof rests on it.
#[derive(Serialize, ToSchema)]
struct Making {
    program: String,
    /// Whether an equal request gives equal bytes.
    reproducible: bool,
    /// The budget of the search of a leaf, in nodes.
    leaf_nodes: u64,
    /// The number of nodes that all searches expanded.
    searched: u64,
}

impl From<&Provenance> for Making {
    fn from(provenance: &Provenance) -> Self {
        Making {
            program: provenance.program.clone(),
            reproducible: provenance.mode == Mode::Reproducible,
            leaf_nodes: provenance.request.leaf_nodes,
            searched: provenance.iterations.last().map_or(0, |last| last.searched),
        }
    }
}

impl From<&ServedCertificate> for CertificateAnswer {
    fn from(certificate: &ServedCertificate) -> Self {
        let stored = &certificate.stored;
        let question = |proof: &StoredProof| QuestionAnswer {
            question: question_name(proof.question),
            nodes: proof.nodes.len(),
            leaves: proof.leaves.len(),
            positions: proof.positions(),
            made: proof.provenance.as_ref().map(Making::from),
        };
        CertificateAnswer {
            root: stored.root.to_string(),
            game: stored.claim.game.clone(),
            start: stored.claim.start.clone(),
            value: stored.claim.value.word(),
            pieces: stored.claim.cover.to_string(),
            database: stored.claim.database.map(|root| root.to_string()),
            bytes: stored.bytes,
            assumed: stored.assumed(),
            questions: stored.proofs.iter().map(question).collect(),
        }
    }
}

/// A node of a certificate.
#[derive(Serialize, ToSchema)]
pub(super) struct NodeAnswer {
    #[schema(example = "black-not-lost")]
    question: &'static str,
    /// The number of the node among those of the question, from 0.
    number: usize,
    fen: String,
    /// Falls with every move towards a win; 0 where nothing is to be won.
    rank: u32,
    /// The reason why the node holds.
    basis: BasisAnswer,
}

/// The reason why a node holds.
#[derive(Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum BasisAnswer {
    /// One move of the claimant.
    Move(NamedMove),
    /// All moves of the other side.
    AllMoves {
        /// The moves.
        moves: Vec<NamedMove>,
    },
    /// A leaf.
    Leaf {
        /// The number of the leaf among those of the question, from 0.
        number: usize,
        /// The number of positions that the leaf expands.
        positions: u64,
        /// The bytes of the leaf's strategy.
        bytes: usize,
    },
    /// No proof: the node is taken for granted.
    Assumed,
}

/// A move.
#[derive(Serialize, ToSchema)]
pub(super) struct NamedMove {
    /// The name of the move.
    #[serde(rename = "move")]
    name: String,
    /// The FEN of the position after the move.
    fen: String,
}

pub(super) fn named(
    board: &Board,
    from: &Position,
    after: &Position,
) -> Result<NamedMove, MoveError> {
    Ok(NamedMove { name: board.write_move(from, after)?, fen: board.write_fen(after) })
}

/// The node of a question with this number, if there is one.
pub(super) fn node_answer(
    certificate: &ServedCertificate,
    question: Question,
    number: usize,
) -> Result<Option<NodeAnswer>, MoveError> {
    let proofs = &certificate.stored.proofs;
    let Some(proof) = proofs.iter().find(|proof| proof.question == question) else {
        return Ok(None);
    };
    let Some(node) = proof.nodes.get(number) else { return Ok(None) };
    let board = &certificate.stored.game.board;
    Ok(Some(NodeAnswer {
        question: question_name(question),
        number,
        fen: board.write_fen(&node.position),
        rank: node.rank,
        basis: basis(board, proof, node)?,
    }))
}

fn basis(board: &Board, proof: &StoredProof, node: &StoredNode) -> Result<BasisAnswer, MoveError> {
    let mut successors = Vec::new();
    board.successors(&node.position, &mut successors);
    let name = |after: &Position| named(board, &node.position, after);
    Ok(match node.basis {
        StoredBasis::Or(choice) => match successors.get(choice as usize) {
            Some(after) => BasisAnswer::Move(name(after)?),
            None => BasisAnswer::AllMoves { moves: Vec::new() },
        },
        StoredBasis::And => {
            let moves = successors.iter().map(name).collect::<Result<_, _>>()?;
            BasisAnswer::AllMoves { moves }
        }
        StoredBasis::Leaf(number) => {
            let leaf = proof.leaves.get(number);
            BasisAnswer::Leaf {
                number,
                positions: leaf.map_or(0, |leaf| leaf.positions),
                bytes: leaf.map_or(0, |leaf| leaf.strategy.len()),
            }
        }
        StoredBasis::Assumed(_) => BasisAnswer::Assumed,
    })
}
