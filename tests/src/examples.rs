//! The commands that help texts and the manual show, extracted from there and run unchanged.
//!
//! An example of a help text stands below `Examples:` or `Example:`, after two blanks, and ends at
//! two blanks more, where a remark may follow. An example of the manual is a line of a fenced `sh`
//! block that begins with the name of the program. A shell runs both, so that quotes, patterns and
//! redirections mean what they mean to a reader who pastes them.

use crate::prelude::*;
use std::ffi::OsString;

/// A command that a text shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// The place of the example, as in `check merge --help` or `docs/playing.md line 41`.
    pub place: String,
    /// The command without the remark after it.
    pub command: String,
}

/// An example that no test can run, and why not.
#[derive(Debug, Clone, Copy)]
pub struct LeftOut {
    /// The command as it is shown, without the remark.
    pub command: &'static str,
    /// The reason for which it cannot be run.
    pub reason: &'static str,
}

/// The command in a line: up to two blanks or a ` #` outside of quotes.
pub fn without_remark(line: &str) -> &str {
    let (mut quote, mut end) = (None, line.len());
    for (i, c) in line.char_indices() {
        let rest = &line[i..];
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '"' || c == '\'' => quote = Some(c),
            None if rest.starts_with("  ") || rest.starts_with(" #") => {
                end = i;
                break;
            }
            _ => {}
        }
    }
    line[..end].trim_end()
}

/// Returns the help of a program's command, by `--help`, or `--help-all` where `--help` is short,
/// without wrapped lines.
fn help(program: &str, command: &[String]) -> String {
    let is_short = program == "prove" && command.is_empty();
    let output = Command::new(path(program))
        .args(command)
        .arg(if is_short { "--help-all" } else { "--help" })
        .env("COLUMNS", "1000")
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{program} {command:?} --help: {output:?}");
    String::from_utf8(output.stdout).expect("a help text is UTF-8")
}

/// The help texts of a program and of each of its commands, with the words that ask for them.
///
/// # Panics
/// If a help text cannot be printed.
fn help_texts(program: &str) -> Vec<(Vec<String>, String)> {
    let (mut all, mut todo) = (Vec::new(), vec![Vec::new()]);
    while let Some(command) = todo.pop() {
        let text = help(program, &command);
        for name in commands_in(&text) {
            todo.push([&command[..], &[name.to_string()]].concat());
        }
        all.push((command, text));
    }
    all
}

/// The commands that a help text lists.
fn commands_in(text: &str) -> impl Iterator<Item = &str> {
    let commands = text.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands = commands.take_while(|line| line.starts_with("  "));
    // Lines with a deeper indentation go on with the description before them.
    let commands = commands.filter(|line| !line.starts_with("   "));
    let names = commands.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help")
}

/// The examples of the help texts of a program: those of the program itself and of each of its
/// commands, a list for each text that has some. Each command that has no further ones has some.
///
/// # Panics
/// If a help text cannot be printed, or has no examples.
pub fn in_help(program: &str) -> Vec<Vec<Example>> {
    let mut all = Vec::new();
    for (command, text) in help_texts(program) {
        let place = [&[program.to_string()], &command[..], &["--help".into()]].concat().join(" ");
        let is_heading = |line: &&str| ["Examples:", "Example:"].contains(line);
        let lines = text.lines().skip_while(|line| !is_heading(line)).skip(1);
        let lines = lines.take_while(|line| line.starts_with("  "));
        let lines = lines.filter_map(|line| line.strip_prefix("  "));
        let lines = lines.filter(|line| line.starts_with(&format!("{program} ")));
        let example = |line: &str| Example {
            place: place.clone(),
            command: without_remark(line).to_string(),
        };
        let examples: Vec<Example> = lines.map(example).collect();
        if examples.is_empty() {
            assert!(commands_in(&text).next().is_some(), "{place} has no example");
        } else {
            all.push(examples);
        }
    }
    all
}

/// The documents of the manual.
pub const MANUAL: [&str; 10] = [
    "GUIDE.md",
    "docs/proving.md",
    "docs/databases.md",
    "docs/playing.md",
    "docs/start/auditor.md",
    "docs/start/collector.md",
    "docs/start/operator.md",
    "docs/start/player.md",
    "docs/start/programmer.md",
    "docs/start/researcher.md",
];

/// The commands of programs in the manual, a list for each document in the order in which they
/// stand.
///
/// # Panics
/// If a document of the manual cannot be read.
pub fn in_manual(programs: &[&str]) -> Vec<Vec<Example>> {
    MANUAL.iter().map(|document| in_document(document, programs)).collect()
}

/// The commands of programs in a document. A line that ends with a backslash goes on in the next.
fn in_document(document: &str, programs: &[&str]) -> Vec<Example> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(document);
    let text = fs::read_to_string(path).expect(document);
    let (mut all, mut is_shell) = (Vec::new(), false);
    let mut lines = text.lines().enumerate();
    while let Some((i, line)) = lines.next() {
        if line.starts_with("```") {
            is_shell = line == "```sh";
            continue;
        }
        let name = line.split(' ').next().unwrap_or_default();
        let name = Path::new(name).file_name();
        let is_ours = name.is_some_and(|name| programs.iter().any(|program| name == *program));
        if !is_shell || !is_ours {
            continue;
        }
        let mut command = line.to_string();
        while command.ends_with('\\') {
            command.pop();
            command += lines.next().map_or("", |(_, next)| next.trim_start());
        }
        let command = without_remark(&command).to_string();
        all.push(Example { place: format!("{document} line {}", i + 1), command });
    }
    all
}

impl Example {
    /// Runs the command by a shell in a folder, with the programs under test first in the path and
    /// nothing on standard input.
    ///
    /// # Panics
    /// If there is no shell.
    pub fn run(&self, here: &Path) -> Output {
        let programs = path("check");
        let mut folders = OsString::from(programs.parent().expect("the folder of the programs"));
        folders.push(":");
        folders.push(std::env::var_os("PATH").unwrap_or_default());
        let mut shell = Command::new("sh");
        shell.args(["-c", &self.command]).current_dir(here).env("PATH", folders);
        shell.stdin(Stdio::null()).output().expect("a shell")
    }
}

/// Runs each list of examples, one after the other as a reader would, in a separate folder that
/// `prepare` has filled, except those that are left out. `is_right` says whether a command has
/// ended as it should, by its exit status and output. The names of those left out are printed, with
/// the reasons.
///
/// # Panics
/// If an example fails, naming all that do; if there are no examples; or if one that is left out
/// does not exist any more.
pub fn run_all(
    texts: &[Vec<Example>],
    left_out: &[LeftOut],
    prepare: impl Fn(&Path),
    is_right: impl Fn(&Example, &Output) -> bool,
) {
    assert!(!texts.is_empty(), "no examples");
    let there: BTreeSet<&str> = texts.iter().flatten().map(|e| &*e.command).collect();
    let stale: Vec<_> = left_out.iter().filter(|l| !there.contains(l.command)).collect();
    assert!(stale.is_empty(), "left out, and shown nowhere: {stale:?}");
    let mut wrong = Vec::new();
    for text in texts {
        let folder = tempfile::tempdir().expect("a folder");
        prepare(folder.path());
        for example in text {
            let Example { place, command } = example;
            if let Some(left_out) = left_out.iter().find(|l| l.command == command) {
                println!("left out, {place}: {command}: {}", left_out.reason);
                continue;
            }
            let output = example.run(folder.path());
            if !is_right(example, &output) {
                let [out, err] =
                    [&output.stdout, &output.stderr].map(|s| String::from_utf8_lossy(s));
                wrong.push(format!("{place}: {command}: {}\n{out}{err}", output.status));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
