//! Does it work? The verdict behind a table entry (`docs/spec/support.md`).
//!
//! A table says which kernel serves a key. A default or composite kernel calls other operators,
//! which need kernels on the key as well. `calls` knows what each of them calls, `column` finds
//! the verdicts of all operators on one key, `leverage` finds which missing kernels would help
//! most, and `training` says whether gradients work. The tables of a revision go in; verdicts with
//! the operators that are missing come out. No other crate decides whether something works.

mod backends;
mod backward;
mod because;
mod branches;
mod calls;
mod column;
mod coverage;
mod entry;
mod generated;
mod layouts;
mod leads;
mod leverage;
mod needs;
mod own;
mod parts;
mod rare;
mod recorded;
mod server;
mod shares;
mod tables;
pub mod training;
mod verdict;
mod vmap;

pub use because::Because;
pub use coverage::{KeyCoverage, VerdictCounts};
pub use entry::Verdicts;
pub use leverage::{Leverage, Step};
pub use needs::Walk;
pub use shares::percentages;
pub use tables::{Tables, View};
pub use training::{Through, TrainingAnswer, Works};
pub use verdict::{Answer, KnownFrom, MOST_NEEDS, Support, Verdict};
