//! The tests of the prover that are not also of the checker. In one program, which is built in a
//! fraction of the time that one for each file takes.

mod covers;
mod depth;
mod lookup;
mod proof;
