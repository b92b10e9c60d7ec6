//! The spelling of `prove db` in earlier versions, in which options chose what is a command now.

use std::path::PathBuf;

use clap::Args;

use super::build::{self, Besides};
use super::{compare, exchange, slice, tables};
use crate::cli::failure::Failure;
use crate::cli::options::{BuildOptions, ValuesOptions};
use crate::egdb::Slice;

/// The options by which earlier versions chose what is a command now. They are still understood.
#[derive(Args, Debug)]
pub(super) struct EarlierOptions {
    #[arg(long = "slice", hide = true, value_name = "A-B-C-D", value_parser = slice::parse_slice,
          conflicts_with_all = ["depth", "partly", "map_space", "unmap", "export", "import", "compare"])]
    slices: Vec<Slice>,
    #[arg(long, hide = true)]
    map: bool,
    #[arg(long, hide = true, conflicts_with_all = ["map", "depth", "partly", "map_space", "store"])]
    unmap: bool,
    #[arg(long, hide = true, value_name = "OUT",
          conflicts_with_all = ["map", "depth", "partly", "map_space", "unmap", "store"])]
    export: Option<PathBuf>,
    #[arg(long, hide = true, value_name = "FROM", conflicts_with_all = ["export", "unmap", "store"])]
    import: Option<PathBuf>,
    #[arg(long, hide = true, value_name = "FILE",
          conflicts_with_all = ["export", "import", "map", "depth", "partly", "unmap", "store"])]
    compare: Option<PathBuf>,
}

impl EarlierOptions {
    /// The commands that do what the given options asked for, in order.
    fn commands(&self) -> Vec<&'static str> {
        if !self.slices.is_empty() {
            return vec!["slice A-B-C-D"];
        }
        if self.unmap {
            return vec!["unmap"];
        }
        if self.export.is_some() {
            return vec!["export OUT"];
        }
        if self.compare.is_some() {
            return vec!["compare FILE"];
        }
        let mut commands = Vec::new();
        if self.import.is_some() {
            commands.push("import FROM");
        }
        if self.import.is_some() || self.map {
            commands.push("build");
        }
        if self.map {
            commands.push("map");
        }
        commands
    }
}

/// Builds a database, or does what the options of earlier versions ask for, and says how that is
/// written now.
pub(super) fn run(options: build::Options, earlier: EarlierOptions) -> Result<(), Failure> {
    let commands: Vec<String> =
        earlier.commands().iter().map(|command| format!("`prove db {command}`")).collect();
    if !commands.is_empty() {
        let progress = options.build.machine.progress();
        progress.say(format!("prove db: the new spelling is {}", commands.join(", then ")));
    }
    if !earlier.slices.is_empty() {
        return slice::run(&slice::Options {
            slices: earlier.slices,
            build: options.build,
            store: options.store,
            map: earlier.map,
            result: options.result,
        });
    }
    if earlier.unmap {
        let BuildOptions { game, db, machine, .. } = options.build;
        let quiet = machine.quiet;
        return tables::run_unmap(&tables::UnmapOptions {
            game,
            db,
            result: options.result,
            quiet,
        });
    }
    if let Some(directory) = earlier.export {
        let (stored, machine) = options.build.into_stored()?;
        let quiet = machine.quiet;
        let result = options.result;
        return exchange::run_export(&exchange::ExportOptions { directory, stored, result, quiet });
    }
    if let Some(file) = earlier.compare {
        let (stored, machine) = options.build.into_stored()?;
        let values = ValuesOptions::default();
        let result = options.result;
        return compare::run(&compare::Options { file, stored, values, result, machine });
    }
    build::run(&options, &Besides { import: earlier.import.as_deref(), map: earlier.map })
}
