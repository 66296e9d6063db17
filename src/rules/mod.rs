//! The rules of validation, one item each.
