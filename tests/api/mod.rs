//! The HTTP side, asked in process over a store in memory.

mod access;
mod bodies;
mod caching;
mod clock;
mod compare;
mod contract;
mod dispatch;
mod findings;
mod harness;
mod history;
mod hostile;
mod hosts;
mod kept;
mod knowledge;
mod labels;
mod manners;
mod operators;
mod overlay;
mod probe;
mod projects;
mod releases;
mod revisions;
mod signatures;
mod stateless;
mod walk;
mod web;
