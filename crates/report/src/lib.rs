//! Renderings: one file each.

pub mod backend;
pub mod changes;
pub mod drift;
mod escape;
pub mod findings;
pub mod history;
mod line_hash;
pub mod packing;
pub mod room;
pub mod signatures;
pub mod support;
pub mod table;
pub mod topics;
