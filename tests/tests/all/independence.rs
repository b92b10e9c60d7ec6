//! The checker shares no code with the prover except the wire types.

use tests::prelude::*;

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

/// Whether a package belongs to the prover.
fn is_of_prover(name: &str) -> bool {
    name == "prover" || name.starts_with("draughtproof-")
}

#[test]
fn the_checker_does_not_depend_on_the_prover() {
    let checker = dependencies("checker");
    assert!(checker.contains("certificate-spec"), "the test looks at the wrong thing");
    assert!(!checker.iter().any(|name| is_of_prover(name)));
}

/// The crate aid need not be trusted, so shards and merging must not rest on it. The core may,
/// since it compares what it gets from there.
#[test]
fn merging_does_not_depend_on_what_is_not_trusted() {
    let manifest = include_str!("../../../checker/audit/Cargo.toml");
    assert!(manifest.contains("checker-core"), "the test looks at the wrong thing");
    assert!(!manifest.contains("checker-aid"));
}

/// Trusted code rests on a short list, and one line of it is not checked by the compiler.
#[test]
fn the_trusted_core_depends_on_little() {
    let manifest = include_str!("../../../checker/core/Cargo.toml");
    let (_, rest) = manifest.split_once("[dependencies]\n").unwrap();
    let list: Vec<_> = rest.lines().take_while(|line| !line.is_empty()).collect();
    let names = ["certificate-spec", "checker-aid", "checker-scratch", "rayon"];
    assert_eq!(list, names.map(|name| format!("{name}.workspace = true")));
    for library in [
        include_str!("../../../checker/core/src/lib.rs"),
        include_str!("../../../checker/aid/src/lib.rs"),
        include_str!("../../../certificate-spec/src/lib.rs"),
    ] {
        assert!(library.contains("\n#![forbid(unsafe_code)]\n"));
    }
    let scratch = include_str!("../../../checker/scratch/src/lib.rs");
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let words = scratch.lines().filter(is_code).flat_map(str::split_whitespace);
    assert_eq!(words.filter(|word| *word == "unsafe").count(), 1);
}

/// Arithmetic that overflows ends a check instead of going on with a wrong number: a part of the
/// soundness argument that depends on how `check` is compiled.
#[test]
fn overflow_ends_a_check() {
    let manifest = include_str!("../../../Cargo.toml");
    let profile = |name: &str| {
        let (_, rest) = manifest.split_once(&format!("\n[profile.{name}]\n")).unwrap();
        rest.split("\n[").next().unwrap()
    };
    assert!(profile("release").contains("\noverflow-checks = true\n"));
    let dist = profile("dist");
    assert!(dist.contains("inherits = \"release\"") && !dist.contains("overflow-checks"));
    assert!(!profile("dev").contains("overflow-checks"));
    assert!(!manifest.contains("[profile.release.package.checker-core]"));
}

/// The program that makes manual pages of `check` depends on its options, and not the other way
/// round.
#[test]
fn the_checker_does_not_depend_on_encoders() {
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
        assert!(!name.starts_with("checker") && !is_of_prover(name), "{name}");
    }
}

#[test]
fn the_prover_does_not_depend_on_the_checker() {
    let prover = dependencies("prover");
    assert!(prover.contains("certificate-notes"), "the test looks at the wrong thing");
    assert!(prover.iter().all(|name| !name.starts_with("checker")));
}

/// Networks are for the farm and the server alone among the prover's crates, and the command line
/// for `prove` alone.
#[test]
fn crates_of_the_prover_stay_apart() {
    let networks = ["async-nats", "axum", "hyper", "object_store", "reqwest", "rustls", "tokio"];
    let programs = ["clap", "ctrlc", "signal-hook"];
    for name in [
        "draughtproof-game",
        "draughtproof-egdb",
        "draughtproof-egdb-c",
        "draughtproof-egdb-driver",
        "draughtproof-egdb-py",
        "draughtproof-proof",
        "draughtproof-play",
        "draughtproof-checkerboard",
    ] {
        let known = dependencies(name);
        assert!(known.contains("thiserror"), "the test looks at the wrong thing");
        let unwanted: Vec<_> =
            networks.iter().chain(&programs).filter(|name| known.contains(**name)).collect();
        assert!(unwanted.is_empty(), "{name} depends on {unwanted:?}");
    }
    let farm = dependencies("draughtproof-farm");
    assert!(farm.contains("async-nats") && !farm.contains("axum") && !farm.contains("clap"));
    let serve = dependencies("draughtproof-serve");
    let brokers = ["async-nats", "object_store", "reqwest"];
    assert!(serve.contains("axum") && !serve.contains("clap"));
    assert!(brokers.iter().all(|name| !serve.contains(*name)));
}

/// A program that looks positions up does not compile the searches.
#[test]
fn the_c_library_knows_databases_alone() {
    let library = dependencies("draughtproof-egdb-c");
    let of_prover = library.iter().filter(|name| is_of_prover(name));
    let expected = ["draughtproof-c-text", "draughtproof-egdb", "draughtproof-game"];
    assert_eq!(of_prover.collect::<Vec<_>>(), expected);
    assert!(dependencies("draughtproof-c-text").is_empty());
    let driver = dependencies("draughtproof-egdb-driver");
    let of_prover = driver.iter().filter(|name| is_of_prover(name));
    assert_eq!(of_prover.collect::<Vec<_>>(), ["draughtproof-egdb", "draughtproof-game"]);
}
