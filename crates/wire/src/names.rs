//! Lists of names that borrow from a change. A long comparison has thousands, and most are empty.

use std::sync::Arc;

use opatlas_operators::entry::KeyName;
use serde::{Serialize, Serializer};

/// A list of names.
#[derive(Debug, Clone)]
pub enum Names<'a> {
    /// Dispatch keys.
    Keys(&'a [KeyName]),
    /// Tags, operators and the like.
    Names(&'a [Arc<str>]),
    /// Names of its own.
    Own(Vec<String>),
}

impl Names<'_> {
    /// No names.
    pub const NONE: Self = Self::Names(&[]);

    fn get(&self, at: usize) -> Option<&str> {
        match self {
            Self::Keys(keys) => keys.get(at).map(KeyName::as_str),
            Self::Names(names) => names.get(at).map(|name| &**name),
            Self::Own(names) => names.get(at).map(|name| &**name),
        }
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        (0..).map_while(|at| self.get(at))
    }

    /// A copy that does not borrow.
    #[must_use]
    pub fn into_owned(self) -> Names<'static> {
        match self {
            Self::Own(names) => Names::Own(names),
            Self::Keys(_) | Self::Names(_) => Names::Own(self.iter().map(Into::into).collect()),
        }
    }
}

impl Serialize for Names<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}
