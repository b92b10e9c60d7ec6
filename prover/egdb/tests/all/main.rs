//! The tests of databases. They are one program, which is built in a fraction of the time that a
//! program for each file takes.

mod common;
mod covers;
mod depth;
mod files;
mod oracle;
mod reader;
