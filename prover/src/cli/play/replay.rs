//! `prove replay`.

use std::path::{Path, PathBuf};

use certificate_notes::one_line;
use clap::Args;
use draughtproof_play::games::{ReplayRow, Tally};
use draughtproof_proof::progress::print_line;

use crate::board::{PdnReader, Strictness};
use crate::cli::failure::Failure;
use crate::cli::options::game_files::open;
use crate::cli::options::{CHECKERS, GameOption};
use crate::cli::output::{Format, QuietOption, ResultOptions, ResultWriter};
use crate::egdb::numbers::{counted, grouped};

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  prove replay games.pdn
  prove replay --format tsv games.pdn more.pdn >games.tsv
  prove replay --strict - <games.pdn
  prove replay --game 6x6 small.pdn

Prints a line for each game: number, the line on which it begins, legal or fault, moves, result, players, \
event; if something is wrong, where and what. A game with a fault does not lose the others. Forgiven is what \
the grammar of PDN 3.0 for reading does not have: bare words, results that are missing before the next game or \
are not that of the tag Result, 10x14 for a move and 10-17 for a capture, blanks within moves and results, other \
dashes, blanks and signs than those of ASCII, ; before a comment, a strength that is not right behind its move, \
variations without moves, captures that only the moves that follow make clear; --strict takes these for faults. \
What may be a part of a move is a fault in any case. A game may have 1 MiB of text. In tsv and \
json a line has file, game, line, status, event, black, white, result, moves, forgiven, at (line and column), \
what. A count of all games goes to standard error. A file that cannot be read is reported, \
and the next one is read.

Exit status: 0 if all games are legal, 1 if one has a fault, 2 for wrong usage or if there is no game, 3 if \
a file cannot be read.")]
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
