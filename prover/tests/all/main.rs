//! The tests of the prover that do not need the checker. They are one program, which is built in a
//! fraction of the time that a program for each file takes.

mod covers;
mod faults;
#[cfg(target_os = "linux")]
mod limits;
