//! The part of an operator that a change is about.

use std::sync::Arc;

use opatlas_operators::entry::KeyName;

/// The part of an operator that a change is about. Exceptions and fingerprints use it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The operator as a whole.
    Operator,
    /// An argument. If both sides have it, this is the base's name.
    Argument(Arc<str>),
    /// A return, counted from 0.
    Return(usize),
    /// Dispatch keys, in table order.
    Keys(Arc<[KeyName]>),
    /// Names of whatever the rule is about: tags, generated operators, functions.
    Names(Vec<Arc<str>>),
}

impl Subject {
    /// Its names.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        match self {
            Self::Operator => Vec::new(),
            Self::Argument(name) => vec![name.to_string()],
            Self::Return(index) => vec![format!("return {index}")],
            Self::Keys(keys) => keys.iter().map(|key| key.as_str().to_owned()).collect(),
            Self::Names(names) => names.iter().map(ToString::to_string).collect(),
        }
    }

    pub(crate) fn joined(&self) -> String {
        self.names().join(",")
    }
}
