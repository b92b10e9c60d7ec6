//! The tests of the programs as a whole. In one program, which is built in a fraction of the time
//! that one for each file takes.

mod audit;
mod bad_input;
mod book;
mod byte_order_mark;
mod certificates;
mod combine;
mod compare;
mod corpus;
mod databases;
mod early;
mod endings;
mod engine;

mod exchange;
mod explain;
mod farm;
mod games;
mod heuristic;
mod independence;
mod lemmas;
mod manners;
mod matches;
mod mutants;
mod notes;
mod openings;
mod perft;
mod play;
mod probe;
mod proof;
mod reference;
mod report;
mod search;
mod serve;
mod shared_build;
mod slice_store;
mod slices;
mod tables;
mod traps;
mod v1;
