//! Takes items from a farm until it is stopped.

use draughtproof_farm::{Connection, Databases, WorkDone, WorkerSettings, run_worker, to_name};

use super::Options;
use crate::cli::failure::Failure;
use crate::cli::stop::{is_stopped, stop_when_asked};
use crate::egdb::numbers::counted;

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    options.machine.start()?;
    stop_when_asked()?;
    let progress = options.machine.progress();
    let name = options.name.clone().unwrap_or_else(usual_name);
    let objects = options.objects.open()?;
    let login = options.login.login(&options.farm);
    let Some(connection) = Connection::open(&login, &name, &progress, &is_stopped)? else {
        return Ok(());
    };
    let room = options.values.room(&options.machine);
    let settings = WorkerSettings {
        name,
        threads: options.machine.workers(),
        memory: room.memory,
        databases: Databases { folder: options.db.db.clone(), room },
        objects,
        progress,
    };
    let WorkDone { items, nodes } = run_worker(&connection, settings, &is_stopped)?;
    progress.say(format!("{} done, {} searched", counted(items, "item"), counted(nodes, "node")));
    Ok(())
}

/// The default name of a worker: the host's name and the process's number.
fn usual_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname");
    let host = to_name(host.as_deref().unwrap_or("worker").trim());
    let host: String = host.chars().take(40).collect();
    format!("{host}-{}", std::process::id())
}
