//! The full job: databases, proof, certificate.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use certificate_spec::claim::{Claim, Question, Value};
use clap::Args;

use super::common::{
    ClaimOption, DatabaseOption, Failure, GameOption, MachineOptions, check_pieces, database,
};
use super::start::StartOptions;
use crate::board::{Board, Position, Side};
use crate::egdb::{Store, Values};
use crate::emit::{Certificate, Section, Target};
use crate::ensure::default_pieces;
use crate::proof::Manager;
use crate::search::{Outcome, known};

#[derive(Args, Debug)]
pub(super) struct Options {
    /// Directory to write the certificate to; must not exist, be empty, or hold the same certificate
    #[arg(long, value_name = "DIR", required = true)]
    emit: Option<PathBuf>,
    #[command(flatten)]
    game: GameOption,
    #[command(flatten)]
    start: StartOptions,
    /// What to prove
    #[arg(long, value_enum, default_value = "value")]
    claim: ClaimOption,
    /// Use the database with at most N pieces; 0 for none [default: the most that take at
    /// most 25 MiB on disk, but fewer than the start position has, and at least 2; 6 on 6x6]
    #[arg(long, value_name = "N")]
    pieces: Option<u8>,
    #[command(flatten)]
    db: DatabaseOption,
    /// Budget of a leaf search: what takes more nodes is expanded into the proof tree
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    leaf_nodes: u64,
    /// Give up a question after so many nodes [default: never]
    #[arg(long, value_name = "N")]
    max_nodes: Option<u64>,
    #[command(flatten)]
    machine: MachineOptions,
}

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let Some(directory) = &options.emit else {
        return Err(Failure::Input("--emit DIR: expected a directory for the certificate".into()));
    };
    let board = &options.game.game.board;
    let start = options.start.position(&options.game.game)?;
    let pieces = options.pieces.unwrap_or_else(|| default_pieces(board, start.pieces()));
    if pieces != 0 {
        check_pieces(board, pieces)?;
    }
    let target = Target::new(directory)?;
    options.machine.start()?;
    let progress = options.machine.progress();
    let begin = Instant::now();

    let (database, root) = if pieces == 0 {
        (Values::empty(board), None)
    } else {
        let database = database(&options.machine, &options.db, board, pieces)?;
        let manifest = Store::new(&options.db.db, board).manifest()?;
        (database, Some(manifest.up_to(pieces).root()))
    };
    let database_done = begin.elapsed();

    let job = Job { options, board, database: &database, start: &start };
    let (value, sections) = job.sections()?;
    let proof_done = begin.elapsed();

    let claim = Claim {
        game: options.game.game.to_string(),
        start: board.write_fen(&start),
        value,
        pieces,
        database: root,
    };
    write(&claim, &sections, target, directory)?;
    progress.say(format!(
        "database {:.1} s, proof {:.1} s, all {:.1} s; now: check {} --db {}",
        database_done.as_secs_f64(),
        (proof_done - database_done).as_secs_f64(),
        begin.elapsed().as_secs_f64(),
        directory.display(),
        options.db.db.display()
    ));
    Ok(())
}

/// Writes a certificate, and says what it is.
pub(super) fn write(
    claim: &Claim,
    sections: &[Section],
    target: Target,
    directory: &Path,
) -> Result<(), Failure> {
    let certificate = Certificate::new(claim, sections);
    certificate.write(target)?;
    let (nodes, leaves) =
        sections.iter().map(Section::size).fold((0, 0), |(n, l), (m, k)| (n + m, l + k));
    let mut out = io::stdout().lock();
    writeln!(out, "{} {} from {}", claim.value.word(), claim.game, claim.start)?;
    writeln!(
        out,
        "certificate {}: {nodes} nodes, {leaves} leaves, {} bytes, root={}",
        directory.display(),
        certificate.bytes(),
        certificate.root()
    )?;
    Ok(())
}

struct Job<'a> {
    options: &'a Options,
    board: &'a Board,
    database: &'a Values,
    start: &'a Position,
}

impl Job<'_> {
    fn sections(&self) -> Result<(Value, Vec<Section>), Failure> {
        match self.options.claim {
            ClaimOption::BlackNotLost => {
                Ok((Value::BlackNotLost, vec![self.wanted(Side::White, Question::BlackNotLost)?]))
            }
            ClaimOption::WhiteNotLost => {
                Ok((Value::WhiteNotLost, vec![self.wanted(Side::Black, Question::WhiteNotLost)?]))
            }
            ClaimOption::Value => {
                let black = self.ask(Side::White)?;
                if black.question() == Question::WhiteWins {
                    return Ok((Value::WhiteWins, vec![black]));
                }
                let white = self.ask(Side::Black)?;
                if white.question() == Question::BlackWins {
                    return Ok((Value::BlackWins, vec![white]));
                }
                Ok((Value::Draw, vec![black, white]))
            }
        }
    }

    fn wanted(&self, attacker: Side, question: Question) -> Result<Section, Failure> {
        let section = self.ask(attacker)?;
        if section.question() == question {
            return Ok(section);
        }
        Err(Failure::Undecided(format!("the claim does not hold: {attacker:?} wins")))
    }

    /// Does `attacker` win?
    fn ask(&self, attacker: Side) -> Result<Section, Failure> {
        if let Some(won) = known(self.database, attacker, self.start) {
            return Ok(Section::empty(match (attacker, won) {
                (Side::Black, true) => Question::BlackWins,
                (Side::White, true) => Question::WhiteWins,
                (Side::Black, false) => Question::WhiteNotLost,
                (Side::White, false) => Question::BlackNotLost,
            }));
        }
        let manager = Manager {
            leaf_nodes: self.options.leaf_nodes.max(1),
            max_nodes: self.options.max_nodes.unwrap_or(u64::MAX),
        };
        let progress = self.options.machine.progress();
        let (tree, verdict) =
            manager.prove(self.board, self.database, attacker, self.start, &progress);
        let nodes = verdict.nodes;
        match verdict.outcome {
            Outcome::Unknown { proof, disproof } => Err(Failure::Undecided(format!(
                "not decided whether {attacker:?} wins within {nodes} nodes (proof number {proof}, \
                 disproof number {disproof}): allow more --max-nodes or --pieces"
            ))),
            outcome => {
                let answer = if outcome == Outcome::Proved { "yes" } else { "no" };
                progress.say(format!(
                    "does {attacker:?} win? {answer}: {nodes} nodes in {} searches, tree {}",
                    verdict.searches,
                    tree.nodes().len()
                ));
                Ok(Section::new(&tree)?)
            }
        }
    }
}
