//! The HTTP side, asked in process over a store in memory.

#[path = "../common/mod.rs"]
mod common;
mod dispatch;
mod harness;
mod operators;
