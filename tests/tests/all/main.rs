//! The tests of the programs as a whole, in one program: one for each file would take several times
//! as long to build.

mod audit;
mod bad_input;
mod book;
mod combine;
mod databases;
mod engine;
mod examples;
mod exchange;
mod farm;
mod games;
mod heuristic;
mod independence;
mod ladder;
mod lookup;
mod manners;
mod matches;
mod mutants;
mod notes;
mod openings;
mod perft;
mod play;
mod proof;
mod report;
mod search;
mod serve;
mod shared_build;
mod tables;
mod traps;
mod trim;
