//! The schema language of operator declarations: names, types, annotations, schemas, a parser with
//! exact diagnostics, a printer, invariants, and signatures for grouping.
//!
//! Start at [`parse::parse_schema`] and [`function::FunctionSchema`].

pub mod annotation;
pub mod faces;
pub mod function;
pub mod invariants;
pub mod name;
pub mod parse;
pub mod print;
pub mod python_call;
pub mod signature;
pub mod types;
