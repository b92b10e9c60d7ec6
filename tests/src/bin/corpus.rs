//! Writes the corpora to a directory, for other checkers, and judges one by them.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use tests::corpus::{build, judge};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (directory, checker) = match &arguments[..] {
        [directory] => (directory, None),
        [directory, checker] => (directory, Some(checker)),
        _ => {
            eprintln!("usage: corpus DIR [CHECKER]");
            return ExitCode::from(2);
        }
    };
    let directory = Path::new(directory);
    if directory.exists() {
        eprintln!("{}: expected a new directory, found an old one", directory.display());
        return ExitCode::from(2);
    }
    let cases = build(directory);
    let table = directory.join("EXPECTED.tsv");
    let written = std::fs::File::create(&table).and_then(|mut out| {
        writeln!(out, "case\targuments\tverdict\tfile\toffset\tstatus")?;
        cases.iter().try_for_each(|case| {
            let expected = &case.expected;
            let offset = expected.offset.map(|o| o.to_string()).unwrap_or_default();
            let file = expected.file.as_deref().unwrap_or_default();
            let arguments = case.arguments.join(" ");
            let (words, status) = (&expected.words, expected.status());
            writeln!(out, "{}\t{arguments}\t{words}\t{file}\t{offset}\t{status}", case.name)
        })
    });
    if let Err(e) = written {
        eprintln!("{}: {e}", table.display());
        return ExitCode::from(3);
    }
    println!("{} cases in {}", cases.len(), directory.display());
    let Some(checker) = checker else { return ExitCode::SUCCESS };
    let checker = std::fs::canonicalize(checker).unwrap_or_else(|_| checker.into());
    let wrong = judge(&cases, &checker);
    wrong.iter().for_each(|line| println!("{line}"));
    println!("{} passed, {} failed", cases.len() - wrong.len(), wrong.len());
    ExitCode::from(u8::from(!wrong.is_empty()))
}
