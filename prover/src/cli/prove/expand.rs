//! `prove expand`.

use std::path::PathBuf;
use std::sync::Mutex;

use super::certificate::{require_database, write_certificate};
use crate::cli::failure::Failure;
use crate::cli::options::notes;
use crate::cli::options::{DatabaseOption, MachineOptions, ValuesOptions};
use crate::cli::output::ResultOptions;
use crate::egdb::{Cover, DepthFinder, Depths, Store, StoreError};
use certificate_spec::claim::Claim;
use clap::Args;
use draughtproof_proof::certificate::{Stored, Target};
use draughtproof_proof::expand::{MOST_A_LEAF, Sources, expand};
use draughtproof_proof::prepare_database::load_finished;

#[derive(Args, Debug)]
#[command(after_help = notes("expand"))]
pub(crate) struct Options {
    /// The certificate
    #[arg(value_name = "CERT")]
    certificate: PathBuf,
    /// Go on down to these positions: N for those with at most N pieces, N:M for those of them with
    /// at most M on a side, or several of these, such as 7,8:4; 0 for none
    #[arg(long = "pieces", value_name = "COVER")]
    cover: Cover,
    /// Directory to write the certificate to; must not exist, be empty, or hold the same
    /// certificate
    #[arg(long, value_name = "DIR")]
    emit: PathBuf,
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
    let Options { cover: smaller, machine, .. } = options;
    let target = Target::new(&options.emit)?;
    let table = options.result.begin_table()?;
    let stored = Stored::read(&options.certificate)?;
    let cover = &stored.claim.cover;
    if !cover.includes(smaller) || cover == smaller {
        return Err(Failure::Input(format!(
            "--pieces: expected a cover smaller than {cover} of {}, found {smaller}",
            options.certificate.display()
        )));
    }
    machine.start()?;
    let board = &stored.game.board;
    let store = Store::new(&options.db.db, board);
    require_database(&options.db, &stored).map_err(|failure| match failure {
        Failure::Store(StoreError::Missing { .. }) => {
            let game = &stored.claim.game;
            let way = format!("`prove db --game {game} --pieces {cover}` makes the one of CERT");
            failure.with_advice(&way)
        }
        failure => failure,
    })?;
    let values = load_finished(&store, cover, &options.values.room(machine), &machine.progress())?;
    let depths = Depths::open(&options.db.db, board)?;
    let finder = Mutex::new(DepthFinder::new(machine.memory() / 2));
    let sources = Sources { values: &values, depths: &depths, finder };
    let sections = expand(&stored, smaller, &sources, MOST_A_LEAF, &machine.progress());
    values.failure()?;
    let sections = sections?;
    let database = match smaller.is_empty() {
        true => None,
        false => Some(store.manifest_of(smaller)?.root()),
    };
    let claim = Claim { cover: smaller.clone(), database, ..stored.claim.clone() };
    write_certificate(&claim, &sections, target, &options.emit, table)
}
