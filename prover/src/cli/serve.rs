//! `prove serve`.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use certificate_notes::{Note, keys, one_line};
use clap::Args;
use draughtproof_proof::certificate::Stored;
use draughtproof_proof::progress::print_line;
use draughtproof_proof::proof::if_assumed;
use draughtproof_serve::{
    BoardSite, Database, NoteError, NotedCheck, ServedCertificate, ServerLimits, Site, routes, run,
};

use super::failure::Failure;
use super::machine::MachineOptions;
use super::options::{DatabaseOption, GameOption, StoredOptions};
use super::sizes::parse_size;
use super::values::ValuesOptions;
use crate::board::Game;
use crate::egdb::{Cover, StoreError, Value};

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  prove serve cert                           the proof of 6x6, on http://127.0.0.1:8080/
  prove serve cert cert-7x7 --db /data/egdb --pieces 6
  prove serve cert --note 6x6.note --keys trusted.txt
                                             and says who has checked it
  prove serve --rate 0 --listen [::1]:8000   databases alone, any number of requests

Serves the boards of the certificates, and those that have a database in --db (with certificates, --pieces says \
how much of each is used). Everything is read at the start and nothing is written; certificates are in memory. \
They are not verified: that is for `check`, whose \
notes can be shown. What can be asked is described in /openapi.json; counts are in \
/metrics, and /healthz says whether the server is there. GUIDE.md explains the answers.

What is too large is answered with 413, what is too much with 429, what takes too long or is one connection too \
many with 503, each with a JSON problem. Ctrl-C and SIGTERM end the server when the answers under way are \
finished, after five seconds at most; exit status 0.")]
pub(super) struct Options {
    /// Folders of certificates
    #[arg(value_name = "CERT")]
    certificates: Vec<PathBuf>,
    #[command(flatten)]
    db: DatabaseOption,
    /// Use the databases of these positions, such as 6 or 7,8:4; 0 for none [default: all that are
    /// there]
    #[arg(long = "pieces", value_name = "COVER")]
    cover: Option<Cover>,
    #[command(flatten)]
    values: ValuesOptions,
    /// Notes of what has been checked, by `check --attest`
    #[arg(long = "note", value_name = "FILE", num_args = 1..)]
    notes: Vec<PathBuf>,
    /// Public keys of those whose notes count, one a line
    #[arg(long, value_name = "FILE", requires = "notes")]
    keys: Option<PathBuf>,
    /// Address and port; port 0 for one that is free. All programs that can reach it can ask
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// Requests a second of one address; 0 for any number
    #[arg(long, value_name = "N", default_value = "100")]
    rate: u32,
    /// The most bytes of a request's body, such as 256KiB
    #[arg(long, value_name = "SIZE", default_value = "256KiB", value_parser = parse_size)]
    most_body: u64,
    /// The most seconds of an answer, of the head of a request, and without the client taking any
    /// of an answer
    #[arg(long, value_name = "SECONDS", default_value = "10")]
    most_time: u32,
    /// The most connections at a time
    #[arg(long, value_name = "N", default_value = "512")]
    connections: u32,
    #[command(flatten)]
    machine: MachineOptions,
}

pub(super) fn run_server(options: Options) -> Result<(), Failure> {
    let listening = |e| Failure::Resource(format!("--listen {}: {e}", options.listen));
    // The address is bound and released, so that one that is taken is reported before all is read.
    std::net::TcpListener::bind(options.listen).map_err(listening)?;
    options.machine.start()?;
    let mut certificates = Vec::new();
    for directory in &options.certificates {
        certificates.push(ServedCertificate::new(Stored::read(directory)?)?);
    }
    let (notes, keys) = (options.read_notes()?, options.trusted_keys()?);
    let boards = options.boards(&certificates)?;
    let site = Site::new(boards, certificates).with_notes(&notes, &keys)?;
    describe(&site)?;
    let limits = options.limits();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(options.machine.workers())
        .enable_all()
        .build()
        .map_err(|e| Failure::Resource(format!("cannot start threads: {e}")))?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(options.listen).await.map_err(listening)?;
        println!("listening on http://{}/", listener.local_addr()?);
        io::stdout().flush()?;
        Ok(run(listener, routes(site, limits), limits, stop_signal()).await?)
    })
}

impl Options {
    fn read_notes(&self) -> Result<Vec<Note>, NoteError> {
        let unreadable =
            |path: &Path, why| NoteError::Unreadable(format!("{}: {why}", path.display()));
        let notes = self.notes.iter();
        notes.map(|path| Note::read(path).map_err(|why| unreadable(path, why))).collect()
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
        }
    }

    /// The boards of certificates, and those in the folder of databases; 6x6 if there are none.
    fn boards(&self, certificates: &[ServedCertificate]) -> Result<Vec<BoardSite>, Failure> {
        let mut games = BTreeMap::new();
        for certificate in certificates {
            let game = certificate.stored.game.clone();
            games.entry(game.board.name()).or_insert(game);
        }
        for entry in fs::read_dir(&self.db.db).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if let Ok(game) = name.parse::<Game>()
                && entry.path().join("MANIFEST").is_file()
            {
                games.entry(game.board.name()).or_insert(game);
            }
        }
        if games.is_empty() {
            let game: Game = "6x6".parse().map_err(|e| Failure::Input(format!("{e}")))?;
            games.insert(game.board.name(), game);
        }
        games.into_values().map(|game| self.board(game)).collect()
    }

    /// A board with the database that is there for it.
    fn board(&self, game: Game) -> Result<BoardSite, Failure> {
        let game_option = GameOption { game: game.clone() };
        let stored = StoredOptions::new(game_option, self.db.clone(), self.cover.clone());
        let store = stored.store();
        let no_database = self.cover.as_ref().is_some_and(Cover::is_empty)
            || matches!(store.manifest(), Err(StoreError::Missing { .. }));
        let values = if no_database {
            stored.open_if_there(&self.machine, &self.values)?
        } else {
            stored.open(&self.machine, &self.values)?
        };
        let values = values.on_failure(say_unknown);
        if values.cover().is_empty() {
            return Ok(BoardSite::new(game, values, None));
        }
        let (manifest, depths) = (stored.manifest(&store)?, stored.depths()?);
        Ok(BoardSite::new(game, values, Some(Database { store, manifest, depths })))
    }
}

/// Reports a file that cannot be read; the search goes on without the value of its position.
fn say_unknown(error: &StoreError) -> Option<Value> {
    print_line(&format!("prove: {error}"));
    None
}

/// Lists what is served, with the notes of checks.
fn describe(site: &Site) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for certificate in site.certificates() {
        let (stored, root) = (&certificate.stored, certificate.root());
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
                "certificate {directory}: no values, as {assumed} positions are assumed"
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
