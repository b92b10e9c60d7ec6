//! The tests of the format, in one program: one for each file would take several times as long to
//! build.

mod allocation;
mod any;
mod by_hand;
mod coding;
mod covers;
mod decoders;
mod examples;
mod fields;
mod prelude;
