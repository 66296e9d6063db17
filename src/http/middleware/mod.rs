//! What surrounds every request: identity, hosts, budgets, deadlines, figures.

pub mod access;
pub mod bounds;
pub mod envelope;
pub mod hosts;
pub mod kept;
pub mod leftover;
pub mod metrics;
pub mod sending;
