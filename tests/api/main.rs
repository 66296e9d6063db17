//! The HTTP side, asked in process over a store in memory.

mod caching;
#[path = "../common/mod.rs"]
mod common;
mod contract;
mod dispatch;
mod findings;
mod harness;
mod hostile;
mod knowledge;
mod labels;
mod operators;
mod projects;
mod releases;
mod revisions;
mod stateless;
