//! Does it work? The verdict behind a table entry (`docs/spec/support.md`).
//!
//! A table says which kernel serves a key. A default or composite kernel calls other operators,
//! which need kernels on the key as well. `calls` knows what each of them calls, `column` finds
//! the verdicts of all operators on one key, `leverage` finds which missing kernels would help
//! most, `training` says whether gradients work, and `applicability` which operators a backend does
//! without. The tables of a revision go in; verdicts with
//! the operators that are missing come out. No other crate decides whether something works.

mod applicability;
mod backends;
mod backward;
mod because;
mod branches;
mod calls;
mod cell;
mod chain;
mod column;
mod coverage;
mod entry;
mod first;
mod generated;
mod layouts;
mod leads;
mod leverage;
mod needs;
mod outcome;
mod own;
mod parts;
mod raising;
mod rare;
mod recorded;
pub mod releases;
mod server;
mod shares;
mod site;
pub mod source_calls;
mod standing;
mod tables;
pub mod training;
mod unknowns;
mod verdict;
mod vmap;
pub mod ways;
mod word;

pub use applicability::{Applicability, Foreign};
pub use because::Because;
pub use cell::of_cell;
pub use chain::{Fact, Link, MOST_OPERATORS};
pub use coverage::{KeyCoverage, VerdictCounts, percentages_by_answer};
pub use entry::Verdicts;
pub use first::FirstMissing;
pub use leverage::{Leverage, Step};
pub use needs::Walk;
pub use outcome::Outcome;
pub use standing::{Shift, Side, Standing, is_ambiguous};
pub use tables::{Tables, View};
pub use training::{Through, TrainingAnswer, Works};
pub use verdict::{Answer, KnownFrom, MOST_NEEDS, Support, Verdict};
pub use word::Word;
