//! Runs the program `check` on the certificates that are served, and keeps what it says.
//!
//! A certificate counts as verified here only if `check` ends with status 0, prints exactly one
//! line, a verdict, and that verdict names the root of the bytes that are served.

use std::collections::BTreeMap;
use std::env::consts::EXE_SUFFIX;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use certificate_spec::Digest;

use super::checks::Subject;

/// The time limit of a check.
const TIME: Duration = Duration::from_secs(60);
/// The time limit of the question which version the program is.
const VERSION_TIME: Duration = Duration::from_secs(5);
/// The interval at which a check that runs is looked at.
const INTERVAL: Duration = Duration::from_millis(10);
/// The most bytes of output that are read.
const OUTPUT: u64 = 64 << 10;
/// The most characters of the name and version of the program.
const VERSION: usize = 60;

/// The verdict of `check` about a certificate on this machine.
#[derive(Debug, Clone, PartialEq)]
pub enum Verification {
    /// The check has not ended.
    Running,
    /// All of the certificate is right.
    Verified {
        /// The name and version of the program.
        checker: String,
        /// The duration of the check.
        time: Duration,
    },
    /// The certificate does not count as verified, for this reason.
    NotVerified(String),
}

/// The verifications under way and those that have ended, by the root of the certificate.
pub(super) type Verifications = Arc<Mutex<BTreeMap<Digest, Verification>>>;

/// The certificates of a site that are to be checked.
pub struct Verifier {
    program: PathBuf,
    databases: PathBuf,
    tasks: Vec<(PathBuf, Subject)>,
    found: Verifications,
}

impl Verifier {
    /// The program `check` beside the running program, or in `PATH`.
    pub fn program() -> Option<PathBuf> {
        let name = format!("check{EXE_SUFFIX}");
        let beside = std::env::current_exe().ok().map(|here| here.with_file_name(&name));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let in_path = std::env::split_paths(&path).map(|directory| directory.join(&name));
        beside.into_iter().chain(in_path).find(|program| program.is_file())
    }

    pub(super) fn new(
        program: PathBuf,
        databases: PathBuf,
        tasks: Vec<(PathBuf, Subject)>,
        found: Verifications,
    ) -> Self {
        let verifier = Verifier { program, databases, tasks, found };
        for (_, subject) in &verifier.tasks {
            verifier.keep(subject, Verification::Running);
        }
        verifier
    }

    /// Checks one certificate after the other, and reports each result with the path of the
    /// certificate's folder. When `is_stopped` is set, the check that runs is ended.
    pub fn run(&self, is_stopped: &AtomicBool, report: impl Fn(&Path, &Verification)) {
        let checker = version(&self.program, is_stopped);
        for (directory, subject) in &self.tasks {
            if is_stopped.load(Ordering::Relaxed) {
                return;
            }
            let verification = self.check(directory, subject, &checker, is_stopped);
            report(directory, &verification);
            self.keep(subject, verification);
        }
    }

    fn keep(&self, subject: &Subject, verification: Verification) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.insert(*subject.root(), verification);
    }

    fn check(
        &self,
        directory: &Path,
        subject: &Subject,
        checker: &str,
        is_stopped: &AtomicBool,
    ) -> Verification {
        let begin = Instant::now();
        let arguments =
            [directory.as_os_str(), "--quiet".as_ref(), "--db".as_ref(), self.databases.as_ref()];
        let said = match output(&self.program, &arguments, TIME, is_stopped) {
            Ok(said) => said,
            Err(e) => return Verification::NotVerified(format!("{checker}: {e}")),
        };
        match said.verdict().and_then(|verdict| subject.judge_verdict(verdict)) {
            Ok(()) => Verification::Verified { checker: checker.into(), time: begin.elapsed() },
            Err(why) => Verification::NotVerified(format!("{checker}: {why}")),
        }
    }
}

/// The standard output of a program, and whether it ended with status 0.
struct Said {
    is_success: bool,
    text: String,
}

impl Said {
    /// The verdict without its `s`, of a program that has verified everything.
    fn verdict(&self) -> Result<&str, String> {
        let line = self.text.strip_suffix('\n').filter(|line| !line.contains('\n'));
        let Some(verdict) = line.and_then(|line| line.strip_prefix("s ")) else {
            return Err("expected one verdict line, found another output".into());
        };
        if !self.is_success {
            return Err(format!("its verdict is {verdict}"));
        }
        Ok(verdict)
    }
}

/// The name and version of a program, as it states them on one line.
fn version(program: &Path, is_stopped: &AtomicBool) -> String {
    let said = output(program, &["--version".as_ref()], VERSION_TIME, is_stopped);
    let line = said.ok().and_then(|said| Some(said.text.strip_suffix('\n')?.to_owned()));
    let is_plain = |line: &String| line.len() <= VERSION && !line.contains(char::is_control);
    line.filter(is_plain).unwrap_or_else(|| "check".into())
}

/// Runs a program until it ends. It is killed at the time limit, and when `is_stopped` is set.
fn output(
    program: &Path,
    arguments: &[&OsStr],
    time: Duration,
    is_stopped: &AtomicBool,
) -> io::Result<Said> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let Some(stdout) = child.stdout.take() else { unreachable!("standard output is piped") };
    let reader = thread::spawn(move || {
        let mut bytes = Vec::new();
        stdout.take(OUTPUT).read_to_end(&mut bytes).map(|_| bytes)
    });
    let status = wait(&mut child, time, is_stopped);
    let bytes = reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    let text = String::from_utf8(bytes).map_err(|_| io::ErrorKind::InvalidData)?;
    Ok(Said { is_success: status?, text })
}

/// Whether a program ends with status 0.
fn wait(child: &mut Child, time: Duration, is_stopped: &AtomicBool) -> io::Result<bool> {
    let end = Instant::now() + time;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        if Instant::now() >= end || is_stopped.load(Ordering::Relaxed) {
            child.kill()?;
            child.wait()?;
            let seconds = time.as_secs();
            let why =
                format!("it was ended, as it took longer than {seconds} s or the server ends");
            return Err(io::Error::other(why));
        }
        thread::sleep(INTERVAL);
    }
}
