//! The progress of the jobs of a broker, as their managers report it: as text for the user, as
//! JSON, and in the text format of Prometheus.

use std::fmt::{self, Write};
use std::time::Duration;

use super::connection::Connection;
use super::stream::STATUS;
use crate::egdb::numbers::{counted, grouped, time};
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};

/// Time for which answers of managers are awaited.
const WAIT: Duration = Duration::from_secs(1);
/// The most jobs that are listed.
const MOST_JOBS: usize = 1000;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobStatus {
    pub job: String,
    /// The board, `RxC`, such as `6x6`.
    pub board: String,
    /// The cover of the database, in pieces.
    pub pieces: String,
    /// The digest of the database's root; none without a database.
    pub database: Option<String>,
    /// Seconds since the manager was started.
    pub seconds: f64,
    /// Items that wait for a worker; none if the broker does not say.
    pub waiting: Option<u64>,
    /// Items that workers hold or have just given back; none if the broker does not say.
    pub leased: Option<u64>,
    /// Items that the manager requests and that have no result yet.
    pub wanted: u64,
    /// Items whose results were used.
    pub done: u64,
    /// Results that were not needed, such as second results of one item.
    pub wasted: u64,
    /// Items that were sent again because their results were bad or did not come.
    pub again: u64,
    /// Results that were wrong, of all workers.
    pub wrong: u64,
    /// Names of the workers whose results are no longer read.
    pub refused: Vec<String>,
    /// Seconds for which the oldest item that is now leased has been held.
    pub oldest_lease_seconds: f64,
    /// The questions that are being decided.
    pub questions: Vec<QuestionStatus>,
    /// The workers that sent a heartbeat in the last 30 seconds.
    pub workers: Vec<WorkerStatus>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuestionStatus {
    /// The side of which the question asks whether it wins.
    pub attacker: String,
    /// The proof number of the root; none if the root is decided.
    pub proof: Option<u32>,
    /// The disproof number of the root; none if the root is decided.
    pub disproof: Option<u32>,
    pub tree: u64,
    /// Leaf searches so far.
    pub searches: u64,
    /// Nodes that these searches expanded.
    pub nodes: u64,
}

/// The status of a worker: its last heartbeat, and the manager's counts of its results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkerStatus {
    pub name: String,
    pub threads: u32,
    /// Items that it holds.
    pub held: u32,
    /// Items that it has done.
    pub items: u64,
    /// Results from it that were used.
    pub accepted: u64,
    /// Nodes that it has expanded for this job.
    pub nodes: u64,
    /// Nodes that it expands a second, from the last two heartbeats.
    pub nodes_per_second: f64,
    /// Seconds for which it has held the oldest of its items.
    pub oldest_lease_seconds: f64,
    pub wrong: u32,
}

impl Connection {
    /// Asks all managers for their status. Returns the answers that come within a second, in order
    /// of the jobs' names.
    pub fn status(&self) -> Vec<JobStatus> {
        let client = &self.link.client;
        let mut jobs: Vec<JobStatus> = self.runtime.block_on(async {
            let inbox = client.new_inbox();
            let Ok(mut answers) = client.subscribe(inbox.clone()).await else { return Vec::new() };
            if client.publish_with_reply(STATUS, inbox, "".into()).await.is_err() {
                return Vec::new();
            }
            let mut jobs = Vec::new();
            let deadline = tokio::time::Instant::now() + WAIT;
            while let Ok(Some(answer)) = tokio::time::timeout_at(deadline, answers.next()).await {
                // If no manager listens, the broker itself answers with an empty message.
                if let Ok(job) = serde_json::from_slice(&answer.payload) {
                    jobs.push(job);
                } else if answer.payload.is_empty() {
                    break;
                }
                if jobs.len() == MOST_JOBS {
                    break;
                }
            }
            jobs
        });
        jobs.sort_by(|a, b| a.job.cmp(&b.job));
        jobs
    }
}

/// The text for the user.
impl fmt::Display for JobStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = |n: Option<u64>| n.map_or("?".to_owned(), grouped);
        writeln!(
            f,
            "job {}: {} over {} pieces, for {}",
            self.job,
            self.board,
            self.pieces,
            time(self.seconds)
        )?;
        writeln!(
            f,
            "  items: {} wanted, {} waiting, {} leased (the oldest for {}), {} done, {} wasted, \
             {} sent again, {} wrong",
            grouped(self.wanted),
            known(self.waiting),
            known(self.leased),
            time(self.oldest_lease_seconds),
            grouped(self.done),
            grouped(self.wasted),
            grouped(self.again),
            grouped(self.wrong)
        )?;
        for question in &self.questions {
            let QuestionStatus { attacker, proof, disproof, tree, searches, nodes } = question;
            let numbers = match (proof, disproof) {
                (Some(proof), Some(disproof)) => {
                    format!("proof number {proof}, disproof number {disproof}")
                }
                _ => "decided".into(),
            };
            writeln!(
                f,
                "  does {attacker} win? {numbers}, tree {}, {} in {}",
                grouped(*tree),
                counted(*nodes, "node"),
                counted(*searches, "search")
            )?;
        }
        for worker in &self.workers {
            let WorkerStatus { name, threads, held, items, nodes_per_second, wrong, .. } = worker;
            let wrong = if *wrong > 0 { format!(", {wrong} wrong") } else { String::new() };
            writeln!(
                f,
                "  worker {name}: {}, {} nodes/s, {} held, {} done{wrong}",
                counted(*threads, "thread"),
                grouped(nodes_per_second.round() as u64),
                counted(*held, "item"),
                grouped(*items)
            )?;
        }
        for name in &self.refused {
            writeln!(f, "  worker {name}: its results are no longer read")?;
        }
        Ok(())
    }
}

/// A metric: its name, help and kind, and its value for an object.
type Metric<T> = (&'static str, &'static str, &'static str, fn(&T) -> Option<f64>);

const OF_JOBS: [Metric<JobStatus>; 7] = [
    ("items_waiting", "Items that wait for a worker.", "gauge", |j| j.waiting.map(|n| n as f64)),
    ("items_leased", "Items that workers hold.", "gauge", |j| j.leased.map(|n| n as f64)),
    ("items_done_total", "Items whose results were used.", "counter", |j| Some(j.done as f64)),
    ("items_wasted_total", "Results that nobody needed.", "counter", |j| Some(j.wasted as f64)),
    ("items_again_total", "Items that were sent again.", "counter", |j| Some(j.again as f64)),
    ("results_wrong_total", "Wrong results.", "counter", |j| Some(j.wrong as f64)),
    (
        "oldest_lease_seconds",
        "Seconds for which the item is held that is held longest.",
        "gauge",
        |j| Some(j.oldest_lease_seconds),
    ),
];

const OF_QUESTIONS: [Metric<QuestionStatus>; 3] = [
    ("root_proof_number", "Proof number of the root.", "gauge", |q| q.proof.map(f64::from)),
    ("root_disproof_number", "Disproof number of the root.", "gauge", |q| {
        q.disproof.map(f64::from)
    }),
    ("nodes_total", "Nodes of applied searches.", "counter", |q| Some(q.nodes as f64)),
];

const OF_WORKERS: [Metric<WorkerStatus>; 2] = [
    ("worker_nodes_per_second", "Nodes a second of a worker.", "gauge", |w| {
        Some(w.nodes_per_second)
    }),
    ("worker_items_total", "Items a worker has done.", "counter", |w| Some(w.items as f64)),
];

/// The status of jobs in the text format of Prometheus.
pub fn prometheus(jobs: &[JobStatus]) -> String {
    let mut of_jobs = Vec::new();
    let mut of_questions = Vec::new();
    let mut of_workers = Vec::new();
    for job in jobs {
        let label = format!("job={:?}", job.job);
        for question in &job.questions {
            of_questions.push((format!("{label},attacker={:?}", question.attacker), question));
        }
        for worker in &job.workers {
            of_workers.push((format!("{label},worker={:?}", worker.name), worker));
        }
        of_jobs.push((label, job));
    }
    let mut out = String::new();
    write_metrics(&mut out, &OF_JOBS, &of_jobs);
    write_metrics(&mut out, &OF_QUESTIONS, &of_questions);
    write_metrics(&mut out, &OF_WORKERS, &of_workers);
    out
}

fn write_metrics<T>(out: &mut String, metrics: &[Metric<T>], objects: &[(String, &T)]) {
    for (name, help, kind, value) in metrics {
        let name = format!("draughtproof_farm_{name}");
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for (labels, object) in objects {
            if let Some(value) = value(object) {
                let _ = writeln!(out, "{name}{{{labels}}} {value}");
            }
        }
    }
}
