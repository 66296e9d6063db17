//! Differences between two revisions and what they break.
//!
//! Two tracks stand side by side. [`official`] is torch's own verdict, bit for bit. [`rules`] are
//! what may happen to an operator, each with a level and with whom it hurts; [`schema`] finds it
//! between two schemas, [`revision`] between two revisions.

pub mod backend;
pub mod change;
pub mod declarations;
pub mod history;
mod near;
pub mod official;
pub mod policy;
pub mod revision;
pub mod rules;
pub mod schema;

pub use change::{Change, Fingerprint, Fragment, Note, Part, Subject};
pub use revision::{Comparison, Revision, compare, compare_until};
