//! The tests of the checker, in one program: one for each file would take several times as long to
//! build.

#[path = "../common/mod.rs"]
mod common;

mod certificates;
mod cli;
mod journal;
mod memory;
mod nocrash;
mod oracle;
mod parts;
mod positions;
mod reject;
mod reject_databases;
mod review;
mod rules;
mod tables;
mod trust;
