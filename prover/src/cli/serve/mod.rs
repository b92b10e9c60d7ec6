//! `prove serve`.

#[cfg(feature = "serve")]
mod site;

#[cfg(feature = "serve")]
pub(crate) use site::run_server;

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use crate::cli::options::notes;
use crate::cli::options::{DatabaseOption, MachineOptions, ValuesOptions, parse_size};
use crate::egdb::Cover;
use clap::Args;

#[derive(Args, Debug)]
#[command(after_help = notes("serve"))]
pub(crate) struct Options {
    /// Folders of certificates
    #[arg(value_name = "CERT")]
    certificates: Vec<PathBuf>,
    #[command(flatten)]
    db: DatabaseOption,
    /// Use at most these positions of each database, such as 6 or 7,8:4; 0 for none [default: all
    /// that are there]
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
    /// Addresses of proxies whose header X-Forwarded-For names the client
    #[arg(long, value_name = "ADDRESS", num_args = 1..)]
    trust_forwarded: Vec<IpAddr>,
    /// The origin whose pages may ask, such as https://example.org; * for all
    #[arg(long, value_name = "ORIGIN")]
    allow_origin: Option<String>,
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
    /// decides; 0 for no searches. All threads search in the background
    #[arg(long, value_name = "N", default_value = "25000000")]
    solve_nodes: u64,
    /// The most seconds of such a search
    #[arg(long, value_name = "SECONDS", default_value = "120")]
    solve_time: u32,
    /// The most memory of all such searches, such as 512MiB
    #[arg(long, value_name = "SIZE", default_value = "512MiB", value_parser = parse_size)]
    solve_memory: u64,
    #[command(flatten)]
    machine: MachineOptions,
}

#[cfg(not(feature = "serve"))]
pub(crate) fn run_server(_: Options) -> Result<(), super::Failure> {
    Err(super::Failure::left_out("serve", "serve"))
}
