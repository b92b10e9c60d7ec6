//! Certificates that the program `check` verifies while the server runs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use tests::programs::{check, fails, path};

use super::{Server, small_proof};

/// Returns the server's answer about its first certificate, once the check has ended.
fn verified(server: &Server) -> Value {
    loop {
        let verified = server.get("/api/certificates").json()[0]["verified"].take();
        if verified["state"] != "running" {
            return verified;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn check_verifies_what_is_served() {
    let here = tempfile::tempdir().unwrap();
    small_proof(here.path());
    let server = Server::start(&["cert"], here.path());
    let found = verified(&server);
    assert_eq!(found["state"], "verified", "{found}");
    assert!(found["checker"].as_str().unwrap().starts_with("check "), "{found}");
    assert!(found["seconds"].as_f64().unwrap() > 0.0, "{found}");
    // The permanent address does not change with it.
    let root = server.get("/api/certificates").json()[0]["root"].take();
    let kept = server.get(&format!("/api/certificates/{}", root.as_str().unwrap())).json();
    assert!(kept.get("verified").is_none(), "{kept}");
    let server = Server::start(&["cert", "--no-check"], here.path());
    assert_eq!(verified(&server), Value::Null);
}

/// A server whose `check` is in PATH, and prints this text and ends with this status.
fn server_with(here: &Path, said: &str, status: i32) -> Server {
    fs::write(here.join("said"), said).unwrap();
    let script = format!("#!/bin/sh\ncat {}\nexit {status}\n", here.join("said").display());
    fs::create_dir_all(here.join("bin")).unwrap();
    fs::write(here.join("bin/check"), script).unwrap();
    fs::set_permissions(here.join("bin/check"), fs::Permissions::from_mode(0o755)).unwrap();
    let program = here.join("prove");
    if !program.exists() {
        fs::copy(path("prove"), &program).unwrap();
    }
    let mut command = Command::new(program);
    let bin = here.join("bin").display().to_string();
    command.env("PATH", format!("{bin}:{}", std::env::var("PATH").unwrap()));
    Server::start_by(command, &["cert"], here)
}

#[test]
fn other_words_do_not_count_as_verified() {
    let here = tempfile::tempdir().unwrap();
    let here = here.path();
    small_proof(here);
    let verdict = check(&["cert", "--quiet"], here).verdict;
    let (before, root) = verdict.split_once(" root=").unwrap();
    let other = format!("{before} root={}{}", "0".repeat(64), &root[64..]);
    for (said, status, counts) in [
        (format!("{verdict}\n"), 0, true),
        (format!("{verdict}\n"), 1, false),
        (format!("{verdict}\n{verdict}\n"), 0, false),
        (format!("c it is right\n{verdict}\n"), 0, false),
        (verdict.clone(), 0, false),
        (format!("{other}\n"), 0, false),
        (format!("{}\n", verdict.replace(" DRAW ", " BLACK-WINS ")), 0, false),
        (format!("{}\n", verdict.replace(" db=exact ", " db=none ")), 0, false),
        (format!("{}\n", verdict.replace("VERIFIED", "CONDITIONAL")), 0, false),
        (String::new(), 0, false),
    ] {
        let found = verified(&server_with(here, &said, status));
        let expected = if counts { "verified" } else { "not-verified" };
        assert_eq!(found["state"], expected, "{said:?}, {status}: {found}");
    }
}

#[test]
fn a_folder_of_databases_that_is_not_there_is_an_error() {
    let here = tempfile::tempdir().unwrap();
    small_proof(here.path());
    let options = ["serve", "cert", "--db", "egbd", "--listen", "127.0.0.1:0"];
    fails(here.path(), &options, 3, &["egbd", "--db must name a directory"]);
    // A folder without the database of a certificate is another mistake.
    fs::create_dir(here.path().join("other")).unwrap();
    let options = ["serve", "cert", "--db", "other", "--listen", "127.0.0.1:0"];
    fails(here.path(), &options, 3, &["other"]);
}

/// An address in use is said before a certificate is looked at.
#[test]
fn the_address_is_bound_first() {
    let here = tempfile::tempdir().unwrap();
    let server = Server::start(&[], here.path());
    let options = ["serve", "nothing", "--listen", &server.address];
    let said = fails(here.path(), &options, 3, &["--listen"]);
    assert!(!said.contains("nothing"), "{said}");
}
