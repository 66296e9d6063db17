//! The layers around every request: access, hosts, parameters, budgets, deadlines, metrics.

pub mod access;
pub mod bounds;
pub mod envelope;
pub mod hosts;
pub mod json_rpc;
pub mod kept;
pub mod leftover;
pub mod metrics;
pub mod parameters;
pub mod repeats;
pub mod sending;
