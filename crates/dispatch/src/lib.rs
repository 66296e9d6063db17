//! Dispatch: which kernel runs for an operator at each runtime key, and why.
//!
//! `opatlas_pytorch::keys` has the keys of each release and what aliases reach; [`resolve`] computes a table from
//! a set of registrations as the runtime does; [`explain`] tells the steps for one key;
//! [`calculator`] answers what-if questions about a list of registrations.
//!
//! Of a revision, [`registrations`] works out who registers what: from its files, and from
//! hand-written and [`observed`] lists. [`revision_tables`] makes all tables for a [`build`];
//! [`entry::View`] answers questions about them; [`coverage`] counts; [`what_if`] changes an
//! operator's registrations. Everything answers with data: slots, reasons and keys, never prose.
//! Whether a call works is decided in `opatlas_verdict`.

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
pub mod rename;
pub mod resolve;
pub mod revision_tables;
pub mod tables;
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
pub use rename::{BackendName, BackendNameError};
pub use resolve::{Precedence, Reason, Registered, Table, resolve};
pub use revision_tables::{Pattern, RevisionTables};
pub use tables::Tables;
pub use what_if::{Change, WhatIf};
