//! The functions that C++ files define.

/// A function's definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function;

/// The functions of a set of files.
#[derive(Debug, Clone, Default)]
pub struct Functions;
