//! Mutants on disk, and the verdicts of `check` on them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use checker_core::{Level, Options, Verdict};

use super::base::{Base, Files};
use crate::prelude::*;

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
