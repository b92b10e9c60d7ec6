//! The status of a farm; workers that end; a broker that starts later.
//!
//! Without a broker the status command does not wait, and manager and worker say that they wait.

use super::*;
use serde_json::Value;
use std::net::TcpListener;

/// A proof of an open question, which does not end while the test runs.
const ENDLESS: Job<'_> = Job { game: "8x8/2", pieces: "2", leaf_nodes: "1000000000" };

fn status(url: &str, format: &str, directory: &Path) -> String {
    let arguments = ["farm", "status", "--farm", url, "--format", format];
    let output = run(&path("prove"), &arguments, directory);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The status of the one job, as JSON, once its only worker searches an item.
fn busy_status(url: &str, here: &Path) -> Value {
    wait_for("a busy worker", || {
        let json: Value = serde_json::from_str(&status(url, "json", here)).unwrap();
        let busy = json["workers"].get(0).is_some_and(|w| w["held"] == 1 && w["nodes"] != 0);
        (busy && json["leased"] != 0).then_some(json)
    })
}

#[test]
#[ignore = "needs nats-server"]
fn status_of_a_running_job() {
    let here = &Scratch::empty();
    let broker = Broker::start();
    let url = broker.url();
    // A worker that does not give its item back holds it for an hour.
    let farm = ["--farm", &url, "--lease", "3600"];
    let mut manager = Running::start(&ENDLESS.arguments(&farm), here, "manager.log");
    manager.wait_to_say("items wait for workers");
    let mut worker = Running::worker(&url, "busy", here, &[]);
    worker.wait_to_say("taking its items");
    let json = busy_status(&url, here);
    json_has_worker_and_questions(&json);
    text_and_metrics_agree(&url, json["job"].as_str().unwrap(), here);
    workers_that_end_give_items_back(&url, worker, here);
    managers_that_end_can_go_on(&url, manager, here);
}

fn json_has_worker_and_questions(json: &Value) {
    assert_eq!(json["workers"][0]["name"], "busy");
    assert!(json["oldest_lease_seconds"].as_f64().unwrap() > 0.0, "{json}");
    let questions = json["questions"].as_array().unwrap();
    for attacker in ["White", "Black"] {
        assert!(questions.iter().any(|question| question["attacker"] == attacker), "{json}");
    }
    assert!(questions[0]["proof"].is_u64(), "{json}");
}

fn text_and_metrics_agree(url: &str, job: &str, here: &Path) {
    let text = status(url, "text", here);
    assert!(text.contains("worker busy: 1 thread,") && text.contains("does White win?"), "{text}");
    let metrics = status(url, "prometheus", here);
    let leased = format!("draughtproof_farm_items_leased{{job=\"{job}\"}} 1");
    assert!(metrics.contains(&leased) && metrics.contains("worker=\"busy\"}"), "{metrics}");
}

fn workers_that_end_give_items_back(url: &str, worker: Running, here: &Path) {
    worker.ask_to_end();
    let output = worker.wait();
    assert!(output.status.success(), "{output:?}");
    let _other = Running::worker(url, "other", here, &[]);
    let workers = &busy_status(url, here)["workers"];
    assert_eq!((workers.as_array().unwrap().len(), &workers[0]["name"]), (1, &"other".into()));
}

fn managers_that_end_can_go_on(url: &str, manager: Running, here: &Path) {
    manager.ask_to_end();
    let output = manager.wait();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("the same command goes on"));
    fails(here, &["farm", "status", "--farm", url], 1, &["no manager answers"]);
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

/// Asks for the status, which must fail within a short time.
fn has_no_status(url: &str, here: &Path) {
    let start = Instant::now();
    let file = format!("{}.prom", url.rsplit(':').next().unwrap());
    fs::write(here.join(&file), "as it was\n").unwrap();
    let options = ["farm", "status", "--farm", url, "--format", "prometheus", "--out", &file];
    fails(here, &options, 3, &[&format!("{url}: no broker answers within 5 s")]);
    assert!(start.elapsed() < Duration::from_secs(20));
    assert_eq!(fs::read_to_string(here.join(&file)).unwrap(), "as it was\n");
}

#[test]
fn the_status_is_not_waited_for() {
    let here = &Scratch::empty();
    // A broker that accepts connections and sends nothing.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("nats://127.0.0.1:{}", silent.local_addr().unwrap().port());
    let nobody = format!("nats://127.0.0.1:{}", free_port());
    thread::scope(|scope| {
        for url in [&silent, &nobody] {
            scope.spawn(|| has_no_status(url, here));
        }
    });
    let left = here.read_dir().unwrap().count();
    assert_eq!(left, 2, "something was left");
}

#[test]
fn waiting_processes_end_on_request() {
    let root = tempfile::tempdir().unwrap();
    let url = format!("nats://127.0.0.1:{}", free_port());
    let proof = ["--game", "4x4", "--pieces", "2", "--emit", "cert", "--farm", &url];
    let mut manager = Running::start(&proof, root.path(), "manager.log");
    let mut worker = Running::worker(&url, "early", root.path(), &[]);
    for process in [&mut manager, &mut worker] {
        process.wait_to_say("no broker there yet");
        process.ask_to_end();
    }
    assert_eq!(worker.wait().status.code(), Some(0));
    assert_eq!(manager.wait().status.code(), Some(1));
}
