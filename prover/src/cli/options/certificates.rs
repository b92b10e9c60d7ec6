//! The option for certificates.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use draughtproof_play::lookup::{Basis, ProvedPositions};
use draughtproof_proof::certificate::Stored;
use draughtproof_proof::progress::print_line;
use draughtproof_proof::proof::if_assumed;

use super::{MachineOptions, StoredOptions, ValuesOptions};
use crate::board::Position;
use crate::cli::failure::Failure;
use crate::egdb::{ValueRange, Values};

/// The option for certificates.
#[derive(Args, Debug, Clone)]
pub(crate) struct CertificateOptions {
    /// Use the values that the certificate in this folder proves, on its board. May be given several
    /// times. Nothing is verified: that is for `check`
    #[arg(long = "cert", value_name = "DIR")]
    certificates: Vec<PathBuf>,
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
    /// Reads the certificates; `stored` has the board if there are none.
    pub(crate) fn read(&self, stored: &StoredOptions) -> Result<Certificates, Failure> {
        self.read_after(None, stored)
    }

    /// Like `read`, with another certificate before those of the option.
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
