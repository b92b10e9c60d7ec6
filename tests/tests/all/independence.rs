//! The checker shares no code with the prover except the wire types.

use std::collections::BTreeSet;
use std::process::Command;

/// The packages that `check` is made of, as cargo resolves them.
fn dependencies(of: &str) -> BTreeSet<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let nodes = metadata["resolve"]["nodes"].as_array().unwrap();
    let name = |id: &serde_json::Value| {
        let packages = metadata["packages"].as_array().unwrap();
        let package = packages.iter().find(|p| p["id"] == *id).unwrap();
        package["name"].as_str().unwrap().to_owned()
    };
    let (mut found, mut todo) = (BTreeSet::new(), vec![]);
    let root = nodes.iter().find(|n| name(&n["id"]) == of).unwrap();
    todo.push(root);
    while let Some(node) = todo.pop() {
        for dependency in node["deps"].as_array().unwrap() {
            let kinds = dependency["dep_kinds"].as_array().unwrap();
            // Development dependencies are not part of the program; build dependencies are.
            if kinds.iter().any(|k| k["kind"] != "dev") && found.insert(name(&dependency["pkg"])) {
                todo.push(nodes.iter().find(|n| n["id"] == dependency["pkg"]).unwrap());
            }
        }
    }
    found
}

/// The packages that belong to the prover.
const PROVERS: [&str; 3] = ["prover", "draughtproof-egdb", "draughtproof-game"];

#[test]
fn the_checker_does_not_depend_on_the_prover() {
    let checker = dependencies("checker");
    assert!(checker.contains("certificate-spec"), "the test looks at the wrong thing");
    assert!(PROVERS.iter().all(|name| !checker.contains(*name)));
}

/// The program that makes manual pages of `check` depends on its options, and not the other way
/// round.
#[test]
fn the_checker_does_not_depend_on_what_packs_it() {
    let packers = ["packaging", "clap_complete", "clap_mangen"];
    let packaging = dependencies("packaging");
    assert!(packaging.contains("checker") && packaging.contains("clap_mangen"));
    let checker = dependencies("checker");
    assert!(packers.iter().all(|name| !checker.contains(*name)));
}

#[test]
fn the_wire_types_depend_on_neither() {
    let spec = dependencies("certificate-spec");
    assert!(spec.contains("blake3"), "the test looks at the wrong thing");
    let notes = dependencies("certificate-notes");
    assert!(notes.contains("ed25519-dalek"), "the test looks at the wrong thing");
    for name in spec.union(&notes) {
        assert!(!name.starts_with("checker") && !PROVERS.contains(&name.as_str()), "{name}");
    }
}

#[test]
fn the_prover_does_not_depend_on_the_checker() {
    let prover = dependencies("prover");
    assert!(prover.contains("certificate-notes"), "the test looks at the wrong thing");
    assert!(prover.iter().all(|name| !name.starts_with("checker")));
}
