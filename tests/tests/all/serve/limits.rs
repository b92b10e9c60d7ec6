//! The limits of the server.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::{Server, small_proof};

#[test]
fn what_is_wrong_is_a_problem_in_json() {
    let here = tempfile::tempdir().unwrap();
    let server = Server::start(&[], here.path());
    let detail = server.get("/api/6x6/position?fen=%3Cscript%3Ealert(1)%3C/script%3E").problem(400);
    assert!(detail.contains("<script>"), "{detail}");
    server.get("/api/6x6/position").problem(400);
    server.get("/api/9x9/position?fen=B:W1:B2").problem(404);
    server.get("/api/certificates/00").problem(404);
    server.get("/api/certificates/../../etc/passwd").problem(404);
    server.get("/..%2f..%2fetc%2fpasswd").problem(404);
    server.post("/api/6x6/position", "{}").problem(405);
    server.post("/api/6x6/game", "{").problem(400);
    server.post("/api/6x6/positions", "{}").problem(422);
    server.post("/api/6x6/game", "[null, null]").problem(422);
    let headers = server.get("/healthz").headers;
    assert!(headers["content-security-policy"].to_str().unwrap().contains("default-src 'none'"));
    assert_eq!(headers["x-content-type-options"], "nosniff");
}

#[test]
fn too_large_and_too_often() {
    let here = tempfile::tempdir().unwrap();
    let server = Server::start(&["--rate", "5", "--most-body", "1000"], here.path());
    let long = format!(r#"{{"pdn": "{}"}}"#, "x".repeat(1000));
    server.post("/api/6x6/pdn", &long).problem(413);
    // The first requests are answered at once; after them each takes a fifth of a second.
    let answers: Vec<_> = (0..200).map(|_| server.get("/healthz")).collect();
    let refused = answers.iter().find(|answer| answer.status != 200).expect("a limit");
    refused.problem(429);
    assert!(refused.header("retry-after").parse::<u64>().unwrap() >= 1);
}

#[test]
fn excess_connections_are_refused() {
    let here = tempfile::tempdir().unwrap();
    let server = Server::start(&["--connections", "2"], here.path());
    let request = b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";
    let mut open: Vec<TcpStream> = Vec::new();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        stream.write_all(request).unwrap();
        stream.read_exact(&mut [0; 15]).unwrap();
        open.push(stream);
    }
    let refused = server.send(b"");
    assert!(refused.starts_with("HTTP/1.1 503 "), "{refused}");
    assert!(refused.contains("application/problem+json"), "{refused}");
    drop(open);
    // Their slots are free as soon as the server has seen that the connections are closed.
    while !server
        .send(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        .ends_with("ok\n")
    {}
}

#[test]
fn late_bodies_time_out() {
    let here = tempfile::tempdir().unwrap();
    let server = Server::start(&["--most-time", "1"], here.path());
    let head = b"POST /api/6x6/game HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
        content-length: 100\r\nconnection: close\r\n\r\n{";
    let answer = server.send(head);
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    // Bytes that are not an HTTP request end the connection.
    let answer = server.send(b"\x16\x03\x01\r\n\r\n");
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 400 "), "{answer}");
    server.get("/healthz");
}

#[test]
fn shutdown_finishes_requests() {
    let here = tempfile::tempdir().unwrap();
    small_proof(here.path());
    let server = Server::start(&["cert"], here.path());
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let body = r#"{"moves": []}"#;
    let head = format!(
        "POST /api/4x4/game HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nexpect: 100-continue\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    // The server has begun to answer the request, which is not complete.
    let mut wanted = [0; 12];
    stream.read_exact(&mut wanted).unwrap();
    assert_eq!(&wanted, b"HTTP/1.1 100");
    server.ask_to_end();
    // At this point the server accepts no more connections.
    while TcpStream::connect(&server.address).is_ok() {}
    stream.write_all(body.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("HTTP/1.1 200 OK"), "{answer}");
    assert!(server.wait().success());
}

#[test]
fn unusable_certificates_are_named() {
    let here = tempfile::tempdir().unwrap();
    let prove = tests::programs::path("prove");
    let missing = tests::programs::run(&prove, &["serve", "nothing"], here.path());
    assert_eq!(missing.status.code(), Some(3));
    let server = Server::start(&[], here.path());
    let taken = tests::programs::run(&prove, &["serve", "--listen", &server.address], here.path());
    assert_eq!(taken.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&taken.stderr).contains("--listen"));
    server.ask_to_end();
    assert!(server.wait().success());
}
