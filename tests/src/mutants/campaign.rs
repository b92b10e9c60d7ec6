//! Makes mutants, lets `check` judge them, and judges its verdicts.
//!
//! Options of the programs that draw mutants.
//!
//! Mutants on disk, and the verdicts of `check` on them.

use super::base::{Base, Files, Selection};
use super::judge::judge;
use super::tally::{Outcome, Tally};
use super::{CLASSES, Mutant};
use crate::prelude::*;
use certificate_spec::manifest;
use checker_core::{Level, Options, Stop, Verdict};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The options of a campaign.
#[derive(Debug, Clone)]
pub struct Plan {
    pub mutants: u64,
    /// The seed that the mutants are drawn from.
    pub seed: u64,
    /// The number of mutants that are checked at a time; the outcome does not depend on it.
    pub threads: usize,
    /// One mutant in `sample` of each class is also given to the program `check`.
    pub sample: u64,
    /// Whether progress is reported on standard error.
    pub progress: bool,
}

/// The time after which a check counts as hanging. The slowest base takes a fraction of a second.
const HANGS: Duration = Duration::from_secs(300);

/// The number of the mutant that a thread is checking, and the time at which it began.
type Now = Mutex<Option<(u64, Instant)>>;

/// Runs a campaign; `root` is a directory for the files that have to be on disk.
///
/// # Panics
/// If files cannot be written, or a check hangs.
pub fn run(bases: &[Base], plan: &Plan, root: &Path) -> Tally {
    let next = AtomicU64::new(0);
    let total = Mutex::new(Tally::default());
    let all_now: Vec<Now> = (0..plan.threads).map(|_| Mutex::new(None)).collect();
    let work = |thread: usize| {
        let directory = root.join(format!("thread-{thread}"));
        let mut worker = Worker::new(bases, plan, &directory);
        loop {
            let number = next.fetch_add(1, Relaxed);
            if number >= plan.mutants {
                break;
            }
            *all_now[thread].lock().expect("a lock") = Some((number, Instant::now()));
            worker.try_one(number);
            *all_now[thread].lock().expect("a lock") = None;
        }
        total.lock().expect("a lock").add(&worker.tally);
    };
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..plan.threads).map(|i| scope.spawn(move || work(i))).collect();
        let begun = Instant::now();
        let mut told = Instant::now();
        // A thread that has panicked has ended, too; its panic is passed on at the end of the
        // scope.
        while !threads.iter().all(|thread| thread.is_finished()) {
            std::thread::sleep(Duration::from_millis(20));
            all_now.iter().for_each(stop_if_it_hangs);
            if plan.progress && told.elapsed() >= Duration::from_secs(5) {
                told = Instant::now();
                let done = next.load(Relaxed).min(plan.mutants);
                let rate = (done / begun.elapsed().as_secs().max(1)).max(1);
                let left = (plan.mutants - done) / rate;
                eprintln!("mutants: {done} of {}, {rate}/s, {left} s to go", plan.mutants);
            }
        }
    });
    total.into_inner().expect("a tally")
}

/// Ends the program if a check hangs: its thread cannot be ended in another way.
fn stop_if_it_hangs(now: &Now) {
    if let Some((number, since)) = *now.lock().expect("a lock")
        && since.elapsed() > HANGS
    {
        eprintln!("WRONG mutant {number}: the check hangs");
        std::process::exit(1);
    }
}

/// The state of one thread.
struct Worker<'a> {
    bases: &'a [Base],
    plan: &'a Plan,
    places: Vec<Place>,
    tally: Tally,
}

impl<'a> Worker<'a> {
    fn new(bases: &'a [Base], plan: &'a Plan, directory: &Path) -> Self {
        let place = |base: &Base| Place::new(directory.join(base.name), base);
        Worker { bases, plan, places: bases.iter().map(place).collect(), tally: Tally::default() }
    }

    fn try_one(&mut self, number: u64) {
        let mutant = Mutant::new(self.bases, self.plan.seed, number);
        let base = &self.bases[mutant.base];
        let place = &mut self.places[mutant.base];
        place.lay(&mutant.files);
        let outcome = match place.check() {
            Err(panic) => Outcome::Wrong(panic),
            Ok(verdict) => {
                let round = number / CLASSES.len() as u64;
                let is_sampled = round.is_multiple_of(self.plan.sample);
                self.tally.sampled += u64::from(is_sampled);
                let same = if is_sampled { same(place, &verdict) } else { Ok(()) };
                match same {
                    Ok(()) => outcome(base, &mutant.files, (&verdict).into()),
                    Err(otherwise) => Outcome::Wrong(otherwise),
                }
            }
        };
        // A wrong outcome is printed at once, so that it is not lost if a long run is cut off.
        if let Outcome::Wrong(what) = &outcome {
            eprintln!("WRONG {} {number} of {}: {what}", CLASSES[mutant.class].name, base.name);
        }
        self.tally.count(number, mutant.class, outcome);
    }
}

/// Checks that the program gives the verdict of the library. Where the library cannot read the
/// folder of a database, the program says which database is missing.
fn same(place: &Place, verdict: &Verdict) -> Result<(), String> {
    let said = place.program()?;
    let line = verdict.line();
    let names_database = said.verdict.starts_with("s ERROR the certificate needs the database of ")
        && said.verdict.contains(", and it is not there; ")
        && line.starts_with("s ERROR cannot read ")
        && line.contains("/egdb/");
    if (said.verdict == line || names_database) && said.status == Some(verdict.status().into()) {
        return Ok(());
    }
    Err(format!("the program says {said:?}, the library {line}"))
}

/// The verdict of any checker: only the core can make a [`Verdict`] that verifies.
#[derive(Debug, Clone, Copy)]
pub enum Ruling<'a> {
    /// Everything is right. These are the fields of the line.
    Verified(&'a str),
    /// Everything is right but for nodes that are assumed. These are the fields of the line.
    Conditional(&'a str),
    /// The verdict CONSISTENT, of databases alone. These are the fields of the line.
    Consistent(&'a str),
    /// Refuted, declined or not checked.
    Stopped(&'a Stop),
}

impl<'a> From<&'a Verdict> for Ruling<'a> {
    fn from(verdict: &'a Verdict) -> Self {
        match verdict {
            Verdict::Verified(verified) => Ruling::Verified(verified.fields()),
            Verdict::Conditional(fields) => Ruling::Conditional(fields),
            Verdict::Consistent(fields) => Ruling::Consistent(fields),
            Verdict::Stopped(stop) => Ruling::Stopped(stop),
        }
    }
}

/// Judges a verdict.
pub fn outcome(base: &Base, files: &Files, ruling: Ruling<'_>) -> Outcome {
    let wrong = |what: &str| Outcome::Wrong(format!("{what}: {ruling:?}"));
    match ruling {
        Ruling::Stopped(Stop::Refuted(finding, _)) => Outcome::Refuted(finding.rule.into()),
        Ruling::Stopped(Stop::Declined(finding)) => Outcome::Declined(finding.rule.into()),
        Ruling::Stopped(Stop::Error(_)) if lacks_database(files) || is_no_certificate(files) => {
            Outcome::Error
        }
        Ruling::Stopped(Stop::Error(_)) => wrong("an error where there is something to check"),
        Ruling::Consistent(_) => wrong("no more than consistent, where a certificate was judged"),
        Ruling::Conditional(fields) => match judge(base, files) {
            Ok(shown) if shown.assumed > 0 && repeats_claim(files, fields) => Outcome::Conditional,
            Ok(_) => wrong("conditional on nothing, or on another claim"),
            Err(why) => wrong(&why),
        },
        Ruling::Verified(fields) => match judge(base, files) {
            Ok(shown) if shown.assumed == 0 && repeats_claim(files, fields) => {
                Outcome::Valid(shown.why)
            }
            Ok(_) => wrong("not verified, or another claim"),
            Err(why) => wrong(&why),
        },
    }
}

fn claim_of(files: &Files) -> Option<Claim> {
    Claim::decode(files.get("cert/CLAIM")?).ok()
}

/// Whether the folder has neither CLAIM nor the beginning of a MANIFEST (`SPEC.md` §3). This and a
/// missing database are the only errors that a mutant may lead to.
fn is_no_certificate(files: &Files) -> bool {
    let manifest = files.get("cert/MANIFEST");
    let is_manifest = manifest.is_some_and(|bytes| bytes.starts_with(manifest::MAGIC));
    !files.contains_key("cert/CLAIM") && !is_manifest
}

/// Whether the claim rests on the database of a board of which there is none.
fn lacks_database(files: &Files) -> bool {
    let lacks = |claim: Claim| {
        let game: Game = claim.game.parse().ok()?;
        let folder = format!("egdb/{}/", game.board.name());
        Some(claim.database.is_some() && !files.keys().any(|path| path.starts_with(&folder)))
    };
    claim_of(files).and_then(lacks).unwrap_or(false)
}

/// Whether the verdict begins with the value, the game and the start that are claimed.
fn repeats_claim(files: &Files, words: &str) -> bool {
    claim_of(files).is_some_and(|claim| {
        let words: Vec<&str> = words.split(' ').collect();
        let game: Option<Game> = claim.game.parse().ok();
        let is_initial = game.is_some_and(|g| g.board.write_fen(&g.start()) == claim.start);
        let start = if is_initial { "initial" } else { &claim.start };
        words.starts_with(&[claim.value.word(), &claim.game, &format!("start={start}")])
    })
}

/// The choice of mutants, and the number that are judged at a time.
#[derive(Args)]
pub struct DrawOptions {
    /// The seed of the mutants
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// The number that are checked at a time, at most 256; the outcome is the same
    #[arg(long, value_name = "T", default_value_t = 1,
        value_parser = RangedU64ValueParser::<usize>::new().range(1..=256))]
    pub threads: usize,
    /// Only the bases that are made and checked in no time
    #[arg(long)]
    small: bool,
}

impl DrawOptions {
    /// The selected bases.
    pub fn selection(&self) -> Selection {
        if self.small { Selection::Small } else { Selection::All }
    }
}

/// A directory in which mutants of a base are written, one after the other.
pub(crate) struct Place {
    directory: PathBuf,
    there: Files,
}

impl Place {
    /// A copy of a base in a new directory.
    pub(crate) fn new(directory: PathBuf, base: &Base) -> Self {
        copy(&base.directory, &directory);
        Place { directory, there: base.files.clone() }
    }

    /// Writes a mutant; only files that differ from the mutant before are written.
    pub(crate) fn lay(&mut self, files: &Files) {
        for path in self.there.keys().filter(|path| !files.contains_key(*path)) {
            fs::remove_file(self.directory.join(path)).expect("a file is removed");
        }
        for (path, bytes) in files {
            if self.there.get(path) != Some(bytes) {
                fs::write(self.directory.join(path), bytes).expect("a file is written");
            }
        }
        self.there = files.clone();
    }

    /// The verdict of the library, in this process.
    ///
    /// # Errors
    /// The library panicked.
    pub(super) fn check(&self) -> Result<Verdict, String> {
        self.check_at(Level::Exact)
    }

    /// Like `check`, with the values of the database checked at this level.
    ///
    /// # Errors
    /// The library panicked.
    pub(crate) fn check_at(&self, level: Level) -> Result<Verdict, String> {
        let options = Options::new(self.directory.join("egdb"));
        let options = Options { threads: Some(1), level, ..options };
        let check = || checker_core::check(&self.directory.join("cert"), &options);
        catch_unwind(AssertUnwindSafe(check)).map_err(|_| "panic".into())
    }

    /// The verdict of the program.
    ///
    /// # Errors
    /// The program did not print exactly one verdict.
    pub(super) fn program(&self) -> Result<Said, String> {
        let [certificate, database] =
            ["cert", "egdb"].map(|name| self.directory.join(name).display().to_string());
        let arguments = [&certificate, "--db", &database, "--threads", "1", "--quiet"];
        check_with(&path("check"), &arguments, &self.directory)
    }
}
