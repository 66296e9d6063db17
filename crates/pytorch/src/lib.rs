//! Differences between PyTorch releases: types, names, keys, handwritten registrations.

pub mod alias;
pub mod autocast_lists;
pub mod calls;
pub mod handwritten;
pub mod int_kernels;
pub mod key_set;
pub mod keys;
pub mod libraries;
pub mod python;
pub mod python_functions;
pub mod release;
pub mod ways;
pub mod works;

pub use alias::Alias;
pub use key_set::{KeySet, Slot};
pub use keys::{Key, Keys, NotRegistrable};
pub use libraries::Library;
pub use release::Release;
