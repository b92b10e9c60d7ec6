//! `check plan`: the shards of a check, and merging their notes, as jobs for a cluster. Nothing
//! rests on these scripts: what counts is the verdict of the last job and the notes that it has
//! read.

use std::path::Path;

use checker::commands::{DatabaseArguments, PlanArguments};
use checker_audit::one_line;
use checker_core::Stop;
use slurm_jobs::{Limits, Step, quoted};

/// Bytes for the program itself, and for each thread besides tables of values.
const PROGRAM: u64 = 256 << 20;
const THREAD: u64 = 256 << 20;

/// Writes the scripts of the jobs, and says how many jobs there are.
///
/// # Errors
/// There are scripts already, or the scripts cannot be written.
pub(crate) fn plan(arguments: &PlanArguments) -> Result<String, Stop> {
    let PlanArguments { out, shards, .. } = arguments;
    let failed = |path: &Path, error| Stop::Error(format!("{}: {error}", path.display()));
    let absolute = |path: &Path| {
        let path = std::path::absolute(path).map_err(|e| failed(path, e))?;
        Ok(quoted(&path.to_string_lossy()))
    };
    let program = std::env::current_exe().map_err(|e| failed(Path::new("check"), e))?;
    let program = format!("program={}", absolute(&program)?);
    let db = format!("--db {}", absolute(&arguments.db)?);
    let (subject, title) = subject(arguments, &absolute)?;
    let tables = arguments.tables.as_deref().map(&absolute).transpose()?;
    let key = arguments.key.as_deref().map(&absolute).transpose()?;
    let keys = arguments.keys.as_deref().map(&absolute).transpose()?;
    let option = |name: &str, value: &Option<String>| match value {
        Some(value) => format!(" --{name} {value}"),
        None => String::new(),
    };
    let level = arguments.level.name();
    let (memory, threads) = (arguments.memory, arguments.threads);
    let how = format!("--level {level} --memory {memory} --threads {threads} --quiet");
    let (tables, key) = (option("tables", &tables), option("key", &key));
    let keys = match (keys, arguments.require) {
        (Some(keys), require) => format!(" --keys {keys} --require {require}"),
        (None, _) => String::new(),
    };
    let shard = format!(
        "{program}
note=notes/${{task[0]%/*}}.note
mkdir -p notes
# The note is written last and whole, whatever the verdict is: merging says the same of all shards.
[ -e \"$note\" ] || \"${{CHECK:-$program}}\" {subject} {db} {how}{tables} \\
  --shard \"${{task[0]}}\" --attest \"$note\"{key} || true
[ -e \"$note\" ]"
    );
    // A certificate is named among the notes, a database by options.
    let merge_db = if arguments.certificate.is_some() { String::new() } else { format!(" {db}") };
    let merge = format!(
        "{program}
status=0
\"${{CHECK:-$program}}\" merge {subject}{merge_db}{keys} notes/*.note > verdict.unfinished || status=$?
mv verdict.unfinished verdict
cat verdict
exit $status"
    );
    let limits = |memory| Limits { memory, minutes: arguments.minutes, threads };
    let certificate = arguments.certificate.as_deref().map_or(0, bytes_of);
    let each = arguments.memory + PROGRAM + THREAD * threads as u64 + 4 * certificate;
    let steps = [
        Step {
            name: "shards".into(),
            after: Vec::new(),
            limits: limits(each),
            command: shard,
            tasks: (1..=*shards).map(|i| format!("{i}/{shards}")).collect(),
        },
        Step {
            name: "merge".into(),
            after: vec![0],
            limits: limits(PROGRAM + THREAD + 4 * certificate),
            command: merge,
            tasks: vec![String::new()],
        },
    ];
    slurm_jobs::write(out, &title, &steps).map_err(|e| failed(out, e))?;
    let place = one_line(&out.display().to_string());
    Ok(format!(
        "{shards} shards; {place}/submit.sh submits them, {place}/verdict will say the verdict\n"
    ))
}

/// What is checked, as options and in words.
fn subject(
    arguments: &PlanArguments,
    absolute: &impl Fn(&Path) -> Result<String, Stop>,
) -> Result<(String, String), Stop> {
    let DatabaseArguments { game, pieces } = &arguments.database;
    match (&arguments.certificate, game) {
        (Some(_), _) if pieces.is_some() => {
            let text = "usage: --pieces is for --game; a certificate says how many";
            Err(Stop::Error(text.into()))
        }
        (Some(path), _) => {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let name: String = name.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
            Ok((absolute(path)?, format!("The check of {name} in shards")))
        }
        (None, Some(game)) => {
            let board = game.board().name();
            let pieces = pieces.as_ref().map(|pieces| format!(" --pieces {pieces}"));
            let subject = format!("--game {board}{}", pieces.unwrap_or_default());
            Ok((subject, format!("The check of the database {board} in shards")))
        }
        (None, None) => Err(Stop::Error("usage: neither a certificate nor a game".into())),
    }
}

/// The total length in bytes of a folder's files; 0 where the folder cannot be read, which the jobs
/// will report.
fn bytes_of(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum()
}
