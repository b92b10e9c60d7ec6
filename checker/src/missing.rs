//! Where the database of a certificate is missing, or another one is in its place: which one is
//! needed, and the command that makes it.

use checker_audit::Description;
use checker_core::{Game, Level, Stop};
use std::path::Path;

/// What has stopped a check of a certificate. A missing database is named, with what makes it.
pub(crate) fn named(stop: Stop, certificate: &Path, db: &Path) -> Stop {
    match (&stop, needed(certificate, db)) {
        (Stop::Error(_), Some(needed)) if !db.join(&needed.about.board).exists() => {
            Stop::Error(needed.says("it is not there"))
        }
        _ => stop,
    }
}

/// What to do where a certificate was refuted because the database in its folder is another one or
/// covers less; `None` if the database is the certificate's.
pub(crate) fn advice(certificate: &Path, db: &Path) -> Option<String> {
    needed(certificate, db).map(|needed| needed.says("that folder has another one"))
}

/// A database that a certificate rests on and that is not in the folder of databases.
struct Needed<'a> {
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
    Some(Needed { about, db })
}

impl Needed<'_> {
    fn says(&self, why: &str) -> String {
        let Description { game, board, cover, db_root, .. } = &self.about;
        let root = db_root.map_or(String::new(), |root| root.to_string());
        let db = self.db.display();
        let mut command = format!("prove db --game {game} --pieces {cover}");
        if self.db != Path::new("egdb") {
            command += &format!(" --db {db}");
        }
        format!(
            "the certificate needs the database of {board} with pieces={cover}, root {root}, in the folder {db}, \
             and {why}; this makes it: {command}"
        )
    }
}
