//! Inputs made to hurt: for every route and every kind of file, the worst that can be repeated. None
//! stops the program, holds it up, or costs more than the bounds that are kept in `program.rs`.
#![cfg(target_os = "linux")]

mod bounds;
#[path = "../common/callgrind.rs"]
mod callgrind;
mod corpus;
mod growth;
mod program;
mod secrets;
#[path = "../common/served.rs"]
mod served;
mod shape;
mod wire;
