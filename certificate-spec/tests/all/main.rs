//! The tests of the format. In one program, which is built in a fraction of the time that one for
//! each file takes.

mod allocation;
mod any;
mod by_hand;
mod coding;
mod covers;
mod decoders;
mod examples;
mod fields;
