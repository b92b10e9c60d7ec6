//! Journals. A journal is trusted, so its digests are believed; but it must be about this database,
//! and complete.
//!
//! An input is lines, each after its length: after a byte 1 the checksum of the line is made right.
//! A byte 2 stands for the right first line, which names the program that is running.

use super::{Input, folder, with_length};
use crate::common::files::write_database;
use crate::common::{Options, check_database};
use crate::common::{board, database};
use crate::counting::peak;
use certificate_spec::Digest;
use checker_audit::Statement;
use checker_core::{Board, Stop, Verdict};
use std::fs;
use std::sync::{Mutex, OnceLock};
use tempfile::TempDir;

/// A folder with a database, and the journal of a whole check of it.
struct Place {
    folder: TempDir,
    board: Board,
    journal: String,
}

impl Place {
    fn check(&self) -> Statement {
        let journal = Some(self.folder.path().join("journal"));
        let options = Options { journal, threads: Some(1), ..Options::new(self.folder.path()) };
        let (verdict, most) = peak(|| check_database(&self.board, None, &options));
        assert!(most < 1 << 20, "{most} bytes of memory");
        verdict
    }
}

fn place() -> &'static Mutex<Place> {
    static PLACE: OnceLock<Mutex<Place>> = OnceLock::new();
    PLACE.get_or_init(|| {
        let (folder, board) = (folder(), board("3x3"));
        write_database(folder.path(), &database(&board, 3), 3);
        let mut place = Place { folder, board, journal: String::new() };
        assert_eq!(place.check().status(), 0);
        let written = fs::read_to_string(place.folder.path().join("journal/journal"));
        place.journal = written.expect("a journal");
        Mutex::new(place)
    })
}

pub(super) fn run(bytes: &[u8]) {
    let place = place().lock().expect("no panic before");
    let head = place.journal.lines().next().unwrap_or_default();
    let mut input = Input(bytes);
    let mut journal = Vec::new();
    while !input.0.is_empty() {
        let kind = input.byte();
        if kind == 2 {
            journal.extend([head.as_bytes(), b"\n"].concat());
            continue;
        }
        let line = input.section();
        journal.extend(line);
        if kind == 1 {
            let digest = Digest::of(&[head.as_bytes(), b"\n", line].concat()).to_string();
            journal.extend(format!(" {}\n", &digest[..16]).bytes());
        }
    }
    let path = place.folder.path().join("journal/journal");
    fs::write(&path, &journal).expect("a journal");
    let verdict = place.check();
    let line = verdict.line();
    let after = fs::read(&path).expect("a journal");
    match verdict {
        // The check has continued the journal. The complete lines of the journal are still there.
        Statement::Trusting { .. } => {
            let common = journal.iter().zip(&after).take_while(|(a, b)| a == b).count();
            let torn = journal[common..].iter().filter(|&&byte| byte == b'\n').count();
            assert!(after.starts_with(head.as_bytes()) && torn <= 1, "{line}");
            assert_eq!(without_journal(&place.check().line()), without_journal(&line));
            assert_eq!(fs::read(&path).expect("a journal"), after);
        }
        // A journal that is refused is left as it was. Invented digests in a journal are found out
        // later.
        Statement::Whole(Verdict::Stopped(Stop::Error(text))) if text.contains("/journal: ") => {
            assert_eq!(after, journal, "{line}");
        }
        Statement::Whole(Verdict::Stopped(Stop::Error(text))) => {
            assert!(text.contains("the journal has another table of "), "{line}");
        }
        _ => panic!("{line}"),
    }
    assert!(line.is_ascii() && !line.contains('\n'));
}

/// The verdict without the field that says how many pairs of slices the journal has spoken for.
fn without_journal(line: &str) -> String {
    line.split(' ').filter(|word| !word.starts_with("journal=")).collect::<Vec<_>>().join(" ")
}

pub(super) fn seeds() -> Vec<Vec<u8>> {
    let place = place().lock().expect("no panic before");
    let lines = place.journal.split_inclusive('\n').map(|line| {
        let (text, _) = line.rsplit_once(' ').expect("words");
        match line.starts_with("draughtproof") {
            true => vec![2],
            false => [vec![1], with_length(text.as_bytes())].concat(),
        }
    });
    let lines: Vec<Vec<u8>> = lines.collect();
    let (_, rest) = place.journal.split_once('\n').expect("lines");
    let whole = [vec![2, 0], with_length(rest.as_bytes())].concat();
    vec![lines.concat(), lines[..2].concat(), [&lines[0][..], &lines[2], &lines[1]].concat(), whole]
}
