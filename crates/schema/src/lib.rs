//! The schema language of operator declarations: names, types, alias annotations and whole schemas,
//! a parser that gives diagnostics with exact places, a printer, invariants, and signatures by which
//! operators are grouped.
//!
//! Start at [`parse::parse_schema`] and [`function::FunctionSchema`].

pub mod annotation;
pub mod faces;
pub mod function;
pub mod invariants;
pub mod name;
pub mod parse;
pub mod print;
pub mod signature;
pub mod types;
