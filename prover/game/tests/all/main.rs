//! The tests of the game. They are one program, which is built in a fraction of the time that a
//! program for each file takes.

mod fen;
mod notation;
mod pdn;
mod pdn_written;
