//! Renderings: one file each.
