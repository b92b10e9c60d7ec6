//! `prove play`.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;

use crate::board::Side;
use crate::cli::failure::Failure;
use crate::cli::options::notes;
use crate::cli::options::{
    CertificateOptions, LimitOptions, MachineOptions, StartOptions, StoredOptions, ValuesOptions,
};
use certificate_spec::text::without_mark;
use clap::{Args, ValueEnum};
use draughtproof_play::lookup::{Found, Lookup};
use draughtproof_play::opponent::{GameRecord, GameResult, Opponent};
use draughtproof_proof::heuristic::{Heuristic, Limits};

const HELP: &str = "\
11-15   make a move; 22x15, or 22x15x8 where there are several
back    take back your last move and the answer
hint    what would be answered in your place
board   show the board
pdn     show the game so far in PDN
quit    end, as the end of input does";

#[derive(Args, Debug)]
#[command(after_help = notes("play"))]
pub(crate) struct Options {
    /// The folder of a certificate, whose proof answers; its game and start are played
    #[arg(value_name = "CERT")]
    certificate: Option<PathBuf>,
    #[command(flatten)]
    certificates: CertificateOptions,
    #[command(flatten)]
    stored: StoredOptions,
    #[command(flatten)]
    values: ValuesOptions,
    #[command(flatten)]
    start: StartOptions,
    /// The side that you play [default: the side to move]
    #[arg(long, value_enum)]
    side: Option<SideOption>,
    #[command(flatten)]
    limits: LimitOptions,
    #[command(flatten)]
    machine: MachineOptions,
}

/// The default limit of nodes for an answer.
const NODES: u64 = 200_000;

#[derive(ValueEnum, Debug, Clone, Copy)]
enum SideOption {
    /// Moves first at the start of a game
    Black,
    /// Moves second
    White,
}

pub(crate) fn run(options: Options) -> Result<(), Failure> {
    options.machine.start()?;
    options.stored.use_board_if(|game| options.start.fits(game));
    let certificate = options.certificate.as_deref();
    let used = options.certificates.read_after(certificate, &options.stored)?;
    let limits = options.limits.limits(Limits { nodes: NODES, ..Limits::default() });
    let stored = &used.stored;
    let game = stored.game();
    let usual = used.start.unwrap_or_else(|| game.start());
    let start = options.start.given(game)?.unwrap_or(usual);
    let values = stored.open_if_there(&options.machine, &options.values)?;
    let depths = if values.cover().is_empty() { None } else { Some(stored.depths()?) };
    let board = &game.board;
    let proofs = &used.proofs;
    let found = Some(&Found::new(board, Found::MEMORY));
    let lookup = Lookup { board, values: &values, depths: depths.as_ref(), proofs, found };
    let opponent = Opponent { limits, ..Opponent::new(lookup, Heuristic::new(board, &values)) };
    let user = match options.side {
        None => start.turn,
        Some(SideOption::Black) => Side::Black,
        Some(SideOption::White) => Side::White,
    };
    let record = GameRecord::new(game.clone(), start);
    Table { record, opponent, user, out: io::stdout().lock() }.play()
}

/// A game under way.
struct Table<'a, W> {
    record: GameRecord,
    opponent: Opponent<'a>,
    user: Side,
    out: W,
}

impl<W: Write> Table<'_, W> {
    fn play(&mut self) -> Result<(), Failure> {
        self.show_board()?;
        self.answer()?;
        let is_terminal = io::stdin().is_terminal();
        let mut lines = io::stdin().lock().lines();
        loop {
            if is_terminal {
                write!(self.out, "> ")?;
            }
            // A program that plays waits for each answer.
            self.out.flush()?;
            let Some(line) = lines.next().transpose()? else { return Ok(()) };
            match without_mark(&line).trim() {
                "" => {}
                "quit" => return Ok(()),
                "help" => writeln!(self.out, "{HELP}")?,
                "board" => self.show_board()?,
                "pdn" => write!(self.out, "{}", self.record.pdn()?)?,
                "hint" => self.hint()?,
                "back" => self.back()?,
                text => self.make_move(text)?,
            }
        }
    }

    fn show_board(&mut self) -> Result<(), Failure> {
        let board = self.record.board();
        let position = self.record.position();
        write!(self.out, "{}\n{}", board.write_fen(position), board.draw(position))?;
        let turn = position.turn;
        match self.record.result() {
            GameResult::Open => writeln!(self.out, "{turn:?} to move")?,
            GameResult::Won(side) => {
                writeln!(self.out, "{turn:?} has no move: {side:?} has won")?;
            }
            GameResult::Draw => {
                writeln!(self.out, "a draw: the position has come up three times")?;
            }
        }
        Ok(())
    }

    /// Plays the program's move, if it is not the user's turn.
    fn answer(&mut self) -> Result<(), Failure> {
        let turn = self.record.position().turn;
        if turn == self.user || self.record.result() != GameResult::Open {
            return Ok(());
        }
        let Some(choice) = self.opponent.choose(&self.record)? else { return Ok(()) };
        let move_name = self.record.board().write_move(self.record.position(), &choice.after)?;
        self.record.push(choice.after)?;
        writeln!(self.out, "{turn:?} plays {move_name} ({})", choice.source)?;
        self.show_board()
    }

    fn hint(&mut self) -> Result<(), Failure> {
        match self.opponent.choose(&self.record)? {
            Some(choice) => {
                let from = self.record.position();
                let move_name = self.record.board().write_move(from, &choice.after)?;
                writeln!(self.out, "{move_name} ({})", choice.source)?;
            }
            None => writeln!(self.out, "there is no move")?,
        }
        Ok(())
    }

    fn back(&mut self) -> Result<(), Failure> {
        if self.record.take_back(self.user) {
            return self.show_board();
        }
        Ok(writeln!(self.out, "there is no move to take back")?)
    }

    fn make_move(&mut self, text: &str) -> Result<(), Failure> {
        if self.record.result() != GameResult::Open {
            return Ok(writeln!(self.out, "the game is over; back takes moves back")?);
        }
        match self.record.board().read_move(self.record.position(), text) {
            Ok(after) => {
                self.record.push(after)?;
                if self.record.result() != GameResult::Open {
                    return self.show_board();
                }
                self.answer()
            }
            Err(error) => Ok(writeln!(self.out, "{error}; help lists what can be typed")?),
        }
    }
}
