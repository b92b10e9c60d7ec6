//! The option for certificates.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use draughtproof_play::lookup::{Basis, Found, Lookup, ProvedPositions};
use draughtproof_proof::certificate::Stored;
use draughtproof_proof::progress::print_line;
use draughtproof_proof::proof::if_assumed;

use super::{MachineOptions, PositionOptions, StoredOptions, ValuesOptions};
use crate::board::Position;
use crate::cli::failure::Failure;
use crate::egdb::{Depths, ValueRange, Values};

/// The option for certificates.
#[derive(Args, Debug, Clone)]
pub(crate) struct CertificateOptions {
    /// Use the values that the certificate in this folder proves, on its board. May be given
    /// several times. Nothing is verified: that is for `check`
    #[arg(long = "cert", value_name = "DIR")]
    certificates: Vec<PathBuf>,
}

/// The options for what is known of positions: a database and certificates.
#[derive(Args, Debug)]
pub(crate) struct SourceOptions {
    #[command(flatten)]
    pub(crate) stored: StoredOptions,
    #[command(flatten)]
    pub(crate) values: ValuesOptions,
    #[command(flatten)]
    certificates: CertificateOptions,
}

impl SourceOptions {
    pub(crate) fn read(&self) -> Result<Certificates, Failure> {
        self.certificates.read_after(None, &self.stored)
    }

    /// Reads the certificates, for positions that may be of another board than the only database.
    pub(crate) fn read_for(&self, positions: &PositionOptions) -> Result<Certificates, Failure> {
        self.stored.use_board_if(|game| positions.fits(game));
        self.read()
    }
}

/// Certificates of one board that are used.
pub(crate) struct Certificates {
    /// The options for the database, with the game of the first certificate.
    pub(crate) stored: StoredOptions,
    /// The start of the first certificate, if there is one.
    pub(crate) start: Option<Position>,
    /// The positions that they prove.
    pub(crate) proofs: Vec<Arc<ProvedPositions>>,
}

impl CertificateOptions {
    /// Reads the certificates, with another one before those of the option; `stored` has the board
    /// if there are none.
    pub(crate) fn read_after(
        &self,
        first: Option<&Path>,
        stored: &StoredOptions,
    ) -> Result<Certificates, Failure> {
        let stored = stored.clone();
        let mut used = Certificates { stored, start: None, proofs: Vec::new() };
        for directory in first.into_iter().chain(self.certificates.iter().map(PathBuf::as_path)) {
            used.add(&Stored::read(directory)?)?;
        }
        Ok(used)
    }
}

impl Certificates {
    fn add(&mut self, certificate: &Stored) -> Result<(), Failure> {
        let game = &certificate.game;
        let given = self.stored.given_game().map(|game| &game.board);
        if self.start.is_none() && given.is_none_or(|board| *board == game.board) {
            self.stored = self.stored.clone().with_game(game.clone());
            self.start = Some(certificate.start);
        }
        let board = self.stored.board();
        if game.board != *board {
            let path = certificate.directory.display();
            let [expected, found] = [board.name(), game.board.name()];
            let what = format!("{path}: expected a certificate of {expected}, found {found}");
            return Err(Failure::Input(what));
        }
        let assumed = certificate.assumed();
        if assumed > 0 {
            let claim = &certificate.claim;
            let claimed = format!("{} {} from {}", claim.value.word(), claim.game, claim.start);
            print_line(&if_assumed(assumed, &claimed));
        }
        self.proofs.push(Arc::new(ProvedPositions::new(certificate)?));
        Ok(())
    }

    /// Whether there are any.
    pub(crate) fn are_used(&self) -> bool {
        self.start.is_some()
    }

    /// Look-ups in the certificates and these values.
    pub(crate) fn lookup<'a>(
        &'a self,
        values: &'a Values,
        depths: Option<&'a Depths>,
        found: Option<&'a Found>,
    ) -> Lookup<'a> {
        Lookup { board: self.stored.board(), values, depths, proofs: &self.proofs, found }
    }

    /// Opens the database for look-ups of single positions. With certificates it may be missing.
    pub(crate) fn open(
        &self,
        machine: &MachineOptions,
        values: &ValuesOptions,
    ) -> Result<Values, Failure> {
        if self.are_used() {
            self.stored.open_if_there(machine, values)
        } else {
            self.stored.open(machine, values)
        }
    }
}

/// Returns the source of the value of a position that was searched, with these bounds known
/// before.
pub(crate) fn by(value: ValueRange, bounds: ValueRange, basis: Option<Basis>) -> &'static str {
    if value == ValueRange::UNKNOWN {
        "-"
    } else if value == bounds {
        basis.map_or("-", Basis::name)
    } else {
        "search"
    }
}
