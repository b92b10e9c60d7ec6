//! The server's answers agree with its OpenAPI document: schemathesis makes requests from the
//! document, valid and invalid, and compares.

use std::path::Path;
use std::process::Command;

use tests::python::package;

use super::{Server, small_proof};

const SCHEMATHESIS: &str = "schemathesis==4.32.5";

#[test]
#[ignore = "needs python3 with pip"]
fn answers_match_the_document() {
    let here = tempfile::tempdir().unwrap();
    small_proof(here.path());
    let server = Server::start(&["cert"], here.path());
    let package = package(SCHEMATHESIS, Path::new(env!("CARGO_TARGET_TMPDIR")));
    let mut command = Command::new("python3");
    command.arg(package.join("bin/st")).arg("run");
    command.arg(format!("http://{}/openapi.json", server.address));
    // A FEN of the right form may be that of no legal position, so not every valid request is
    // accepted.
    command.args(["--exclude-checks", "positive_data_acceptance"]);
    command.args(["--phases", "examples,coverage,fuzzing", "--max-examples", "20", "--seed", "1"]);
    command.args(["--warnings", "off", "--no-color"]);
    let output = command.env("PYTHONPATH", &package).current_dir(here.path()).output();
    let output = output.expect("python3 is needed here");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    // Every address was requested, by each of its methods.
    let document = server.get("/openapi.json").json();
    let addresses = document["paths"].as_object().unwrap().values();
    let requests: usize = addresses.map(|methods| methods.as_object().unwrap().len()).sum();
    assert!(said.contains(&format!("{requests} selected")), "{said}");
    server.get("/healthz");
}
