//! Renderings: one file each.

pub mod packing;
