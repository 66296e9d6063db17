//! Operators as PyTorch sees them: entries, schemas, groups, generated operators.
//!
//! Reading goes in two steps. [`file::NativeFunctions`] is what the file says, entry by entry,
//! whatever the release; entries that a former revision read are shared. [`catalogue::Catalogue`]
//! is what a release makes of it: tags, views, groups, and the operators that `autogen` adds.

pub mod annotation;
pub mod backend;
pub mod catalogue;
pub mod derivative_match;
pub mod derivatives;
pub mod entry;
pub mod file;
pub mod generate;
pub mod group;
pub mod invariants;
pub mod lower;
pub mod name;
pub mod operator;
pub mod schema;
pub mod signature;
pub mod tags;
pub mod types;
pub mod view_group;
