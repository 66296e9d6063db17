//! A comparison as Markdown for a pull request: the verdict with its reason, then one line for each
//! edit, the most important ones first, with the affected audiences and what to do. The details of the
//! first ones are folded below them.

mod added;
mod backends;
mod cause;
mod exceptions;
mod found;
mod further;
mod item;
mod marked;
mod parts;
mod piece;
mod schemas;
mod sections;
mod unread;

pub(super) use item::impacts;
pub use parts::{LEAST_MAX_CHARS, markdown};
