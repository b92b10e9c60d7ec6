//! The description of a certificate or database, for joining notes and reproducing certificates.

use crate::tables::both;
use certificate_spec::Digest;
use certificate_spec::cover::Cover;
use certificate_spec::database::SliceName;
use certificate_spec::provenance::Provenance;
use checker_core::{
    Board, Certificate, Level, QuestionProof, Shape, Stop, database_fields, identify, pairs,
};
use std::path::Path;

/// The claim and the size of a certificate, as far as they can be seen without playing a move; or
/// the same of a database.
#[derive(Debug, Clone)]
pub struct Description {
    /// The fields that verdicts begin with: value, game, start and root of a certificate; or, of a
    /// database, the word for it, board, pieces and root.
    pub subject: String,
    /// The positions that the database covers; empty without a database.
    pub cover: Cover,
    /// The root of the certificate; `None` for a database alone.
    pub root: Option<Digest>,
    /// The root of the database; `None` without a database.
    pub db_root: Option<Digest>,
    /// Whether the claim is, for any of its questions, a win.
    pub is_win: bool,
    /// The [`pairs`] of slices of the database.
    pub pairs: Vec<SliceName>,
    /// The number of indices of all slices of the database.
    pub indices: u64,
    /// The questions of the claim.
    pub questions: Vec<DescribedQuestion>,
    /// The number of positions that all leaves state together; saturating.
    pub positions: u64,
    /// For each question and number of leaves the positions that this number of first leaves states
    /// together.
    pub leaf_positions: Vec<Vec<u128>>,
    /// The number of Assumed nodes.
    pub assumed: usize,
    /// The game; for a database alone, the board.
    pub game: String,
    /// The board, as `RxC`.
    pub board: String,
    /// The provenance that the certificate states.
    pub provenance: Option<Provenance>,
}

/// The size of a question.
#[derive(Debug, Clone, Copy)]
pub struct DescribedQuestion {
    /// The number of the question.
    pub question: u8,
    /// The number of its nodes, without the start.
    pub nodes: usize,
    /// The number of its leaves.
    pub leaves: usize,
}

/// The number of indices of all slices of a database; saturating, as covers may be of many pieces.
fn indices(board: &Board, cover: &Cover) -> u64 {
    let mut sum = 0u64;
    for slice in both(&pairs(board, cover)) {
        sum = sum.saturating_add(Shape::new(board, slice).indices);
    }
    sum
}

impl Description {
    /// Reads a certificate as far as it can be judged without playing a move.
    ///
    /// # Errors
    /// [`Stop`] if something is wrong with the certificate.
    pub fn certificate(path: &Path, level: Level) -> Result<Description, Stop> {
        let certificate = Certificate::read(path, level)?;
        let Certificate { claim, proofs, game, .. } = &certificate;
        let leaves = proofs.iter().flat_map(|proof| &proof.leaves);
        let size = |proof: &QuestionProof| DescribedQuestion {
            question: proof.question as u8,
            nodes: proof.nodes.len(),
            leaves: proof.leaves.len(),
        };
        let stated = |proof: &QuestionProof| {
            let mut sums = vec![0];
            for leaf in &proof.leaves {
                sums.push(sums[sums.len() - 1] + u128::from(leaf.positions));
            }
            sums
        };
        // Each question was asked for with the same request.
        let provenance = proofs.iter().find_map(|proof| proof.provenance.clone());
        Ok(Description {
            subject: certificate.verdict_fields(),
            cover: claim.cover.clone(),
            root: Some(certificate.root),
            db_root: claim.database,
            is_win: claim.value.questions().iter().any(|question| question.is_win()),
            pairs: pairs(game.board(), &claim.cover),
            indices: indices(game.board(), &claim.cover),
            questions: proofs.iter().map(size).collect(),
            // Saturating: these numbers are only claimed until the leaves have been replayed.
            positions: leaves.fold(0, |sum, leaf| leaf.positions.saturating_add(sum)),
            leaf_positions: proofs.iter().map(stated).collect(),
            assumed: certificate.assumed(),
            provenance,
            board: game.board().name(),
            game: game.name(),
        })
    }

    /// The root of the database as verdicts have it, where `none` stands for no database.
    pub(crate) fn db_root_word(&self) -> String {
        self.db_root.map_or("none".into(), |root| root.to_string())
    }

    /// Reads the manifest of the database of a board.
    ///
    /// # Errors
    /// [`Stop`] if something is wrong with the manifest, or the database does not cover `cover`.
    pub fn database(board: &Board, cover: Option<&Cover>, db: &Path) -> Result<Description, Stop> {
        let (cover, root) = identify(db, board, cover)?;
        Ok(Description {
            subject: database_fields(board, &cover, &root.to_string()),
            root: None,
            db_root: Some(root),
            is_win: false,
            pairs: pairs(board, &cover),
            indices: indices(board, &cover),
            cover,
            questions: Vec::new(),
            positions: 0,
            leaf_positions: Vec::new(),
            assumed: 0,
            game: board.name(),
            board: board.name(),
            provenance: None,
        })
    }
}
