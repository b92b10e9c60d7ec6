//! The answer about a position, with the source of each bound.

use std::time::{Duration, Instant};

use certificate_spec::claim::Question;
use draughtproof_play::lookup::{KnownValue, LookupError, MoveAnswer, Place, question_name};
use serde::Serialize;
use utoipa::ToSchema;

use super::problem::Problem;
use super::site::{BoardSite, ServedCertificate};
use crate::board::Position;
use crate::egdb::{RatedMove, StoreError, Value, ValueRange};

/// The source of a bound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(super) enum Source {
    /// The database has the position.
    Database,
    /// The database has the positions that the captures lead to; a side that can capture must.
    Capture,
    /// The rules decide the position: a side has no piece or no move.
    Rules,
    /// The position is a node of a certificate.
    Node(ProofPlace),
    /// The position is in a leaf of a certificate.
    Leaf(ProofPlace),
    /// This server has solved the position.
    Solved,
    /// The bound follows from the values of the moves.
    Moves,
    /// There is no bound.
    None,
}

/// A place in a certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(super) struct ProofPlace {
    /// The root of the certificate.
    pub(super) certificate: String,
    /// The name of the question that is proved there.
    #[schema(example = "black-not-lost")]
    pub(super) question: &'static str,
    /// The number of the node or leaf among those of the question, from 0.
    pub(super) number: usize,
}

/// The sources of the two bounds of a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(super) struct Bounds {
    /// The source of the lower bound.
    lower: Source,
    /// The source of the upper bound.
    upper: Source,
}

/// A legal move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(super) struct SourcedMove {
    #[serde(flatten)]
    pub(super) answer: MoveAnswer,
    /// The sources of the bounds of its value.
    from: Bounds,
}

/// A position and all that is known of it. Values are for the side to move, those of moves for the
/// side that makes them; `lower` and `upper` stand in place of a `value` that is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(super) struct SourcedPosition {
    /// The position, as a canonical FEN.
    #[schema(example = "B:W18,24,K30:B12,K16")]
    pub(super) fen: String,
    #[serde(flatten)]
    value: KnownValue,
    /// The plies until the next capture, crowning or move of a man that keeps the value.
    depth: Option<u32>,
    /// The legal moves, the best first.
    pub(super) moves: Vec<SourcedMove>,
    /// The plies to the end of a win along `line`; none where there is no line.
    plies: Option<u32>,
    /// The moves of both sides to the end of a win: the winner hurries to each next capture,
    /// crowning or move of a man, and the loser delays it. Empty where a depth is not stored.
    line: Vec<String>,
    /// The sources of the bounds of the value.
    from: Bounds,
}

/// The time after which an answer does without the line to the end of a win.
const LINE: Duration = Duration::from_millis(50);

/// The answer about a position: its value, depth, moves and their sources, and the line to the end
/// of a win.
///
/// # Errors
/// [`Problem`] when a file of the database cannot be read or is damaged.
pub(super) fn answer(
    site: &BoardSite,
    position: &Position,
    is_stopped: &dyn Fn() -> bool,
) -> Result<SourcedPosition, Problem> {
    let (mut answer, _) = answer_and_rate(site, position, is_stopped)?;
    let end = Instant::now() + LINE;
    if answer.depth.is_some()
        && let Some(line) = site.lookup().line(position, &|| Instant::now() >= end)?
    {
        answer.plies = line.len().try_into().ok();
        answer.line = line;
    }
    Ok(answer)
}

/// The answer about a position without its line, and its moves with the positions after them, in
/// the order of the answer.
pub(super) fn answer_and_rate(
    site: &BoardSite,
    position: &Position,
    is_stopped: &dyn Fn() -> bool,
) -> Result<(SourcedPosition, Vec<RatedMove>), LookupError> {
    let (answer, rated) = site.lookup().answer_and_rate(position, is_stopped)?;
    let mut from = bounds(site, position, answer.value)?;
    for (source, is_trivial) in [
        (&mut from.lower, answer.value.lower == Value::Loss),
        (&mut from.upper, answer.value.upper == Value::Win),
    ] {
        if *source == Source::None && !is_trivial {
            *source = Source::Moves;
        }
    }
    let moves = answer.moves.into_iter().zip(&rated).map(|(answer, rated)| {
        let Bounds { lower, upper } = bounds(site, &rated.after, rated.value.reversed())?;
        Ok(SourcedMove { answer, from: Bounds { lower: upper, upper: lower } })
    });
    let moves = moves.collect::<Result<_, LookupError>>()?;
    Ok((
        SourcedPosition {
            fen: answer.fen,
            value: answer.value.into(),
            depth: answer.depth,
            moves,
            plies: None,
            line: Vec::new(),
            from,
        },
        rated,
    ))
}

/// The sources of a position's value for its side to move, disregarding its moves.
fn bounds(site: &BoardSite, p: &Position, value: ValueRange) -> Result<Bounds, StoreError> {
    let both = |source: Source| Ok(Bounds { lower: source.clone(), upper: source });
    if !p.both_sides() || !site.board().can_move(p) {
        return both(Source::Rules);
    }
    if site.values().try_probe(p)?.is_some() {
        let captures = site.board().can_capture(p);
        return both(if captures { Source::Capture } else { Source::Database });
    }
    let find = |bound, is_upper| {
        let in_proof = site.certificates().find_map(|certificate| {
            let (question, place) = certificate.proved.place(p, bound, is_upper)?;
            Some(source_in(certificate, question, place))
        });
        let solved = || site.found.solved().place(p, bound, is_upper).map(|_| Source::Solved);
        in_proof.or_else(solved).unwrap_or(Source::None)
    };
    Ok(Bounds {
        lower: if value.lower == Value::Loss { Source::None } else { find(value.lower, false) },
        upper: if value.upper == Value::Win { Source::None } else { find(value.upper, true) },
    })
}

fn source_in(certificate: &ServedCertificate, question: Question, place: Place) -> Source {
    let at = |number| ProofPlace {
        certificate: certificate.root().to_string(),
        question: question_name(question),
        number,
    };
    match place {
        Place::Node(number) => Source::Node(at(number)),
        Place::Leaf(number) => Source::Leaf(at(number)),
    }
}
