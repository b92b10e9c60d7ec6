//! Compares `check-verified` with `check` on mutants, and its moves with those of both generators.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use clap::builder::RangedU64ValueParser;
use tests::agreement::{run, successors};
use tests::mutants::base::{Selection, bases};

const AFTER_HELP: &str = "\
Examples:
  agreement certificate-spec/formal/check-verified/check-verified
  agreement certificate-spec/formal/check-verified/check-verified --small --mutants 360

The mutants are those of the program `mutants`, which writes one of them to a directory with \
--only. check-verified may verify what check refuses by a rule of form, if \
certificate-spec/formal/README.md names it and the claim is true; anything else is WRONG.

Exit status: 0 if nothing was wrong, 1 if something was, 2 for wrong usage.";

/// Compares check-verified with check on mutants, and its moves with those of both generators.
#[derive(Parser)]
#[command(name = "agreement", after_help = AFTER_HELP)]
struct Arguments {
    /// The program check-verified
    program: PathBuf,
    /// The number of mutants
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    mutants: u64,
    /// The number of random positions
    #[arg(long, value_name = "N", default_value_t = 18_000)]
    positions: u64,
    /// What both are drawn from
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// How many mutants are judged at a time, at most 256
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = RangedU64ValueParser::<usize>::new().range(1..=256))]
    threads: usize,
    /// Only the bases that are made and checked in no time
    #[arg(long)]
    small: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let root = match tempfile::tempdir() {
        Ok(root) => root,
        Err(e) => {
            eprintln!("agreement: no temporary directory: {e}");
            return ExitCode::from(2);
        }
    };
    let program = match arguments.program.canonicalize() {
        Ok(program) => program,
        Err(e) => {
            eprintln!("agreement: {}: {e}", arguments.program.display());
            return ExitCode::from(2);
        }
    };
    let Arguments { mutants, positions, seed, threads, small, .. } = arguments;
    if let Err(what) = successors::compare(&program, seed, positions, root.path()) {
        println!("WRONG {what}");
        return ExitCode::from(1);
    }
    println!("the same successors of {positions} positions");

    let selection = if small { Selection::Small } else { Selection::All };
    let bases = bases(root.path(), selection);
    let tally = run(&bases, &program, (seed, mutants), threads, root.path());
    println!("{} mutants verified by both, {} by neither", tally.verified, tally.refused);
    for (rule, n) in &tally.form {
        println!("{n} refused by check alone, by the rule of form {rule}");
    }
    tally.wrong.iter().for_each(|what| println!("WRONG {what}"));
    ExitCode::from(u8::from(!tally.wrong.is_empty()))
}
