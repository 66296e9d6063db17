//! Dispatch: which kernel serves an operator on each runtime key, and why.
//!
//! [`resolve`] computes a table from registered keys like the runtime does. [`explain`] gives the steps for
//! one key. [`calculator`] and [`what_if`] compute with hypothetical registrations.
//!
//! [`registrations`] derives the registrations of a revision from its files, handwritten lists and
//! [`observed`] ones. [`revision_tables`] computes the tables for a [`build`], [`entry::View`] reads them, and
//! [`coverage`] counts. Results are data: slots, reasons and keys, never prose. Whether a call works is
//! decided in `opatlas_verdict`.

mod autograd_key;
pub mod build;
pub mod calculator;
pub mod coverage;
pub mod drift;
pub mod entry;
pub mod explain;
pub mod known;
pub mod observed;
pub mod origin;
pub mod refusals;
pub mod registrations;
pub mod resolve;
pub mod revision_tables;
pub mod what_if;

pub use autograd_key::autograd_key;
pub use build::{Build, UnknownBuild};
pub use calculator::{Calculation, Cell, Refused, Wanted, calculate};
pub use coverage::{Counts, Coverage, coverage};
pub use drift::{Drift, DriftKind, DriftRow, drift};
pub use entry::{Entry, ExplainedEntry, View};
pub use explain::{Edit, Explanation, Outcome, Remedy, Step, explain};
pub use known::{Provenance, provenance};
pub use observed::{Observed, ObservedRegistration};
pub use origin::{Cause, Origin, Source};
pub use registrations::{Inputs, Registration, Registrations};
pub use resolve::{Precedence, Reason, Registered, Table, resolve};
pub use revision_tables::{Pattern, RevisionTables};
pub use what_if::{Change, WhatIf};
