//! How an operator stands on a key: with a kernel of its own, through something else, or not at all; and
//! what a comparison of two revisions makes of that.

use opatlas_dispatch::{Precedence, Reason};

use crate::{Answer, Verdict};

/// How an operator stands on a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Standing {
    /// It works, by a kernel registered on the key.
    Own,
    /// It works through another kernel.
    Inherited,
    /// It works in some cases.
    Partly,
    /// Calls fail.
    Fails,
    /// Nobody can tell yet.
    Unknown,
}

impl Standing {
    /// That of an operator with this verdict and table entry. Keys that belong to no backend have no
    /// verdict; on these, a call must reach a kernel, and where a fallback leads is unknown.
    #[must_use]
    pub fn of(verdict: Option<Verdict>, reason: Reason) -> Self {
        let answer = match (verdict, reason) {
            (Some(verdict), _) => Answer::from(verdict),
            (None, Reason::BackendFallback) => Answer::Unknown,
            (None, _) if reason.is_served() => Answer::Yes,
            (None, _) => Answer::No,
        };
        match answer {
            Answer::Yes if reason == Reason::Kernel => Self::Own,
            Answer::Yes => Self::Inherited,
            Answer::Partly => Self::Partly,
            Answer::No => Self::Fails,
            Answer::Unknown => Self::Unknown,
        }
    }

    /// The word in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Inherited => "inherited",
            Self::Partly => "partly",
            Self::Fails => "fails",
            Self::Unknown => "unknown",
        }
    }

    /// Whether calls work.
    #[must_use]
    pub fn works(self) -> bool {
        matches!(self, Self::Own | Self::Inherited)
    }
}

/// Whether calls fail because the kernels for `AutogradOther` are ambiguous.
#[must_use]
pub fn is_ambiguous(rule: Precedence) -> bool {
    rule == Precedence::Ambiguous
}

/// The support of an operator on a key of one side of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Side {
    /// The rule that serves the key.
    pub rule: Precedence,
    /// Whether a call works.
    pub verdict: Verdict,
}

impl Side {
    fn is_served(self) -> bool {
        self.rule.reason().is_served()
    }

    fn is_own(self) -> bool {
        self.rule == Precedence::Direct
    }
}

/// What became of the support of an operator on a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shift {
    /// Calls worked, and no longer do.
    Lost,
    /// Calls failed, and now work.
    Gained,
    /// Nothing served the key, and calls failed. Now a kernel does, and whether calls work is unknown.
    KernelGained,
    /// A kernel with unknown calls served the key. Now nothing does.
    KernelLost,
    /// Neither, but a kernel of the key itself came or went.
    OtherKind,
    /// Neither.
    Same,
}

impl Shift {
    /// The shift from the base to the head. `is_claimed` says whether both claim anything about the key.
    /// What was unknown is not gained.
    #[must_use]
    pub fn between(before: Side, after: Side, is_claimed: bool) -> Self {
        let is_new = is_claimed && !before.is_served() && after.is_served();
        let is_gone = is_claimed && before.is_served() && !after.is_served();
        match (before.verdict, after.verdict) {
            (Verdict::Fails, Verdict::Unknown) if is_new => Self::KernelGained,
            (Verdict::Unknown, Verdict::Fails) if is_gone => Self::KernelLost,
            (was, is) if was.works() && is.lacks() => Self::Lost,
            (was, is) if was.lacks() && is.works() => Self::Gained,
            _ if before.is_served() && after.is_served() && before.is_own() != after.is_own() => {
                Self::OtherKind
            }
            _ => Self::Same,
        }
    }
}
