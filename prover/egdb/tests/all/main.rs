//! The tests of databases. In one program, which is built in a fraction of the time that one for
//! each file takes.

mod bounds;
mod common;
mod covers;
mod depth;
mod files;
mod oracle;
mod reader;
mod slices;
mod version0;
