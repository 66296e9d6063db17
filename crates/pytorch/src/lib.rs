//! What differs between PyTorch releases, as data: releases with their types, tags and name lists,
//! dispatch keys and alias sets, and the registrations that C++ sources make by hand.
//!
//! The tables come from `data/` and are decoded when the crate is built, so that nothing is read or
//! parsed at run time.

pub mod alias;
pub mod calls;
pub mod handwritten;
pub mod key_set;
pub mod keys;
pub mod release;

pub use alias::Alias;
pub use key_set::{KeySet, Slot};
pub use keys::{Key, Keys, NotRegistrable};
pub use release::Release;
