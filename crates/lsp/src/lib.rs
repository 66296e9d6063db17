//! The language server without its input and output: a state, and answers to messages of the
//! Language Server Protocol.
//!
//! Enter: messages, and the files that [`Disk`] gives. Leave: answers and diagnostics. What is done
//! for an open file never depends on how its text came to be: after any edits the answers are those
//! for the same text opened anew.

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
