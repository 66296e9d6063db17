//! Operators as PyTorch sees them: entries, schemas, groups, generated operators.
