//! Differences between PyTorch releases: types, tags, name lists, dispatch keys, alias sets, and
//! handwritten C++ registrations.
//!
//! The build decodes them from `data/`.

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
