//! The full job: databases, proof, certificate.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use certificate_spec::Digest;
use certificate_spec::claim::Claim;
use certificate_spec::provenance::{Mode, Provenance};
use clap::Args;
use draughtproof_proof::certificate::{ExpectedCertificate, Section, Target, mode_of, provenance};
use draughtproof_proof::prepare_database::default_cover;
use draughtproof_proof::progress::print_line;
use draughtproof_proof::proof::{
    Environment, Ledger, ProofSettings, QuestionProof, QueueSource, ROUND, Request, SearchContext,
    Solution, SolveError, Thresholds, Workers, solve,
};

use super::certificate::write_certificate;
use crate::board::Position;
use crate::cli::failure::Failure;
use crate::cli::farm::options::ManagerOptions;
use crate::cli::options::sizes::bytes;
use crate::cli::options::{
    ClaimOption, DatabaseOption, GameInFile, GameOption, MachineOptions, StartOptions, TableOption,
    ValuesOptions, check_cover, database,
};
use crate::cli::output::ResultOptions;
use crate::cli::stop::{is_stopped, stop_when_asked};
use crate::egdb::{BuildSession, Cover, Store, Values};

#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Directory to write the certificate to; must not exist, be empty, or hold the same
    /// certificate or one of the same proof before it was finished
    #[arg(long, value_name = "DIR", required = true)]
    emit: Option<PathBuf>,
    #[command(flatten)]
    game: GameOption,
    #[command(flatten)]
    start: StartOptions,
    /// What to prove
    #[arg(long, value_enum, default_value = "value")]
    claim: ClaimOption,
    /// Use the database of these positions: N for those with at most N pieces, N:M for those of
    /// them with at most M on a side, or several of these, such as 7,8:4; 0 for none [default: the
    /// largest N with which they take at most 25 MiB in memory, but fewer than the start position
    /// has, and at least 2; 6 on 6x6]
    #[arg(long = "pieces", value_name = "COVER")]
    cover: Option<Cover>,
    #[command(flatten)]
    db: DatabaseOption,
    #[command(flatten)]
    values: ValuesOptions,
    /// Budget of a leaf search: what takes more nodes is expanded into the proof tree. With
    /// 4000000000, 7x7 and 6x8 are decided by a single search for each question
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    leaf_nodes: u64,
    #[command(flatten)]
    table: TableOption,
    /// Search at least N positions at a time, in parallel; a larger N keeps more workers busy. The
    /// certificate depends on it
    #[arg(long, value_name = "N", default_value_t = ROUND,
          value_parser = parse_round)]
    round: usize,
    /// All threads search the same position, in one table, and then the next one: the quickest way
    /// to decide what takes a single search of hours (with a large --leaf-nodes). The certificate
    /// depends on their timing, and says so
    #[arg(long, conflicts_with = "farm")]
    free: bool,
    /// Searches know what earlier ones of the same question have decided, down to the last
    /// position: with a small --leaf-nodes it takes far fewer nodes. The proof of a question is one
    /// leaf then, however large. Some 50 bytes of memory a position of it, beside --memory
    #[arg(long, conflicts_with = "threshold")]
    lemmas: bool,
    #[command(flatten)]
    farm: ManagerOptions,
    /// Give up a question after N nodes [default: never]
    #[arg(long, value_name = "N")]
    max_nodes: Option<u64>,
    /// First take positions for decided that are scored beyond ±T hundredths of a man
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u32).range(1..10_000))]
    threshold: Option<u32>,
    /// Then raise the threshold by D, again and again, until nothing is taken for granted
    #[arg(long, value_name = "D", default_value_t = 50, requires = "threshold",
          value_parser = clap::value_parser!(u32).range(1..10_000))]
    increment: u32,
    /// Stop at threshold T; the certificate is conditional on what is beyond it
    #[arg(long, value_name = "T", requires = "threshold",
          value_parser = clap::value_parser!(u32).range(1..10_000))]
    until_threshold: Option<u32>,
    /// Decide the last position of game N in FILE (PDN) first, then the one before it, and so on;
    /// without #N, of the first game. `prove replay` numbers them
    #[arg(long, value_name = "FILE[#N]")]
    seed_line: Option<GameInFile>,
    /// Where results of searches are kept, to go on from and to use again, and beside it long
    /// searches that are under way [default: DIR/RxC.results in the directory of the databases]
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    #[command(flatten)]
    result: ResultOptions,
    #[command(flatten)]
    machine: MachineOptions,
}

fn parse_round(text: &str) -> Result<usize, String> {
    let round = text.parse().ok().filter(|round| (1..=100_000).contains(round));
    round.ok_or_else(|| "expected 1 to 100000".into())
}

/// The database that a proof rests on.
struct UsedDatabase {
    values: Values,
    /// The digest of its root, if there is a database.
    root: Option<Digest>,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let Some(directory) = &options.emit else {
        return Err(Failure::Input("--emit DIR: expected a directory for the certificate".into()));
    };
    let game = &options.game.game;
    let board = &game.board;
    let start = options.start.position(game)?;
    let cover = options.cover.clone().unwrap_or_else(|| default_cover(board, start.pieces()));
    if !cover.is_empty() {
        check_cover(board, &cover)?;
    }
    options.machine.start()?;
    let request = options.request(start)?;
    let target = Target::new(directory)?;
    let asked = options.claim.into();
    let made = provenance(game, &cover, &request, Mode::Reproducible);
    target.expect(&ExpectedCertificate {
        game,
        start: &start,
        asked,
        cover: &cover,
        database: None,
        made: Some(&made),
    })?;
    let table = options.result.begin_table()?;
    options.farm.check()?;
    options.check_memory(&cover)?;
    let progress = options.machine.progress();
    let begin = Instant::now();
    // The ledger is opened first, so that an error in it is reported before the database is built,
    // which may take hours.
    let name = format!("{}.results", board.name());
    let ledger = options.results.clone().unwrap_or_else(|| options.db.db.join(name));
    let ledger = Ledger::open(&ledger)?;
    if let Some(aside) = ledger.set_aside() {
        print_line(&format!(
            "{}: results of an earlier version are set aside there; this one cannot use them",
            aside.display()
        ));
    }

    let UsedDatabase { values, root } = options.database(&cover)?;
    let database_done = begin.elapsed();

    let context = SearchContext { board, database: &values, database_root: root, lemmas: None };
    stop_when_asked()?;
    let farm = options.farm.start(&request, &context, &cover, game, &progress)?.map(Arc::new);
    let workers = match &farm {
        Some(farm) => Workers::Farm(Arc::clone(farm) as Arc<dyn QueueSource>),
        None => Workers::threads(options.searches()),
    };
    let environment = Environment {
        ledger: &ledger,
        workers: &workers,
        is_stopped: &is_stopped,
        progress: &progress,
    };
    let solution = solve(&request, &context, environment);
    if let Some(farm) = &farm {
        farm.finish(solution.as_ref().is_ok_and(|solution| solution.undecided.is_none()));
    }
    let solution = solution?;
    let mode = mode_of(&solution, &request.settings, options.machine.workers(), begin.elapsed());
    let made = provenance(game, &cover, &request, mode);
    let Solution { value, proofs, undecided } = solution;
    let section = |proof: QuestionProof| {
        let made = Provenance { iterations: proof.history.clone(), ..made.clone() };
        Ok::<_, Failure>(Section::new(board, &values, proof)?.with_provenance(made))
    };
    let sections = proofs.into_iter().map(section).collect::<Result<Vec<_>, _>>()?;
    let proof_done = begin.elapsed();

    let claim = Claim {
        game: game.to_string(),
        start: board.write_fen(&start),
        value,
        cover,
        database: root,
    };
    write_certificate(&claim, &sections, target, directory, table)?;
    progress.say(format!(
        "database {:.1} s, proof {:.1} s, all {:.1} s; now: check {} --db {}",
        database_done.as_secs_f64(),
        (proof_done - database_done).as_secs_f64(),
        begin.elapsed().as_secs_f64(),
        directory.display(),
        options.db.db.display()
    ));
    // The emitted certificate is partial, so the command fails.
    if let Some(undecided) = undecided {
        return Err(SolveError::Undecided(undecided).into());
    }
    for kept in ledger.searches_kept() {
        progress.say(format!(
            "{}: a search is kept there that this proof has not needed ({}); remove it unless another \
             proof is to go on with it",
            kept.path.display(),
            bytes(kept.bytes as f64)
        ));
    }
    Ok(())
}

impl Options {
    fn request(&self, start: Position) -> Result<Request, Failure> {
        if let (Some(first), Some(until)) = (self.threshold, self.until_threshold)
            && until < first
        {
            let what = format!("expected at least the {first} of --threshold, found {until}");
            return Err(Failure::Input(format!("--until-threshold: {what}")));
        }
        let (increment, until) = (self.increment, self.until_threshold);
        let settings = ProofSettings {
            leaf_nodes: self.leaf_nodes,
            leaf_table: self.table.bytes,
            leaf_threads: self.leaf_threads(),
            lemmas: self.lemmas,
            round: self.round,
            max_nodes: self.max_nodes,
            thresholds: self.threshold.map(|first| Thresholds { first, increment, until }),
            seed: match &self.seed_line {
                Some(line) => line.seed(&self.game.game, &start)?,
                None => Vec::new(),
            },
        };
        Ok(Request { start, asked: self.claim.into(), settings })
    }

    /// The number of searches at the same time, without a farm.
    fn searches(&self) -> usize {
        if self.free { 1 } else { self.machine.workers() }
    }

    /// Checks that the memory suffices for the database, and for the tables of the searches of this
    /// process.
    fn check_memory(&self, cover: &Cover) -> Result<(), Failure> {
        let memory = self.machine.memory();
        if !cover.is_empty() {
            let store = Store::new(&self.db.db, &self.game.game.board);
            BuildSession::new(&store, cover, memory)?;
        }
        if self.farm.is_used() {
            return Ok(());
        }
        let tables = self.searches() as u64;
        self.table.check(self.leaf_nodes, tables, memory, "--threads")
    }

    /// The number of threads of a leaf search.
    fn leaf_threads(&self) -> u32 {
        let threads = if self.free { self.machine.workers() } else { 1 };
        u32::try_from(threads).unwrap_or(u32::MAX)
    }

    /// Builds or reads the database.
    fn database(&self, cover: &Cover) -> Result<UsedDatabase, Failure> {
        let board = &self.game.game.board;
        if cover.is_empty() {
            return Ok(UsedDatabase { values: Values::empty(board), root: None });
        }
        let values = database(&self.machine, &self.values, &self.db, board, cover)?;
        let manifest = Store::new(&self.db.db, board).manifest_of(cover)?;
        Ok(UsedDatabase { values, root: Some(manifest.root()) })
    }
}
