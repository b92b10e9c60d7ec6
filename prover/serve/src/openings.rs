//! Openings of checkers: ballots, openings of the solution of 2007, those that have a name, and
//! positions that a certificate decides; and the first moves of a proof.

use super::problem::Problem;
use super::request::{App, Fresh, InPath};
use super::site::{ServedCertificate, Site};
use crate::board::{Game, MoveError, Position};
use axum::extract::State;
use certificate_spec::claim::Question;
use draughtproof_play::lookup::{Place, question_name};
use draughtproof_proof::certificate::claimant;
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// Published values of ballots and of the openings of 2007.
const LITERATURE: &str = include_str!("../../../corpus/literature.tsv");
const NAMES: &str = include_str!("../../../corpus/names.tsv");
/// Positions after an opening of 2007 of which this repository has certificates.
const CERTIFIED: &str = include_str!("../../../corpus/openings/certified.tsv");
/// The game of these tables.
const CHECKERS: &str = "8x8";

/// An opening.
#[derive(Clone, Serialize, ToSchema)]
pub(super) struct Opening {
    #[schema(example = "ballot 046")]
    name: String,
    /// The moves from the start of the game, separated by blanks.
    #[schema(example = "9-14 23-18 14x23")]
    moves: String,
    /// The FEN after them.
    fen: String,
    /// The published value, of which no certificate is known: `draw`, `white-not-lost`,
    /// `white-wins`, or `not-draw` if a side wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    published: Option<&'static str>,
    /// The class of a ballot: `normal`, `new` or `losing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<&'static str>,
    /// The certificate of the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    certified: Option<Certified>,
}

/// A certificate of a position after an opening.
#[derive(Clone, Serialize, ToSchema)]
struct Certified {
    root: String,
    #[schema(example = "WHITE-NOT-LOST")]
    value: &'static str,
    /// Whether this server has it.
    served: bool,
}

/// The known openings of a board: of 8x8 ballots, openings of the solution of 2007, names, and
/// positions that are certified; of other boards none.
#[utoipa::path(get, path = "/api/{board}/openings", params(("board" = String, Path, example = "8x8")),
    responses((status = 200, body = Vec<Opening>)))]
pub(super) async fn openings_route(
    State(app): State<Arc<App>>,
    InPath(board): InPath<String>,
) -> Result<Fresh<Vec<Opening>>, Problem> {
    let game = app.board(&board)?.game();
    let is_checkers = game.to_string() == CHECKERS;
    Ok(Fresh(if is_checkers { openings(&app.site, game)? } else { Vec::new() }))
}

fn openings(site: &Site, game: &Game) -> Result<Vec<Opening>, MoveError> {
    let mut openings = Vec::new();
    for row in rows(LITERATURE) {
        let [moves, value, class, name, _] = row[..] else { continue };
        let class = (class != "-").then_some(class);
        openings.push(Opening { published: Some(value), class, ..opening(game, name, moves)? });
    }
    for row in rows(NAMES) {
        let [moves, name, _] = row[..] else { continue };
        openings.push(opening(game, name, moves)?);
    }
    for row in rows(CERTIFIED) {
        let [_, number, after, verdict, ..] = row[..] else { continue };
        let name = format!("opening {number}");
        let Some(from) = openings.iter().find(|opening| opening.name == name) else { continue };
        let moves = format!("{} {after}", from.moves);
        let name = format!("opening {number} after {} plies", moves.split(' ').count());
        let field = |n| verdict.split(' ').nth(n).unwrap_or_default();
        let root = verdict.split_once(" root=").map_or("", |(_, rest)| rest);
        let root = root.split(' ').next().unwrap_or_default();
        let served = site.certificate(root).is_some();
        let certified = Some(Certified { root: root.into(), value: field(2), served });
        openings.push(Opening { certified, ..opening(game, &name, &moves)? });
    }
    Ok(openings)
}

/// Returns the rows of a table: columns between tabs, below comments and a head.
fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.skip(1).map(|line| line.split('\t').collect())
}

/// Returns an opening of which only name and moves are known.
fn opening(game: &Game, name: &str, moves: &str) -> Result<Opening, MoveError> {
    let mut names = Vec::new();
    let mut at = game.start();
    for after in game.board.read_line(&at, moves)? {
        names.push(game.board.write_move(&at, &after)?);
        at = after;
    }
    Ok(Opening {
        name: name.into(),
        moves: names.join(" "),
        fen: game.board.write_fen(&at),
        published: None,
        class: None,
        certified: None,
    })
}

/// The most lines of an answer.
const LINES: usize = 2_000;

/// A line from the start of a proof.
#[derive(Serialize, ToSchema)]
pub(super) struct OpeningLine {
    #[schema(example = "black-not-lost")]
    question: &'static str,
    /// The moves, separated by blanks.
    #[schema(example = "4-7 15-12")]
    moves: String,
    /// The FEN of the position after them.
    fen: String,
    /// The place of the position in the proof: `node`, `leaf`, or `database` where that takes over.
    place: &'static str,
}

/// The lines of `plies` plies, or fewer where the game or the proof ends or the database takes
/// over; at most 2,000 lines.
pub(super) fn opening_lines(
    certificate: &ServedCertificate,
    plies: usize,
) -> Result<Vec<OpeningLine>, MoveError> {
    let mut lines = Vec::new();
    for proof in &certificate.stored.proofs {
        let walk = Walk { certificate, question: proof.question, plies };
        walk.go_on(&certificate.stored.start, &mut Vec::new(), &mut lines)?;
    }
    Ok(lines)
}

struct Walk<'a> {
    certificate: &'a ServedCertificate,
    question: Question,
    plies: usize,
}

impl Walk<'_> {
    fn go_on(
        &self,
        at: &Position,
        names: &mut Vec<String>,
        lines: &mut Vec<OpeningLine>,
    ) -> Result<(), MoveError> {
        let board = &self.certificate.stored.game.board;
        let proved = &self.certificate.proved;
        let mut successors = Vec::new();
        let place = proved.place_for(self.question, at);
        if names.len() < self.plies && place.is_some() {
            board.successors(at, &mut successors);
            if at.turn == claimant(self.question) {
                let choice = proved.choice_for(self.question, at);
                successors.retain(|after| Some(*after) == choice);
            }
        }
        for after in &successors {
            names.push(board.write_move(at, after)?);
            self.go_on(after, names, lines)?;
            names.pop();
        }
        if successors.is_empty() && lines.len() < LINES {
            lines.push(OpeningLine {
                question: question_name(self.question),
                moves: names.join(" "),
                fen: board.write_fen(at),
                place: match place {
                    Some(Place::Node(_)) => "node",
                    Some(Place::Leaf(_)) => "leaf",
                    None => "database",
                },
            });
        }
        Ok(())
    }
}
