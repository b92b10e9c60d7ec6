//! `prove replay`.

use std::path::{Path, PathBuf};

use crate::board::{PdnReader, Strictness};
use crate::cli::failure::Failure;
use crate::cli::options::notes;
use crate::cli::options::{CHECKERS, GameOption, open};
use crate::cli::output::{Format, QuietOption, ResultOptions, ResultWriter};
use crate::egdb::numbers::{counted, grouped};
use certificate_notes::one_line;
use clap::Args;
use draughtproof_play::games::{ReplayRow, Tally};
use draughtproof_proof::progress::print_line;

#[derive(Args, Debug)]
#[command(after_help = notes("replay"))]
pub(crate) struct Options {
    #[command(flatten)]
    game: GameOption,
    /// Files of games, in PDN ["-" is standard input]
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Accept only what PDN 3.0 has
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    result: ResultOptions,
    /// Only games with a fault
    #[arg(long)]
    faults: bool,
    #[command(flatten)]
    quiet: QuietOption,
}

/// Returns how strictly a file is read.
pub(crate) fn strictness(strict: bool) -> Strictness {
    if strict { Strictness::Strict } else { Strictness::Lenient }
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let mut out = options.result.begin()?;
    let mut tally = Tally::default();
    if options.result.format == Format::Tsv {
        out.line(ReplayRow::COLUMNS)?;
    }
    let mut unread = 0;
    for path in &options.files {
        unread += usize::from(!replay(options, path, &mut out, &mut tally)?);
    }
    let Tally { games, faulty, forgiven, moves } = tally;
    // Without a whole result an existing file stays as it is.
    if games > 0 && unread == 0 {
        out.finish()?;
    }
    if !options.quiet.quiet {
        let legal = games - faulty;
        print_line(&format!(
            "{}, {}: {} legal ({} of them with something forgiven), {} with a fault",
            counted(games, "game"),
            counted(moves, "move"),
            grouped(legal as u64),
            grouped(forgiven as u64),
            grouped(faulty as u64)
        ));
    }
    match tally {
        _ if unread > 0 => Err(Failure::Unread { unread, files: options.files.len() }),
        Tally { games: 0, .. } => Err(Failure::Input("expected games, found none".into())),
        Tally { faulty: 0, .. } => Ok(()),
        _ => Err(Failure::Games { faulty, games }),
    }
}

/// Reports on the games of a file. Returns whether it was read to its end.
fn replay(
    options: &Options,
    path: &Path,
    out: &mut ResultWriter,
    tally: &mut Tally,
) -> Result<bool, Failure> {
    let refused = |failure: Failure| {
        print_line(&one_line(&format!("prove: {failure}")));
        Ok(false)
    };
    let (name, source) = match open(path) {
        Ok(opened) => opened,
        Err(failure) => return refused(failure),
    };
    for game in PdnReader::new(options.game.or(CHECKERS), &name, source, strictness(options.strict))
    {
        let game = match game {
            Ok(game) => game,
            Err(error) => return refused(Failure::file(path, error)),
        };
        tally.add(&game);
        if options.faults && game.fault.is_none() {
            continue;
        }
        let row = ReplayRow::new(&name, &game);
        match options.result.format {
            Format::Text => out.line(&row.text())?,
            Format::Tsv => out.line(&row.tsv())?,
            Format::Json => out.json(&row)?,
        }
    }
    Ok(true)
}
