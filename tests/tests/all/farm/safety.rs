//! Logins, permissions and TLS; the messages when something is missing, and what they must not
//! show.

use super::*;
use serde_json::Value;

/// The broker that docs/proving.md describes, on a free port and with a separate store.
fn broker_of_the_guide() -> Broker {
    let guide =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/proving.md")).unwrap();
    let block = guide.split("<!-- permissions -->\n```\n").nth(1).unwrap();
    let config = block.split("```").next().unwrap();
    assert!(config.contains(":4222") && config.contains("/var/lib/nats"));
    let config = config.replace(":4222", ":PORT").replace("/var/lib/nats", "STORE");
    Broker::start_with(Some(&config))
}

#[test]
#[ignore = "needs nats-server"]
fn permissions_of_the_guide() {
    let directory = &Scratch::empty();
    let want = SMALL.root(directory);
    let broker = broker_of_the_guide();
    let login = |user: &str, password: &str| {
        let file = directory.join(user);
        fs::write(&file, format!("{user}:{password}\n")).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let (manager, alice) = (login("manager", "change-1"), login("alice", "change-2"));
    let url = broker.url();
    let farm = ["--farm", &url, "--farm-creds", &manager, "--results", "farm.results"];
    let manager = Running::start(&SMALL.arguments(&farm), directory, "manager.log");
    // A worker may not take items under another name than that of its credentials, and ends.
    let mut mallory = Running::worker(&url, "mallory", directory, &["--farm-creds", &alice]);
    mallory.wait_to_say("--name mallory does not fit the login");
    wait_for("the end of mallory", || mallory.has_ended().then_some(()));
    let watcher = login("watcher", "change-3");
    let status = ["farm", "status", "--farm", &url, "--farm-creds", &watcher, "--format", "json"];
    // The manager may not be there yet.
    let status = wait_for("the manager", || {
        let status = run(&path("prove"), &status, directory);
        status.status.success().then_some(status)
    });
    let status: Value = serde_json::from_slice(&status.stdout).unwrap();
    assert_eq!((&status["board"], &status["pieces"]), (&SMALL.game.into(), &SMALL.pieces.into()));

    let mut alice = Running::worker(&url, "alice", directory, &["--farm-creds", &alice]);
    alice.wait_to_say("taking its items");
    assert_eq!(manager.root(), want);
    for log in ["manager.log", "alice.log", "mallory.log"] {
        let said = fs::read_to_string(directory.join(log)).unwrap();
        assert!(!said.contains("change-"), "{log}: {said}");
        let trouble = said.contains("iolation");
        assert_eq!(trouble, log == "mallory.log", "{log}: {said}");
        let waits = said.contains("waiting for jobs");
        assert_eq!(waits, log == "alice.log", "{log}: {said}");
        assert!(!said.contains("Consumer Deleted"), "{log}: {said}");
    }
}

#[test]
#[ignore = "needs nats-server"]
fn refused_logins_end_programs() {
    let directory = tempfile::tempdir().unwrap();
    let broker = broker_of_the_guide();
    let url = broker.url().replace("nats://", "nats://alice:opensesame@");
    for arguments in [
        vec!["worker", "--farm", &url],
        vec!["farm", "status", "--farm", &url],
        vec!["--game", "4x4", "--pieces", "2", "--emit", "cert", "--farm", &url],
    ] {
        let said = fails(directory.path(), &arguments, 3, &["refuses this login"]);
        assert!(said.contains(&broker.url()) && !said.contains("opensesame"), "{said}");
    }
    // A file that has no credentials.
    fs::write(directory.path().join("creds"), "secret words").unwrap();
    let arguments = ["worker", "--farm", &broker.url(), "--farm-creds", "creds"];
    let output = run(&path("prove"), &arguments, directory.path());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("--farm-creds creds: expected") && !said.contains("words"), "{said}");
}

/// A certificate authority, and a certificate by it for 127.0.0.1 with its key.
fn certificate(directory: &Path) {
    let openssl = |arguments: &str| {
        let usual = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2";
        let mut openssl = Command::new("openssl");
        openssl.args(usual.split(' ')).args(arguments.split_whitespace()).current_dir(directory);
        let output = openssl.output().expect("openssl runs");
        assert!(output.status.success(), "{output:?}");
    };
    openssl("-subj /CN=authority -keyout ca-key.pem -out ca.pem");
    openssl(
        "-subj /CN=farm -addext subjectAltName=IP:127.0.0.1 -addext basicConstraints=CA:FALSE -CA ca.pem \
         -CAkey ca-key.pem -keyout key.pem -out cert.pem",
    );
}

#[test]
#[ignore = "needs nats-server and openssl"]
fn tls_needs_the_authority() {
    let here = &Scratch::empty();
    certificate(here);
    let [cert, key, ca] =
        ["cert.pem", "key.pem", "ca.pem"].map(|file| here.join(file).display().to_string());
    let broker = Broker::start_with(Some(&format!(
        "listen: 127.0.0.1:PORT\njetstream {{ store_dir: \"STORE\" }}\n\
         tls {{ cert_file: \"{cert}\", key_file: \"{key}\", ca_file: \"{ca}\", verify: true }}\n"
    )));
    let url = broker.url().replace("nats://", "tls://");
    let identity = ["--farm-cert", &cert, "--farm-key", &key];
    let arguments = [&["farm", "status", "--farm", &url], &identity[..]].concat();
    fails(here, &arguments, 3, &["no secure connection", "--farm-ca"]);
    // With the certificate authority there is a connection, but no manager.
    fails(here, &[&arguments[..], &["--farm-ca", &ca]].concat(), 1, &["no manager answers"]);
}

#[test]
#[ignore = "needs nats-server"]
fn workers_report_missing_databases() {
    let here = &Scratch::empty();
    SMALL.root(here);
    let broker = Broker::start();
    let url = broker.url();
    let mut manager = SMALL.manager(&broker.url(), here);
    // A missing database, one with too few pieces, and another one.
    let mut without = Running::worker(&url, "without", here, &["--db", "nowhere"]);
    without.wait_to_say("none of its items are taken: it needs the database of 8x4 with 4 pieces");
    without.wait_to_say("prove db --game 8x4 --pieces 4 --db nowhere");
    tests::programs::prove(
        &["db", "--game", SMALL.game, "--pieces", "2", "--db", "small", "-q"],
        here,
    );
    let mut small = Running::worker(&url, "small", here, &["--db", "small"]);
    small.wait_to_say("found one with 2");
    let mut tight = Running::worker(&url, "tight", here, &["--memory", "1MiB"]);
    tight.wait_to_say("1 MiB may be used");
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert!(!manager.has_ended(), "somebody has done it");
    // The workers have taken no item.
    let status = run(&path("prove"), &["farm", "status", "--farm", &url, "--format", "json"], here);
    let status: Value = serde_json::from_slice(&status.stdout).unwrap();
    assert_eq!((&status["done"], &status["leased"]), (&0.into(), &0.into()), "{status}");
    let mut bad = Running::worker(&url, "a.b", here, &[]);
    bad.wait_to_say("--name: expected 1 to 64 letters");
}
