//! Operators as PyTorch sees them: entries, schemas, groups, generated operators.

pub mod annotation;
pub mod name;
pub mod schema;
pub mod signature;
pub mod types;
