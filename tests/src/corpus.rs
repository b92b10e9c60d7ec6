//! The accept and reject corpora: small certificates and databases, each wrong in one way, made
//! from valid ones by a program, so that they survive changes of the format. Each case says which
//! verdict it must get, by which rule and at which place.

use std::fmt::Debug;

use checker::commands::Arguments;
use checker_audit::{Extent, check, check_database};
use checker_core::Options;
use clap::Parser;

use crate::prelude::*;

mod claims;
mod covers;
mod databases;
mod files;
mod nodes;
mod provenances;
pub(crate) mod slices;

/// The rows of a table in `corpus/`, without comments and its header.
pub fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.skip(1).map(|line| line.split('\t').collect())
}

/// The verdict that a checker must give.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// The first words of the verdict after `s `; the rule is one of them.
    pub words: String,
    /// The file that the verdict must name; any or none if `None`.
    pub file: Option<String>,
    /// The offset that the verdict must name; any or none if `None`.
    pub offset: Option<u64>,
}

impl Expected {
    /// `s VERIFIED` and more words.
    pub fn verified(words: &str) -> Self {
        Expected { words: format!("VERIFIED {words}"), file: None, offset: None }
    }

    /// `s CONSISTENT` and more words.
    pub fn consistent(words: &str) -> Self {
        Expected { words: format!("CONSISTENT {words}"), file: None, offset: None }
    }

    /// `s REFUTED` with a rule, in a file.
    pub fn refuted(rule: &str, file: impl Into<String>) -> Self {
        let (words, file) = (format!("REFUTED {rule}"), Some(file.into()));
        Expected { words, file, offset: None }
    }

    /// `s DECLINED` for this reason, in a file.
    pub fn declined(what: &str, file: impl Into<String>) -> Self {
        let (words, file) = (format!("DECLINED {what}"), Some(file.into()));
        Expected { words, file, offset: None }
    }

    /// `s CONDITIONAL` and more words.
    pub fn conditional(words: &str) -> Self {
        Expected { words: format!("CONDITIONAL {words}"), file: None, offset: None }
    }

    /// `s ERROR`.
    pub fn error() -> Self {
        Expected { words: "ERROR".into(), file: None, offset: None }
    }

    /// Adds the offset that the verdict must name.
    pub fn at(self, offset: u64) -> Self {
        Expected { offset: Some(offset), ..self }
    }

    /// The exit status that belongs to the verdict.
    pub fn status(&self) -> i32 {
        let verdicts = ["VERIFIED", "REFUTED", "CONDITIONAL", "DECLINED", "ERROR", "CONSISTENT"];
        let first = self.words.split(' ').next();
        (0..).zip(verdicts).find(|(_, v)| Some(*v) == first).map_or(-1, |(status, _)| status)
    }

    /// Compares with the verdict of a checker.
    ///
    /// # Errors
    /// The first difference.
    pub fn compare(&self, said: &Said) -> Result<(), String> {
        let words: Vec<&str> = said.verdict.split(' ').skip(1).collect();
        let want: Vec<&str> = self.words.split(' ').collect();
        let field = |name: &str| words.iter().find_map(|w| w.strip_prefix(name));
        let place = self.file.as_deref().is_none_or(|file| field("file=") == Some(file))
            && self.offset.is_none_or(|o| field("offset=") == Some(&o.to_string()));
        if words.starts_with(&want) && place && said.status == Some(self.status()) {
            return Ok(());
        }
        Err(format!("expected {self:?} with status {}, found {said:?}", self.status()))
    }
}

/// One certificate or database, and the verdict that a checker must give.
#[derive(Debug, Clone)]
pub struct Case {
    /// The name of the case, and of its directory.
    pub name: String,
    /// The checker's arguments, relative to `directory`.
    pub arguments: Vec<String>,
    pub directory: PathBuf,
    /// The verdict that a checker must give.
    pub expected: Expected,
}

impl Case {
    /// The arguments of a checker, and more of them.
    fn with<'a>(&'a self, more: &[&'a str]) -> Vec<&'a str> {
        self.arguments.iter().map(String::as_str).chain(more.iter().copied()).collect()
    }

    /// Prepares a check of the case in this process, with more options; `None` if the fault is in
    /// the arguments.
    pub fn in_process(&self, more: &[&str]) -> Option<impl Fn() -> Said + use<'_>> {
        let words = ["check", "--quiet"].into_iter().chain(self.with(more));
        let Arguments { certificate, database, options, .. } =
            Arguments::try_parse_from(words).ok()?;
        let asked = options.options();
        let asked = Options { db: self.directory.join(&asked.db), ..asked };
        let extent = match (options.shard, options.sample().expect("a seed")) {
            (Some(shard), _) => Extent::Shard(shard, checker_audit::Values::Verified),
            (None, Some(sample)) => Extent::Sample(sample),
            (None, None) => Extent::Whole(checker_audit::Values::Verified),
        };
        Some(move || {
            let statement = match (&certificate, &database.game) {
                (Some(path), _) => check(&self.directory.join(path), &asked, &extent),
                (None, Some(game)) => {
                    check_database(game.board(), database.pieces.as_ref(), &asked, &extent)
                }
                (None, None) => unreachable!("clap asks for one of the two"),
            };
            Said { verdict: statement.line(), status: Some(statement.status().into()) }
        })
    }

    /// Runs a checker on the case; returns what is wrong with its verdict.
    ///
    /// # Errors
    /// The verdict is not the expected one.
    pub fn judge(&self, checker: &Path) -> Result<Said, String> {
        let said = check_with(checker, &self.with(&[]), &self.directory)?;
        self.expected.compare(&said).map(|()| said)
    }
}

/// The valid certificates that cases are made from, each with its database.
pub struct Bases {
    /// A draw on 4x4 with nodes, leaves and a database of 3 pieces.
    pub draw: Base,
    /// White wins 6x4: ranks, nodes, leaves and a database of 3 pieces.
    pub win: Base,
    /// A draw on 4x4 without a database, nearly all of it nodes: leaves are too small to matter.
    pub bare: Base,
    /// Like `bare`, with one leaf for each question.
    pub leaf: Base,
    /// White wins 6x4 over 2 against 2 and less: a cover that bounds the sides.
    pub sides: Base,
    /// A draw of 4 against 3 on 4x4, over all positions of 5 pieces and 3 against 3: a cover of two
    /// clauses.
    pub clauses: Base,
    /// The directory of a database of 6x6 with 4 pieces, of which one slice has two units.
    pub units: PathBuf,
}

/// A valid certificate on disk.
pub struct Base {
    directory: PathBuf,
    /// The certificate, decoded.
    pub draft: Draft,
}

impl Base {
    fn new(root: &Path, name: &str, options: &[&str]) -> Self {
        let directory = root.join(name);
        fs::create_dir_all(&directory).expect("a directory");
        let common = ["--emit", "cert", "--db", "egdb", "--quiet"];
        prove(&[options, &common].concat(), &directory);
        drop_leftovers(&directory.join("egdb"));
        let draft = Draft::read(&directory.join("cert"));
        Base { directory, draft }
    }

    /// The certificate's directory.
    pub fn certificate(&self) -> PathBuf {
        self.directory.join("cert")
    }
}

impl Bases {
    fn new(root: &Path) -> Self {
        let base =
            |name, options: &str| Base::new(root, name, &options.split(' ').collect::<Vec<_>>());
        let units = root.join("base-units");
        fs::create_dir_all(&units).expect("a directory");
        prove(&["db", "--game", "6x6", "--pieces", "4", "--quiet"], &units);
        drop_leftovers(&units.join("egdb"));
        Bases {
            draw: base("base-draw", "--game 4x4 --pieces 3 --leaf-nodes 3"),
            win: base("base-win", "--game 6x4 --pieces 3 --leaf-nodes 40"),
            bare: base("base-bare", "--game 4x4 --pieces 0 --leaf-nodes 1"),
            leaf: base("base-leaf", "--game 4x4 --pieces 0 --leaf-nodes 100000"),
            sides: base("base-sides", "--game 6x4 --pieces 4:2 --leaf-nodes 40"),
            clauses: base(
                "base-clauses",
                "--game 4x4 --fen W:W3,K4,8:B1,K2,K5,6 --pieces 5,6:3 --leaf-nodes 3",
            ),
            units,
        }
    }
}

/// Collects cases.
pub struct Corpus {
    root: PathBuf,
    cases: Vec<Case>,
}

impl Corpus {
    /// Makes a directory for a case from a base; `edit` changes it and returns the expected
    /// verdict.
    pub fn add(&mut self, name: &str, base: &Base, edit: impl FnOnce(&Path) -> Expected) {
        self.add_with(name, base, &["cert", "--db", "egdb"], edit);
    }

    /// Like `add`, with other arguments for the checker.
    pub fn add_with(
        &mut self,
        name: &str,
        base: &Base,
        arguments: &[&str],
        edit: impl FnOnce(&Path) -> Expected,
    ) {
        self.add_copy(name, &base.directory, arguments, edit);
    }

    /// Like `add_with`, from any directory instead of a base.
    pub fn add_copy(
        &mut self,
        name: &str,
        from: &Path,
        arguments: &[&str],
        edit: impl FnOnce(&Path) -> Expected,
    ) {
        let directory = self.root.join(name);
        assert!(!directory.exists(), "two cases are called {name}");
        copy(from, &directory);
        let expected = edit(&directory);
        let arguments = arguments.iter().map(|a| (*a).to_owned()).collect();
        self.cases.push(Case { name: name.into(), arguments, directory, expected });
    }

    /// Adds a case that is a changed draft with right hashes.
    pub fn add_draft(
        &mut self,
        name: &str,
        base: &Base,
        edit: impl FnOnce(&mut Draft) -> Box<dyn Fn(&Draft) -> Expected>,
    ) {
        self.add(name, base, |directory| {
            let mut draft = base.draft.clone();
            let expected = edit(&mut draft);
            draft.write(&directory.join("cert"));
            expected(&draft)
        });
    }
}

/// Makes all cases under `root`.
pub fn build(root: &Path) -> Vec<Case> {
    let bases = Bases::new(root);
    let mut corpus = Corpus { root: root.into(), cases: Vec::new() };
    for (name, base, words) in [
        ("accept-draw", &bases.draw, "DRAW 4x4 start=initial"),
        ("accept-win", &bases.win, "WHITE-WINS 6x4 start=initial"),
        ("accept-bare", &bases.bare, "DRAW 4x4 start=initial"),
        ("accept-leaf", &bases.leaf, "DRAW 4x4 start=initial"),
        ("accept-sides", &bases.sides, "WHITE-WINS 6x4 start=initial"),
        ("accept-clauses", &bases.clauses, "DRAW 4x4 start=W:W3,K4,8:B1,K2,K5,6"),
    ] {
        corpus.add(name, base, |_| Expected::verified(words));
        // An unchanged draft is written as it was read.
        corpus.add_draft(&format!("{name}-rewritten"), base, |_| {
            Box::new(move |_| Expected::verified(words))
        });
    }
    claims::add(&mut corpus, &bases);
    covers::add(&mut corpus, &bases);
    files::add(&mut corpus, &bases);
    nodes::add(&mut corpus, &bases);
    nodes::add_leaves(&mut corpus, &bases);
    nodes::add_positions(&mut corpus, &bases);
    provenances::add(&mut corpus, &bases);
    slices::add(&mut corpus, &bases);
    databases::add(&mut corpus, &bases);
    files::add_versions(&mut corpus, &bases);
    corpus.cases
}

/// Lets a checker judge all cases; returns a line for each verdict that differs from the expected.
pub fn judge(cases: &[Case], checker: &Path) -> Vec<String> {
    let wrong = |case: &Case| Some(format!("{}: {}", case.name, case.judge(checker).err()?));
    cases.iter().filter_map(wrong).collect()
}

/// Removes files that `prove` keeps beside databases for its own use.
pub(crate) fn drop_leftovers(databases: &Path) {
    for entry in fs::read_dir(databases).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            fs::remove_file(path).expect("a file is removed");
        }
    }
}

/// The name of the object of nodes (or leaves) of a draft's part.
fn object(draft: &Draft, part: usize, kind: certificate_spec::manifest::Kind) -> String {
    let question = draft.parts[part].question;
    let objects = draft.objects();
    let object = objects.iter().find(|o| o.kind == kind && o.head.question == question);
    let bytes = &object.unwrap_or_else(|| panic!("no {kind:?}")).bytes;
    format!("objects/{}", certificate_spec::Digest::of(bytes))
}
