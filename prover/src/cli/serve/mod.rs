//! `prove serve`.

#[cfg(feature = "serve")]
mod site;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use crate::cli::options::sizes::parse_size;
use crate::cli::options::{DatabaseOption, MachineOptions, ValuesOptions};
use crate::egdb::Cover;

#[cfg(not(feature = "serve"))]
pub(crate) use super::left_out::run_server;
#[cfg(feature = "serve")]
pub(crate) use site::run_server;

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  prove serve cert                           the proof of 6x6, on http://127.0.0.1:8080/
  prove serve cert cert-7x7 --db /data/egdb --pieces 6
  prove serve cert --note 6x6.note --keys trusted.txt
                                             and says who has checked it
  prove serve --rate 0 --listen [::1]:8000   databases alone, any number of requests

Serves the boards of the certificates, and those that have a database in --db (with certificates, --pieces says \
how much of each is used). Everything is read at the start and nothing is written; certificates are in memory. \
If the program `check` is beside this one or in PATH, it checks each certificate for at most a minute while the \
server answers, and the page says what it has found. Notes of other checks can be shown. What can be asked is described in /openapi.json; counts are in \
/metrics, and /healthz says whether the server is there. docs/playing.md explains the answers.

What is too large is answered with 413, what is too much with 429, what takes too long or is one connection too \
many with 503, each with a JSON problem. Ctrl-C and SIGTERM end the server when the answers under way are \
finished, after five seconds at most; exit status 0.")]
pub(crate) struct Options {
    /// Folders of certificates
    #[arg(value_name = "CERT")]
    certificates: Vec<PathBuf>,
    #[command(flatten)]
    db: DatabaseOption,
    /// Use the databases of these positions, such as 6 or 7,8:4; 0 for none [default: all that are
    /// there]
    #[arg(long = "pieces", value_name = "COVER")]
    cover: Option<Cover>,
    #[command(flatten)]
    values: ValuesOptions,
    /// Notes of what has been checked, by `check --attest`
    #[arg(long = "note", value_name = "FILE", num_args = 1..)]
    notes: Vec<PathBuf>,
    /// Public keys of those whose notes count, one a line
    #[arg(long, value_name = "FILE", requires = "notes")]
    keys: Option<PathBuf>,
    /// Do not run `check` on the certificates at the start
    #[arg(long)]
    no_check: bool,
    /// Address and port; port 0 for one that is free. All programs that can reach it can ask
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// Requests a second of one address; 0 for any number
    #[arg(long, value_name = "N", default_value = "100")]
    rate: u32,
    /// The most bytes of a request's body, such as 256KiB
    #[arg(long, value_name = "SIZE", default_value = "256KiB", value_parser = parse_size)]
    most_body: u64,
    /// The most seconds of an answer, of the head of a request, and without the client taking any
    /// of an answer
    #[arg(long, value_name = "SECONDS", default_value = "10")]
    most_time: u32,
    /// The most connections at a time
    #[arg(long, value_name = "N", default_value = "512")]
    connections: u32,
    /// The most nodes of a search for the value of a move that neither a proof nor the database
    /// decides; 0 for no searches. Half of the threads search in the background
    #[arg(long, value_name = "N", default_value = "25000000")]
    solve_nodes: u64,
    /// The most seconds of such a search
    #[arg(long, value_name = "SECONDS", default_value = "60")]
    solve_time: u32,
    /// The most memory of all such searches, such as 512MiB
    #[arg(long, value_name = "SIZE", default_value = "512MiB", value_parser = parse_size)]
    solve_memory: u64,
    #[command(flatten)]
    machine: MachineOptions,
}
