//! What a certificate or a database is about, for those who join notes or make it again.

use certificate_spec::database::SliceName;
use checker::{Board, Certificate, Level, Stop, database_words, identify, pairs};
use std::path::Path;

/// What a certificate claims and how large it is, as far as that can be seen without playing a move, or a
/// database.
#[derive(Debug, Clone)]
pub(crate) struct Description {
    /// What verdicts say of it first: value, game, start and root, or of a database the word for it, board, pieces
    /// and root.
    pub(crate) words: String,
    /// Pieces of the database; 0 without one.
    pub(crate) pieces: u8,
    /// The root of the database, or `none`.
    pub(crate) db_root: String,
    /// Whether something is claimed to be won.
    pub(crate) is_win: bool,
    /// The [`pairs`] of slices of the database.
    pub(crate) pairs: Vec<SliceName>,
    /// For each question: its number, and the numbers of its nodes and leaves.
    pub(crate) questions: Vec<(u8, usize, usize)>,
    /// The positions that all leaves state.
    pub(crate) positions: u64,
    /// The number of Assumed nodes.
    pub(crate) assumed: usize,
    /// The game; the board alone, if it is a database.
    pub(crate) game: String,
    /// What it says of how it was made, line by line.
    pub(crate) about: String,
}

/// Reads a certificate as far as it can be judged without playing a move.
///
/// # Errors
/// [`Stop`] if something is wrong with it.
pub(crate) fn certificate(path: &Path, level: Level) -> Result<Description, Stop> {
    let certificate = Certificate::read(path, level)?;
    let Certificate { claim, parts, game, .. } = &certificate;
    let leaves = parts.iter().flat_map(|part| &part.leaves);
    let sizes = parts.iter().map(|p| (p.question as u8, p.nodes.len(), p.leaves.len()));
    // Each question has the same options.
    let about = parts.iter().map(|part| &part.about).find(|about| !about.is_empty());
    Ok(Description {
        words: certificate.words(),
        pieces: claim.pieces,
        db_root: claim.database.map_or("none".into(), |root| root.to_string()),
        is_win: claim.value.questions().iter().any(|question| question.is_win()),
        pairs: pairs(game.board(), claim.pieces),
        questions: sizes.collect(),
        // Saturating: these numbers are only claimed until the leaves have been replayed.
        positions: leaves.fold(0, |sum, leaf| leaf.positions.saturating_add(sum)),
        assumed: certificate.assumed(),
        about: about.cloned().unwrap_or_default(),
        game: game.name(),
    })
}

/// Reads the manifest of the database of a board.
///
/// # Errors
/// [`Stop`] if something is wrong with it, or it has not so many pieces.
pub(crate) fn database(board: &Board, pieces: Option<u8>, db: &Path) -> Result<Description, Stop> {
    let (pieces, root) = identify(db, board, pieces)?;
    let root = root.to_string();
    Ok(Description {
        words: database_words(board, pieces, &root),
        pieces,
        db_root: root,
        is_win: false,
        pairs: pairs(board, pieces),
        questions: Vec::new(),
        positions: 0,
        assumed: 0,
        game: board.name(),
        about: String::new(),
    })
}
