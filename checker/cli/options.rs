//! The options of a check, as they are written on the command line.

use crate::progress::Shown;
use checker::{Level, Options, Sample, Shard};
use clap::builder::RangedU64ValueParser;
use std::path::PathBuf;
use std::sync::Arc;

fn parse_size(text: &str) -> Result<u64, String> {
    let parse = |(unit, bytes)| text.strip_suffix(unit)?.parse::<u64>().ok()?.checked_mul(bytes);
    let size = [("MiB", 1 << 20), ("GiB", 1 << 30), ("", 1)].into_iter().find_map(parse);
    size.ok_or_else(|| "not a size; write bytes or as in 512MiB or 4GiB".into())
}

/// Reads a share in per cent, in millionths.
fn parse_share(text: &str) -> Result<u32, String> {
    let (whole, part) =
        text.strip_suffix('%').map_or(("", ""), |t| t.split_once('.').unwrap_or((t, "0")));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let millionths = format!("{whole}{part:0<4}").parse().ok();
    let is_share = digits(whole) && digits(part) && part.len() <= 4;
    let share = millionths.filter(|&n| is_share && (1..=1_000_000).contains(&n));
    share.ok_or_else(|| "not a share; write 1% or 0.05%, at least 0.0001%, at most 100%".into())
}

/// How to check.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct CheckArguments {
    /// The folder of databases
    #[arg(long, value_name = "DIR", default_value = "egdb")]
    pub(crate) db: PathBuf,
    /// How well to check values of the database
    #[arg(long, visible_alias = "db-level", value_enum, default_value = "exact")]
    level: Level,
    /// The most that tables of values may take, as in 4GiB, 512MiB or plain bytes [default: no bound]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,
    /// Note in FILE, your own, what has been verified, and trust it: start again with it to go on
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Ignore what the journal has, and begin it anew
    #[arg(long, requires = "journal")]
    pub(crate) fresh: bool,
    /// Number of threads, at most 256 [default: as many as the machine has]
    #[arg(long, value_name = "T", value_parser = RangedU64ValueParser::<usize>::new().range(1..=256))]
    threads: Option<usize>,
    /// Verify one shard of the work only, as in 3/16; exit status 5
    #[arg(long, value_name = "I/N", conflicts_with = "sample")]
    shard: Option<Shard>,
    /// Take tables of values that the shard does not verify from the folder DIR, and put others there; it need not be
    /// trusted
    #[arg(long, value_name = "DIR", requires = "shard", conflicts_with_all = ["journal", "sample"])]
    pub(crate) tables: Option<PathBuf>,
    /// Verify a random sample only, as in 1%; exit status 5
    #[arg(long, value_name = "SHARE", value_parser = parse_share, conflicts_with = "journal")]
    sample: Option<u32>,
    /// What the sample depends on besides the root [default: a random number; the verdict has it]
    #[arg(long, value_name = "S", requires = "sample")]
    seed: Option<u64>,
    /// No progress on standard error
    #[arg(long)]
    quiet: bool,
}

impl CheckArguments {
    /// # Errors
    /// There are no random numbers for a sample.
    pub(crate) fn options(&self) -> Result<Options, getrandom::Error> {
        let random = || {
            let mut seed = [0; 4];
            getrandom::fill(&mut seed).map(|()| u32::from_le_bytes(seed).into())
        };
        let sample = |millionths| {
            let seed = self.seed.map_or_else(random, Ok)?;
            Ok(Sample { millionths, seed })
        };
        let sample = self.sample.map(sample).transpose()?;
        let &CheckArguments { level, memory, threads, shard, .. } = self;
        let mut options =
            Options { level, memory, threads, shard, sample, ..Options::new(&self.db) };
        options.journal = self.journal.clone();
        if !self.quiet {
            options.progress = Some(Arc::new(Shown::new()));
        }
        Ok(options)
    }
}
