//! `prove worker`.

use clap::Args;
use draughtproof_farm::{Connection, Databases, WorkDone, WorkerSettings, as_name, run_worker};

use super::failure::Failure;
use super::farm_options::{LoginOptions, ObjectsOption};
use super::machine::MachineOptions;
use super::options::DatabaseOption;
use super::stop::{is_stopped, stop_when_asked};
use super::values::{ValuesOptions, end};

#[derive(Args, Debug)]
#[command(after_help = "Example:
  nats-server -js -a 127.0.0.1                                the broker
  prove --farm nats://127.0.0.1:4222 --emit cert              the manager, of any proof
  prove worker --farm nats://127.0.0.1:4222 --threads 1       a worker, and another

Takes items of all jobs whose database is in --db, with the same root; of the others it says what is missing. \
A broker or a manager may come later, and go and come again. Ctrl-C and SIGTERM give back what is not done; \
exit status 0. GUIDE.md says which permissions a worker needs.")]
pub(super) struct Options {
    /// The NATS broker, such as nats://host:4222; several with commas between
    #[arg(long, value_name = "URL")]
    farm: String,
    /// The name of this worker: letters, digits, `-` and `_` [default: host and process]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    login: LoginOptions,
    #[command(flatten)]
    objects: ObjectsOption,
    #[command(flatten)]
    db: DatabaseOption,
    #[command(flatten)]
    values: ValuesOptions,
    #[command(flatten)]
    machine: MachineOptions,
}

pub(super) fn run(options: &Options) -> Result<(), Failure> {
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
        databases: Databases { folder: options.db.db.clone(), room, on_failure: end },
        objects,
        progress,
    };
    let WorkDone { items, nodes } = run_worker(&connection, settings, &is_stopped);
    progress.say(format!("{items} items done, {nodes} nodes searched"));
    Ok(())
}

/// The default name of a worker: the host's name and the process's number.
fn usual_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname");
    let host = as_name(host.as_deref().unwrap_or("worker").trim());
    let host: String = host.chars().take(40).collect();
    format!("{host}-{}", std::process::id())
}
