//! Without a broker the status command does not wait, and manager and worker say that they wait.

use std::net::TcpListener;

use super::*;

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
