//! Clients that are hostile or broken: whatever they do, the server answers others.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;
use tests::files::Scratch;
use tests::programs::prove;

use super::{Server, small_proof};

const REQUEST: &[u8] = b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
/// The number of simultaneous connections of one client.
const CONNECTIONS: usize = 2_000;
/// The KiB of memory that the server may take under any attack.
const MOST_MEMORY: u64 = 100 << 10;

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream
}

/// Whether the server has closed a connection, after anything it may have sent.
fn is_ended(stream: &mut TcpStream) -> bool {
    loop {
        match stream.read(&mut [0; 1 << 16]) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return e.kind() == ErrorKind::ConnectionReset,
        }
    }
}

/// The peak memory of a server so far, in KiB.
fn peak_memory(server: &Server) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", server.child.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn answers(server: &Server) {
    let end = Instant::now() + Duration::from_secs(30);
    while !server.send(REQUEST).ends_with("ok\n") {
        assert!(Instant::now() < end, "it does not answer any more");
    }
}

#[test]
fn half_open_and_slow_connections_end() {
    let here = tempfile::tempdir().unwrap();
    let server = Server::start(&["--most-time", "1", "--connections", "8"], here.path());
    let mut silent = connect(&server);
    let mut begun = connect(&server);
    begun.write_all(b"GET /heal").unwrap();
    let mut kept = connect(&server);
    kept.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
    let mut slow = connect(&server);
    let start = Instant::now();
    // One byte at a time, which does not extend the time limit.
    for byte in REQUEST {
        if slow.write_all(&[*byte]).is_err() || start.elapsed() > Duration::from_secs(10) {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(start.elapsed() < Duration::from_secs(10));
    for stream in [&mut silent, &mut begun, &mut kept, &mut slow] {
        assert!(is_ended(stream));
    }
    answers(&server);
}

#[test]
fn unread_answers_are_dropped() {
    let here = tempfile::tempdir().unwrap();
    small_proof(here.path());
    let server = Server::start(&["cert", "--most-time", "1", "--connections", "1"], here.path());
    let batch = json!({ "positions": vec!["start"; 1000] }).to_string();
    let mut stream = connect(&server);
    let head = format!(
        "POST /api/4x4/positions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n",
        batch.len()
    );
    // More answers than the system's buffers hold.
    stream.set_write_timeout(Some(Duration::from_millis(500))).unwrap();
    for _ in 0..100 {
        if stream.write_all(format!("{head}{batch}").as_bytes()).is_err() {
            break;
        }
    }
    // The only slot is free again, although the client has read none of its answers.
    answers(&server);
    drop(stream);
    assert!(peak_memory(&server) < MOST_MEMORY, "{}", peak_memory(&server));
}

#[test]
fn two_thousand_connections() {
    let here = tempfile::tempdir().unwrap();
    // So few that some are refused even where it takes a minute to open all.
    let server = Server::start(&["--most-time", "2", "--connections", "64"], here.path());
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let most = limit.maximum.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
    rustix::process::setrlimit(
        rustix::process::Resource::Nofile,
        rustix::process::Rlimit { current: limit.maximum, ..limit },
    )
    .unwrap();
    // As many connections as this process may have open.
    let at_a_time = (most.saturating_sub(500)).min(CONNECTIONS);
    let (mut refused, mut opened) = (0, 0);
    while opened < CONNECTIONS {
        let mut streams = Vec::new();
        for _ in 0..at_a_time.min(CONNECTIONS - opened) {
            let address = server.address.parse().unwrap();
            let stream = TcpStream::connect_timeout(&address, Duration::from_secs(20));
            streams.push(stream.expect("a connection, if only to be refused"));
        }
        opened += streams.len();
        for stream in &mut streams {
            stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
            let mut start = [0; 12];
            match stream.read_exact(&mut start) {
                Ok(()) => {
                    assert_eq!(&start, b"HTTP/1.1 503");
                    refused += 1;
                }
                // The server closed the connection after a timeout, or because there were too many.
                Err(e) => assert_ne!(e.kind(), ErrorKind::WouldBlock),
            }
        }
    }
    assert!(refused > 0);
    answers(&server);
    assert!(peak_memory(&server) < MOST_MEMORY, "{}", peak_memory(&server));
}

#[test]
fn requests_of_100_mb_are_refused() {
    let here = tempfile::tempdir().unwrap();
    let server = Server::start(&[], here.path());
    let head = "POST /api/6x6/pdn HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n";
    let some = vec![b'x'; 1 << 20];
    for (framing, before, after) in [
        (format!("content-length: {}", 100 << 20), String::new(), ""),
        ("transfer-encoding: chunked".into(), format!("{:x}\r\n", some.len()), "\r\n"),
    ] {
        let mut stream = connect(&server);
        stream.write_all(format!("{head}{framing}\r\n\r\n").as_bytes()).unwrap();
        for _ in 0..100 {
            let chunk = [before.as_bytes(), &some, after.as_bytes()].concat();
            // The server answers and closes the connection before everything has been sent.
            if stream.write_all(&chunk).is_err() {
                break;
            }
        }
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer);
        // Unread data may have made the system drop the answer.
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 413 "), "{answer}");
    }
    // A body that is announced and not sent.
    let announced = format!("{head}content-length: {}\r\nconnection: close\r\n\r\n", 100 << 20);
    let answer = server.send(announced.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    // The length of heads is limited, too.
    let mut stream = connect(&server);
    stream.write_all(b"GET / HTTP/1.1\r\n").unwrap();
    while stream.write_all(&[b"x: ", &some[..1000], b"\r\n"].concat()).is_ok() {}
    let answer = server.send(format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(50_000)).as_bytes());
    assert!(
        answer.is_empty()
            || answer.starts_with("HTTP/1.1 431 ")
            || answer.starts_with("HTTP/1.1 414 "),
        "{answer}"
    );
    answers(&server);
    assert!(peak_memory(&server) < MOST_MEMORY, "{}", peak_memory(&server));
}

#[test]
fn paths_stay_inside() {
    let here = tempfile::tempdir().unwrap();
    small_proof(here.path());
    fs::write(here.path().join("secret"), "secret").unwrap();
    let server = Server::start(&["cert"], here.path());
    for path in [
        "/../secret",
        "/..%2fsecret",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/page.css/../../secret",
        "/api/..%2f..%2fsecret/slices",
        "/api/4x4/slices/..%2f..%2fsecret",
        "/api/4x4/slices/..%2fMANIFEST",
        "/api/certificates/..%2f..%2fsecret",
        "/api/certificates/%00/nodes/0",
        "http://elsewhere/etc/passwd",
        "/\\..\\secret",
    ] {
        // Paths are sent unchanged: an ordinary client would normalise them.
        let answer = server.send(
            format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").as_bytes(),
        );
        assert!(answer.starts_with("HTTP/1.1 4"), "{path}: {answer}");
        assert!(!answer.contains("root:") && !answer.ends_with("secret"), "{path}: {answer}");
    }
}

#[test]
fn scripts_in_requests_stay_text() {
    let here = tempfile::tempdir().unwrap();
    let server = Server::start(&[], here.path());
    let script = "<script>alert(1)</script>";
    let encoded = "%3Cscript%3Ealert(1)%3C%2Fscript%3E";
    let answers = [
        server.get(&format!("/api/6x6/position?fen={encoded}")),
        server.get(&format!("/api/6x6/line?fen={encoded}")),
        server.get(&format!("/api/{encoded}/slices")),
        server.get(&format!("/api/certificates/{encoded}")),
        server.get(&format!("/{encoded}")),
        server.post("/api/6x6/game", &json!({ "moves": [script] }).to_string()),
        server.post("/api/6x6/game", &json!({ "game": script }).to_string()),
    ];
    for answer in answers {
        // A browser does not interpret any of it as a page.
        assert_eq!(answer.header("content-type"), "application/problem+json", "{}", answer.body);
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; "), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
    }
    // The page itself has no inline script or style that the policy would have to admit.
    let page = server.get("/").body;
    for inline in
        ["<script>", "<style", "style=", " onclick=", "javascript:", "http://", "https://"]
    {
        assert!(!page.contains(inline), "{inline}");
    }
}

#[test]
fn served_files_may_vanish() {
    let here = &Scratch::empty();
    small_proof(here);
    prove(&["--game", "4x4", "--pieces", "2", "--emit", "other", "-q"], here);
    let server = Server::start(&["cert", "--no-check"], here);
    let addresses = [
        "/api/certificates",
        "/api/boards",
        "/api/4x4/position?fen=start",
        "/api/4x4/line?fen=start",
        "/api/4x4/slices",
    ];
    let before: Vec<_> = addresses.iter().map(|address| server.get(address).json()).collect();
    let same = |when: &str| {
        for (address, before) in addresses.iter().zip(&before) {
            assert_eq!(&server.get(address).json(), before, "{address}, {when}");
        }
    };
    fs::remove_dir_all(here.join("cert")).unwrap();
    same("its certificate gone");
    fs::rename(here.join("other"), here.join("cert")).unwrap();
    same("another certificate in its place");
    // A missing or damaged file of the database affects only requests that need it.
    let database = here.join("egdb/4x4");
    for file in fs::read_dir(&database).unwrap() {
        fs::write(file.unwrap().path(), "nothing").unwrap();
    }
    for address in ["/api/4x4/position?fen=B:WK8:BK1,K2", "/api/4x4/slices/0,1,0,1"] {
        let answer = server.get(address);
        assert!([200, 500].contains(&answer.status), "{}", answer.body);
    }
    fs::remove_dir_all(&database).unwrap();
    server.get("/api/4x4/slices/0,2,0,1");
    assert_eq!(server.get("/api/4x4/slices").json(), before[4]);
    assert_eq!(server.get("/api/certificates").json(), before[0]);
}
