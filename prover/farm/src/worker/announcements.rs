//! Receives announcements of jobs, and opens the databases that they need.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::{Duration, Instant};

use super::shared::{Databases, Job, JobState, OpenDatabase, OpenJob, Shared, WorkerSettings};
use crate::board::Game;
use crate::egdb::numbers::{counted, size_down, size_up};
use crate::egdb::{Store, Values};
use crate::stream::{HELLO, JOBS, is_name};
use crate::wire::{Announcement, JobContext, decode};
use certificate_spec::RULES;
use draughtproof_proof::prepare_database::load_finished;
use draughtproof_proof::search::Search;
use futures_util::StreamExt;

/// Time after which a worker tries again to open a job that it could not open.
const TRY_AGAIN: Duration = Duration::from_secs(30);
/// Time without an announcement after which a job is forgotten.
const FORGET: Duration = Duration::from_secs(600);
/// The most jobs that are open at a time.
const MOST_JOBS: usize = 8;
/// Delay before the next attempt after a failure.
const PAUSE: Duration = Duration::from_secs(1);

/// Receives announcements of jobs until the task is aborted.
pub(super) async fn receive_announcements(shared: Arc<Shared>) {
    let client = &shared.link.client;
    let mut epoch = shared.link.epoch.clone();
    loop {
        if let Ok(mut announcements) = client.subscribe(JOBS).await {
            loop {
                let _ = client.publish(HELLO, "".into()).await;
                let lost = listen(&shared, &mut announcements, &mut epoch).await;
                if lost {
                    break;
                }
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Receives announcements until the connection is made anew. Returns whether the subscription
/// ended.
async fn listen(
    shared: &Arc<Shared>,
    announcements: &mut async_nats::Subscriber,
    epoch: &mut tokio::sync::watch::Receiver<u64>,
) -> bool {
    loop {
        tokio::select! {
            announcement = announcements.next() => match announcement {
                None => return true,
                Some(message) => match decode::<Announcement>(&message.payload) {
                    Ok(announcement) => handle_announcement(shared, announcement),
                    Err(bad) => shared.link.log.warn(&format!("a job is announced by {bad}")),
                },
            },
            _ = epoch.changed() => return false,
        }
    }
}

fn handle_announcement(shared: &Arc<Shared>, announcement: Announcement) {
    let log = &shared.link.log;
    let name = announcement.job.clone();
    if !is_name(&name) {
        return;
    }
    let now = Instant::now();
    let mut jobs = shared.jobs();
    jobs.all.retain(|_, job| now - job.heard < FORGET);
    if announcement.is_over {
        if jobs.all.contains_key(&name) {
            jobs.end(&name);
            log.say(&format!("job {name} is done"));
        }
        return;
    }
    if announcement.refused.contains(&shared.settings.name) {
        let state = JobState::Closed(now + FORGET);
        let before = jobs.all.insert(name.clone(), Job { heard: now, state });
        if !matches!(before, Some(Job { state: JobState::Closed(_), .. })) {
            log.say(&format!(
                "job {name}: its manager no longer reads the results of this worker, as some were wrong; \
                 check the memory of this machine, and start it again under another --name"
            ));
        }
        return;
    }
    if let Some(job) = jobs.all.get_mut(&name) {
        job.heard = now;
        match job.state {
            JobState::Closed(until) if now >= until => {}
            _ => return,
        }
    }
    if jobs.all.len() >= MOST_JOBS && !jobs.all.contains_key(&name) {
        return;
    }
    let is_new = jobs.all.insert(name, Job { heard: now, state: JobState::Opening }).is_none();
    let there = jobs
        .open()
        .find_map(|job| (job.wire == announcement.context).then(|| Arc::clone(&job.database)));
    drop(jobs);
    let shared = Arc::clone(shared);
    tokio::task::spawn_blocking(move || {
        let opened = open(&shared.settings, announcement, there, &shared);
        finish_opening(&shared, opened, is_new);
    });
}

/// A job that cannot be opened, with the cause.
struct NotOpened {
    job: String,
    why: String,
}

fn finish_opening(shared: &Shared, opened: Result<OpenJob, NotOpened>, is_new: bool) {
    let log = &shared.link.log;
    let (name, state) = match opened {
        Ok(job) => {
            let JobContext { rows, columns, cover, .. } = &job.wire;
            let name = job.name.clone();
            log.say(&format!("job {name}: {rows}x{columns} over {cover} pieces: taking its items"));
            (name, JobState::Open(Arc::new(job)))
        }
        Err(NotOpened { job, why }) => {
            if is_new {
                log.say(&format!("job {job}: none of its items are taken: {why}"));
            }
            (job, JobState::Closed(Instant::now() + TRY_AGAIN))
        }
    };
    // The job may have ended while its database was being opened.
    if let Some(job) = shared.jobs().all.get_mut(&name) {
        job.state = state;
    }
    shared.demand.notify_one();
}

fn open(
    settings: &WorkerSettings,
    announcement: Announcement,
    there: Option<Arc<OpenDatabase>>,
    shared: &Shared,
) -> Result<OpenJob, NotOpened> {
    let Announcement { job, context, nodes, table, lease, .. } = announcement;
    let checked = check(settings, &context, nodes, table);
    let database = checked.and_then(|()| match there {
        Some(database) => Ok(database),
        None => open_database(&settings.databases, &context, shared).map(Arc::new),
    });
    match database {
        Err(why) => Err(NotOpened { job, why }),
        Ok(database) => Ok(OpenJob {
            name: job,
            wire: context,
            database,
            most_nodes: nodes,
            most_table: table,
            lease: Duration::from_millis(lease.max(100)),
            is_over: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
            items: AtomicU64::new(0),
        }),
    }
}

/// Checks that this program has the rules of a job and that its memory suffices for the job.
fn check(
    settings: &WorkerSettings,
    context: &JobContext,
    nodes: u64,
    table: u64,
) -> Result<(), String> {
    if context.rules != RULES {
        let rules: String = context.rules.chars().filter(|c| !c.is_control()).take(60).collect();
        return Err(format!("it is of the rules {rules:?}, and this program knows {RULES:?}"));
    }
    let each = table.min(Search::most_bytes(nodes));
    let needed = (each + each / 2).saturating_mul(settings.threads as u64);
    if needed > settings.memory {
        return Err(format!(
            "its tables need {} for {}, and {} may be used: use fewer --threads or more --memory, or \
             a smaller --leaf-table with the manager",
            size_up(needed),
            counted(settings.threads, "thread"),
            size_down(settings.memory)
        ));
    }
    Ok(())
}

/// Opens the database that a job needs.
fn open_database(
    databases: &Databases,
    context: &JobContext,
    shared: &Shared,
) -> Result<OpenDatabase, String> {
    let JobContext { rows, columns, cover, database: wanted, .. } = context;
    let name = format!("{rows}x{columns}");
    let game: Game = name.parse().map_err(|e| format!("{e}"))?;
    let board = game.board;
    let Some(wanted) = wanted else {
        return match cover.is_empty() {
            true => {
                let values = Values::empty(&board);
                Ok(OpenDatabase { board, values, root: None })
            }
            false => Err("it has a database without a root".into()),
        };
    };
    let store = Store::new(&databases.folder, &board);
    let folder = databases.folder.display();
    let build = format!("prove db --game {name} --pieces {cover} --db {folder}");
    let manifest = store.manifest_of(cover).map_err(|e| {
        format!("it needs the database of {name} with {cover} pieces: {e}; `{build}`")
    })?;
    let found = manifest.root();
    if found != *wanted {
        return Err(format!(
            "it needs the database of {name} with {cover} pieces and the root {wanted}; that in {folder} has the \
             root {found}: have the manager's, or build it with the same version (`{build}`)"
        ));
    }
    let values = load_finished(&store, cover, &databases.room, &shared.settings.progress);
    Ok(OpenDatabase { board, values: values.map_err(|e| e.to_string())?, root: Some(found) })
}
