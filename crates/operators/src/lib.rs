//! Operators as PyTorch sees them: entries, schemas, groups, generated operators.
//!
//! [`file::NativeFunctions`] contains the entries of a file, independent of the release.
//! [`catalogue::Catalogue`] applies the rules of a release.

pub mod backend;
pub mod bindings;
pub mod calls;
pub mod catalogue;
pub mod deprecated;
pub mod derivative_match;
pub mod derivatives;
pub mod entry;
mod face_index;
pub mod faces;
pub mod file;
pub mod generate;
pub mod group;
pub mod lower;
pub mod operator;
pub mod shim;
mod slips;
pub mod sought;
pub mod table;
pub mod tags;
pub mod variants;
pub mod view_group;
