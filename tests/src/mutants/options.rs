//! Options of the programs that draw mutants.

use clap::Args;
use clap::builder::RangedU64ValueParser;

use super::base::Selection;

/// The choice of mutants, and the number that are judged at a time.
#[derive(Args)]
pub struct DrawOptions {
    /// The seed of the mutants
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// The number that are checked at a time, at most 256; the outcome is the same
    #[arg(long, value_name = "T", default_value_t = 1,
        value_parser = RangedU64ValueParser::<usize>::new().range(1..=256))]
    pub threads: usize,
    /// Only the bases that are made and checked in no time
    #[arg(long)]
    small: bool,
}

impl DrawOptions {
    /// The selected bases.
    pub fn selection(&self) -> Selection {
        if self.small { Selection::Small } else { Selection::All }
    }
}
