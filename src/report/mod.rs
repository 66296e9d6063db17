//! Renderings: one file each.

pub mod findings;
pub mod packing;
pub mod table;
