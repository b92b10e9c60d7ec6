//! The check of a list of positions that all have at least one value (`SPEC.md` §10.1).
//!
//! Theorem: where [`check`] returns a line, the exact value of every position of the list makes
//! the claim of the list true.
//!
//! Trusts: [`derive()`], which derives exact values from the rules alone, and no file but the list.

use certificate_notes::open_ordinary;
use certificate_spec::claim::{Question, Value as Claimed};
use certificate_spec::cover::Cover;
use certificate_spec::{Digest, Hasher, RULES, VERSION};
use checker_core::{Board, Finding, Options, Position, Side, Stop, Value, derive, write_fen};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

/// More bytes than a line can have.
const LINE: u64 = 100;

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
        (is_possible && head.positions > 0 && format!("POSITIONS {}", head.fields()) == line)
            .then_some(head)
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

/// Refutes the list in the file `path`.
fn refuted(
    path: &Path,
    rule: &'static str,
    expected: &str,
    found: String,
    position: Option<Position>,
) -> Stop {
    let file = path.as_os_str().as_encoded_bytes().to_vec();
    Finding { rule, expected: expected.into(), found, file, offset: None, position }.into()
}

/// Reads a list line by line, so that a large file that is no list costs nothing. Returns its
/// digest, too.
fn read(path: &Path) -> Result<(Head, Vec<Position>, Digest), Stop> {
    let error = |text: String| Stop::Error(format!("{}: {text}", path.display()));
    let failed = |e: io::Error| error(e.to_string());
    let file = open_ordinary(path, File::options().read(true)).map_err(failed)?;
    let mut input = BufReader::new(file.ok_or_else(|| error("not an ordinary file".into()))?);
    let (mut hasher, mut head, mut positions) = (Hasher::default(), None::<Head>, Vec::new());
    for number in 1.. {
        let mut bytes = Vec::new();
        (&mut input).take(LINE).read_until(b'\n', &mut bytes).map_err(failed)?;
        hasher.write_all(&bytes).map_err(failed)?;
        if bytes.is_empty()
            && let Some(head) = head.take_if(|head| head.positions == positions.len())
        {
            return Ok((head, positions, hasher.digest()));
        }
        let line = str::from_utf8(&bytes).ok().and_then(|text| text.strip_suffix('\n'));
        let found = format!("line {number}");
        let wrong = || refuted(path, "list-syntax", "a list of positions", found, None);
        match head {
            None => head = Some(line.and_then(Head::parse).ok_or_else(wrong)?),
            Some(_) => positions.push(line.and_then(parse_position).ok_or_else(wrong)?),
        }
    }
    Err(error("too many lines".into()))
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
    let (head, positions, digest) = read(path)?;
    let database = derive(&head.board, &head.cover, options)?;
    for p in positions {
        let Some(value) = database.value(&p) else {
            let cover = head.cover.to_string();
            return Err(refuted(path, "list-cover", &cover, write_fen(&p), Some(p)));
        };
        if !head.claim.questions().iter().all(|&question| holds(question, &p, value)) {
            let claim = head.claim.word();
            return Err(refuted(path, "list-value", claim, format!("{value:?}"), Some(p)));
        }
    }
    let fields = head.fields();
    Ok(format!(
        "s VERIFIED POSITIONS {fields} list={digest} format={VERSION} rules={RULES} db=exact"
    ))
}
