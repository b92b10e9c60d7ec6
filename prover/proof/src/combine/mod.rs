//! Joins several certificates of one game into one certificate of a start.
//!
//! Nodes are put above the starts of the certificates (`OpeningTree`); below them the proof is
//! the `Merge` of the certificates that bear on a question.

mod merge;
mod opening_tree;

pub use opening_tree::Missing;

use std::fmt::{self, Write};
use std::path::PathBuf;

use self::merge::merge;
use self::opening_tree::{OpeningTree, Region};
use crate::board::{Board, Position};
use crate::certificate::{BrokenProof, Section, Stored};
use crate::egdb::Values;
use crate::proof::Asked;
use certificate_spec::Digest;
use certificate_spec::claim::{Question, Value};
use opening_tree::Sources;
use thiserror::Error;

/// The most missing openings that are listed.
const LISTED: usize = 50;

/// The reason why certificates cannot be joined.
#[derive(Debug, Error)]
pub enum CombineError {
    #[error("CERT: expected a certificate, found none")]
    Nothing,
    #[error("{}/CLAIM: expected {what} {expected} as in {}, found {what} {found}",
            other.display(), first.display())]
    Different {
        first: PathBuf,
        other: PathBuf,
        what: &'static str,
        expected: String,
        found: String,
    },
    #[error(
        "{}/CLAIM: expected a start at most {plies} moves after {start} (--plies allows more), found {found}",
        directory.display()
    )]
    TooFar { directory: PathBuf, plies: u32, start: String, found: String },
    #[error("{}: expected the database {expected} of {}, found {found}",
            databases.display(), certificate.display())]
    Database { databases: PathBuf, certificate: PathBuf, expected: Digest, found: Digest },
    #[error(transparent)]
    Broken(#[from] BrokenProof),
    #[error("{0}")]
    Missing(MissingOpenings),
}

/// The positions that would still have to be proved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingOpenings {
    /// The FEN of the start.
    pub start: String,
    /// The missing openings of each question that would suffice; of a win only if all certificates
    /// bear on it.
    pub questions: Vec<MissingForQuestion>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingForQuestion {
    pub question: Question,
    /// The openings; `None` if no certificate bears on the question.
    pub openings: Option<Vec<Missing>>,
}

impl fmt::Display for MissingOpenings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = format!("not proved for {}:", self.start);
        for MissingForQuestion { question, openings } in &self.questions {
            let question = question.value().word();
            let Some(openings) = openings else {
                writeln!(text, "\n{question}: no certificate bears on it")?;
                continue;
            };
            writeln!(text, "\n{question}: a proof is missing for")?;
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

/// The result of joining certificates.
#[derive(Debug)]
pub struct Combined {
    /// The value of the start, or a bound of it.
    pub value: Value,
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
    /// Checks that the certificates are of one game and one database, and that the start of each is
    /// at most `plies` plies from the start.
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
            let sections =
                value.questions().iter().map(|&question| self.section(question, database));
            let sections: Option<Vec<_>> = sections.collect::<Result<_, _>>()?;
            if let Some(sections) = sections {
                return Ok(Combined { value, sections });
            }
        }
        Err(CombineError::Missing(self.missing(values, database)))
    }

    /// The section of a question, if none of its openings is missing.
    fn section(
        &self,
        question: Question,
        database: &Values,
    ) -> Result<Option<Section>, BrokenProof> {
        let sources = Sources::new(self.board(), database, question, self.certificates);
        let tree = OpeningTree::new(&self.region, &sources);
        if tree.holds() { merge(&sources, &tree, &self.start).map(Some) } else { Ok(None) }
    }

    fn missing(&self, values: &[Value], database: &Values) -> MissingOpenings {
        let mut questions = Vec::new();
        let mut claimed = Vec::new();
        for &question in values.iter().flat_map(|value| value.questions()) {
            let sources = Sources::new(self.board(), database, question, self.certificates);
            let side = question.claimant_is_white();
            let all = sources.number() == self.certificates.len();
            let tree = OpeningTree::new(&self.region, &sources);
            if tree.holds() || question.is_win() && !all || claimed.contains(&side) {
                continue;
            }
            claimed.push(side);
            let openings = (sources.number() > 0).then(|| tree.missing(self.board()));
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
            return Err(CombineError::Different {
                first: first.directory.clone(),
                other: other.directory.clone(),
                what,
                expected,
                found,
            });
        }
    }
    Ok(first)
}
