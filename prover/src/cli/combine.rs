//! `prove combine`.

use std::fmt::Write;
use std::path::PathBuf;

use certificate_spec::claim::{Claim, Question, Value};
use clap::Args;

use super::certify::write;
use super::common::{ClaimOption, DatabaseOption, Failure, MachineOptions, database};
use super::start::StartOptions;
use crate::board::{Board, Position};
use crate::egdb::{Store, Values};
use crate::emit::{Region, Section, Stored, Target, Union};

/// At most so many missing openings are listed.
const LISTED: usize = 50;

#[derive(Args, Debug)]
#[command(after_help = "Example:
  prove --moves 4-7 --emit after-4-7 --claim black-not-lost
  prove --claim white-not-lost --emit white
  prove combine cert after-4-7 white         6x6 is a draw: one certificate out of two
  check cert

The certificates must be of the same game and rest on the same database, which is built if it is not \
there. For the side with the claim one move from each position is enough, of the other side all moves are \
needed; where several moves would do, the one that makes the smaller certificate is taken. A win counts as \
not lost, too. What is not needed is left out.

Exit status: as for prove. 1 if openings are missing: they are listed, with their moves; 3 if a certificate \
is damaged or is no proof.")]
pub(super) struct Options {
    /// Directory to write the certificate to; must not exist, be empty, or hold the same certificate
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// Certificates of positions after some moves
    #[arg(value_name = "CERT", required = true)]
    certificates: Vec<PathBuf>,
    #[command(flatten)]
    start: StartOptions,
    /// What to prove
    #[arg(long, value_enum, default_value = "value")]
    claim: ClaimOption,
    /// Look for the starts of the certificates up to so many moves from the start
    #[arg(long, value_name = "N", default_value_t = 8)]
    plies: u32,
    #[command(flatten)]
    db: DatabaseOption,
    #[command(flatten)]
    machine: MachineOptions,
}

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let read = |path: &PathBuf| Stored::read(path);
    let certificates = options.certificates.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let Some(first) = certificates.first() else {
        return Err(Failure::Input("CERT: expected a certificate, found none".into()));
    };
    certificates.iter().try_for_each(|other| require_alike(first, other))?;
    let (game, pieces) = (&first.game, first.claim.pieces);
    let board = &game.board;
    let start = options.start.position(game)?;
    let target = Target::new(&options.out)?;
    options.machine.start()?;

    let goals: Vec<Position> = certificates.iter().map(|c| c.start).collect();
    let region = Region::new(board, &start, &goals, options.plies);
    if let Some(far) = certificates.iter().find(|c| !region.has(&c.start)) {
        let (plies, fen) = (options.plies, board.write_fen(&start));
        return Err(Failure::Input(format!(
            "{}/CLAIM: expected a start at most {plies} moves after {fen} (--plies allows more), found {}",
            far.directory.display(),
            far.claim.start
        )));
    }
    let values = load(options, first)?;
    let job = Job { board, values: &values, certificates: &certificates, region: &region };
    let (value, sections) = job.prove(options.claim, &start)?;
    let claim = Claim {
        game: game.to_string(),
        start: board.write_fen(&start),
        value,
        pieces,
        database: first.claim.database,
    };
    write(&claim, &sections, target, &options.out)
}

/// Certificates can be joined if they are of one game and rest on one database.
fn require_alike(first: &Stored, other: &Stored) -> Result<(), Failure> {
    let database = |c: &Stored| c.claim.database.map_or("none".into(), |root| root.to_string());
    let aspects = [
        ("game", first.claim.game.clone(), other.claim.game.clone()),
        ("pieces", first.claim.pieces.to_string(), other.claim.pieces.to_string()),
        ("database", database(first), database(other)),
    ];
    match aspects.into_iter().find(|(_, expected, found)| expected != found) {
        None => Ok(()),
        Some((what, expected, found)) => Err(Failure::Input(format!(
            "{}/CLAIM: expected {what} {expected} as in {}, found {what} {found}",
            other.directory.display(),
            first.directory.display()
        ))),
    }
}

/// The database that the certificates rest on.
fn load(options: &Options, first: &Stored) -> Result<Values, Failure> {
    let (board, pieces) = (&first.game.board, first.claim.pieces);
    let Some(expected) = first.claim.database else { return Ok(Values::empty(board)) };
    let values = database(&options.machine, &options.db, board, pieces)?;
    let found = Store::new(&options.db.db, board).manifest()?.up_to(pieces).root();
    if found == expected {
        return Ok(values);
    }
    Err(Failure::Input(format!(
        "{}: expected the database {expected} of {}, found {found}",
        options.db.db.display(),
        first.directory.display()
    )))
}

struct Job<'a> {
    board: &'a Board,
    values: &'a Values,
    certificates: &'a [Stored],
    region: &'a Region,
}

impl Job<'_> {
    fn prove(
        &self,
        claim: ClaimOption,
        start: &Position,
    ) -> Result<(Value, Vec<Section>), Failure> {
        let values: &[Value] = match claim {
            ClaimOption::Value => &[Value::BlackWins, Value::WhiteWins, Value::Draw],
            ClaimOption::BlackNotLost => &[Value::BlackNotLost],
            ClaimOption::WhiteNotLost => &[Value::WhiteNotLost],
        };
        for &value in values {
            let section = |&question| self.section(question, start);
            let sections = value.questions().iter().map(section);
            let sections: Option<Vec<_>> = sections.collect::<Result<_, _>>()?;
            if let Some(sections) = sections {
                return Ok((value, sections));
            }
        }
        Err(Failure::Undecided(self.missing(values, start)))
    }

    /// The part of a question, if its openings are all there.
    fn section(&self, question: Question, start: &Position) -> Result<Option<Section>, Failure> {
        let union = Union::new(self.board, self.values, question, self.certificates);
        let top = union.top(self.region);
        Ok(if top.holds() { Some(union.section(&top, start)?) } else { None })
    }

    /// What would have to be proved still. A win is thought of only if all certificates bear on it.
    fn missing(&self, values: &[Value], start: &Position) -> String {
        let mut text = format!("not proved for {}:", self.board.write_fen(start));
        let mut claimed = Vec::new();
        for question in values.iter().flat_map(|value| value.questions()) {
            let union = Union::new(self.board, self.values, *question, self.certificates);
            let side = question.claimant_is_white();
            let all = union.sources() == self.certificates.len();
            let top = union.top(self.region);
            if top.holds() || question.is_win() && !all || claimed.contains(&side) {
                continue;
            }
            claimed.push(side);
            // Writing into a string cannot fail.
            let _ = match union.sources() {
                0 => writeln!(text, "\n{question:?}: no certificate bears on it"),
                _ => writeln!(text, "\n{question:?}: a proof is missing for"),
            };
            if union.sources() == 0 {
                continue;
            }
            let missing = top.missing(self.board);
            for opening in missing.iter().take(LISTED) {
                let note = if opening.is_refuted { "  (the database refutes it)" } else { "" };
                let (moves, fen) = (&opening.moves, self.board.write_fen(&opening.position));
                let _ = writeln!(text, "  {moves}  {fen}{note}");
            }
            if missing.len() > LISTED {
                let _ = writeln!(text, "  and {} more", missing.len() - LISTED);
            }
        }
        text.trim_end().into()
    }
}
