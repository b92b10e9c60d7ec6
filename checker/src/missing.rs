//! The remedy for a missing or wrong database: its name, and the command that makes it.

use crate::line::beginning;
use certificate_spec::cover::Cover;
use checker::commands::DatabaseArguments;
use checker_audit::Description;
use checker_core::{Game, Level, Stop};
use std::path::Path;

/// The most characters of the folder where it is named beside the command.
const FOLDER: usize = 100;

/// The number of pieces of the database that is suggested where none is named.
const USUAL_PIECES: u8 = 6;

/// Adds to an error of a check of a certificate the command that makes its missing database.
pub(crate) fn named(stop: Stop, certificate: &Path, db: &Path) -> Stop {
    match (&stop, needed(certificate, db)) {
        (Stop::Error(_), Some(needed)) if !db.join(&needed.about.board).exists() => {
            Stop::Error(needed.says("it is not there"))
        }
        _ => stop,
    }
}

/// Returns the remedy where a certificate was refuted because the database in its folder is another
/// one or covers less; `None` if the database is the certificate's.
pub(crate) fn advice(certificate: &Path, db: &Path) -> Option<String> {
    needed(certificate, db).map(|needed| needed.says("that folder has another one"))
}

/// Adds to an error of a check of a database alone the command that makes a missing one.
pub(crate) fn database_named(stop: Stop, database: &DatabaseArguments, db: &Path) -> Stop {
    let (Stop::Error(_), Some(game)) = (&stop, &database.game) else { return stop };
    let board = game.board();
    let pieces = database.pieces.as_ref().map_or(USUAL_PIECES, Cover::most_pieces);
    let is_possible = database.pieces.is_none() || (2..=board.squares()).contains(&pieces.into());
    if !is_possible || db.join(board.name()).exists() {
        return stop;
    }
    let folder = beginning(&db.display().to_string(), FOLDER);
    let (board, making) = (board.name(), making(game, database.pieces.as_ref(), db));
    Stop::Error(format!("there is no database of {board} in the folder {folder}; {making}"))
}

/// Returns the remedy where a database alone was refuted because it covers less than was asked for;
/// `None` if it covers that.
pub(crate) fn database_advice(database: &DatabaseArguments, db: &Path) -> Option<String> {
    let (game, cover) = (database.game.as_ref()?, database.pieces.as_ref()?);
    let there = Description::database(game.board(), None, db).ok()?;
    let Description { board, cover: found, .. } = there;
    let making = making(game, Some(cover), db);
    (!found.includes(cover))
        .then(|| format!("the database of {board} there has pieces={found}; {making}"))
}

/// The command that makes a database, with words before it.
fn making(game: &Game, cover: Option<&Cover>, db: &Path) -> String {
    let squares = u8::try_from(game.board().squares()).unwrap_or(USUAL_PIECES);
    let usual = Cover::up_to(squares.min(USUAL_PIECES));
    let (game, cover) = (game.name(), cover.unwrap_or(&usual));
    let mut command = format!("this makes it: prove db --game {game} --pieces {cover}");
    if db != Path::new("egdb") {
        command += &format!(" --db {}", db.display());
    }
    command
}

/// A database that a certificate rests on and that is not in the folder of databases.
struct Needed<'a> {
    game: Game,
    about: Description,
    db: &'a Path,
}

/// The database that the certificate rests on, unless it is there.
fn needed<'a>(certificate: &Path, db: &'a Path) -> Option<Needed<'a>> {
    let about = Description::certificate(certificate, Level::Exact).ok()?;
    let game = Game::parse(&about.game)?;
    let there = Description::database(game.board(), Some(&about.cover), db);
    if about.db_root.is_none() || there.is_ok_and(|there| there.db_root == about.db_root) {
        return None;
    }
    Some(Needed { game, about, db })
}

impl Needed<'_> {
    fn says(&self, why: &str) -> String {
        let Description { board, cover, db_root, .. } = &self.about;
        let root = db_root.map_or(String::new(), |root| root.to_string());
        let folder = beginning(&self.db.display().to_string(), FOLDER);
        let making = making(&self.game, Some(cover), self.db);
        format!(
            "the certificate needs the database of {board} with pieces={cover}, root {root}, in the folder {folder}, \
             and {why}; {making}"
        )
    }
}
