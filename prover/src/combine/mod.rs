//! Several certificates of one game, joined into one of a start.
//!
//! Nodes are put above the starts of the certificates ([`OpeningTree`]); below them a certificate
//! is the [`Merge`] of those that bear on a question.

mod merge;
mod opening_tree;

use std::fmt::{self, Write};
use std::path::PathBuf;

use certificate_spec::Digest;
use certificate_spec::claim::{Question, Value};
use thiserror::Error;

pub use merge::Merge;
pub use opening_tree::{Missing, OpeningTree, Region};

use crate::board::{Board, Position};
use crate::certificate::{BrokenProof, Section, Stored};
use crate::egdb::Values;
use crate::proof::Asked;

/// At most so many missing openings are listed.
const LISTED: usize = 50;

/// Why certificates cannot be joined.
#[derive(Debug, Error)]
pub enum CombineError {
    /// There is none.
    #[error("CERT: expected a certificate, found none")]
    Nothing,
    /// They are of different games, or rest on different databases.
    #[error("{}/CLAIM: expected {what} {expected} as in {}, found {what} {found}",
            other.display(), first.display())]
    Different {
        /// The directory of the first certificate.
        first: PathBuf,
        /// That of the other one.
        other: PathBuf,
        /// What is different.
        what: &'static str,
        /// The first one's.
        expected: String,
        /// The other one's.
        found: String,
    },
    /// A certificate is of a position that is too far from the start, or that cannot be reached.
    #[error(
        "{}/CLAIM: expected a start at most {plies} moves after {start} (--plies allows more), found {found}",
        directory.display()
    )]
    TooFar {
        /// The directory of the certificate.
        directory: PathBuf,
        /// How far its start may be.
        plies: u32,
        /// The start, as FEN.
        start: String,
        /// The start of the certificate, as FEN.
        found: String,
    },
    /// The database at hand is not that of the certificates.
    #[error("{}: expected the database {expected} of {}, found {found}",
            databases.display(), certificate.display())]
    Database {
        /// The directory of the databases.
        databases: PathBuf,
        /// The directory of the first certificate.
        certificate: PathBuf,
        /// Its database.
        expected: Digest,
        /// The database at hand.
        found: Digest,
    },
    /// A certificate is no proof.
    #[error(transparent)]
    Broken(#[from] BrokenProof),
    /// Openings are missing.
    #[error("{0}")]
    Missing(MissingOpenings),
}

/// What would have to be proved still.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingOpenings {
    /// The start, as FEN.
    pub start: String,
    /// For each question that would do; a win is thought of only if all certificates bear on it.
    pub questions: Vec<MissingForQuestion>,
}

/// What is missing for a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingForQuestion {
    /// The question.
    pub question: Question,
    /// The openings; `None` if no certificate bears on the question.
    pub openings: Option<Vec<Missing>>,
}

impl fmt::Display for MissingOpenings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = format!("not proved for {}:", self.start);
        for MissingForQuestion { question, openings } in &self.questions {
            let Some(openings) = openings else {
                writeln!(text, "\n{question:?}: no certificate bears on it")?;
                continue;
            };
            writeln!(text, "\n{question:?}: a proof is missing for")?;
            for Missing { fen, moves, is_refuted } in openings.iter().take(LISTED) {
                let note = if *is_refuted { "  (the database refutes it)" } else { "" };
                writeln!(text, "  {moves}  {fen}{note}")?;
            }
            if openings.len() > LISTED {
                writeln!(text, "  and {} more", openings.len() - LISTED)?;
            }
        }
        f.write_str(text.trim_end())
    }
}

/// What was proved.
#[derive(Debug)]
pub struct Combined {
    /// The value of the start, or a bound of it.
    pub value: Value,
    /// The parts of its certificate.
    pub sections: Vec<Section>,
}

/// Certificates that can be joined, and the positions between them and a start.
pub struct Combination<'a> {
    certificates: &'a [Stored],
    first: &'a Stored,
    start: Position,
    region: Region,
}

impl<'a> Combination<'a> {
    /// Makes sure that certificates are alike and that each is of a position at most so many plies
    /// from the start.
    ///
    /// # Errors
    /// [`CombineError`]
    pub fn new(
        certificates: &'a [Stored],
        start: Position,
        plies: u32,
    ) -> Result<Self, CombineError> {
        let first = first_of_alike(certificates)?;
        let goals: Vec<Position> = certificates.iter().map(|c| c.start).collect();
        let board = &first.game.board;
        let region = Region::new(board, &start, &goals, plies);
        if let Some(far) = certificates.iter().find(|c| !region.has(&c.start)) {
            return Err(CombineError::TooFar {
                directory: far.directory.clone(),
                plies,
                start: board.write_fen(&start),
                found: far.claim.start.clone(),
            });
        }
        Ok(Combination { certificates, first, start, region })
    }

    fn board(&self) -> &'a Board {
        &self.first.game.board
    }

    /// Proves what is asked for over the database of the certificates.
    ///
    /// # Errors
    /// [`CombineError::Missing`] or [`CombineError::Broken`].
    pub fn prove(&self, asked: Asked, database: &Values) -> Result<Combined, CombineError> {
        let values: &[Value] = match asked {
            Asked::Value => &[Value::BlackWins, Value::WhiteWins, Value::Draw],
            Asked::BlackNotLost => &[Value::BlackNotLost],
            Asked::WhiteNotLost => &[Value::WhiteNotLost],
        };
        for &value in values {
            let section = |&question| self.section(question, database);
            let sections = value.questions().iter().map(section);
            let sections: Option<Vec<_>> = sections.collect::<Result<_, _>>()?;
            if let Some(sections) = sections {
                return Ok(Combined { value, sections });
            }
        }
        Err(CombineError::Missing(self.missing(values, database)))
    }

    /// The part of a question, if its openings are all there.
    fn section(
        &self,
        question: Question,
        database: &Values,
    ) -> Result<Option<Section>, BrokenProof> {
        let merge = Merge::new(self.board(), database, question, self.certificates);
        let tree = merge.opening_tree(&self.region);
        if tree.holds() { merge.section(&tree, &self.start).map(Some) } else { Ok(None) }
    }

    fn missing(&self, values: &[Value], database: &Values) -> MissingOpenings {
        let mut questions = Vec::new();
        let mut claimed = Vec::new();
        for &question in values.iter().flat_map(|value| value.questions()) {
            let merge = Merge::new(self.board(), database, question, self.certificates);
            let side = question.claimant_is_white();
            let all = merge.sources() == self.certificates.len();
            let tree = merge.opening_tree(&self.region);
            if tree.holds() || question.is_win() && !all || claimed.contains(&side) {
                continue;
            }
            claimed.push(side);
            let openings = (merge.sources() > 0).then(|| tree.missing(self.board()));
            questions.push(MissingForQuestion { question, openings });
        }
        MissingOpenings { start: self.board().write_fen(&self.start), questions }
    }
}

/// The first certificate, if all are of one game and rest on one database.
///
/// # Errors
/// [`CombineError::Nothing`] or [`CombineError::Different`].
pub fn first_of_alike(certificates: &[Stored]) -> Result<&Stored, CombineError> {
    let first = certificates.first().ok_or(CombineError::Nothing)?;
    let database = |c: &Stored| c.claim.database.map_or("none".into(), |root| root.to_string());
    for other in certificates {
        let aspects = [
            ("game", first.claim.game.clone(), other.claim.game.clone()),
            ("pieces", first.claim.cover.to_string(), other.claim.cover.to_string()),
            ("database", database(first), database(other)),
        ];
        let different = aspects.into_iter().find(|(_, expected, found)| expected != found);
        if let Some((what, expected, found)) = different {
            let (first, other) = (first.directory.clone(), other.directory.clone());
            return Err(CombineError::Different { first, other, what, expected, found });
        }
    }
    Ok(first)
}
