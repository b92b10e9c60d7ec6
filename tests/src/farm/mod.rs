//! A farm on this machine: a broker, managers and workers as processes that can be killed.
//!
//! A proof that a farm does.
//!
//! A proxy in front of a broker that loses, doubles and delays messages.
//!
//! It understands only enough of the protocol to find where a message ends.

use crate::prelude::*;
use crate::programs;
use std::io::{self, Read};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::TempDir;

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

/// A proof of a game over a small database.
#[derive(Debug, Clone, Copy)]
pub struct Job<'a> {
    pub game: &'a str,
    /// The cover of the database.
    pub pieces: &'a str,
    /// The budget of a search, in nodes.
    pub leaf_nodes: &'a str,
}

impl Job<'_> {
    /// The arguments of `prove` for this proof, and further ones.
    pub fn arguments<'a>(&'a self, more: &[&'a str]) -> Vec<&'a str> {
        let Job { game, pieces, leaf_nodes } = *self;
        let own =
            ["--game", game, "--pieces", pieces, "--leaf-nodes", leaf_nodes, "--emit", "cert"];
        [&own[..], more].concat()
    }

    /// Makes the database and the proof in one process, and removes the certificate.
    pub fn alone(&self, directory: &Path) -> Output {
        let arguments = self.arguments(&["--results", "alone.results"]);
        let output = run(&path("prove"), &arguments, directory);
        assert!(output.status.success(), "{output:?}");
        std::fs::remove_dir_all(directory.join("cert")).expect("a certificate");
        output
    }

    /// Makes the database, and returns the root of the certificate that one process finds.
    pub fn root(&self, directory: &Path) -> String {
        root_of(&String::from_utf8_lossy(&self.alone(directory).stdout))
    }

    /// Starts the manager of the proof. The lease of an item is short.
    pub fn manager(&self, url: &str, directory: &Path) -> Running {
        let farm = ["--farm", url, "--lease", "2", "--results", "farm.results"];
        Running::start(&self.arguments(&farm), directory, "manager.log")
    }
}

/// The shares of messages that a fault happens to, in 256ths; 255 stands for all messages.
#[derive(Debug, Clone, Copy, Default)]
pub struct Faults {
    /// Acknowledgements of items and results that never arrive.
    pub lost_acks: u8,
    /// Messages that arrive twice, in both directions.
    pub doubled: u8,
    /// Messages that delay those after them by some milliseconds.
    pub delayed: u8,
}

/// A proxy, which ends with the test.
pub struct Proxy {
    port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    target: u16,
    faults: Faults,
    /// The state of a generator of random numbers.
    random: AtomicU64,
    is_over: AtomicBool,
    happened: AtomicU64,
}

impl Proxy {
    /// Starts a proxy in front of a port of this machine.
    pub fn start(target: u16, faults: Faults, seed: u64) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let random = AtomicU64::new(seed);
        let shared = Arc::new(Shared {
            target,
            faults,
            random,
            is_over: AtomicBool::new(false),
            happened: AtomicU64::new(0),
        });
        let proxy = Proxy { port, shared: Arc::clone(&shared) };
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if shared.is_over.load(Ordering::Relaxed) {
                    return;
                }
                // If the broker is not running, the proxy hangs up.
                let Ok(server) = TcpStream::connect(("127.0.0.1", shared.target)) else { continue };
                pump_both(&shared, client, server);
            }
        });
        proxy
    }

    /// The proxy's address.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// The number of messages that a fault has happened to.
    pub fn happened(&self) -> u64 {
        self.shared.happened.load(Ordering::Relaxed)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        // The proxy's thread looks at `is_over` when a client connects.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

impl Shared {
    /// Whether a fault happens to this message that happens to `share` of 256 messages.
    fn happens(&self, share: u8) -> bool {
        // SplitMix64.
        let mut z = self.random.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let happens = share == u8::MAX || ((z >> 40) & 255) < u64::from(share);
        self.happened.fetch_add(u64::from(happens), Ordering::Relaxed);
        happens
    }
}

fn pump_both(shared: &Arc<Shared>, client: TcpStream, server: TcpStream) {
    let (Ok(from_client), Ok(from_server)) = (client.try_clone(), server.try_clone()) else {
        return;
    };
    for (from, to) in [(from_client, server), (from_server, client)] {
        let shared = Arc::clone(shared);
        thread::spawn(move || {
            let _ = pump(&shared, &from, &to);
            // Both sides learn that the connection has ended.
            let _ = from.shutdown(Shutdown::Both);
            let _ = to.shutdown(Shutdown::Both);
        });
    }
}

/// Passes messages on until one of the two sides hangs up.
fn pump(shared: &Shared, from: &TcpStream, mut to: &TcpStream) -> io::Result<()> {
    let mut from = BufReader::new(from);
    loop {
        let mut line = Vec::new();
        if from.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&line).into_owned();
        let mut words = text.split_whitespace();
        let kind = words.next().unwrap_or_default();
        if !matches!(kind, "PUB" | "HPUB" | "MSG" | "HMSG") {
            to.write_all(&line)?;
            continue;
        }
        let subject = words.next().unwrap_or_default().to_owned();
        let size: usize = words.last().and_then(|size| size.parse().ok()).unwrap_or(0);
        let mut message = line;
        let head = message.len();
        message.resize(head + size + 2, 0);
        from.read_exact(&mut message[head..])?;
        if shared.happens(shared.faults.delayed) {
            thread::sleep(Duration::from_millis(20));
        }
        if subject.starts_with("$JS.ACK.") && shared.happens(shared.faults.lost_acks) {
            continue;
        }
        to.write_all(&message)?;
        if shared.happens(shared.faults.doubled) {
            to.write_all(&message)?;
        }
    }
}
