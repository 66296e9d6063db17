//! What the known releases say of an operator.

use opatlas_verdict::ways::Way;

/// Where calls of an operator may work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(dead_code)]
pub(crate) enum Place<'a> {
    Key(&'a str),
    Way(Way),
    Training,
    Exists,
}

/// What an upgrade of PyTorch would change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Upgrade {
    pub(crate) fails_in: Option<&'static str>,
    pub(crate) works_from: Option<&'static str>,
    pub(crate) always: bool,
    pub(crate) unknown: bool,
}

pub(crate) fn known() -> &'static [&'static str] {
    &["2.0.0", "2.15.0"]
}

pub(crate) fn upgrade(_operator: &str, _place: Place<'_>) -> Upgrade {
    Upgrade {
        unknown: true,
        ..Upgrade::default()
    }
}

pub(crate) fn only_kernel(_operator: &str) -> Option<&'static str> {
    None
}
