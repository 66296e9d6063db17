//! Opatlas: the operator registry for PyTorch-style backends.
//!
//! This package is the program: the HTTP server, the command line, and the web interface as files.
//! Everything else is in the crates below `crates/`, as ARCHITECTURE.md describes. Start reading at
//! `opatlas_operators`, then `opatlas_dispatch` and `opatlas_rules`.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod cli;
pub mod http;
pub mod mcp;
pub mod own_path;
pub mod web;
