//! Opatlas: the operator registry for PyTorch-style backends.
//!
//! This package is the program: store, service, HTTP, command line and web UI. What it knows of
//! operators is in the crates below `crates/`, and data flows one way through them:
//!
//! ```text
//! bytes -> source -> yaml, schema -> operators -> rules      (findings)
//!                    pytorch      ->           -> dispatch   (registrations, tables, coverage)
//!                                              -> diff       (changes, and what they break)
//!       -> report (text, Markdown, SARIF, JUnit, CSV)
//! ```
//!
//! Those crates are the pure core: no I/O, no clock, no async, no panics on input. Parsing never
//! fails; it returns a result and diagnostics. Places are byte spans inside and become lines and
//! columns only at the edge. Start reading at `opatlas_operators`, then `opatlas_dispatch` and
//! `opatlas_rules`.
#![allow(
    clippy::duplicate_mod,
    reason = "the calls of the store are compiled once for each database (src/store/shared)"
)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod cli;
pub mod http;
pub mod lsp;
pub mod service;
pub mod store;
pub mod web;
pub mod wire;
