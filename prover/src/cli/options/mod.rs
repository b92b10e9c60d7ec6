//! Options that several commands have. Those for the game, the claim and the database are here.

mod certificates;

pub(crate) use certificates::{CertificateOptions, SourceOptions, by};
pub(crate) use machine::{LimitOptions, MachineOptions, TableOption};
pub(crate) use machine::{MapSpace, ValuesOptions};
pub(crate) use start::{PositionOptions, StartOptions};

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::board::{Board, Game, PdnError};
use crate::cli::failure::Failure;
use crate::egdb::{Cover, Depths, Store, StoreError, Values};
use certificate_spec::database::DatabaseManifest;
use clap::{Args, ValueEnum};
use draughtproof_proof::prepare_database::{Room, is_possible, load, load_finished, most_pieces};
use draughtproof_proof::proof::Asked;

pub(crate) mod machine;
mod start;

/// The game of files of games, engines and books, and of look-ups where no board is at hand.
pub(crate) const CHECKERS: &str = "8x8";
/// The game that is proved, and whose database is built, where no other is named.
pub(crate) const SMALL: &str = "6x6";

/// The option for the game.
#[derive(Args, Debug, Clone, Default)]
pub(crate) struct GameOption {
    /// The game: RxC or RxC/k [default: that of a certificate, else the only board in --db, else
    /// 8x8; 6x6 to prove or to build; 8x8 for engines, books, perft and files of games]
    #[arg(id = "game", long = "game", value_name = "GAME")]
    given: Option<Game>,
    /// The game where none is given, once it is known.
    #[arg(skip)]
    usual: OnceLock<Game>,
}

impl GameOption {
    /// The option as if this game had been given.
    pub(crate) fn of(game: Game) -> GameOption {
        GameOption { given: Some(game), usual: OnceLock::new() }
    }

    /// The given game, else the one with this name.
    pub(crate) fn or(&self, usual: &'static str) -> &Game {
        self.or_of(None, usual)
    }

    /// The given game, else that of the only board in a folder of databases, else the one with this
    /// name.
    pub(crate) fn or_of(&self, db: Option<&DatabaseOption>, usual: &'static str) -> &Game {
        let named = || usual.parse().unwrap_or_else(|_| unreachable!("{usual} is a game"));
        self.given.as_ref().unwrap_or_else(|| {
            self.usual.get_or_init(|| match db.map(DatabaseOption::boards).as_deref() {
                Some([only]) => only.clone(),
                _ => named(),
            })
        })
    }
}

/// The claim to prove.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClaimOption {
    /// The exact value, whatever it is
    Value,
    /// Black does not lose
    BlackNotLost,
    /// White does not lose
    WhiteNotLost,
}

impl From<ClaimOption> for Asked {
    fn from(claim: ClaimOption) -> Self {
        match claim {
            ClaimOption::Value => Asked::Value,
            ClaimOption::BlackNotLost => Asked::BlackNotLost,
            ClaimOption::WhiteNotLost => Asked::WhiteNotLost,
        }
    }
}

/// The default folder of the databases.
const DATABASES: &str = "egdb";

/// The option for the folder of the databases.
#[derive(Args, Debug, Clone)]
pub(crate) struct DatabaseOption {
    /// Directory of the databases; that of the board RxC is DIR/RxC
    #[arg(long, value_name = "DIR", default_value = DATABASES)]
    pub(crate) db: PathBuf,
}

impl DatabaseOption {
    /// Checks that the folder is there, unless it is the default. Otherwise a command that can do
    /// without a database would run without one when the name of the folder is mistyped.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if self.db == Path::new(DATABASES) {
            return Ok(());
        }
        let Err(source) = fs::read_dir(&self.db) else { return Ok(()) };
        let advice = "--db must name a directory that is there; `prove db` makes one";
        Err(Failure::file(&self.db, source).with_advice(advice))
    }

    /// The boards that have a database in the folder.
    pub(crate) fn boards(&self) -> Vec<Game> {
        let mut boards = Vec::new();
        for entry in fs::read_dir(&self.db).into_iter().flatten().flatten() {
            if let Ok(game) = entry.file_name().to_string_lossy().parse()
                && entry.path().join("MANIFEST").is_file()
            {
                boards.push(game);
            }
        }
        boards
    }
}

/// The options for an existing database.
#[derive(Args, Debug, Clone)]
pub(crate) struct StoredOptions {
    #[command(flatten)]
    game: GameOption,
    #[command(flatten)]
    db: DatabaseOption,
    /// Use the database of these positions: N for those with at most N pieces, N:M for those of
    /// them with at most M on a side, or several of these, such as 7,8:4; 0 for none [default: all
    /// that are there]
    #[arg(long = "pieces", value_name = "COVER")]
    cover: Option<Cover>,
}

impl StoredOptions {
    /// The options for the database of a game with a cover, or with all slices that are there.
    #[cfg(feature = "serve")]
    pub(crate) fn new(game: GameOption, db: DatabaseOption, cover: Option<Cover>) -> Self {
        StoredOptions { game, db, cover }
    }

    /// The game: the given one, else that of the only database there is.
    pub(crate) fn game(&self) -> &Game {
        self.game.or_of(Some(&self.db), CHECKERS)
    }

    /// The given game, if one was given.
    pub(crate) fn given_game(&self) -> Option<&Game> {
        self.game.given.as_ref()
    }

    /// Leaves the default to checkers if what is asked does not fit the only board in the folder.
    pub(crate) fn use_board_if(&self, fits: impl FnOnce(&Game) -> bool) {
        if let [only] = &self.db.boards()[..]
            && !fits(only)
        {
            self.checkers();
        }
    }

    /// The game for engines, books and files of games: the given one, else checkers.
    pub(crate) fn checkers(&self) -> &Game {
        self.game.or(CHECKERS)
    }

    pub(crate) fn board(&self) -> &Board {
        &self.game().board
    }

    /// The depths beside the database, if there are any.
    pub(crate) fn depths(&self) -> Result<Depths, Failure> {
        Ok(Depths::open(&self.db.db, self.board())?)
    }

    /// The store of the database.
    pub(crate) fn store(&self) -> Store {
        Store::new(&self.db.db, self.board())
    }

    /// The MANIFEST of the database, for the requested cover.
    pub(crate) fn manifest(&self, store: &Store) -> Result<DatabaseManifest, StoreError> {
        match &self.cover {
            Some(cover) => store.manifest_of(cover),
            None => store.manifest(),
        }
    }

    /// Loads the database for look-ups.
    fn load(&self, machine: &MachineOptions, room: &Room) -> Result<Values, Failure> {
        self.db.check()?;
        let store = self.store();
        let cover = self.manifest(&store)?.cover;
        Ok(load_finished(&store, &cover, room, &machine.progress())?)
    }

    /// Loads the database; returns an empty one if none is requested or found.
    fn if_there(&self, machine: &MachineOptions, room: &Room) -> Result<Values, Failure> {
        let loaded = match &self.cover {
            Some(cover) if cover.is_empty() => None,
            Some(_) => Some(self.load(machine, room)?),
            None => match self.load(machine, room) {
                Err(Failure::Store(StoreError::Missing { .. })) => None,
                loaded => Some(loaded?),
            },
        };
        Ok(loaded.unwrap_or_else(|| {
            machine.progress().say("no database is used".into());
            Values::empty(self.board())
        }))
    }

    /// Loads the database, with tables in memory or mapped as `values` says; an empty one if none
    /// is requested or found.
    pub(crate) fn load_if_there(
        &self,
        machine: &MachineOptions,
        values: &ValuesOptions,
    ) -> Result<Values, Failure> {
        self.if_there(machine, &values.room(machine))
    }

    /// Opens the database for look-ups of single positions, without making tables.
    pub(crate) fn open(
        &self,
        machine: &MachineOptions,
        values: &ValuesOptions,
    ) -> Result<Values, Failure> {
        self.load(machine, &values.room_as_there(machine))
    }

    /// Like `open`; an empty database if none is requested or found.
    pub(crate) fn open_if_there(
        &self,
        machine: &MachineOptions,
        values: &ValuesOptions,
    ) -> Result<Values, Failure> {
        self.if_there(machine, &values.room_as_there(machine))
    }

    /// Checks that a folder of databases that was named has one of the board, unless none is
    /// wanted.
    pub(crate) fn check_named(&self) -> Result<(), Failure> {
        let is_unwanted = self.cover.as_ref().is_some_and(Cover::is_empty);
        if is_unwanted || self.db.db == Path::new(DATABASES) {
            return Ok(());
        }
        self.db.check()?;
        let found = self.manifest(&self.store()).map_err(Failure::from);
        found.map(|_| ()).map_err(|failure| self.with_other_boards(failure))
    }

    /// Adds to a failure for want of a database the boards that have one.
    pub(crate) fn with_other_boards(&self, failure: Failure) -> Failure {
        if !matches!(failure, Failure::Store(StoreError::Missing { .. })) {
            return failure;
        }
        let mut names: Vec<String> = self.db.boards().iter().map(Game::to_string).collect();
        names.sort();
        if names.is_empty() {
            return failure;
        }
        let names = names.join(", ");
        failure.with_advice(&format!("there are databases of {names}; --game names the board"))
    }

    /// The folder of the databases.
    pub(crate) fn folder(&self) -> &Path {
        &self.db.db
    }

    /// These options with another folder of databases.
    pub(crate) fn with_folder(&self, folder: &Path) -> Self {
        StoredOptions { db: DatabaseOption { db: folder.into() }, ..self.clone() }
    }

    /// These options with another game.
    pub(crate) fn with_game(self, game: Game) -> Self {
        StoredOptions { game: GameOption::of(game), ..self }
    }
}

/// The options for building a database.
#[derive(Args, Debug)]
pub(crate) struct BuildOptions {
    #[command(flatten)]
    pub(crate) game: GameOption,
    /// The positions: N for those with at most N pieces, N:M for those of them with at most M on
    /// a side, or several of these, such as 7,8:4
    #[arg(long = "pieces", value_name = "COVER", required = true)]
    cover: Option<Cover>,
    #[command(flatten)]
    pub(crate) db: DatabaseOption,
    #[command(flatten)]
    pub(crate) machine: MachineOptions,
}

impl BuildOptions {
    /// The game: the given one, else that of the only database there is.
    pub(crate) fn game(&self) -> &Game {
        self.game.or_of(Some(&self.db), SMALL)
    }

    /// The board of the game.
    pub(crate) fn board(&self) -> &Board {
        &self.game().board
    }

    /// Whether there is a cover.
    pub(crate) fn has_cover(&self) -> bool {
        self.cover.is_some()
    }

    /// The cover. It is missing only where a subcommand stands in place of these options.
    fn cover(&self) -> Result<&Cover, Failure> {
        let Some(cover) = &self.cover else {
            return Err(Failure::Input("--pieces: expected a cover, found none".into()));
        };
        check_cover(self.board(), cover)?;
        Ok(cover)
    }

    /// Sets the number of threads; returns the store of the database, and its cover.
    pub(crate) fn start(&self) -> Result<(Store, &Cover), Failure> {
        let cover = self.cover()?;
        self.machine.start()?;
        Ok((Store::new(&self.db.db, self.board()), cover))
    }
}

/// Checks that the board can have the database of a cover, and that the cover is not empty.
pub(crate) fn check_cover(board: &Board, cover: &Cover) -> Result<(), Failure> {
    if !cover.is_empty() && is_possible(board, cover) {
        return Ok(());
    }
    let most = most_pieces(board);
    Err(Failure::Input(format!(
        "--pieces: expected 2 to {most} on {}, found {cover}",
        board.name()
    )))
}

/// Builds or reads a database.
pub(crate) fn database(
    machine: &MachineOptions,
    values: &ValuesOptions,
    db: &DatabaseOption,
    board: &Board,
    cover: &Cover,
) -> Result<Values, Failure> {
    let store = Store::new(&db.db, board);
    Ok(load(&store, cover, &values.room(machine), &machine.progress())?)
}

/// Reads a number of bytes, such as 512MiB.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let shift = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return Err("expected a number and B, KiB, MiB, GiB or TiB".into()),
    };
    let number: u64 = number.parse().map_err(|_| "expected a number first".to_string())?;
    number.checked_mul(1 << shift).ok_or_else(|| "too large".into())
}

/// The name that stands for standard input.
const STDIN: &str = "-";

/// Opens a file of games, or standard input for `-`; also returns its name for error messages.
pub(crate) fn open(path: &Path) -> Result<(String, Box<dyn BufRead>), Failure> {
    if path == Path::new(STDIN) {
        return Ok(("standard input".into(), Box::new(BufReader::new(io::stdin()))));
    }
    let file = File::open(path).map_err(|source| Failure::file(path, source))?;
    Ok((path.display().to_string(), Box::new(BufReader::with_capacity(1 << 16, file))))
}

impl From<PdnError> for Failure {
    fn from(error: PdnError) -> Self {
        Failure::Input(error.to_string())
    }
}

/// Returns the notes of a command: a section of the file, in which a line that ends in a backslash
/// goes on.
pub(crate) fn notes(command: &str) -> String {
    let mut sections =
        include_str!("../notes.txt").split("\n== ").filter_map(|s| s.split_once('\n'));
    let notes = sections.find(|(name, _)| *name == command).map_or("", |(_, notes)| notes);
    notes.replace("\\\n", "").trim_end().into()
}
