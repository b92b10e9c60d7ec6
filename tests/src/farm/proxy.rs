//! A proxy in front of a broker that loses, doubles and delays messages.
//!
//! It understands only enough of the protocol to find where a message ends.

use crate::prelude::*;
use std::io::{self, Read};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};

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
