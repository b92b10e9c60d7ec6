//! The full job: databases, proof, certificate.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use super::certificate::write_certificate;
use crate::board::{Board, Game, Position};
use crate::cli::database::plan::SMALLER;
use crate::cli::failure::Failure;
use crate::cli::farm::ManagerOptions;
use crate::cli::options::{
    ClaimOption, DatabaseOption, GameOption, MachineOptions, SMALL, StartOptions, TableOption,
    ValuesOptions, check_cover, database, parse_size,
};
use crate::cli::output::ResultOptions;
use crate::cli::stop::{is_stopped, stop_when_asked};
use crate::egdb::atomic::parent;
use crate::egdb::numbers::{about, size, time};
use crate::egdb::{BuildSession, Cover, Store, Values};
use certificate_spec::Digest;
use certificate_spec::claim::Claim;
use certificate_spec::provenance::{Mode, Provenance};
use clap::Args;
use draughtproof_proof::certificate::{ExpectedCertificate, Section, Target, mode_of, provenance};
use draughtproof_proof::effort::{Effort, Plan};
use draughtproof_proof::progress::Progress;
use draughtproof_proof::proof::{
    Environment, Ledger, LedgerError, LineSettings, ProofSettings, QuestionProof, QueueSource,
    ROUND, Request, SearchContext, Solution, SolveError, Thresholds, Workers, solve,
};

#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Directory to write the certificate to
    ///
    /// It must not exist, be empty, or hold the same certificate or one of the same proof before it
    /// was finished.
    #[arg(long, value_name = "DIR", required = true)]
    emit: Option<PathBuf>,
    #[command(flatten)]
    game: GameOption,
    #[command(flatten)]
    start: StartOptions,
    /// The claim to prove
    #[arg(long, value_enum, default_value = "value")]
    claim: ClaimOption,
    /// Use the database of at most COVER pieces [default: by the size of the game]
    ///
    /// N stands for positions with at most N pieces, N:M for those of them with at most M on a
    /// side; several of these are possible, such as 7,8:4, and 0 for none. By default it is the N
    /// with which database, its check and the searches take the least time, within --memory; it is
    /// said before anything is built.
    #[arg(long = "pieces", value_name = "COVER")]
    cover: Option<Cover>,
    #[command(flatten)]
    db: DatabaseOption,
    #[command(flatten)]
    values: ValuesOptions,
    /// Budget of a leaf search: what takes more nodes is expanded into the proof tree [default: by
    /// the size of the game]
    #[arg(long, value_name = "N", hide_short_help = true)]
    leaf_nodes: Option<u64>,
    /// Memory of the table of a search, such as 512MiB or 4GiB, and half as much again while it
    /// grows [default: by the size of the game]. When it is full the search goes on and forgets
    /// what took the least work
    #[arg(long, value_name = "SIZE", value_parser = parse_size, hide_short_help = true)]
    leaf_table: Option<u64>,
    /// Search at least N positions at a time, in parallel; a larger N keeps more workers busy. The
    /// certificate depends on it
    #[arg(long, value_name = "N", default_value_t = ROUND,
          value_parser = parse_round, hide_short_help = true)]
    round: usize,
    /// All threads search the same position, in one table, and then the next one: the quickest way
    /// to decide what takes a single search of hours (with a large --leaf-nodes). The certificate
    /// depends on their timing, and says so
    #[arg(long, conflicts_with = "farm", hide_short_help = true)]
    free: bool,
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
    /// The file in which results of searches are kept, to go on from and to use again, and beside
    /// it long searches that are under way [default: DIR/RxC.results in the directory of the
    /// databases, or beside --emit if that one cannot be written]
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

/// The least seconds of one core for which a plan is worth a remark.
const WORTH_SAYING: f64 = 10.0;
/// The seconds of a day.
const DAY: f64 = 86_400.0;
/// The least table of a search that is chosen where there is little memory.
const LEAST_TABLE: u64 = 64 << 20;

/// The question to prove, and the database it is proved over.
struct Job {
    cover: Cover,
    request: Request,
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
    let job = options.job()?;
    let target = options.target(directory, &job)?;
    let table = options.result.begin_table()?;
    options.farm.check()?;
    options.check_memory(&job)?;
    options.say_plan(&job);
    let begin = Instant::now();
    // The ledger is opened first, so that an error in it is reported before the database is built,
    // which may take hours.
    let ledger = options.open_ledger(directory)?;
    let database = options.database(&job.cover)?;
    let database_done = begin.elapsed();
    // A farm stays connected until the certificate is written: its last acknowledgements are sent
    // meanwhile.
    let solved = options.solve(&job, &database, &ledger);
    database.values.failure()?;
    let (solution, _workers) = solved?;
    let workers = options.machine.workers();
    let mode = mode_of(&solution, &job.request.settings, workers, begin.elapsed());
    let game = options.game();
    let made = provenance(game, &job.cover, &job.request, mode);
    let sections = sections(&game.board, &database.values, solution.proofs, &made);
    database.values.failure()?;
    let sections = sections?;
    let proof_done = begin.elapsed();
    let claim = Claim {
        game: game.to_string(),
        start: game.board.write_fen(&job.request.start),
        value: solution.value,
        cover: job.cover,
        database: database.root,
    };
    write_certificate(&claim, &sections, target, directory, table)?;
    let progress = options.machine.progress();
    progress.say(format!(
        "database {}, proof {}, all {}; now: check {} --db {}",
        time(database_done.as_secs_f64()),
        time((proof_done - database_done).as_secs_f64()),
        time(begin.elapsed().as_secs_f64()),
        directory.display(),
        options.db.db.display()
    ));
    // The emitted certificate is partial, so the command fails.
    if let Some(undecided) = solution.undecided {
        return Err(SolveError::Undecided(undecided).into());
    }
    say_kept_searches(&ledger, &progress);
    Ok(())
}

/// The sections of a certificate, each with how it was made.
fn sections(
    board: &Board,
    values: &Values,
    proofs: Vec<QuestionProof>,
    made: &Provenance,
) -> Result<Vec<Section>, Failure> {
    let mut sections = Vec::new();
    for proof in proofs {
        let made = Provenance { iterations: proof.history.clone(), ..made.clone() };
        sections.push(Section::new(board, values, proof)?.with_provenance(made));
    }
    Ok(sections)
}

/// Whether an error says that this user may not write somewhere.
fn is_forbidden(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// Lists the searches that the ledger keeps although the proof is done.
fn say_kept_searches(ledger: &Ledger, progress: &Progress) {
    for kept in ledger.searches_kept() {
        progress.say(format!(
            "{}: a search is kept there that this proof has not needed ({}); remove it unless another \
             proof is to go on with it",
            kept.path.display(),
            size(kept.bytes)
        ));
    }
}

impl Options {
    /// The game that is proved.
    fn game(&self) -> &Game {
        self.game.or(SMALL)
    }

    /// The plan of the proof; for a position it is over the database that is there, if that is
    /// larger.
    fn plan(&self, start: &Position) -> Plan {
        let board = &self.game().board;
        let plan = |cover| Plan::new(board, start, cover, self.machine.memory());
        if self.cover.is_some() || !self.start.is_fen() {
            return plan(self.cover.as_ref());
        }
        let there = Store::new(&self.db.db, board).manifest().map(|manifest| manifest.cover);
        match (plan(None), there) {
            (usual, Ok(there)) if there.includes(&usual.cover) => plan(Some(&there)),
            (usual, _) => usual,
        }
    }

    /// Reads what is to be proved, and sets the number of threads.
    fn job(&self) -> Result<Job, Failure> {
        let board = &self.game().board;
        let start = self.start.position(self.game())?;
        if let Some(cover) = self.cover.as_ref().filter(|cover| !cover.is_empty()) {
            check_cover(board, cover)?;
        }
        self.machine.start()?;
        let plan = self.plan(&start);
        Ok(Job { cover: plan.cover.clone(), request: self.request(start, plan)? })
    }

    /// Says what is going to be done, and what the model expects of it, unless that is little.
    fn say_plan(&self, Job { cover, request }: &Job) {
        let board = &self.game().board;
        let Request { start, settings, .. } = request;
        let Effort { nodes, seconds, .. } = Effort::new(board, start, cover.most_pieces());
        if seconds < WORTH_SAYING {
            return;
        }
        let way = match settings {
            ProofSettings { lines: Some(_), .. } => "a search for each line of play".into(),
            _ => format!("searches of at most {} nodes", about(settings.leaf_nodes as f64)),
        };
        let [nodes, took] = [about(nodes), time(seconds)];
        let table = size(settings.leaf_table);
        self.machine.progress().say(format!(
            "over the database of {cover} pieces, {way}, with tables of {table}; the model has {nodes} \
             nodes for it, {took} of one core, within a factor of ten"
        ));
        if seconds / self.machine.workers() as f64 > DAY {
            self.machine.progress().say(SMALLER.into());
        }
    }

    /// The place of the certificate, which must be free or hold one of the same proof.
    fn target(&self, directory: &Path, job: &Job) -> Result<Target, Failure> {
        let game = self.game();
        let target = Target::new(directory)?;
        let made = provenance(game, &job.cover, &job.request, Mode::Reproducible);
        target.expect(&ExpectedCertificate {
            game,
            start: &job.request.start,
            asked: job.request.asked,
            cover: &job.cover,
            database: None,
            made: Some(&made),
        })?;
        Ok(target)
    }

    /// Opens the file of results.
    fn open_ledger(&self, emit: &Path) -> Result<Ledger, Failure> {
        match &self.results {
            Some(file) => Ok(Ledger::open(file)?),
            None => self.usual_ledger(emit),
        }
    }

    /// Opens the file of results among the databases, or beside the certificate if others own the
    /// databases.
    fn usual_ledger(&self, emit: &Path) -> Result<Ledger, Failure> {
        let name = format!("{}.results", self.game().board.name());
        match Ledger::open(&self.db.db.join(&name)) {
            Err(LedgerError::Io { path, source }) if is_forbidden(&source) => {
                let beside = parent(emit).join(name);
                self.machine.progress().say(format!(
                    "{}: {source}; results are kept in {}",
                    path.display(),
                    beside.display()
                ));
                Ok(Ledger::open(&beside)?)
            }
            opened => Ok(opened?),
        }
    }

    /// Finds the proof, on this machine or by a farm; also returns the workers that searched.
    fn solve(
        &self,
        job: &Job,
        database: &UsedDatabase,
        ledger: &Ledger,
    ) -> Result<(Solution, Workers), Failure> {
        let game = self.game();
        let progress = self.machine.progress();
        let context = SearchContext {
            board: &game.board,
            database: &database.values,
            database_root: database.root,
        };
        stop_when_asked()?;
        let farm = self.farm.start(&job.request, &context, &job.cover, game, &progress)?;
        let farm = farm.map(Arc::new);
        let workers = match &farm {
            Some(farm) => Workers::Farm(Arc::clone(farm) as Arc<dyn QueueSource>),
            None => Workers::threads(self.searches()),
        };
        let environment =
            Environment { ledger, workers: &workers, is_stopped: &is_stopped, progress: &progress };
        let solution = solve(&job.request, &context, environment);
        if let Some(farm) = &farm {
            farm.finish(solution.as_ref().is_ok_and(|solution| solution.undecided.is_none()));
        }
        Ok((solution?, workers))
    }

    /// Reads the question, and the settings that are given; the others follow from the plan.
    fn request(&self, start: Position, plan: Plan) -> Result<Request, Failure> {
        if let (Some(first), Some(until)) = (self.threshold, self.until_threshold)
            && until < first
        {
            let what = format!("expected at least the {first} of --threshold, found {until}");
            return Err(Failure::Input(format!("--until-threshold: {what}")));
        }
        let thresholds = self.threshold.map(|first| Thresholds {
            first,
            increment: self.increment,
            until: self.until_threshold,
        });
        let settings = ProofSettings {
            leaf_nodes: self.leaf_nodes.unwrap_or(plan.leaf_nodes),
            leaf_table: self.leaf_table.unwrap_or_else(|| self.fitting_table(&plan)),
            leaf_threads: self.leaf_threads(),
            lines: (plan.lines && self.leaf_nodes.is_none() && thresholds.is_none())
                .then(LineSettings::default),
            round: self.round,
            max_nodes: self.max_nodes,
            thresholds,
        };
        Ok(Request { start, asked: self.claim.into(), settings })
    }

    /// The number of searches at the same time, without a farm.
    fn searches(&self) -> usize {
        if self.free { 1 } else { self.machine.workers() }
    }

    /// Checks that the memory suffices for the database, and for the tables of the searches of this
    /// process.
    fn check_memory(&self, Job { cover, request }: &Job) -> Result<(), Failure> {
        let memory = self.machine.memory();
        if !cover.is_empty() {
            let store = Store::new(&self.db.db, &self.game().board);
            BuildSession::new(&store, cover, memory)?;
        }
        if self.farm.is_used() {
            return Ok(());
        }
        let table = TableOption { bytes: request.settings.leaf_table };
        table.check(request.settings.leaf_nodes, self.tables(), memory, "--threads")
    }

    /// The number of tables of searches at the same time, without a farm.
    fn tables(&self) -> u64 {
        self.searches() as u64
    }

    /// The table of the plan, or a smaller one where there is little memory.
    fn fitting_table(&self, plan: &Plan) -> u64 {
        let room = self.machine.memory() / 3 * 2 / self.tables();
        let mut table = plan.leaf_table;
        while table > room && table > LEAST_TABLE && !self.farm.is_used() {
            table /= 2;
        }
        if table < plan.leaf_table {
            self.machine.progress().say(format!(
                "tables of searches have {} in place of {}, for want of memory: the certificate may \
                 differ from one made with more",
                size(table),
                size(plan.leaf_table)
            ));
        }
        table
    }

    /// The number of threads of a leaf search.
    fn leaf_threads(&self) -> u32 {
        let threads = if self.free { self.machine.workers() } else { 1 };
        u32::try_from(threads).unwrap_or(u32::MAX)
    }

    /// Builds or reads the database.
    fn database(&self, cover: &Cover) -> Result<UsedDatabase, Failure> {
        let board = &self.game().board;
        if cover.is_empty() {
            return Ok(UsedDatabase { values: Values::empty(board), root: None });
        }
        let values = database(&self.machine, &self.values, &self.db, board, cover)?;
        let manifest = Store::new(&self.db.db, board).manifest_of(cover)?;
        Ok(UsedDatabase { values, root: Some(manifest.root()) })
    }
}
