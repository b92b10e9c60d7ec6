//! `prove db`: one command for each thing that is done to a database.

use super::{build, exchange, slice, tables};
use crate::cli::failure::Failure;
use crate::cli::options::notes;
use clap::{Args, Subcommand};

#[derive(Args, Debug)]
// The options of `build` have the group of this name.
#[group(skip)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = notes("db")
)]
pub(crate) struct Options {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    build: build::Options,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Build a database, or verify and extend the one that is there.
    Build(build::Options),
    /// Build some slices from finished ones, beside other processes and machines.
    Slice(slice::Options),
    /// Make the tables that searches map into memory.
    Map(tables::MapOptions),
    /// Remove those tables.
    Unmap(tables::UnmapOptions),
    /// Write a database to a directory that can be copied.
    Export(exchange::ExportOptions),
    /// Take a database from such a directory.
    Import(exchange::ImportOptions),
    /// Compare the values of another program with a database.
    Compare(exchange::CompareOptions),
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    match &options.command {
        None => build::run(&options.build),
        Some(Command::Build(options)) => build::run(options),
        Some(Command::Slice(options)) => slice::run(options),
        Some(Command::Map(options)) => tables::run_map(options),
        Some(Command::Unmap(options)) => tables::run_unmap(options),
        Some(Command::Export(options)) => exchange::run_export(options),
        Some(Command::Import(options)) => exchange::run_import(options),
        Some(Command::Compare(options)) => exchange::run_compare(options),
    }
}
