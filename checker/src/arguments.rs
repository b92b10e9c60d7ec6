//! The options of a check, as they are written on the command line.

use crate::{memory, stderr};
use checker_audit::{Sample, Shard};
use checker_core::{Level, Options, Progress};
use clap::builder::RangedU64ValueParser;
use std::path::PathBuf;
use std::sync::Arc;

/// Reads a size: bytes, or as in 512MiB or 4GiB.
///
/// # Errors
/// A message for the user: the text is not a size, or the size does not fit in 64 bits.
pub fn parse_size(text: &str) -> Result<u64, String> {
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

/// The strength of a check of values of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum LevelName {
    /// Derive all values again from the rules, and compare
    Exact,
    /// Only check that each value follows from its successors': enough for claims of not losing
    Consistent,
}

/// The options of a check.
#[derive(Debug, Clone, clap::Args)]
pub struct CheckArguments {
    /// The folder of databases
    #[arg(long, value_name = "DIR", default_value = "egdb")]
    pub db: PathBuf,
    /// The strength of the check of the database's values
    #[arg(long, value_enum, default_value = "exact")]
    level: LevelName,
    /// The most that tables of values may take in memory, as in 4GiB, 512MiB or plain bytes
    /// [default: three quarters of the memory that is free]; if they take more, they are in a file
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,
    /// The folder for that file, which has no name and goes when the check ends [default: TMPDIR]
    #[arg(long, value_name = "DIR")]
    pub scratch: Option<PathBuf>,
    /// Keep in the folder DIR, your own, the tables that have been verified, and trust what is
    /// noted there: start again with it to go on
    #[arg(long, value_name = "DIR")]
    pub journal: Option<PathBuf>,
    /// Ignore what the journal has, and begin it anew
    #[arg(long, requires = "journal")]
    pub fresh: bool,
    /// Number of threads, at most 256 [default: as many as the machine has]
    #[arg(long, value_name = "T", value_parser = RangedU64ValueParser::<usize>::new().range(1..=256))]
    threads: Option<usize>,
    /// Verify one shard of the work only, as in 3/16; exit status 5
    #[arg(long, value_name = "I/N", conflicts_with = "sample")]
    pub shard: Option<Shard>,
    /// Take tables of values that the shard does not verify from the folder DIR, and put others
    /// there; it need not be trusted
    #[arg(long, value_name = "DIR", requires = "shard", conflicts_with_all = ["journal", "sample"])]
    pub tables: Option<PathBuf>,
    /// Verify a random sample only, as in 1%; exit status 5. The start of each question can be in
    /// it as a node, so that a draw of 8 nodes has nodes=K/10
    #[arg(long, value_name = "SHARE", value_parser = parse_share, conflicts_with = "journal")]
    sample: Option<u32>,
    /// The number on which the sample depends besides the root [default: a random number, which the
    /// verdict has]
    #[arg(long, value_name = "S", requires = "sample")]
    seed: Option<u64>,
    /// No progress on standard error
    #[arg(long, short)]
    pub quiet: bool,
    /// Show how the certificate was made, as it says itself
    #[arg(long, conflicts_with = "quiet")]
    pub verbose: bool,
}

impl CheckArguments {
    /// The options that the core gets.
    pub fn options(&self) -> Options {
        let level = match self.level {
            LevelName::Exact => Level::Exact,
            LevelName::Consistent => Level::Consistent,
        };
        let memory = self.memory.unwrap_or_else(memory::default_bound);
        let mut options =
            Options { level, memory, threads: self.threads, ..Options::new(&self.db) };
        options.scratch = self.scratch.clone().unwrap_or(options.scratch);
        if !self.quiet {
            options.progress = progress();
        }
        options
    }

    /// The sample that is asked for; `None` without `--sample`.
    ///
    /// # Errors
    /// The operating system gives no random numbers for the seed.
    pub fn sample(&self) -> Result<Option<Sample>, getrandom::Error> {
        let random = || {
            let mut seed = [0; 4];
            getrandom::fill(&mut seed).map(|()| u32::from_le_bytes(seed).into())
        };
        let Some(millionths) = self.sample else { return Ok(None) };
        let seed = self.seed.map_or_else(random, Ok)?;
        Ok(Some(Sample { millionths, seed }))
    }
}

/// Progress that is printed on standard error.
pub fn progress() -> Arc<Progress> {
    Arc::new(Progress::new(say))
}

/// Prints a line of progress on standard error.
fn say(line: &str) {
    stderr::say(&format!("c {line}"));
}
