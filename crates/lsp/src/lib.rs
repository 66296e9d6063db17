//! The language server without input and output: its state, and its answers to messages of the
//! Language Server Protocol.
//!
//! It takes messages, and files from a [`Disk`], and returns answers and diagnostics. Answers depend only
//! on the current text of a file, not on the edits that led to it.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod actions;
mod before;
mod completion;
mod cursor;
mod diagnostics;
mod hover;
mod lenses;
mod navigation;
mod operators;
mod outline;
mod server;
mod text;
mod tokens;
mod uri;
mod workspace;

pub use server::{Fault, Server};
pub use text::{Encoding, Text};
pub use workspace::{Disk, Place};
