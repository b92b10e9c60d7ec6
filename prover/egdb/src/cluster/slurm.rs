//! Work that is done in steps, as scripts for Slurm: a job array for each step, and `submit.sh`,
//! which submits all arrays, each after those that it needs.
//!
//! A task must end with status 0 if its output exists already. Then work that failed, was killed or
//! was cancelled goes on when it is submitted again.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

/// The most tasks of a job array; the usual configuration of Slurm admits 1,000.
const MOST_TASKS: usize = 999;

/// The resources that a task may use; Slurm ends a task that uses more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Memory in bytes.
    pub memory: u64,
    /// Wall time in minutes.
    pub minutes: u64,
    /// The number of threads.
    pub threads: usize,
}

/// Tasks that can run side by side.
#[derive(Debug, Clone)]
pub struct Step {
    /// The name of its jobs and files: letters, digits and hyphens.
    pub name: String,
    /// The steps that must be done before, by their indices in the list of steps.
    pub after: Vec<usize>,
    /// The resources that each task may use.
    pub limits: Limits,
    /// Lines for bash, in the directory of the scripts, with the words of the task in `${task[@]}`.
    pub command: String,
    /// The words of each task, separated by blanks and without quotes.
    pub tasks: Vec<String>,
}

/// A word for bash, in quotes if it needs any.
pub(super) fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,=+@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.into();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Checks that nothing exists at `directory`, so that a caller can find out before the work is
/// done.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] if something exists at `directory`.
pub fn require_new(directory: &Path) -> io::Result<()> {
    if directory.symlink_metadata().is_err() {
        return Ok(());
    }
    let text = "expected a new directory for scripts, found that there is something";
    Err(io::Error::new(io::ErrorKind::AlreadyExists, text))
}

/// Writes the scripts of steps into a new directory, which gets its name once it is complete.
/// `title` is a line that says what all steps together do.
///
/// # Errors
/// The system's; [`io::ErrorKind::AlreadyExists`] if something exists at `directory`.
pub fn write(directory: &Path, title: &str, steps: &[Step]) -> io::Result<()> {
    require_new(directory)?;
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    let unfinished = directory.with_file_name(format!(".unfinished-{name}"));
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished)?;
    }
    fs::create_dir_all(&unfinished)?;
    let all = write_all(&unfinished, title, steps);
    let done = all.and_then(|()| fs::rename(&unfinished, directory));
    done.inspect_err(|_| {
        // The unfinished directory may not exist.
        let _ = fs::remove_dir_all(&unfinished);
    })
}

/// The job arrays of a step: the name of each, and its tasks.
fn arrays(step: &Step) -> impl Iterator<Item = (String, &[String])> {
    let parts = step.tasks.chunks(MOST_TASKS);
    let one = parts.len() == 1;
    parts.enumerate().map(move |(i, tasks)| {
        (if one { step.name.clone() } else { format!("{}-{}", step.name, i + 1) }, tasks)
    })
}

fn write_all(directory: &Path, title: &str, steps: &[Step]) -> io::Result<()> {
    for step in steps {
        for (name, tasks) in arrays(step) {
            fs::write(directory.join(format!("{name}.tasks")), tasks.join("\n") + "\n")?;
            let script = script(title, step, &name, tasks.len());
            fs::write(directory.join(format!("{name}.sh")), script)?;
        }
    }
    let mut file = fs::File::create(directory.join("submit.sh"))?;
    file.write_all(submit(title, steps).as_bytes())?;
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    file.sync_all()
}

fn script(title: &str, step: &Step, name: &str, tasks: usize) -> String {
    let Limits { memory, minutes, threads } = step.limits;
    let command = &step.command;
    let mebibytes = memory.div_ceil(1 << 20);
    format!(
        "#!/bin/bash
# {title}: {name}
#SBATCH --job-name={name}
#SBATCH --array=1-{tasks}
#SBATCH --cpus-per-task={threads}
#SBATCH --mem={mebibytes}M
#SBATCH --time={minutes}
#SBATCH --output=logs/%x-%a.log
set -euo pipefail
read -ra task < <(sed -n \"${{SLURM_ARRAY_TASK_ID}}p\" {name}.tasks)
{command}
"
    )
}

fn submit(title: &str, steps: &[Step]) -> String {
    let mut text = format!(
        "#!/bin/bash
# {title}.
# Submits all jobs, each after those that it needs, and prints their names and numbers. Options
# are passed on to sbatch, such as --partition, --account or another --time. If jobs have failed,
# submit it again: what is finished ends at once.
set -euo pipefail
cd \"$(dirname \"${{BASH_SOURCE[0]}}\")\"
mkdir -p logs
submit() {{
  sbatch --parsable --kill-on-invalid-dep=yes --chdir=\"$PWD\" \"$@\" | cut -d ';' -f 1
}}
"
    );
    for (i, step) in steps.iter().enumerate() {
        let needed: Vec<String> = step.after.iter().map(|after| format!("$step{after}")).collect();
        let after = match needed.is_empty() {
            true => String::new(),
            false => format!(" --dependency=afterok:{}", needed.join(":")),
        };
        let mut jobs = Vec::new();
        for (k, (name, _)) in arrays(step).enumerate() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "job{k}=$(submit \"$@\"{after} {name}.sh)");
            let _ = writeln!(text, "echo \"{name} $job{k}\"");
            jobs.push(format!("$job{k}"));
        }
        let _ = writeln!(text, "step{i}={}", jobs.join(":"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Limits, Step, quoted, write};
    use std::fs;
    use std::process::Command;
    use std::sync::{Mutex, PoisonError};

    /// Held by a test that runs a program it has written: the program cannot be run while a process
    /// that another test has just started still holds it open for writing.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

    #[test]
    fn words_come_through_the_shell() {
        let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        for text in ["a/b-1.tsv", "", "it's", "a b", "$HOME `x` \"y\"\\", "*", "é"] {
            let script = format!("printf %s {}", quoted(text));
            let output = Command::new("bash").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), text);
        }
    }

    /// A stand-in for `sbatch` numbers the jobs and runs nothing.
    #[test]
    fn each_job_waits_for_those_it_needs() {
        let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let place = tempfile::tempdir().unwrap();
        let out = place.path().join("scripts");
        let limits = Limits { memory: (1 << 30) + 1, minutes: 10, threads: 2 };
        let step = |name: &str, after: &[usize], tasks: usize| Step {
            name: name.into(),
            after: after.into(),
            limits,
            command: "echo \"${task[@]}\"".into(),
            tasks: (1..=tasks).map(|i| format!("--number {i}")).collect(),
        };
        let steps = [step("a", &[], 1), step("b", &[], 2000), step("c", &[0, 1], 1)];
        write(&out, "A title", &steps).unwrap();
        let again = write(&out, "A title", &steps).unwrap_err();
        assert_eq!(again.kind(), std::io::ErrorKind::AlreadyExists);
        let sbatch = "#!/bin/bash\necho \"$@\" >> calls\necho \"$(wc -l < calls);cluster\"\n";
        fs::write(place.path().join("sbatch"), sbatch).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(place.path().join("sbatch"), mode).unwrap();
        let path = format!("{}:{}", place.path().display(), std::env::var("PATH").unwrap());
        let submit = Command::new("scripts/submit.sh")
            .args(["--account", "x"])
            .env("PATH", path)
            .current_dir(place.path())
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&submit.stdout), "a 1\nb-1 2\nb-2 3\nb-3 4\nc 5\n");
        let calls = fs::read_to_string(out.join("calls")).unwrap();
        let here = out.canonicalize().unwrap();
        let options = format!("--parsable --kill-on-invalid-dep=yes --chdir={}", here.display());
        let last = format!("{options} --account x --dependency=afterok:1:2:3:4 c.sh");
        assert_eq!(calls.lines().last(), Some(&*last));
        let script = fs::read_to_string(out.join("b-3.sh")).unwrap();
        assert!(script.contains("#SBATCH --array=1-2\n") && script.contains("--mem=1025M\n"));
        let mut task = Command::new("bash");
        task.arg("b-3.sh").env("SLURM_ARRAY_TASK_ID", "2").current_dir(&out);
        assert_eq!(task.output().unwrap().stdout, b"--number 2000\n");
    }
}
