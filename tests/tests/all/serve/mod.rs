//! `prove serve`.

mod browser;
mod hostile;
mod interface;
mod limits;
mod notes;
mod solved;
mod visitor;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use serde_json::Value;
use tests::programs::{Signal, path, signal};

/// A server under test. It ends with the test.
struct Server {
    child: Child,
    /// `127.0.0.1:PORT`.
    address: String,
    /// The lines that it printed before it accepted connections.
    said: Vec<String>,
}

struct Answer {
    status: u16,
    headers: ureq::http::HeaderMap,
    body: String,
}

impl Server {
    /// Starts the server on a free port, with a rate limit only if the options have one.
    fn start(options: &[&str], here: &Path) -> Server {
        Server::start_by(Command::new(path("prove")), options, here)
    }

    /// Starts the server by a command that runs `prove`.
    fn start_by(mut command: Command, options: &[&str], here: &Path) -> Server {
        command.args(["serve", "-q", "--listen", "127.0.0.1:0"]).args(options).current_dir(here);
        if !options.contains(&"--rate") {
            command.args(["--rate", "0"]);
        }
        let child = command.stdout(Stdio::piped()).spawn().expect("it starts");
        let mut server = Server { child, address: String::new(), said: Vec::new() };
        let mut lines = BufReader::new(server.child.stdout.take().unwrap()).lines();
        while server.address.is_empty() {
            let line = lines.next().unwrap_or_else(|| panic!("it listens: {:?}", server.said));
            let line = line.unwrap();
            match line.strip_prefix("listening on http://") {
                Some(address) => server.address = address.trim_end_matches('/').to_owned(),
                None => server.said.push(line),
            }
        }
        server
    }

    fn agent() -> ureq::Agent {
        let config = ureq::Agent::config_builder().http_status_as_error(false);
        config.timeout_global(Some(Duration::from_secs(60))).build().into()
    }

    fn get(&self, path: &str) -> Answer {
        self.get_with(path, None)
    }

    fn get_with(&self, path: &str, header: Option<(&str, &str)>) -> Answer {
        let mut request = Self::agent().get(format!("http://{}{path}", self.address));
        if let Some((name, value)) = header {
            request = request.header(name, value);
        }
        Answer::new(request.call().expect("it answers"))
    }

    fn post(&self, path: &str, body: &str) -> Answer {
        let request = Self::agent().post(format!("http://{}{path}", self.address));
        let request = request.header("content-type", "application/json");
        Answer::new(request.send(body).expect("it answers"))
    }

    /// Sends bytes unchanged, and reads the whole answer.
    fn send(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        // The server may close the connection before it has read everything.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Asks the server to end, as Ctrl-C and `kill` do.
    fn ask_to_end(&self) {
        signal(&self.child, Signal::TERM);
    }

    /// The exit status of the server, once it has been asked to end.
    fn wait(mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The server may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Answer {
    fn new(response: ureq::http::Response<ureq::Body>) -> Answer {
        let (head, mut body) = response.into_parts();
        let body = body.read_to_string().expect("text");
        Answer { status: head.status.as_u16(), headers: head.headers, body }
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The JSON of an answer that must have status 200.
    fn json(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.body);
        assert_eq!(self.header("content-type"), "application/json");
        serde_json::from_str(&self.body).unwrap()
    }

    /// The text of an answer that must be a JSON problem with this status.
    fn problem(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{}", self.body);
        assert_eq!(self.header("content-type"), "application/problem+json");
        let problem: Value = serde_json::from_str(&self.body).unwrap();
        assert_eq!(problem["status"], status);
        problem["detail"].as_str().unwrap().to_owned()
    }
}

/// A certificate of 4x4 over a database of three pieces.
fn small_proof(here: &Path) {
    tests::programs::prove(&["--game", "4x4", "--pieces", "3", "--emit", "cert", "-q"], here);
}
