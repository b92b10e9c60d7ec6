//! The commands of a farm in a program without it. [`Farm`] and [`SliceStore`] have no values.

use draughtproof_proof::progress::Progress;
use draughtproof_proof::proof::{ManagerQueue, QueueSource, Request, SearchContext};

use super::{ManagerOptions, Options, WorkerOptions};
use crate::board::Game;
use crate::cli::failure::Failure;
use crate::egdb::{Cover, Slice, Store};

pub(crate) fn run_farm(_: &Options) -> Result<(), Failure> {
    Err(Failure::left_out("farm", "farm"))
}

pub(crate) fn run_worker(_: &WorkerOptions) -> Result<(), Failure> {
    Err(Failure::left_out("worker", "farm"))
}

impl ManagerOptions {
    /// Refuses to use a farm.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if self.is_used() { Err(Failure::left_out("--farm", "farm")) } else { Ok(()) }
    }

    /// Connects to no broker.
    pub(crate) fn start(
        &self,
        _: &Request,
        _: &SearchContext<'_>,
        _: &Cover,
        _: &Game,
        _: &Progress,
    ) -> Result<Option<Farm>, Failure> {
        self.check().map(|()| None)
    }
}

/// The searches on other machines.
#[derive(Debug)]
pub(crate) enum Farm {}

impl Farm {
    pub(crate) fn finish(&self, _: bool) {
        match *self {}
    }
}

impl QueueSource for Farm {
    fn open(&self) -> Box<dyn ManagerQueue + '_> {
        match *self {}
    }
}

/// The slices in an object store.
#[derive(Debug)]
pub(crate) enum SliceStore {}

impl SliceStore {
    pub(crate) fn open(_: &str, _: bool, _: &Progress) -> Result<Self, Failure> {
        Err(Failure::left_out("--store", "farm"))
    }

    pub(crate) fn fetch_all(&self, _: &Store, _: &Cover) -> Result<(), Failure> {
        match *self {}
    }

    pub(crate) fn fetch_needs(&self, _: &Store, _: &[Slice]) -> Result<(), Failure> {
        match *self {}
    }

    pub(crate) fn leave(&self, _: &Store, _: &[Slice]) -> Result<(), Failure> {
        match *self {}
    }
}
