//! Renderings: one file each.

pub mod ask;
pub mod backend;
pub mod calls;
pub mod changes;
mod csv;
pub mod drift;
pub mod escape;
pub mod findings;
pub mod history;
mod junit;
mod line_hash;
pub mod packing;
pub mod preflight;
pub mod room;
mod sarif;
pub mod signatures;
pub mod support;
pub mod table;
pub mod topics;
pub mod watch;
pub mod ways;
