//! Serves what the options of `prove serve` name.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use certificate_notes::{Note, keys, one_line};
use certificate_spec::cover::Clause;
use draughtproof_proof::certificate::Stored;
use draughtproof_proof::progress::print_line;
use draughtproof_proof::proof::if_assumed;
use draughtproof_serve::{
    Access, BoardSite, Database, NoteError, NotedCheck, ServedCertificate, ServerLimits, Site,
    SolverLimits, Verification, Verifier, routes, run,
};

use super::Options;
use crate::board::Game;
use crate::cli::failure::Failure;
use crate::cli::options::{GameOption, StoredOptions};
use crate::egdb::numbers::{self, counted};
use crate::egdb::{Cover, StoreError};

pub(crate) fn run_server(options: Options) -> Result<(), Failure> {
    let listening = |e| Failure::Resource(format!("--listen {}: {e}", options.listen));
    // The address is bound before anything is read: connections wait until everything is there.
    let listener = std::net::TcpListener::bind(options.listen).map_err(listening)?;
    listener.set_nonblocking(true)?;
    options.machine.start()?;
    options.db.check()?;
    let progress = options.machine.progress();
    let mut certificates = Vec::new();
    for directory in &options.certificates {
        progress.say(format!("reading the certificate {}", directory.display()));
        certificates.push(ServedCertificate::new(Stored::read(directory)?)?);
    }
    let notes = options.read_notes()?;
    let keys = options.trusted_keys()?;
    let boards = options.boards(&certificates)?;
    let site = Site::new(boards, certificates).with_notes(&notes, &keys)?;
    describe(&site)?;
    let verifier = Verifier::program().filter(|_| !options.no_check);
    let verifier = verifier.map(|program| site.verifier(program, options.db.db.clone()));
    let limits = options.limits();
    let access = options.access()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(options.machine.workers())
        .enable_all()
        .build()
        .map_err(|e| Failure::Resource(format!("cannot start threads: {e}")))?;
    let is_stopped = AtomicBool::new(false);
    std::thread::scope(|scope| {
        if let Some(verifier) = &verifier {
            scope.spawn(|| verifier.run(&is_stopped, say_verification));
        }
        let served = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            println!("listening on http://{}/", listener.local_addr()?);
            io::stdout().flush()?;
            run(listener, routes(site, limits, access), limits, stop_signal()).await
        });
        is_stopped.store(true, Ordering::Relaxed);
        Ok(served?)
    })
}

impl Options {
    fn read_notes(&self) -> Result<Vec<Note>, NoteError> {
        let mut notes = Vec::new();
        for path in &self.notes {
            let note = Note::read(path)
                .map_err(|why| NoteError::Unreadable(format!("{}: {why}", path.display())))?;
            notes.push(note);
        }
        Ok(notes)
    }

    fn trusted_keys(&self) -> Result<Vec<keys::PublicKey>, Failure> {
        let Some(path) = &self.keys else { return Ok(Vec::new()) };
        keys::trusted(path).map_err(|e| Failure::Input(format!("--keys {e}")))
    }

    fn limits(&self) -> ServerLimits {
        ServerLimits {
            body: usize::try_from(self.most_body).unwrap_or(usize::MAX),
            rate: NonZeroU32::new(self.rate),
            time: Duration::from_secs(self.most_time.into()),
            connections: self.connections as usize,
            heavy: self.machine.workers(),
            solver: SolverLimits {
                nodes: self.solve_nodes,
                time: Duration::from_secs(self.solve_time.into()),
                memory: self.solve_memory,
                threads: self.machine.workers(),
            },
        }
    }

    /// The boards of certificates, and those in the folder of databases; 6x6 if there are none.
    fn boards(&self, certificates: &[ServedCertificate]) -> Result<Vec<BoardSite>, Failure> {
        let mut games = BTreeMap::new();
        for certificate in certificates {
            let game = certificate.stored.game.clone();
            if certificate.stored.claim.database.is_some() {
                self.stored(&game).check_named()?;
            }
            games.entry(game.board.name()).or_insert(game);
        }
        for game in self.db.boards() {
            games.entry(game.board.name()).or_insert(game);
        }
        if games.is_empty() {
            let game: Game = "6x6".parse().map_err(|e| Failure::Input(format!("{e}")))?;
            games.insert(game.board.name(), game);
        }
        games.into_values().map(|game| self.board(game)).collect()
    }

    /// Proxies and origins that are trusted.
    fn access(&self) -> Result<Access, Failure> {
        let origin = self.allow_origin.as_deref().map(|origin| {
            let wrong = || Failure::Input(format!("--allow-origin: {origin:?} is no origin"));
            origin.parse().map_err(|_| wrong())
        });
        Ok(Access { proxies: self.trust_forwarded.clone(), origin: origin.transpose()? })
    }

    /// The options for the database of a board: of its positions, those that are asked for.
    fn stored(&self, game: &Game) -> StoredOptions {
        let stored =
            |cover| StoredOptions::new(GameOption::of(game.clone()), self.db.clone(), cover);
        let there = stored(None).store().manifest().map(|manifest| manifest.cover);
        let cover = self.cover.as_ref().map(|wanted| match there {
            Ok(there) => common(wanted, &there),
            Err(_) => wanted.clone(),
        });
        stored(cover)
    }

    /// A board with the database that is there for it.
    fn board(&self, game: Game) -> Result<BoardSite, Failure> {
        let stored = self.stored(&game);
        let store = stored.store();
        let progress = self.machine.progress();
        progress.say(format!("opening the database of {}", game.board.name()));
        let no_database = self.cover.as_ref().is_some_and(Cover::is_empty)
            || matches!(store.manifest(), Err(StoreError::Missing { .. }));
        let values = if no_database {
            stored.open_if_there(&self.machine, &self.values)?
        } else {
            stored.open(&self.machine, &self.values)?
        };
        let values = values.going_on(say_unknown);
        if values.cover().is_empty() {
            return Ok(BoardSite::new(game, values, None));
        }
        let manifest = stored.manifest(&store)?;
        let depths = stored.depths()?;
        Ok(BoardSite::new(game, values, Some(Database { store, manifest, depths })))
    }
}

/// The positions of both covers.
fn common(one: &Cover, other: &Cover) -> Cover {
    let pairs = one.clauses().iter().flat_map(|a| other.clauses().iter().map(move |b| (a, b)));
    Cover::of(
        pairs.map(|(a, b)| Clause { pieces: a.pieces.min(b.pieces), side: a.side.min(b.side) }),
    )
}

/// Reports a file that cannot be read; the search goes on without the value of its position.
fn say_unknown(error: &StoreError) {
    print_line(&format!("prove: {error}"));
}

/// Says what `check` has found. Standard output may be closed by then.
fn say_verification(directory: &Path, verification: &Verification) {
    let says = match verification {
        Verification::Verified { checker, time } => {
            format!("verified here by {checker} in {}", numbers::time(time.as_secs_f64()))
        }
        Verification::NotVerified(why) => format!("has not been verified here: {why}"),
        Verification::Running => return,
    };
    let line = one_line(&format!("certificate {}: {says}", directory.display()));
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Lists what is served, with the notes of checks.
fn describe(site: &Site) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for certificate in site.certificates() {
        let stored = &certificate.stored;
        let root = certificate.root();
        let directory = one_line(&stored.directory.display().to_string());
        let claim = &stored.claim;
        let claimed = format!("{} {} from {}", claim.value.word(), claim.game, claim.start);
        let claimed = if_assumed(stored.assumed(), &claimed);
        write!(out, "certificate {directory}: {claimed}, root={root}: ")?;
        if site.is_checked(root) {
            writeln!(out, "checked, says who signed these notes:")?;
        } else {
            let advice = format!("`check {directory}` verifies it");
            writeln!(out, "not checked by anybody you trust here; {advice}")?;
        }
        for check in site.checks(root) {
            writeln!(out, "  {}", sentence(check))?;
        }
        if stored.assumed() > 0 {
            let assumed = stored.assumed();
            writeln!(
                out,
                "certificate {directory}: no values, as it assumes {}",
                counted(assumed, "position")
            )?;
        }
    }
    for board in site.boards() {
        writeln!(out, "board {}: {}", board.board().name(), board.description())?;
        let root = board.database_root();
        for check in root.iter().flat_map(|root| site.checks(root)) {
            writeln!(out, "  {}", sentence(check))?;
        }
    }
    Ok(())
}

/// A sentence about a note: its verdict, its signers, and the objection to it, if any.
fn sentence(NotedCheck { file, verdict, checker, signers, objection }: &NotedCheck) -> String {
    let signed = match &signers[..] {
        [] => String::new(),
        names => format!(", signed by {}", names.join(", ")),
    };
    let but = objection.as_ref().map_or(String::new(), |why| format!("does not count, as {why}; "));
    one_line(&format!("note {file}{signed}: {but}{checker} says {verdict}"))
}

/// Waits for Ctrl-C or, on Unix, SIGTERM.
async fn stop_signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut term) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = term.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
