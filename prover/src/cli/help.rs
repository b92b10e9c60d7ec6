//! The help of `prove` without a subcommand, which fits on a screen.
//!
//! `prove --help-all` and the manual page have what is left out here: the other examples and
//! options, and the exit status.

use clap::builder::StyledStr;
use clap::{Command, CommandFactory};

use super::Cli;
use super::failure::Failure;

/// The subcommands, by subject.
const SUBJECTS: [(&str, &[&str]); 5] = [
    ("Prove", &["combine", "report", "explain", "trim", "expand"]),
    ("Databases", &["db", "plan", "stats"]),
    (
        "Look-ups and play",
        &["probe", "solve", "analyse", "play", "engine", "book", "replay", "annotate"],
    ),
    ("Farm", &["worker", "farm"]),
    ("Serve and documents", &["serve", "manual", "completions"]),
];

/// The number of examples shown, of those in the notes of the command.
const EXAMPLES: usize = 6;

/// The options shown.
const OPTIONS: [&str; 7] = ["emit", "game", "fen", "moves", "pieces", "db", "help-all"];

/// Replaces the texts of `-h` and `--help` by short ones. The manual page and the completions are
/// made from the command without this.
pub(super) fn with_short_help(command: Command) -> Command {
    let summary = render(&command, &summary(&command));
    let overview = render(&command, &overview(&command));
    command.help_template("{before-help}").before_help(summary).before_long_help(overview)
}

/// Prints the help with all options.
pub(super) fn print_all() -> Result<(), Failure> {
    Ok(Cli::command().print_long_help()?)
}

/// A help text of the command, with [`OPTIONS`] alone.
fn render(command: &Command, body: &str) -> StyledStr {
    let template = format!("{{about}}\n\n{{usage-heading}} {{usage}}\n\n{body}");
    let command = command.clone().help_template(template);
    let command = command.disable_help_flag(true).disable_version_flag(true);
    let mut command = command.mut_args(|arg| {
        let is_shown = arg.get_long().is_some_and(|long| OPTIONS.contains(&long));
        arg.hide(!is_shown)
    });
    command.render_help()
}

/// The first examples of the command.
fn examples(command: &Command) -> String {
    let notes = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let lines: Vec<&str> = notes.lines().skip(1).take(EXAMPLES).collect();
    format!("{}\n{}", heading(command, "Examples"), lines.join("\n"))
}

/// The examples, and the names of the subcommands.
fn summary(command: &Command) -> String {
    let mut text = format!("{}\n\n{}\n", examples(command), heading(command, "Commands"));
    for (subject, names) in SUBJECTS {
        text += &format!("  {:<21}{}\n", subject, names.join(", "));
    }
    text + "\n`prove --help` says what they do and has the main options, `prove COMMAND --help` has \
            those of a command, `prove --help-all` has all options."
}

/// The examples, what each subcommand does, and the options that most users need.
fn overview(command: &Command) -> String {
    let mut text = examples(command) + "\n\n";
    for (subject, names) in SUBJECTS {
        text += &format!("{}\n", heading(command, subject));
        let commands = names.iter().filter_map(|name| command.find_subcommand(name));
        for subcommand in commands {
            let about = subcommand.get_about().map(ToString::to_string).unwrap_or_default();
            text += &format!("  {:<13}{about}\n", subcommand.get_name());
        }
    }
    format!(
        "{text}\n{}\n{{options}}\n\n`prove COMMAND --help` has the options of a command, `prove \
         --help-all` all options, more examples and the exit status.",
        heading(command, "Options")
    )
}

/// A heading in the style of the help of other commands.
fn heading(command: &Command, text: &str) -> String {
    let style = command.get_styles().get_header();
    format!("{style}{text}:{style:#}")
}
