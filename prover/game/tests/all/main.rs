//! The tests of the game. In one program, which is built in a fraction of the time that one for
//! each file takes.

mod fen;
mod notation;
mod pdn;
mod pdn_signs;
mod pdn_written;
