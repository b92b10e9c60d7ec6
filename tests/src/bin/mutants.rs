//! Changes valid certificates and databases at random and lets `check` judge them.

use std::io;
use tests::prelude::*;

use clap::{Parser, ValueEnum};
use tests::mutants::base::{Base, bases};
use tests::mutants::campaign::DrawOptions;
use tests::mutants::campaign::{Plan, run};
use tests::mutants::{CLASSES, Mutant};

const AFTER_HELP: &str = "\
Examples:
  mutants                                   100,000 mutants, a table and a line that sums it up
  mutants --mutants 1000000 --threads 2 --format tsv >mutants.tsv
  mutants --seed 7 --only 4711 --keep DIR   mutant 4711 of seed 7, to look at

Mutant N of a seed is always the same. One that is VERIFIED must be shown to be still a proof: its \
files are bound by its hashes, every value in its database is that of a builder in memory, its \
positions support each other as fixed points over the prover's moves, and each has the value that \
is claimed for it. Anything else is WRONG; so is a panic, a check that hangs, an ERROR where there \
is something to check, and a program that says something else than the library. An ERROR is right \
where the claim is about a board without a database, or the folder is no certificate.

Exit status: 0 if nothing was wrong, 1 if something was, 2 for wrong usage.";

/// Lets `check` judge valid certificates and databases that were changed at random.
#[derive(Parser)]
#[command(name = "mutants", after_help = AFTER_HELP)]
struct Arguments {
    /// The number of mutants
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    mutants: u64,
    #[command(flatten)]
    draw: DrawOptions,
    /// One in N of each class is also given to the program `check`
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u64).range(1..))]
    sample: u64,
    /// The format of the outcome
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Write the mutant of this number to the directory given by --keep, and check nothing
    #[arg(long, value_name = "N", requires = "keep")]
    only: Option<u64>,
    /// A new directory, for --only
    #[arg(long, value_name = "DIR", requires = "only")]
    keep: Option<PathBuf>,
    /// No progress on standard error
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Text,
    Tsv,
}

/// Writes a mutant to a directory and tells which of its files differ from its base's.
fn keep(bases: &[Base], seed: u64, number: u64, directory: &Path) -> io::Result<()> {
    let mutant = Mutant::new(bases, seed, number);
    let base = &bases[mutant.base];
    println!("{} of {}", CLASSES[mutant.class].name, base.name);
    let gone = base.files.keys().filter(|name| !mutant.files.contains_key(*name));
    gone.for_each(|name| println!("missing: {name}"));
    fs::create_dir(directory)?;
    for (name, bytes) in &mutant.files {
        if base.files.get(name) != Some(bytes) {
            println!("other: {name}");
        }
        let path = directory.join(name);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(path, bytes)?;
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let root = match tempfile::tempdir() {
        Ok(root) => root,
        Err(e) => {
            eprintln!("mutants: no temporary directory: {e}");
            return ExitCode::from(2);
        }
    };
    let bases = bases(root.path(), arguments.draw.selection());
    if let (Some(number), Some(directory)) = (arguments.only, &arguments.keep) {
        return match keep(&bases, arguments.draw.seed, number, directory) {
            Ok(()) => ExitCode::SUCCESS,
            Err(e) => {
                eprintln!("mutants: {}: {e}", directory.display());
                ExitCode::from(2)
            }
        };
    }
    let plan = Plan {
        mutants: arguments.mutants,
        seed: arguments.draw.seed,
        threads: arguments.draw.threads,
        sample: arguments.sample,
        progress: !arguments.quiet,
    };
    let tally = run(&bases, &plan, root.path());
    let printed = match arguments.format {
        Format::Text => tally.text(),
        Format::Tsv => tally.tsv(),
    };
    print!("{printed}");
    ExitCode::from(u8::from(!tally.total().wrong.is_empty()))
}
