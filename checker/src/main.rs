//! The command line of `check`. The last line that it prints on standard output is the verdict, and
//! its exit status is the verdict's, unless that line could not be written.
// All files but `stdout.rs` are safe code; `stdout.rs` has to run before the library's start-up
// code.
#![deny(unsafe_code)]

mod line;
mod missing;
mod positions;
mod reproduce;
mod sentence;
mod stdout;

use checker::arguments::{CheckArguments, progress};
use checker::commands::{Arguments, Command, DatabaseArguments, SHORT_HELP, Trust};
use checker::{memory, stderr::say};
use checker_audit::keys::{self, PrivateKey};
use checker_audit::{
    Description, Draft, Extent, Joined, Notes, Statement, TableFolder, TrustedDatabase, Values,
    is_among, one_line,
};
use checker_core::{Certificate, Level, Options, Stop, Verdict};
use clap::{CommandFactory, FromArgMatches, Parser};
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn read_notes(paths: &[PathBuf], trust: &Trust) -> Result<Notes, Stop> {
    let keys = trust.keys.as_ref().map(|path| keys::trusted(path)).transpose();
    let keys = keys.map_err(Stop::Error)?;
    Ok(Notes::read(paths, keys, trust.require.into()))
}

/// Finds out which notes count. Notes that do not count are named on standard error, whatever the
/// verdict is.
fn judge<'a>(notes: &'a Notes, about: &'a Description) -> Joined<'a> {
    let joined = notes.about(about);
    joined.left_out().iter().for_each(|line| say(&format!("c {line}")));
    joined
}

/// Takes the word of notes for the values of the database, and returns the level at which the notes
/// cover them.
fn trust_notes(
    arguments: &Arguments,
    certificate: &Path,
    level: Level,
) -> Result<(Level, TrustedDatabase), Stop> {
    let notes = read_notes(&arguments.trust_db, &arguments.trust)?;
    let about = Description::certificate(certificate, level)?;
    let (noted, trusted) = judge(&notes, &about).database()?;
    // The check itself declines claims that may not rest on the level consistent.
    Ok((if noted == Level::Consistent { noted } else { level }, trusted))
}

/// A statement, and the names of the keys that have signed the notes on which it rests.
struct Checked {
    statement: Statement,
    signers: Vec<String>,
}

impl From<Stop> for Checked {
    fn from(stop: Stop) -> Checked {
        Checked { statement: stop.into(), signers: Vec::new() }
    }
}

fn check(arguments: &Arguments) -> Result<Checked, Stop> {
    let error = |text: String| Stop::Error(text);
    // clap does not see a conflict where one of the two options conflicts with an argument that is
    // present.
    if arguments.certificate.is_some() && arguments.database.pieces.is_some() {
        return Err(error("usage: --pieces is for --game; a certificate says how many".into()));
    }
    if arguments.trust.keys.is_some() && arguments.trust_db.is_empty() {
        return Err(error("usage: --keys is for notes: with --trust-db, or check merge".into()));
    }
    let mut options = arguments.options.options();
    let sample = arguments.options.sample();
    let sample = sample.map_err(|e| error(format!("no random numbers: {e}; give --seed")))?;
    let key = arguments.key.as_ref().map(|path| PrivateKey::open(path)).transpose();
    let closed: Vec<&Path> =
        arguments.certificate.iter().chain([&options.db]).map(|p| &**p).collect();
    let CheckArguments { journal, tables, scratch, .. } = &arguments.options;
    for folder in [journal, tables, scratch].into_iter().flatten() {
        if is_among(folder, &closed) {
            let path = folder.display();
            return Err(error(format!("{path}: tables cannot be among what is checked")));
        }
    }
    let used = [journal, tables].into_iter().flatten().chain(&arguments.trust_db);
    let used: Vec<&Path> = used.map(|p| &**p).collect();
    let mut draft = None;
    if let Some(path) = &arguments.attest {
        draft = Some(key.and_then(|key| Draft::new(path, key, &closed, &used)).map_err(error)?);
    }
    let mut signers = Vec::new();
    let shared = matches!((journal, tables), (None, Some(_)));
    let values = match (&arguments.certificate, journal, tables) {
        (Some(certificate), ..) if !arguments.trust_db.is_empty() => {
            let (level, trusted) = trust_notes(arguments, certificate, options.level)?;
            options.level = level;
            signers = trusted.signers.clone();
            Values::Trusted(trusted)
        }
        (_, Some(folder), _) => {
            Values::Tables(TableFolder::journal(folder, arguments.options.fresh))
        }
        (_, None, Some(folder)) => Values::Tables(TableFolder::shared(folder)),
        (_, None, None) => Values::Verified,
    };
    let extent = |values: Values| match (arguments.options.shard, sample) {
        (Some(shard), _) => Extent::Shard(shard, values),
        (None, Some(sample)) => Extent::Sample(sample),
        (None, None) => Extent::Whole(values),
    };
    let is_alone = matches!(values, Values::Verified);
    if arguments.options.verbose
        && let Some(certificate) = &arguments.certificate
        && let Ok(certificate) = Certificate::read(certificate, options.level)
    {
        show_provenance(&certificate);
    }
    let mut statement = check_extent(arguments, &options, &extent(values));
    if statement.status() == 1 && shared {
        // A wrong table may be the cause, and a wrong table refutes nothing: check again without
        // tables.
        statement = check_extent(arguments, &options, &extent(Values::Verified));
        if statement.status() != 1 {
            options.progress.show("one of the tables was wrong, and none has been used");
        }
    }
    statement = with_advice(statement, arguments, &options.db);
    let line = statement.line();
    if is_alone && line.split(' ').any(has_given_tables) {
        options.progress.show(
            "values of other shards that this one rests on were read from their files; shards \
             that have a folder of tables in common (--tables DIR) need not do that again",
        );
    }
    let is_worth_a_note = matches!(statement.status(), 0 | 1 | 2 | 5);
    if let (Some(draft), true) = (draft, is_worth_a_note) {
        draft.write(&statement.words()).map_err(error)?;
    }
    Ok(Checked { statement, signers })
}

/// Prints how the certificate was made, as it says itself.
fn show_provenance(certificate: &Certificate) {
    for proof in &certificate.proofs {
        let said = proof.provenance.as_ref().map_or(String::new(), ToString::to_string);
        for line in said.lines() {
            say(&format!("c the certificate says of {}: {line}", proof.question.word()));
        }
    }
}

/// Whether this field of the verdict on a shard is about tables that the shard took for granted.
fn has_given_tables(field: &str) -> bool {
    field.strip_prefix("given-tables=").is_some_and(|tables| tables != "none")
}

/// The statement, and what to do about the database if that is missing or another.
fn with_advice(statement: Statement, arguments: &Arguments, db: &Path) -> Statement {
    let (certificate, database) = (&arguments.certificate, &arguments.database);
    match statement {
        Statement::Whole(Verdict::Stopped(stop @ Stop::Error(_))) => match certificate {
            Some(certificate) => missing::named(stop, certificate, db).into(),
            None => missing::database_named(stop, database, db).into(),
        },
        Statement::Whole(Verdict::Stopped(Stop::Refuted(finding, roots)))
            if finding.rule.starts_with("database-") =>
        {
            let advice = match certificate {
                Some(certificate) => missing::advice(certificate, db),
                None => missing::database_advice(database, db),
            };
            advice.iter().for_each(|text| say(&format!("c {text}")));
            Stop::Refuted(finding, roots).into()
        }
        other => other,
    }
}

/// Checks the certificate or the database that the arguments name, as far as the extent goes.
fn check_extent(arguments: &Arguments, options: &Options, extent: &Extent) -> Statement {
    let DatabaseArguments { game, pieces } = &arguments.database;
    match (&arguments.certificate, game) {
        (Some(certificate), _) => checker_audit::check(certificate, options, extent),
        (None, Some(game)) => {
            checker_audit::check_database(game.board(), pieces.as_ref(), options, extent)
        }
        (None, None) => Stop::Error("usage: neither a certificate nor a game".into()).into(),
    }
}

fn merge(
    paths: &[PathBuf],
    database: &DatabaseArguments,
    trust: &Trust,
    db: &Path,
) -> Result<Checked, Stop> {
    let mut files = paths;
    if database.game.is_none() {
        files = paths.get(1..).unwrap_or_default();
    }
    if files.is_empty() {
        return Err(Stop::Error("usage: no notes".into()));
    }
    let notes = read_notes(files, trust)?;
    let about = match &database.game {
        Some(game) => Description::database(game.board(), database.pieces.as_ref(), db)?,
        None => Description::certificate(&paths[0], Level::Exact)?,
    };
    let joined = judge(&notes, &about);
    Ok(Checked { statement: joined.verdict()?, signers: joined.signers() })
}

/// The output of a command, its exit status, and the text for standard error, which is printed
/// last.
struct Output {
    text: String,
    status: u8,
    sentence: Option<String>,
}

impl Output {
    /// The output for a verdict, with a plain sentence unless `is_quiet`.
    fn of(checked: Checked, is_quiet: bool) -> Output {
        let Checked { statement, signers } = checked;
        sentence::warnings(&statement).iter().for_each(|warning| say(warning));
        Output {
            text: format!("{}\n", line::printed(&statement.line())),
            status: statement.status(),
            sentence: (!is_quiet).then(|| sentence::of(&statement, &signers)),
        }
    }

    /// The output of a command that is no check.
    fn plain(text: String, status: u8) -> Output {
        Output { text, status, sentence: None }
    }

    /// Prints the text and then the sentence. Returns the exit status: 4 if the text could not be
    /// written, which is said instead of the sentence.
    fn print(&self) -> ExitCode {
        if let Err(error) = stdout::write(&self.text) {
            let lost = self.text.lines().last().unwrap_or_default();
            say(&format!(
                "check: standard output: {error}; status 4; this was not written: {lost}"
            ));
            return ExitCode::from(4);
        }
        self.sentence.iter().for_each(|sentence| say(sentence));
        ExitCode::from(self.status)
    }
}

/// Runs the command that the arguments ask for.
fn run(arguments: &Arguments) -> Output {
    let verdict = |result: Result<Checked, Stop>, is_quiet| {
        Output::of(result.unwrap_or_else(Checked::from), is_quiet)
    };
    match &arguments.command {
        None => verdict(check(arguments), arguments.options.quiet),
        Some(Command::Merge { paths, database, trust, db }) => {
            verdict(merge(paths, database, trust, db), false)
        }
        Some(Command::Positions { list }) => {
            let (memory, progress) = (memory::default_bound(), progress());
            let options = Options { memory, progress, ..Options::new("") };
            match positions::check(list, &options) {
                Ok(line) => Output::plain(format!("{line}\n"), 0),
                Err(stop) => verdict(Err(stop), false),
            }
        }
        Some(Command::Keygen { name, key }) => match PrivateKey::generate(name, key) {
            Ok(key) => Output::plain(format!("{}\n", key.public.text()), 0),
            Err(error) => verdict(Err(Stop::Error(error)), false),
        },
        Some(Command::Explain { .. }) => {
            let now = "check explain is a command of the prover now: prove explain CERT";
            verdict(Err(Stop::Error(now.into())), false)
        }
        Some(Command::Reproduce { certificate, prove, db }) => {
            let about = match Description::certificate(certificate, Level::Exact) {
                Ok(about) => about,
                Err(stop) => return verdict(Err(stop), false),
            };
            match reproduce::reproduce(certificate, &about, prove.as_deref(), db.as_deref()) {
                Ok(None) => Output::plain("The prover makes the same certificate.\n".into(), 0),
                Ok(Some(difference)) => {
                    Output::plain(format!("The prover makes another one: {difference}\n"), 1)
                }
                Err(error) => verdict(Err(Stop::Error(error)), false),
            }
        }
    }
}

/// Describes the fault of the arguments. They are parsed once more with each argument folded into
/// one line, so that no line feed in clap's text comes from an argument.
fn usage(error: &clap::Error) -> String {
    let clean = std::env::args_os().map(|argument| one_line(&argument.to_string_lossy()));
    match Arguments::try_parse_from(clean) {
        Err(error) if error.use_stderr() => error.render().to_string(),
        _ => one_line(&error.render().to_string()),
    }
}

/// Parses the arguments. `-h` alone prints a page, and `--help` and `help` print everything.
fn parse() -> Result<Arguments, clap::Error> {
    let mut command = Arguments::command();
    if !std::env::args_os().any(|argument| argument == "--help" || argument == "help") {
        command = command.help_template(SHORT_HELP);
    }
    let matches = command.try_get_matches()?;
    Arguments::from_arg_matches(&matches)
}

fn main() -> ExitCode {
    let output = match parse() {
        Ok(arguments) => catch_unwind(|| run(&arguments)).unwrap_or_else(|_| {
            Output::of(Stop::Error("a bug in check; see standard error".into()).into(), false)
        }),
        // `--help` or `--version` is not an error.
        Err(text) if !text.use_stderr() => Output::plain(text.render().to_string(), 0),
        Err(error) => {
            let text = usage(&error);
            text.lines().for_each(say);
            // The first paragraph says what is wrong, with a line for each argument that is meant.
            let lines = text.lines().map(str::trim).take_while(|line| !line.is_empty());
            let what = lines.collect::<Vec<_>>().join(" ");
            let text = format!("usage: {}", what.trim_start_matches("error: "));
            Output::of(Stop::Error(text).into(), true)
        }
    };
    output.print()
}
