//! Kinds of messages: how each is recognized, what it means, and what to do.

use crate::reading::Reading;
use crate::{Severity, Way};

/// A kind of message.
///
/// Texts have holes like patterns: `{op}` is the operator, `{key}` the dispatch key, `{backend}` the
/// device in words; others are parts of the message. A sentence with a hole whose part is unknown is
/// left out.
#[derive(Debug)]
pub(crate) struct Kind {
    /// The id: `mps-not-implemented`.
    pub(crate) id: &'static str,
    /// What happened, for somebody who does not know the term `dispatch key`. The first sentence whose
    /// parts are all known counts.
    pub(crate) titles: &'static [&'static str],
    /// Patterns of the message ([`crate::pattern`]).
    pub(crate) patterns: &'static [&'static str],
    /// Whether it is an error.
    pub(crate) severity: Severity,
    /// How PyTorch was used.
    pub(crate) way: Way,
    /// The dispatch key that all such messages are about.
    pub(crate) key: Option<&'static str>,
    /// What the releases are asked for.
    pub(crate) asks: Asks,
    /// Reads more from the message, or chooses a more precise kind.
    pub(crate) refine: fn(&mut Reading<'_>),
    /// Why it happens.
    pub(crate) causes: &'static [&'static str],
    /// What to do until the release that works, or in each release.
    pub(crate) advice: &'static [&'static str],
    /// What the message suggests wrongly.
    pub(crate) misleads: &'static [&'static str],
}

/// What the releases are asked about the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asks {
    /// Nothing: no release changes it, or it is not about releases.
    Nothing,
    /// Nothing: every known release says it.
    Never,
    /// Whether it works at the dispatch key.
    Key,
    /// Whether it can be differentiated.
    Training,
    /// What the way does with it.
    Vmap,
    BatchingRule,
    Meta,
    Dtensor,
    Inductor,
    /// Whether the C shim of AOTInductor has it.
    Shim,
    /// Whether autocast on the device refuses it.
    Autocast,
    /// Whether the CPU takes the dtype.
    Dtype,
    /// Whether the operator exists.
    Exists,
}

impl Kind {
    /// A kind of error.
    pub(crate) const ERROR: Self = Self {
        id: "",
        titles: &[],
        patterns: &[],
        severity: Severity::Error,
        way: Way::Eager,
        key: None,
        asks: Asks::Nothing,
        refine: |_| (),
        causes: &[],
        advice: &[],
        misleads: &[],
    };

    /// A kind of warning.
    pub(crate) const WARNING: Self = Self {
        severity: Severity::Warning,
        ..Self::ERROR
    };

    /// A kind of error that operator data cannot tell more about.
    pub(crate) const OTHER: Self = Self {
        way: Way::None,
        ..Self::ERROR
    };
}
