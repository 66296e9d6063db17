//! Opatlas: the operator registry for PyTorch-style backends.
//!
//! Data flows one way:
//!
//! ```text
//! bytes -> syntax -> model -> rules      (findings)
//!                          -> dispatch   (registrations, tables, coverage)
//!                          -> diff       (changes between two revisions, and what they break)
//!       -> report (text, Markdown, SARIF, JUnit, CSV)
//! ```
//!
//! Everything above is the pure core: no I/O, no clock, no async, no panics on input. Parsing
//! never fails; it gives a result and findings. Places are byte [`source::Span`]s inside and become
//! lines and columns only at the edge. `store`, `service`, `api`, `cli` and `web` are adapters
//! around it. Start reading at [`model`], then [`dispatch`] and [`rules`].

pub mod api;
pub mod cli;
pub mod diagnostic;
pub mod diff;
pub mod dispatch;
pub mod model;
pub mod release;
pub mod report;
pub mod rules;
pub mod service;
pub mod source;
pub mod store;
pub mod suggest;
pub mod syntax;
pub mod web;
