//! A farm on this machine: a broker, managers and workers as processes that can be killed.

mod job;
mod proxy;

use std::io::Read;
use std::net::{TcpListener, TcpStream};

use tempfile::TempDir;

pub use job::Job;
pub use proxy::{Faults, Proxy};

use crate::prelude::*;
use crate::programs;

/// The longest time to wait for an event; if it takes longer, the test fails.
pub const PATIENCE: Duration = Duration::from_secs(240);

/// Waits until there is a value.
pub fn wait_for<T>(what: &str, mut get: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(value) = get() {
            return value;
        }
        assert!(Instant::now() < deadline, "not there in time: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A NATS broker with a separate store. It ends with the test.
pub struct Broker {
    child: Option<Child>,
    port: u16,
    directory: TempDir,
    config: Option<PathBuf>,
}

impl Broker {
    /// Starts a broker on a free port of the loopback address.
    pub fn start() -> Broker {
        Broker::start_with(None)
    }

    /// Like `start`, with a configuration file; `PORT` and `STORE` in it are replaced.
    pub fn start_with(config: Option<&str>) -> Broker {
        Broker::new(free_port(), config)
    }

    /// Starts a broker on this port, which must be free.
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

    /// The broker's address.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// The broker's port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The id of the broker's process, while it runs.
    pub fn id(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    fn store(&self) -> PathBuf {
        self.directory.path().join("store")
    }

    /// The folder of the broker's streams, each of which has a folder with its name.
    pub fn streams(&self) -> PathBuf {
        self.store().join("jetstream/$G/streams")
    }

    /// Kills the broker as a loss of power would, except that data handed to the system is still
    /// written.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Kills the broker, and removes its store.
    pub fn wipe(&mut self) {
        self.kill();
        fs::remove_dir_all(self.store()).expect("the store is removed");
    }

    /// Starts the broker again.
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
        wait_for("the broker", || {
            let log = fs::read_to_string(self.directory.path().join("log")).unwrap_or_default();
            let ended = self.child.as_mut().and_then(|child| child.try_wait().ok().flatten());
            assert!(ended.is_none(), "the broker has ended: {log}");
            TcpStream::connect(("127.0.0.1", self.port)).ok()
        });
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A free port of the loopback address.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

/// A process of `prove`. It is killed when the test ends.
pub struct Running {
    child: Child,
    log: PathBuf,
}

impl Running {
    /// Starts `prove` in a directory; its standard error goes to the file `log` there.
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

    /// Starts a worker with this name.
    pub fn worker(url: &str, name: &str, directory: &Path, more: &[&str]) -> Running {
        let arguments = ["worker", "--farm", url, "--name", name, "--threads", "1"];
        Running::start(&[&arguments[..], more].concat(), directory, &format!("{name}.log"))
    }

    /// The id of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether the process has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("a process").is_some()
    }

    /// The text that the process has printed on standard error so far.
    pub fn said(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Waits until the process has printed `text` on standard error.
    pub fn wait_to_say(&mut self, text: &str) {
        wait_for(text, || {
            let has_ended = self.has_ended();
            // The text may have been printed just before the process ended.
            let said = self.said();
            assert!(!has_ended || said.contains(text), "expected {text:?}: {said}");
            said.contains(text).then_some(())
        });
    }

    /// Asks the process to end, as Ctrl-C and `kill` do.
    pub fn ask_to_end(&self) {
        self.signal(Signal::TERM);
    }

    /// Sends the process a signal.
    pub fn signal(&self, signal: Signal) {
        programs::signal(&self.child, signal);
    }

    /// Kills the process.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Waits until the process ends, and returns its output.
    pub fn wait(mut self) -> Output {
        wait_for("the end of a process", || self.has_ended().then_some(()));
        let mut stdout = Vec::new();
        if let Some(mut out) = self.child.stdout.take() {
            out.read_to_end(&mut stdout).expect("its output");
        }
        let status = self.child.wait().expect("a process");
        Output { status, stdout, stderr: self.said().into_bytes() }
    }

    /// The root of the certificate that the process writes.
    pub fn root(self) -> String {
        let Output { status, stdout, stderr } = self.wait();
        let out = String::from_utf8_lossy(&stdout);
        let err = String::from_utf8_lossy(&stderr);
        assert!(status.success(), "{out}{err}");
        root_of(&out)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The root in the line that `prove` prints about a certificate.
pub fn root_of(printed: &str) -> String {
    let root = printed.lines().last().and_then(|line| line.split("root=").nth(1));
    root.unwrap_or_else(|| panic!("expected a root: {printed}")).into()
}
