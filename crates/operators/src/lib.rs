//! Operators as PyTorch sees them: entries, schemas, groups, generated operators.
//!
//! Reading goes in two steps. [`file::NativeFunctions`] is what the file says, entry by entry,
//! whatever the release; entries that a former revision read are shared. [`catalogue::Catalogue`]
//! is what a release makes of it: tags, views, groups, and the operators that `autogen` adds.

pub mod backend;
mod bindings;
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
mod slips;
pub mod sought;
pub mod table;
pub mod tags;
pub mod view_group;
