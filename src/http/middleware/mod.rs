//! The layers around every request: access, hosts, budgets, deadlines, metrics.

pub mod access;
pub mod bounds;
pub mod envelope;
pub mod hosts;
pub mod kept;
pub mod leftover;
pub mod metrics;
pub mod repeats;
pub mod sending;
