//! Compares `check-verified` with `check` on mutants, and its moves with those of both generators.

use tests::prelude::*;

use clap::Parser;
use tests::agreement::{compare, run};
use tests::mutants::base::bases;
use tests::mutants::campaign::DrawOptions;

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
    #[command(flatten)]
    draw: DrawOptions,
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
    let Arguments { mutants, positions, draw, .. } = arguments;
    if let Err(what) = compare(&program, draw.seed, positions, root.path()) {
        println!("WRONG {what}");
        return ExitCode::from(1);
    }
    println!("the same successors of {positions} positions");

    let bases = bases(root.path(), draw.selection());
    let tally = run(&bases, &program, (draw.seed, mutants), draw.threads, root.path());
    println!("{} mutants verified by both, {} by neither", tally.verified, tally.refused);
    for (rule, n) in &tally.form {
        println!("{n} refused by check alone, by the rule of form {rule}");
    }
    tally.wrong.iter().for_each(|what| println!("WRONG {what}"));
    ExitCode::from(u8::from(!tally.wrong.is_empty()))
}
