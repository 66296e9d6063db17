//! Dispatch: which kernel runs for an operator at each runtime key, and why.
//!
//! [`keys`] has the keys of each release and what aliases reach; [`resolve`] computes a table from
//! a set of registrations as the runtime does; [`explain`] tells the steps for one key;
//! [`calculator`] answers what-if questions; [`handwritten`] has the registrations that no YAML
//! file holds. Everything answers with data: slots, reasons and keys, never prose.

pub mod alias;
pub mod calculator;
pub mod explain;
pub mod handwritten;
pub mod key_set;
pub mod keys;
pub mod refusals;
pub mod rename;
pub mod resolve;
pub mod tables;

pub use alias::Alias;
pub use calculator::{Calculation, Cell, Wanted, calculate};
pub use explain::{Edit, Explanation, Outcome, Remedy, Step, explain};
pub use key_set::{KeySet, Slot};
pub use keys::{Key, Keys, NotRegistrable};
pub use rename::{BackendName, BackendNameError};
pub use resolve::{Reason, Registered, Rule, Table, resolve};
pub use tables::Tables;
