//! The check of a list of positions that all have at least one value (`SPEC.md` §10.1).
//!
//! Theorem: where [`check`] returns a line, the exact value of every position of the list makes
//! the claim of the list true.
//!
//! Trusts: [`derive()`], which derives exact values from the rules alone, and no file but the list.

use certificate_spec::claim::{Question, Value as Claimed};
use certificate_spec::cover::Cover;
use certificate_spec::{Digest, RULES, VERSION};
use checker_core::{Board, Finding, Options, Position, Side, Stop, Value, derive, write_fen};
use std::fs;
use std::path::Path;

/// The first line of a list.
struct Head {
    claim: Claimed,
    board: Board,
    cover: Cover,
    positions: usize,
}

impl Head {
    fn parse(line: &str) -> Option<Head> {
        let words: [&str; 5] = line.split(' ').collect::<Vec<_>>().try_into().ok()?;
        let (rows, columns) = words[2].split_once('x')?;
        let head = Head {
            claim: Claimed::parse(words[1])?,
            board: Board::new(rows.parse().ok()?, columns.parse().ok()?)?,
            cover: Cover::parse(words[3].strip_prefix("pieces=")?)?,
            positions: words[4].strip_prefix("positions=")?.parse().ok()?,
        };
        let is_possible = u32::from(head.cover.most_pieces()) <= head.board.squares();
        (is_possible && format!("POSITIONS {}", head.fields()) == line).then_some(head)
    }

    fn fields(&self) -> String {
        let Head { claim, board, cover, positions } = self;
        format!("{} {} pieces={cover} positions={positions}", claim.word(), board.name())
    }
}

/// Reads a line of a list: the side to move and three masks (`SPEC.md` §1.1).
fn parse_position(line: &str) -> Option<Position> {
    let [turn, masks @ ..]: [&str; 4] = line.split(' ').collect::<Vec<_>>().try_into().ok()?;
    let turn = if turn == "White" { Side::White } else { Side::Black };
    let [black, white, kings] = masks.map(str::parse);
    let p = Position { black: black.ok()?, white: white.ok()?, kings: kings.ok()?, turn };
    // Another order, sign or zero before a number is not canonical.
    let written = format!("{:?} {} {} {}", p.turn, p.black, p.white, p.kings);
    (written == line).then_some(p)
}

/// Reads a list. The error is the number of the first line that is wrong.
fn parse(text: &str) -> Result<(Head, Vec<Position>), usize> {
    let (head, lines) = text.split_once('\n').ok_or(1usize)?;
    let head = Head::parse(head).ok_or(1usize)?;
    let lines: Vec<&str> = lines.strip_suffix('\n').ok_or(2usize)?.split('\n').collect();
    let position = |(i, line): (usize, &&str)| parse_position(line).ok_or(i + 2);
    let positions: Vec<Position> =
        lines.iter().enumerate().map(position).collect::<Result<_, _>>()?;
    if positions.len() == head.positions { Ok((head, positions)) } else { Err(lines.len() + 1) }
}

/// Whether a claim holds of a position with this value for its side to move.
fn holds(question: Question, p: &Position, value: Value) -> bool {
    let is_to_move = (p.turn == Side::White) == question.claimant_is_white();
    match (question.is_win(), is_to_move) {
        (true, true) => value == Value::Win,
        (true, false) => value == Value::Loss,
        (false, true) => value != Value::Loss,
        (false, false) => value != Value::Win,
    }
}

/// Checks the list in the file `path`, and returns the verdict line.
///
/// # Errors
/// The first thing that is wrong with it, or why it could not be checked.
pub(crate) fn check(path: &Path, options: &Options) -> Result<String, Stop> {
    let error = |text: String| Stop::Error(format!("{}: {text}", path.display()));
    if !fs::metadata(path).map_err(|e| error(e.to_string()))?.is_file() {
        return Err(error("not an ordinary file".into()));
    }
    let bytes = fs::read(path).map_err(|e| error(e.to_string()))?;
    let refuted = |rule, expected: &str, found: String, position| {
        let file = path.as_os_str().as_encoded_bytes().to_vec();
        Stop::from(Finding { rule, expected: expected.into(), found, file, offset: None, position })
    };
    let list = str::from_utf8(&bytes).map_err(|_| 1).and_then(parse);
    let (head, positions) =
        list.map_err(|n| refuted("list-syntax", "a list of positions", format!("line {n}"), None))?;
    let database = derive(&head.board, &head.cover, options)?;
    for p in positions {
        let Some(value) = database.value(&p) else {
            return Err(refuted("list-cover", &head.cover.to_string(), write_fen(&p), Some(p)));
        };
        if !head.claim.questions().iter().all(|&question| holds(question, &p, value)) {
            return Err(refuted("list-value", head.claim.word(), format!("{value:?}"), Some(p)));
        }
    }
    let (fields, digest) = (head.fields(), Digest::of(&bytes));
    Ok(format!(
        "s VERIFIED POSITIONS {fields} list={digest} format={VERSION} rules={RULES} db=exact"
    ))
}
