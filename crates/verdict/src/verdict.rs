//! The six verdicts, and what a verdict depends on.

use std::fmt;

use opatlas_operators::operator::OperatorId;

use crate::because::Because;

/// Whether calling an operator works on a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// A kernel of its own, or one that calls nothing else.
    Runs,
    /// A default or composite kernel, and everything that it calls works on the key.
    Decomposes,
    /// Something that it calls in some cases does not work.
    Partly,
    /// Only the fallback of the backend serves it.
    FallsBack,
    /// A call raises: nothing serves it, or something that it always calls fails.
    Fails,
    /// Its calls were not measured, or nothing is known about the backend.
    Unknown,
}

impl Verdict {
    /// All verdicts, in the order in which answers list them.
    pub const ALL: [Self; 6] = [
        Self::Runs,
        Self::Decomposes,
        Self::Partly,
        Self::FallsBack,
        Self::Fails,
        Self::Unknown,
    ];

    /// The word in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Runs => "runs",
            Self::Decomposes => "decomposes",
            Self::Partly => "partly",
            Self::FallsBack => "falls-back",
            Self::Fails => "fails",
            Self::Unknown => "unknown",
        }
    }

    /// The verdict of a word.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|verdict| verdict.as_str() == text)
    }

    /// The character in matrices.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::Runs => 'r',
            Self::Decomposes => 'd',
            Self::Partly => 'p',
            Self::FallsBack => 'b',
            Self::Fails => 'f',
            Self::Unknown => 'u',
        }
    }

    /// Whether nobody can tell yet.
    #[must_use]
    pub fn is_unknown(self) -> bool {
        self == Self::Unknown
    }

    /// Whether calls run on another device, by the fallback of the backend.
    #[must_use]
    pub fn falls_back(self) -> bool {
        self == Self::FallsBack
    }

    /// Whether every call fails.
    #[must_use]
    pub fn fails(self) -> bool {
        self == Self::Fails
    }

    /// Whether a call fails, always or in some cases.
    #[must_use]
    pub fn lacks(self) -> bool {
        matches!(self, Self::Fails | Self::Partly)
    }

    /// Whether a call works, so that the operator counts as covered.
    #[must_use]
    pub fn works(self) -> bool {
        matches!(self, Self::Runs | Self::Decomposes | Self::FallsBack)
    }
}

/// A verdict in one of four values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Answer {
    /// Calls work.
    Yes,
    /// Some calls work.
    Partly,
    /// Calls fail.
    No,
    /// Nobody can tell yet.
    Unknown,
}

impl Answer {
    /// The word in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::Partly => "partly",
            Self::No => "no",
            Self::Unknown => "unknown",
        }
    }

    /// The answer of a word.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let all = [Self::Yes, Self::Partly, Self::No, Self::Unknown];
        all.into_iter().find(|answer| answer.as_str() == text)
    }
}

impl From<Verdict> for Answer {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Runs | Verdict::Decomposes | Verdict::FallsBack => Self::Yes,
            Verdict::Partly => Self::Partly,
            Verdict::Fails => Self::No,
            Verdict::Unknown => Self::Unknown,
        }
    }
}

/// What a verdict is based on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KnownFrom {
    /// A recording of a real process.
    Measured,
    /// The revision's own files.
    Declared,
    /// A scan of sources.
    Source,
    /// What torchgen's templates and the dispatcher do with the above.
    Inferred,
}

impl KnownFrom {
    /// The word in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Declared => "declared",
            Self::Source => "source",
            Self::Inferred => "inferred",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The verdict of an operator on a key, and what it depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Support {
    /// The verdict.
    pub verdict: Verdict,
    /// The operators without a working entry that it needs, those that it always calls first, each
    /// time nearest first, each once; at most [`MOST_NEEDS`]. Empty unless it fails or works partly.
    pub needs: Vec<OperatorId>,
    /// Operators that it calls and that the revision does not declare, those that it always calls
    /// first.
    pub undeclared: Vec<&'static str>,
    /// The chain of calls from the operator to the first of [`Support::needs`], both included.
    pub through: Vec<OperatorId>,
    /// Operators without a working entry that it calls in rare cases, which its own tests do not have.
    /// They do not change the verdict.
    pub rarely: Vec<OperatorId>,
    /// The reason, where it is not what the operator needs.
    pub because: Option<Because>,
}

/// How many leaves [`Support::needs`] has at most.
pub const MOST_NEEDS: usize = 64;

impl Support {
    /// A verdict that needs nothing.
    #[must_use]
    pub fn of(verdict: Verdict) -> Self {
        Self {
            verdict,
            needs: Vec::new(),
            undeclared: Vec::new(),
            through: Vec::new(),
            rarely: Vec::new(),
            because: None,
        }
    }

    /// A verdict with its reason.
    pub(crate) fn because(verdict: Verdict, why: Because) -> Self {
        Self {
            because: Some(why),
            ..Self::of(verdict)
        }
    }
}
