//! `prove combine`.

use std::path::PathBuf;

use super::certificate::{require_database, write_certificate};
use crate::cli::failure::Failure;
use crate::cli::options::notes;
use crate::cli::options::{
    ClaimOption, DatabaseOption, MachineOptions, StartOptions, ValuesOptions, database,
};
use crate::cli::output::ResultOptions;
use crate::egdb::Values;
use certificate_spec::claim::Claim;
use clap::Args;
use draughtproof_proof::certificate::{ExpectedCertificate, Stored, Target};
use draughtproof_proof::combine::{Combination, Combined, first_of_alike};

#[derive(Args, Debug)]
#[command(after_help = notes("combine"))]
pub(crate) struct Options {
    /// Directory to write the certificate to; must not exist, be empty, or hold the same
    /// certificate
    #[arg(value_name = "OUT")]
    directory: PathBuf,
    /// Certificates of positions after some moves
    #[arg(value_name = "CERT", required = true)]
    certificates: Vec<PathBuf>,
    #[command(flatten)]
    start: StartOptions,
    /// The claim to prove
    #[arg(long, value_enum, default_value = "value")]
    claim: ClaimOption,
    /// Look for the starts of the certificates up to N moves from the start
    #[arg(long, value_name = "N", default_value_t = 8)]
    plies: u32,
    #[command(flatten)]
    result: ResultOptions,
    #[command(flatten)]
    db: DatabaseOption,
    #[command(flatten)]
    values: ValuesOptions,
    #[command(flatten)]
    machine: MachineOptions,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let mut certificates = Vec::new();
    for path in &options.certificates {
        certificates.push(Stored::read(path)?);
    }
    let first = first_of_alike(&certificates)?;
    let game = &first.game;
    let start = options.start.position(game)?;
    let target = Target::new(&options.directory)?;
    target.expect(&ExpectedCertificate {
        game,
        start: &start,
        asked: options.claim.into(),
        cover: &first.claim.cover,
        database: first.claim.database,
        made: None,
    })?;
    let table = options.result.begin_table()?;
    options.machine.start()?;
    let combination = Combination::new(&certificates, start, options.plies)?;
    let values = load(options, first)?;
    let combined = combination.prove(options.claim.into(), &values);
    values.failure()?;
    let Combined { value, sections } = combined?;
    let claim = Claim {
        game: game.to_string(),
        start: game.board.write_fen(&start),
        value,
        cover: first.claim.cover.clone(),
        database: first.claim.database,
    };
    write_certificate(&claim, &sections, target, &options.directory, table)
}

/// Loads the database that the certificates rest on.
fn load(options: &Options, first: &Stored) -> Result<Values, Failure> {
    let board = &first.game.board;
    let cover = &first.claim.cover;
    if first.claim.database.is_none() {
        return Ok(Values::empty(board));
    }
    let values = database(&options.machine, &options.values, &options.db, board, cover)?;
    require_database(&options.db, first)?;
    Ok(values)
}
