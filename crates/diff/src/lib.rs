//! Differences between two revisions and what they break.
//!
//! There are two independent verdicts. [`official`] is PyTorch's own check, bit for bit. [`rules`]
//! are the possible changes to an operator, each with a level and the audiences it affects;
//! [`schema`] finds them between two schemas, [`revision`] between two revisions.

pub mod backend;
pub mod cards;
pub mod causes;
pub mod change;
pub mod cpp;
pub mod declarations;
pub mod history;
mod near;
/// PyTorch's own check (`crates/runtime`).
pub use opatlas_runtime as official;
pub mod policy;
pub mod revision;
pub mod rules;
pub mod schema;
pub mod watch;

pub use change::{
    Change, Fingerprint, Fragment, Note, Part, Place, SideFile, Subject, tag_member, tag_of_member,
};
pub use revision::{Comparison, Revision, compare, compare_until};
