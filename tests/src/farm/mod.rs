//! A farm on this machine: a broker, managers and workers as processes that can be killed.

mod proxy;

use std::fs;
use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

pub use proxy::{Faults, Proxy};

use crate::programs::{self, Signal, path};

/// Whatever takes longer than that does not come.
pub const PATIENCE: Duration = Duration::from_secs(240);

/// A NATS broker with a store of its own. It ends with the test.
pub struct Broker {
    child: Option<Child>,
    port: u16,
    directory: TempDir,
    config: Option<PathBuf>,
}

impl Broker {
    /// Starts a broker on a free port of the loopback address.
    ///
    /// # Panics
    /// If there is no `nats-server` (Debian: nats-server), or it does not start.
    pub fn start() -> Broker {
        Broker::start_with(None)
    }

    /// The same with a file of configuration; `PORT` and `STORE` in it are replaced.
    ///
    /// # Panics
    /// As above.
    pub fn start_with(config: Option<&str>) -> Broker {
        Broker::new(free_port(), config)
    }

    /// A broker on a port that is free.
    ///
    /// # Panics
    /// As above.
    pub fn start_on(port: u16) -> Broker {
        Broker::new(port, None)
    }

    fn new(port: u16, config: Option<&str>) -> Broker {
        let directory = tempfile::tempdir().expect("a directory");
        let mut broker = Broker { child: None, port, directory, config: None };
        if let Some(text) = config {
            let file = broker.directory.path().join("nats.conf");
            let store = broker.store().display().to_string();
            let text = text.replace("PORT", &broker.port.to_string()).replace("STORE", &store);
            fs::write(&file, text).expect("a file");
            broker.config = Some(file);
        }
        broker.go_on();
        broker
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The number of its process, while it runs.
    pub fn id(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    fn store(&self) -> PathBuf {
        self.directory.path().join("store")
    }

    /// Where it keeps its streams, each in a folder with its name.
    pub fn streams(&self) -> PathBuf {
        self.store().join("jetstream/$G/streams")
    }

    /// Ends it as a loss of power would, but for what the system has not written yet.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Ends it, and removes all that it has kept.
    ///
    /// # Panics
    /// If that cannot be removed.
    pub fn wipe(&mut self) {
        self.kill();
        fs::remove_dir_all(self.store()).expect("the store is removed");
    }

    /// Starts it again.
    ///
    /// # Panics
    /// If it does not start.
    pub fn go_on(&mut self) {
        fs::create_dir_all(self.store()).expect("a directory");
        let log = fs::File::create(self.directory.path().join("log")).expect("a file");
        let mut command = Command::new("nats-server");
        match &self.config {
            Some(config) => command.arg("-c").arg(config),
            None => {
                let port = self.port.to_string();
                command.args(["-js", "-a", "127.0.0.1", "-p", &port, "-sd"]).arg(self.store())
            }
        };
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn();
        self.child = Some(child.expect("nats-server starts (Debian package nats-server)"));
        let deadline = Instant::now() + PATIENCE;
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            let log = fs::read_to_string(self.directory.path().join("log")).unwrap_or_default();
            let ended = self.child.as_mut().and_then(|child| child.try_wait().ok().flatten());
            assert!(ended.is_none() && Instant::now() < deadline, "the broker is not there: {log}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The processor time that a process has taken, all of its threads together, to a hundredth of a
/// second; none if it has ended.
pub fn processor_time(id: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    // The name before them may have spaces; user and system time are fields 14 and 15 of all.
    let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = rest.split_whitespace().skip(11).take(2).filter_map(|t| t.parse::<u64>().ok());
    Duration::from_millis(10 * ticks.sum::<u64>())
}

/// The time for which the busiest thread of a process has run or waited for a processor; none if
/// the process has ended. What is left of its life it has waited for something else.
pub fn busy_time(id: u32) -> Duration {
    let threads = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let time = |thread: fs::DirEntry| {
        let stat = fs::read_to_string(thread.path().join("schedstat")).unwrap_or_default();
        let times = stat.split_whitespace().take(2).filter_map(|t| t.parse::<u64>().ok());
        Duration::from_nanos(times.sum())
    };
    threads.map(time).max().unwrap_or_default()
}

/// A port that nobody uses.
///
/// # Panics
/// If there is none.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

/// A process of `prove`. It is killed with the test.
pub struct Running {
    child: Child,
    log: PathBuf,
}

impl Running {
    /// Starts `prove` in a directory; what it says on standard error goes to a file there.
    ///
    /// # Panics
    /// If it does not start.
    pub fn start(arguments: &[&str], directory: &Path, log: &str) -> Running {
        let log = directory.join(log);
        let file = fs::File::options().create(true).append(true).open(&log).expect("a file");
        let child = Command::new(path("prove"))
            .args(arguments)
            .current_dir(directory)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(file)
            .spawn()
            .expect("prove starts");
        Running { child, log }
    }

    /// A worker with a name.
    pub fn worker(url: &str, name: &str, directory: &Path, more: &[&str]) -> Running {
        let arguments = ["worker", "--farm", url, "--name", name, "--threads", "1"];
        Running::start(&[&arguments[..], more].concat(), directory, &format!("{name}.log"))
    }

    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has ended.
    ///
    /// # Panics
    /// If the system does not know.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("a process").is_some()
    }

    /// What it has said on standard error.
    pub fn said(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Waits until it has said something.
    ///
    /// # Panics
    /// If it does not.
    pub fn wait_to_say(&mut self, text: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !self.said().contains(text) {
            let waits = Instant::now() < deadline && !self.has_ended();
            // It may have said it as the last thing.
            assert!(waits || self.said().contains(text), "expected {text:?}: {}", self.said());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Asks it to end, as Ctrl-C and `kill` do.
    ///
    /// # Panics
    /// If the system refuses that.
    pub fn ask_to_end(&self) {
        self.signal(Signal::TERM);
    }

    /// Sends it a signal.
    ///
    /// # Panics
    /// If the system refuses that.
    pub fn signal(&self, signal: Signal) {
        programs::signal(&self.child, signal);
    }

    /// Kills it.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Waits until it ends, and returns what it has printed.
    ///
    /// # Panics
    /// If it does not end.
    pub fn wait(mut self) -> Output {
        let deadline = Instant::now() + PATIENCE;
        while !self.has_ended() {
            assert!(Instant::now() < deadline, "it does not end: {}", self.said());
            std::thread::sleep(Duration::from_millis(10));
        }
        let mut stdout = Vec::new();
        if let Some(mut out) = self.child.stdout.take() {
            out.read_to_end(&mut stdout).expect("its output");
        }
        let status = self.child.wait().expect("a process");
        Output { status, stdout, stderr: self.said().into_bytes() }
    }

    /// The root of the certificate that it writes.
    ///
    /// # Panics
    /// If it writes none.
    pub fn root(self) -> String {
        let Output { status, stdout, stderr } = self.wait();
        let (out, err) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
        assert!(status.success(), "{out}{err}");
        root_of(&out)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The root in what `prove` prints about a certificate.
///
/// # Panics
/// If there is none.
pub fn root_of(printed: &str) -> String {
    let root = printed.lines().last().and_then(|line| line.split("root=").nth(1));
    root.unwrap_or_else(|| panic!("expected a root: {printed}")).into()
}

/// What a proof took, from what `prove` says on standard error: an answer for each question, with
/// nodes, searches and the tree.
pub fn answers_of(said: &str) -> Vec<String> {
    let is_answer = |line: &&str| line.contains(" win? ") && line.contains(" searches, tree ");
    let mut answers: Vec<String> = said.lines().filter(is_answer).map(str::to_owned).collect();
    answers.sort();
    // A manager that was killed may have said one before.
    answers.dedup();
    answers
}
