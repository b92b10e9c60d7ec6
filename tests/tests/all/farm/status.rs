//! The status of a farm; workers that end; a broker that starts later.

use serde_json::Value;
use tests::farm::{Broker, Running, free_port};
use tests::programs::{path, run};

use super::{Job, SMALL};

/// A proof of an open question, which does not end while the test runs.
const ENDLESS: Job = Job { game: "8x8/2", pieces: "2", leaf_nodes: "1000000000" };

fn status(url: &str, format: &str, directory: &std::path::Path) -> String {
    let arguments = ["farm", "status", "--farm", url, "--format", format];
    let output = run(&path("prove"), &arguments, directory);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
#[ignore = "needs nats-server"]
fn the_status_says_what_is_done_by_whom() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let broker = Broker::start();
    let url = broker.url();
    // A worker that does not give its item back holds it for an hour.
    let farm = ["--farm", &url, "--lease", "3600"];
    let mut manager = Running::start(&ENDLESS.arguments(&farm), here, "manager.log");
    manager.wait_to_say("items wait for workers");
    let mut worker = Running::worker(&url, "busy", here, &[]);
    worker.wait_to_say("taking its items");
    let json = loop {
        let json: Value = serde_json::from_str(&status(&url, "json", here)).unwrap();
        let busy = json["workers"].get(0).is_some_and(|w| w["held"] == 1 && w["nodes"] != 0);
        if busy && json["leased"] != 0 {
            break json;
        }
    };
    assert_eq!(json["workers"][0]["name"], "busy");
    assert!(json["oldest_lease_seconds"].as_f64().unwrap() > 0.0, "{json}");
    let attackers: Vec<&str> = json["questions"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|q| q["attacker"].as_str())
        .collect();
    assert!(attackers.contains(&"White") && attackers.contains(&"Black"), "{json}");
    assert!(json["questions"][0]["proof"].is_u64(), "{json}");
    let text = status(&url, "text", here);
    assert!(text.contains("worker busy: 1 threads") && text.contains("does White win?"), "{text}");
    let metrics = status(&url, "prometheus", here);
    let job = json["job"].as_str().unwrap();
    assert!(
        metrics.contains(&format!("draughtproof_farm_items_leased{{job=\"{job}\"}} 1")),
        "{metrics}"
    );
    assert!(metrics.contains("worker=\"busy\"}"), "{metrics}");

    // A worker that is asked to end gives its item back, and says that it leaves.
    worker.ask_to_end();
    let output = worker.wait();
    assert!(output.status.success(), "{output:?}");
    let _other = Running::worker(&url, "other", here, &[]);
    loop {
        let json: Value = serde_json::from_str(&status(&url, "json", here)).unwrap();
        let workers = json["workers"].as_array().unwrap();
        assert!(workers.iter().all(|worker| worker["name"] != "busy"), "{json}");
        if workers.first().is_some_and(|other| other["held"] == 1 && other["nodes"] != 0) {
            break;
        }
    }
    // A manager that is asked to end says that it can go on.
    manager.ask_to_end();
    let output = manager.wait();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("the same command goes on"));
    let nobody = run(&path("prove"), &["farm", "status", "--farm", &url], here);
    assert_eq!(nobody.status.code(), Some(1));
    let said = String::from_utf8_lossy(&nobody.stderr).into_owned();
    assert!(said.contains("no manager answers"), "{said}");
}

#[test]
#[ignore = "needs nats-server"]
fn a_broker_may_come_last() {
    let directory = tempfile::tempdir().unwrap();
    let want = SMALL.root(directory.path());
    let port = free_port();
    let url = format!("nats://127.0.0.1:{port}");
    let farm = ["--farm", &url, "--results", "farm.results"];
    let mut manager = Running::start(&SMALL.arguments(&farm), directory.path(), "manager.log");
    let mut worker = Running::worker(&url, "early", directory.path(), &[]);
    worker.wait_to_say("no broker there yet");
    manager.wait_to_say("no broker there yet");
    let _broker = Broker::start_on(port);
    assert_eq!(manager.root(), want);
}
