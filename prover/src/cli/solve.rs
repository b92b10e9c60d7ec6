//! `prove solve`.

use clap::Args;

use super::common::{Failure, MachineOptions, StoredOptions, TableOption, each_fen};
use super::probe::word;
use super::start::StartOptions;
use crate::board::{Position, Side};
use crate::egdb::Value;
use crate::search::{Outcome, Search};

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  prove solve --nodes 1000000                           the start of 6x6
  prove solve --game 8x8 --nodes 100000 <positions.txt
  prove solve --game 8x8 --nodes 100000 --opening 13

Prints FEN<TAB>value or bound<TAB>nodes for the side to move: win, draw, loss, >=draw, <=draw or unknown. \
The questions whether the side to move wins and whether it loses are searched in turn, with more nodes each \
time; what one leaves the other may have. Every answer has been verified by replaying its strategy. Databases \
that are there are used.")]
pub(super) struct Options {
    #[command(flatten)]
    stored: StoredOptions,
    /// Nodes for each position
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    nodes: u64,
    /// Positions [default: one a line on standard input, or "start" for that of the game]
    #[arg(value_name = "FEN", conflicts_with = "start")]
    fens: Vec<String>,
    #[command(flatten)]
    table: TableOption,
    #[command(flatten)]
    start: StartOptions,
    #[command(flatten)]
    machine: MachineOptions,
}

/// Nodes for either question at first.
const FIRST_SHARE: u64 = 2_000;

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let board = options.stored.board();
    options.machine.start()?;
    let database = options.stored.load_if_there(&options.machine)?;
    let game = &options.stored.game.game;
    let start = board.write_fen(&game.start());
    let mut fens = options.start.or_fens(game, &options.fens)?;
    fens.iter_mut().filter(|fen| *fen == "start").for_each(|fen| fen.clone_from(&start));
    options.table.check(options.nodes, 2, options.machine.memory())?;
    let bar = options.machine.progress().start("search".into(), 0, "nodes searched");
    let watch = |nodes, _| {
        bar.add(nodes);
        false
    };
    let search =
        |attacker| Search::new(board, &database, attacker, options.table.bytes).watched(&watch);
    let done = each_fen(board, &fens, |position| {
        let (answer, nodes) = solve(search, position, options.nodes);
        Ok(format!("{answer}\t{nodes}"))
    });
    bar.finish();
    done
}

/// One of the two questions.
struct Question<'a> {
    search: Search<'a>,
    answer: Option<bool>,
}

impl<'a> Question<'a> {
    fn run(&mut self, position: &Position, nodes: u64) {
        let answer = match self.search.run(position, nodes) {
            Outcome::Unknown { .. } => return,
            outcome => outcome == Outcome::Proved,
        };
        // An answer without a strategy to show for it would be a mistake: it counts as none.
        self.answer = self.search.strategy(position).is_ok().then_some(answer);
    }
}

fn solve<'a>(
    search: impl Fn(Side) -> Search<'a>,
    position: &Position,
    nodes: u64,
) -> (&'static str, u64) {
    let mut questions = [position.turn, position.turn.opponent()]
        .map(|attacker| Question { search: search(attacker), answer: None });
    let spent = |q: &[Question<'_>; 2]| q[0].search.nodes() + q[1].search.nodes();
    // In turn, so that an easy answer to either is found before much is spent on the other.
    let (mut share, mut before) = (FIRST_SHARE, u64::MAX);
    while spent(&questions) != before {
        before = spent(&questions);
        for i in 0..questions.len() {
            let share = share.min(nodes.saturating_sub(spent(&questions)));
            if questions[i].answer.is_none() && questions[1 - i].answer != Some(true) && share > 0 {
                questions[i].run(position, share);
            }
        }
        share += share / 2;
    }
    let [win, loss] = &questions;
    let answer = match (win.answer, loss.answer) {
        (Some(true), _) => word(Some(Value::Win)),
        (_, Some(true)) => word(Some(Value::Loss)),
        (Some(false), Some(false)) => word(Some(Value::Draw)),
        (Some(false), None) => "<=draw",
        (None, Some(false)) => ">=draw",
        (None, None) => word(None),
    };
    (answer, spent(&questions))
}
