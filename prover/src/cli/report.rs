//! `prove report`.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use certificate_spec::claim::Question;
use clap::Args;

use super::common::{Failure, PageFormat, if_assumed};
use super::report_page::page;
use crate::emit::{Census, Size, Stored};
use crate::progress::Progress;

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  prove report cert --html --out cert.html
  prove report cert --format tsv

Says of what a certificate consists, without verifying it; no database is needed. For each question come \
four tables. By plies from the start, and by number of pieces: nodes of the proof tree, and positions that \
leaves expand (for each leaf anew, as in the verdict of check). By size of leaf: leaves, and their \
positions. By slice of the database (men and kings of the side to move, men and kings of the opponent): how \
many moves of the proof lead there. In tsv and json each line has question, table, key, count, positions.

Exit status: as for prove. 3 if the certificate is damaged or a leaf cannot be replayed.")]
pub(super) struct Options {
    /// The certificate
    #[arg(value_name = "CERT")]
    certificate: PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    format: PageFormat,
    /// The same as --format html
    #[arg(long, conflicts_with = "format")]
    html: bool,
    /// Write to this file [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// No progress on standard error
    #[arg(long, short)]
    quiet: bool,
}

/// A line of a table.
pub(super) struct Row {
    pub(super) key: String,
    pub(super) count: u64,
    /// Where the count is not one of look-ups.
    pub(super) positions: Option<u64>,
}

/// Something counted in one way.
pub(super) struct Table {
    /// For programs.
    pub(super) name: &'static str,
    /// For people: the table, what the count counts.
    pub(super) title: &'static str,
    pub(super) counted: &'static str,
    pub(super) rows: Vec<Row>,
}

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let stored = Stored::read(&options.certificate)?;
    let work = stored.parts.iter().map(|part| part.positions()).sum();
    let bar = Progress::new(options.quiet).start("replaying".into(), work, "positions");
    let mut answers = Vec::new();
    for part in &stored.parts {
        let census = Census::new(&stored, part, |positions| bar.add(positions))?;
        answers.push((part.question, tables(&census)));
    }
    bar.finish();
    let format = if options.html { PageFormat::Html } else { options.format };
    let text = match format {
        PageFormat::Html => page(&stored, &answers),
        PageFormat::Text => text(&stored, &answers),
        PageFormat::Tsv => lines(&answers, "question\ttable\tkey\tcount\tpositions\n", tsv),
        PageFormat::Json => lines(&answers, "", json),
    };
    match &options.out {
        Some(file) => {
            replace(file, &text).map_err(|e| Failure::File { path: file.clone(), source: e })
        }
        None => {
            let mut out = io::stdout().lock();
            out.write_all(text.as_bytes())?;
            Ok(out.flush()?)
        }
    }
}

/// Writes a file all at once, where a link leads to if it is one. Something else, such as a device, stays what it is.
fn replace(file: &Path, text: &str) -> io::Result<()> {
    let there = file.metadata();
    if there.as_ref().is_ok_and(|there| !there.is_file()) {
        return fs::OpenOptions::new().write(true).open(file)?.write_all(text.as_bytes());
    }
    let file = if there.is_ok() { file.canonicalize()? } else { file.into() };
    let directory = file.parent().filter(|d| *d != Path::new("")).unwrap_or(Path::new("."));
    // As readable as any other file.
    let mut unfinished = tempfile::Builder::new();
    let unfinished =
        unfinished.permissions(fs::Permissions::from_mode(0o666)).tempfile_in(directory);
    let mut unfinished = unfinished?;
    if let Ok(there) = there {
        fs::set_permissions(unfinished.path(), there.permissions())?;
    }
    unfinished.write_all(text.as_bytes())?;
    unfinished.persist(file)?;
    Ok(())
}

fn tables(census: &Census) -> [Table; 4] {
    let sized = |(key, size): (String, &Size)| Row {
        key,
        count: size.nodes,
        positions: Some(size.positions),
    };
    // What cannot be reached comes last.
    let mut plies: Vec<_> = census.by_ply.iter().collect();
    plies.sort_by_key(|(ply, _)| ply.unwrap_or(u32::MAX));
    let plies = plies
        .into_iter()
        .map(|(ply, size)| (ply.map_or("not reached".into(), |ply| ply.to_string()), size));
    let pieces = census.by_pieces.iter().map(|(pieces, size)| (pieces.to_string(), size));
    let leaves = census.leaves.iter().map(|(&n, size)| {
        let (first, last) = (1u64 << n, (1u64 << n) | ((1 << n) - 1));
        (if n == 0 { "1".into() } else { format!("{first}-{last}") }, size)
    });
    let mut slices: Vec<_> = census.lookups.iter().collect();
    slices.sort_by_key(|(slice, _)| slice.name().order());
    let slices = slices.into_iter().map(|(slice, &count)| {
        let [a, b, c, d] = slice.name().0;
        Row { key: format!("{a},{b},{c},{d}"), count, positions: None }
    });
    [
        Table {
            name: "ply",
            title: "plies from the start",
            counted: "nodes",
            rows: plies.map(sized).collect(),
        },
        Table {
            name: "pieces",
            title: "pieces",
            counted: "nodes",
            rows: pieces.map(sized).collect(),
        },
        Table {
            name: "leaf",
            title: "positions of a leaf",
            counted: "leaves",
            rows: leaves.map(sized).collect(),
        },
        Table {
            name: "slice",
            title: "slice of the database",
            counted: "look-ups",
            rows: slices.collect(),
        },
    ]
}

type Answers = [(Question, [Table; 4])];

fn lines(
    answers: &Answers,
    head: &str,
    line: impl Fn(Question, &'static str, &Row) -> String,
) -> String {
    let mut out = head.to_string();
    for (question, tables) in answers {
        for table in tables {
            table.rows.iter().for_each(|row| out += &line(*question, table.name, row));
        }
    }
    out
}

fn tsv(question: Question, table: &'static str, row: &Row) -> String {
    let positions = row.positions.map_or("-".into(), |n| n.to_string());
    format!("{question:?}\t{table}\t{}\t{}\t{positions}\n", row.key, row.count)
}

fn json(question: Question, table: &'static str, row: &Row) -> String {
    let positions = row.positions.map_or("null".into(), |n| n.to_string());
    let Row { key, count, .. } = row;
    format!(
        "{{\"question\":\"{question:?}\",\"table\":\"{table}\",\"key\":\"{key}\",\"count\":{count},\"positions\":{positions}}}\n"
    )
}

fn text(stored: &Stored, answers: &Answers) -> String {
    let claim = &stored.claim;
    let (nodes, leaves, positions) = sizes(stored);
    let mut out = format!(
        "{} {} from {}{}\n{nodes} nodes, {leaves} leaves, {positions} positions, {} bytes, root={}\n",
        claim.value.word(),
        claim.game,
        claim.start,
        if_assumed(stored.assumed()),
        stored.bytes,
        stored.root
    );
    for part in stored.parts.iter().filter(|part| !part.about.is_empty()) {
        out += &format!("\n{:?}: how it was proved, as the certificate says\n", part.question);
        part.about.iter().for_each(|line| out += &format!("    {line}\n"));
    }
    for (question, tables) in answers {
        for table in tables.iter().filter(|table| !table.rows.is_empty()) {
            let title = format!("{question:?}: {}", table.title);
            out += &format!("\n{title:<42}{:>14}{:>16}\n", table.counted, "positions");
            for row in &table.rows {
                let positions = row.positions.map_or("-".into(), |n| n.to_string());
                out += &format!("{:>42}{:>14}{positions:>16}\n", row.key, row.count);
            }
        }
    }
    out
}

/// Nodes, leaves and positions of all questions.
pub(super) fn sizes(stored: &Stored) -> (u64, u64, u64) {
    let sum = |f: fn(&crate::emit::Part) -> u64| stored.parts.iter().map(f).sum();
    (sum(|p| p.nodes.len() as u64), sum(|p| p.leaves.len() as u64), sum(|p| p.positions()))
}
