//! The tests of the checker. In one program, which is built in a fraction of the time that one for
//! each file takes.

#[path = "../common/mod.rs"]
mod common;

mod certificates;
mod cli;
mod journal;
mod memory;
mod nocrash;
mod oracle;
mod parts;
mod plan;
mod reject;
mod reject_databases;
mod rules;
mod tables;
mod trust;
