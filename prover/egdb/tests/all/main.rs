//! The tests of databases. In one program, which is built in a fraction of the time that one for each file takes.

mod common;
mod depth;
mod files;
mod oracle;
mod reader;
mod slices;
