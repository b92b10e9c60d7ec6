//! The full job: databases, proof, certificate.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use certificate_spec::Digest;
use certificate_spec::claim::{Claim, Question, Value};
use clap::{Args, ValueEnum};

use super::common::{
    ClaimOption, DatabaseOption, Failure, GameOption, MachineOptions, TableOption, bytes,
    check_pieces, database, if_assumed,
};
use super::start::StartOptions;
use crate::board::{Position, Side};
use crate::egdb::{Store, Values};
use crate::emit::{Certificate, Section, Target};
use crate::ensure::default_pieces;
use crate::proof::{Ground, Iteration, Manager, Results, Stop, Thresholds, Tree, Verdict, Workers};
use crate::search::{Outcome, known};

#[derive(Args, Debug)]
pub(super) struct Options {
    /// Directory to write the certificate to; must not exist, be empty, or hold the same certificate or one of the
    /// same proof before it was finished
    #[arg(long, value_name = "DIR", required = true)]
    emit: Option<PathBuf>,
    #[command(flatten)]
    game: GameOption,
    #[command(flatten)]
    start: StartOptions,
    /// What to prove
    #[arg(long, value_enum, default_value = "value")]
    claim: ClaimOption,
    /// Use the database with at most N pieces; 0 for none [default: the most that take at
    /// most 25 MiB in memory, but fewer than the start position has, and at least 2; 6 on 6x6]
    #[arg(long, value_name = "N")]
    pieces: Option<u8>,
    #[command(flatten)]
    db: DatabaseOption,
    /// Budget of a leaf search: what takes more nodes is expanded into the proof tree. With 4000000000, 7x7
    /// and 6x8 are decided by a single search for each question
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    leaf_nodes: u64,
    #[command(flatten)]
    table: TableOption,
    /// Give up a question after so many nodes [default: never]
    #[arg(long, value_name = "N")]
    max_nodes: Option<u64>,
    /// First take positions for decided that are scored beyond ±T hundredths of a man
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(i32).range(1..10_000))]
    threshold: Option<i32>,
    /// Then raise the threshold by D, again and again, until nothing is taken for granted
    #[arg(long, value_name = "D", default_value_t = 50, requires = "threshold",
          value_parser = clap::value_parser!(i32).range(1..10_000))]
    increment: i32,
    /// Stop at threshold T; the certificate is conditional on what is beyond it
    #[arg(long, value_name = "T", requires = "threshold",
          value_parser = clap::value_parser!(i32).range(1..10_000))]
    until_threshold: Option<i32>,
    /// Decide the last position of the first game in FILE (PDN) first, then the one before it, and so on
    #[arg(long, value_name = "FILE")]
    seed_line: Option<PathBuf>,
    /// Where results of searches are kept, to go on from and to use again, and beside it long searches that are
    /// under way [default: DIR/<RxC>.results in the directory of the databases]
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    #[command(flatten)]
    machine: MachineOptions,
}

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let Some(directory) = &options.emit else {
        return Err(Failure::Input("--emit DIR: expected a directory for the certificate".into()));
    };
    let board = &options.game.game.board;
    let start = options.start.position(&options.game.game)?;
    let pieces = options.pieces.unwrap_or_else(|| default_pieces(board, start.pieces()));
    if pieces != 0 {
        check_pieces(board, pieces)?;
    }
    if let (Some(first), Some(until)) = (options.threshold, options.until_threshold)
        && until < first
    {
        let what = format!("expected at least the {first} of --threshold, found {until}");
        return Err(Failure::Input(format!("--until-threshold: {what}")));
    }
    let seed = options.seed(&start)?;
    let target = Target::new(directory)?;
    options.machine.start()?;
    let progress = options.machine.progress();
    let begin = Instant::now();
    // First, so that what is wrong with it is said before hours go into a database.
    let name = format!("{}.results", board.name());
    let results = options.results.clone().unwrap_or_else(|| options.db.db.join(name));
    let results = Results::open(&results)?;

    let (database, root) = if pieces == 0 {
        (Values::empty(board), None)
    } else {
        let database = database(&options.machine, &options.db, board, pieces)?;
        let manifest = Store::new(&options.db.db, board).manifest()?;
        (database, Some(manifest.up_to(pieces).root()))
    };
    let database_done = begin.elapsed();

    let workers = options.machine.workers() as u64;
    options.table.check(options.leaf_nodes, workers, options.machine.memory())?;
    let ground = Ground { board, database: &database, root: root.unwrap_or(Digest([0; 32])) };
    let about = options.about(&start, pieces, &seed);
    let workers = Workers::new(options.machine.workers());
    let job = Job { options, ground: &ground, start: &start, seed, about, results, workers };
    stop_when_asked()?;
    let Made { value, sections, undecided } = job.sections()?;
    let proof_done = begin.elapsed();

    let claim = Claim {
        game: options.game.game.to_string(),
        start: board.write_fen(&start),
        value,
        pieces,
        database: root,
    };
    write(&claim, &sections, target, directory)?;
    progress.say(format!(
        "database {:.1} s, proof {:.1} s, all {:.1} s; now: check {} --db {}",
        database_done.as_secs_f64(),
        (proof_done - database_done).as_secs_f64(),
        begin.elapsed().as_secs_f64(),
        directory.display(),
        options.db.db.display()
    ));
    if undecided.is_none() {
        for (file, size) in job.results.searches_kept() {
            progress.say(format!(
                "{}: a search is kept there that this proof has not needed ({}); remove it unless another proof is to go on with it",
                file.display(),
                bytes(size as f64)
            ));
        }
    }
    // What was emitted instead is no more than what there is.
    undecided.map_or(Ok(()), |why| Err(Failure::Undecided(why)))
}

/// Writes a certificate, and says what it is.
pub(super) fn write(
    claim: &Claim,
    sections: &[Section],
    target: Target,
    directory: &Path,
) -> Result<(), Failure> {
    let certificate = Certificate::new(claim, sections);
    certificate.write(target)?;
    let (nodes, leaves) =
        sections.iter().map(Section::size).fold((0, 0), |(n, l), (m, k)| (n + m, l + k));
    let assumed = if_assumed(sections.iter().map(Section::assumed).sum());
    let mut out = io::stdout().lock();
    writeln!(out, "{} {} from {}{assumed}", claim.value.word(), claim.game, claim.start)?;
    writeln!(
        out,
        "certificate {}: {nodes} nodes, {leaves} leaves, {} bytes, root={}",
        directory.display(),
        certificate.bytes(),
        certificate.root()
    )?;
    Ok(())
}

/// Set when somebody wants to interrupt the proof.
static STOP: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C and its like end the proof at the next occasion; the second time the process.
fn stop_when_asked() -> Result<(), Failure> {
    let stop = || {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    };
    match ctrlc::set_handler(stop) {
        Ok(()) | Err(ctrlc::Error::MultipleHandlers) => Ok(()),
        Err(e) => Err(Failure::Resource(format!("cannot handle signals: {e}"))),
    }
}

impl Options {
    /// The positions of the seed line.
    fn seed(&self, start: &Position) -> Result<Vec<Position>, Failure> {
        let Some(path) = &self.seed_line else { return Ok(Vec::new()) };
        let text =
            std::fs::read(path).map_err(|source| Failure::File { path: path.clone(), source })?;
        let name = path.display().to_string();
        let games =
            self.game.game.read_pdn(&name, &text).map_err(|e| Failure::Input(e.to_string()))?;
        let game = games.first().ok_or_else(|| {
            Failure::Input(format!("{}: expected a game, found none", path.display()))
        })?;
        // What was played before the start is no part of the tree.
        let line = std::iter::once(&game.start).chain(&game.positions);
        let mut line = line.skip_while(|p| *p != start).copied();
        if line.next().is_none() {
            let start = self.game.game.board.write_fen(start);
            let what = format!("expected a game through {start}, found none");
            return Err(Failure::Input(format!("{}: {what}", path.display())));
        }
        Ok(std::iter::once(*start).chain(line).collect())
    }

    /// The options that have a bearing on the certificate, a line each.
    fn about(&self, start: &Position, pieces: u8, seed: &[Position]) -> Vec<String> {
        let game = &self.game.game;
        let fen = (*start != game.start()).then(|| game.board.write_fen(start));
        let claim = self.claim.to_possible_value().map(|value| value.get_name().to_string());
        let increment = self.threshold.map(|_| self.increment);
        let moves = seed.windows(2).filter_map(|w| game.board.write_move(&w[0], &w[1]).ok());
        let seed = (!seed.is_empty()).then(|| moves.collect::<Vec<_>>().join(" "));
        let options = [
            ("option --game", Some(game.to_string())),
            ("option --fen", fen),
            ("option --claim", claim),
            ("option --pieces", Some(pieces.to_string())),
            ("option --leaf-nodes", Some(self.leaf_nodes.to_string())),
            ("option --leaf-table", Some(self.table.bytes.to_string())),
            ("option --max-nodes", self.max_nodes.map(|n| n.to_string())),
            ("option --threshold", self.threshold.map(|t| t.to_string())),
            ("option --increment", increment.map(|d| d.to_string())),
            ("option --until-threshold", self.until_threshold.map(|t| t.to_string())),
            ("seed-line", seed),
        ];
        options.into_iter().filter_map(|(name, value)| Some(format!("{name} {}", value?))).collect()
    }
}

struct Job<'a> {
    options: &'a Options,
    ground: &'a Ground<'a>,
    start: &'a Position,
    seed: Vec<Position>,
    /// The lines about the options.
    about: Vec<String>,
    results: Results,
    workers: Workers,
}

/// What is to be emitted.
struct Made {
    value: Value,
    sections: Vec<Section>,
    /// Why it is not all that was asked for.
    undecided: Option<String>,
}

/// An answer to one of the questions.
struct Answered {
    /// What shows it, if it is one that can be emitted.
    section: Option<Section>,
    /// Why it is none or does not hold for certain.
    undecided: Option<String>,
}

impl Job<'_> {
    fn sections(&self) -> Result<Made, Failure> {
        let (value, attacker, question) = match self.options.claim {
            ClaimOption::BlackNotLost => (Value::BlackNotLost, Side::White, Question::BlackNotLost),
            ClaimOption::WhiteNotLost => (Value::WhiteNotLost, Side::Black, Question::WhiteNotLost),
            ClaimOption::Value => return self.value(),
        };
        let Answered { section, undecided } = self.ask(attacker, &|| false)?;
        let Some(section) = section else {
            return Err(Failure::Undecided(undecided.unwrap_or_default()));
        };
        if section.question() != question {
            let assumed = if_assumed(section.assumed());
            let does_not_hold = format!("the claim does not hold: {attacker:?} wins{assumed}");
            return Err(Failure::Undecided(undecided.unwrap_or(does_not_hold)));
        }
        Ok(Made { value, sections: vec![section], undecided })
    }

    /// Asks both questions. If one side wins there is no need for an answer to the other one.
    fn value(&self) -> Result<Made, Failure> {
        let [white, black] = self.ask_both()?;
        let wins = |answered: &Answered, question| {
            answered.section.as_ref().is_some_and(|section| section.question() == question)
        };
        let (value, undecided, sections) = if wins(&white, Question::WhiteWins) {
            (Value::WhiteWins, white.undecided, vec![white.section])
        } else if wins(&black, Question::BlackWins) {
            (Value::BlackWins, black.undecided, vec![black.section])
        } else {
            let undecided = white.undecided.or(black.undecided);
            let value = match (&white.section, &black.section) {
                (Some(_), Some(_)) => Value::Draw,
                // Half of the answer is better than none.
                (Some(_), None) if self.is_partial() => Value::BlackNotLost,
                (None, Some(_)) if self.is_partial() => Value::WhiteNotLost,
                _ => return Err(Failure::Undecided(undecided.unwrap_or_default())),
            };
            (value, undecided, vec![white.section, black.section])
        };
        Ok(Made { value, sections: sections.into_iter().flatten().collect(), undecided })
    }

    /// Does White win, does Black? Both at the same time, if there is more than one worker.
    fn ask_both(&self) -> Result<[Answered; 2], Failure> {
        let is_win = |q| matches!(q, Question::WhiteWins | Question::BlackWins);
        let is_needless = [AtomicBool::new(false), AtomicBool::new(false)];
        let needless = |i: usize| is_needless[i].store(true, Ordering::Relaxed);
        let ask = |attacker, i: usize| {
            let answered = self.ask(attacker, &|| is_needless[i].load(Ordering::Relaxed));
            let settles_all = match &answered {
                // Under a threshold both may seem to win. Then it is White, whoever is first.
                Ok(Answered { section: Some(section), .. }) => {
                    is_win(section.question())
                        && (attacker == Side::White || self.options.threshold.is_none())
                }
                Ok(_) => false,
                Err(_) => true,
            };
            if settles_all {
                needless(1 - i);
            }
            answered
        };
        if self.workers.number() == 1 {
            return Ok([ask(Side::White, 0)?, ask(Side::Black, 1)?]);
        }
        std::thread::scope(|scope| {
            let black = scope.spawn(|| ask(Side::Black, 1));
            let white = ask(Side::White, 0);
            let black = black.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            Ok([white?, black?])
        })
    }

    /// Whether something is to be emitted even if it is not finished.
    fn is_partial(&self) -> bool {
        self.options.threshold.is_some() || STOP.load(Ordering::Relaxed)
    }

    /// Does `attacker` win? There is no answer once it is needless.
    fn ask(
        &self,
        attacker: Side,
        is_needless: &(dyn Fn() -> bool + Sync),
    ) -> Result<Answered, Failure> {
        let Job { options, ground, start, .. } = *self;
        if let Some(won) = known(ground.database, attacker, start) {
            let section = Section::empty(match (attacker, won) {
                (Side::Black, true) => Question::BlackWins,
                (Side::White, true) => Question::WhiteWins,
                (Side::Black, false) => Question::WhiteNotLost,
                (Side::White, false) => Question::BlackNotLost,
            });
            let section = Some(section.about(self.about.clone()));
            return Ok(Answered { section, undecided: None });
        }
        let manager = Manager {
            leaf_nodes: options.leaf_nodes.max(1),
            leaf_table: options.table.bytes,
            max_nodes: options.max_nodes.unwrap_or(u64::MAX),
            thresholds: options.threshold.map(|first| Thresholds {
                first,
                increment: options.increment,
                until: options.until_threshold,
            }),
            seed: self.seed.clone(),
            workers: self.workers.clone(),
        };
        let progress = options.machine.progress();
        let is_stopped = || STOP.load(Ordering::Relaxed) || is_needless();
        let (mut tree, verdict) =
            manager.prove(ground, attacker, start, &self.results, &is_stopped, &progress)?;
        if verdict.stop == Stop::Interrupted && is_needless() {
            return Ok(Answered { section: None, undecided: None });
        }
        if options.threshold.is_some() {
            verdict.history.iter().for_each(|iteration| progress.say(line_of(iteration)));
        }
        let (nodes, mut undecided) = (verdict.nodes, None);
        if let Outcome::Unknown { proof, disproof } = verdict.outcome {
            let numbers = match verdict.searches {
                // Before a search has ended they are no more than an estimate.
                0 => String::new(),
                _ => format!(" (proof number {proof}, disproof number {disproof})"),
            };
            let why = match verdict.stop {
                Stop::Interrupted => format!(
                    "interrupted before it was decided whether {attacker:?} wins{numbers}: the same \
                     command goes on from here"
                ),
                _ => format!(
                    "not decided whether {attacker:?} wins within {nodes} nodes{numbers}: allow more \
                     --max-nodes or --pieces"
                ),
            };
            if !self.is_partial() || !assume(&mut tree, &verdict) {
                return Ok(Answered { section: None, undecided: Some(why) });
            }
            undecided = Some(why);
        }
        let history = verdict.history.iter().map(line_of);
        let about = self.about.iter().cloned().chain(history).collect();
        let section = Section::new(&tree)?.about(about);
        let answer = if tree.outcome() == Outcome::Proved { "yes" } else { "no" };
        let assumed = if_assumed(section.assumed());
        progress.say(format!(
            "does {attacker:?} win? {answer}{assumed}: {nodes} nodes in {} searches, tree {}",
            verdict.searches,
            tree.nodes().len()
        ));
        Ok(Answered { section: Some(section), undecided })
    }
}

/// Takes for decided what is beyond the largest threshold at which the root of an unfinished tree is
/// decided; says whether there is one.
fn assume(tree: &mut Tree<'_>, verdict: &Verdict) -> bool {
    const STEP: i32 = 10;
    let most = verdict.history.iter().filter_map(|i| i.threshold).max();
    let most =
        most.unwrap_or_else(|| tree.nodes().iter().map(|n| n.score().abs()).max().unwrap_or(0));
    let thresholds: Vec<i32> = (1..=most).rev().step_by(STEP as usize).chain([1, 0]).collect();
    let mut is_decided = |threshold| {
        tree.update(Some(threshold));
        !matches!(tree.outcome(), Outcome::Unknown { .. })
    };
    // The lower it is the more is taken for decided, and what was decided before stays so.
    let first = thresholds.partition_point(|&threshold| !is_decided(threshold));
    thresholds.get(first).is_some_and(|&threshold| is_decided(threshold))
}

fn line_of(iteration: &Iteration) -> String {
    let Iteration { threshold, nodes, leaves, searches, searched, depth } = iteration;
    let threshold = threshold.map_or("none".into(), |t| t.to_string());
    format!(
        "iteration threshold={threshold} nodes={nodes} leaves={leaves} searches={searches} searched={searched} depth={depth}"
    )
}
