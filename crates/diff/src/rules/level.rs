//! Levels, audiences and profiles of changes.

use std::fmt;
use std::str::FromStr;

use super::{ChangeRule, Group, Official};

/// The severity of a change; greater is worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// No effect; not counted.
    None,
    /// Breaks nobody.
    Safe,
    /// Worth knowing.
    Info,
    /// Some audience must act, or behavior may differ.
    Dangerous,
    /// New code or models fail on the old side.
    ForwardBreaking,
    /// Something that worked fails, or silently changes.
    Breaking,
}

impl Level {
    /// All levels, the worst first.
    pub const ALL: [Self; 6] = [
        Self::Breaking,
        Self::ForwardBreaking,
        Self::Dangerous,
        Self::Info,
        Self::Safe,
        Self::None,
    ];

    /// The word used in every rendering and in the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Safe => "safe",
            Self::Info => "info",
            Self::Dangerous => "dangerous",
            Self::ForwardBreaking => "forward-breaking",
            Self::Breaking => "breaking",
        }
    }
}

/// A group that a change may affect (`docs/spec/compatibility.md`, section 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Audience {
    /// Python callers that pass arguments by keyword.
    PythonKeyword,
    /// Python callers that pass arguments by position.
    PythonPositional,
    /// Models saved with the old revision and run on the new one.
    SavedModel,
    /// Models saved with the new revision and run on the old one.
    NewModel,
    /// C++ callers that are recompiled.
    Cpp,
    /// Out-of-tree backends, which register kernels.
    Backend,
    /// `derivatives.yaml` and autograd.
    Autograd,
    /// Functionalization, export and `torch.compile`.
    Compiler,
    /// Python callers of operators that are bound only in `torch.ops`. They replace the other Python
    /// callers for such operators.
    TorchOps,
}

impl Audience {
    /// The number of audiences with a column in `docs/spec/compatibility.md`, section 5.
    const COLUMNS: usize = 8;

    /// All audiences, in the order of the columns.
    pub const ALL: [Self; 9] = [
        Self::PythonKeyword,
        Self::PythonPositional,
        Self::SavedModel,
        Self::NewModel,
        Self::Cpp,
        Self::Backend,
        Self::Autograd,
        Self::Compiler,
        Self::TorchOps,
    ];

    /// The word used in every rendering and in the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PythonKeyword => "python-keyword",
            Self::PythonPositional => "python-positional",
            Self::SavedModel => "saved-model",
            Self::NewModel => "new-model",
            Self::Cpp => "cpp",
            Self::Backend => "backend",
            Self::Autograd => "autograd",
            Self::Compiler => "compiler",
            Self::TorchOps => "torch-ops",
        }
    }
}

/// A set of audiences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Audiences(u16);

impl Audiences {
    /// Nobody.
    pub const NONE: Self = Self(0);
    /// Everybody.
    pub const ALL: Self = Self(u16::MAX);

    /// The audiences of the list.
    #[must_use]
    pub const fn of(list: &[Audience]) -> Self {
        let (mut bits, mut i) = (0, 0);
        while i < list.len() {
            bits |= 1 << list[i] as u8;
            i += 1;
        }
        Self(bits)
    }

    /// Whether the set contains the audience.
    #[must_use]
    pub const fn contains(self, audience: Audience) -> bool {
        self.0 & (1 << audience as u8) != 0
    }

    /// The audiences in both sets.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The audiences in either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The audiences that are not in the other set.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The audiences in the order of [`Audience::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Audience> {
        Audience::ALL
            .into_iter()
            .filter(move |&audience| self.contains(audience))
    }
}

/// The audiences that a change breaks or puts at risk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Impacts {
    /// Something stops working or silently changes for these.
    pub breaks: Audiences,
    /// Something may break for these, depending on their code.
    pub risks: Audiences,
}

impl Impacts {
    /// Parses a row of the tables in `docs/spec/compatibility.md`, section 5: `x` breaks, `r` is a risk,
    /// `.` is fine. Rows are constants, so an invalid one does not compile.
    #[must_use]
    pub(super) const fn row(letters: &str) -> Self {
        let letters = letters.as_bytes();
        assert!(letters.len() == Audience::COLUMNS);
        let (mut breaks, mut risks, mut i) = (0, 0, 0);
        while i < letters.len() {
            match letters[i] {
                b'x' => breaks |= 1 << i,
                b'r' => risks |= 1 << i,
                other => assert!(other == b'.'),
            }
            i += 1;
        }
        Self {
            breaks: Audiences(breaks),
            risks: Audiences(risks),
        }
    }

    /// These impacts without some audiences.
    #[must_use]
    pub const fn without(self, audiences: Audiences) -> Self {
        Self {
            breaks: self.breaks.without(audiences),
            risks: self.risks.without(audiences),
        }
    }
}

/// Whose view counts. A profile changes levels and hides nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Profile {
    /// All audiences.
    #[default]
    Strict,
    /// The verdicts of PyTorch's own check.
    Official,
    /// Python callers.
    Python,
    /// Saved and exported models.
    Model,
    /// C++ callers.
    Cpp,
    /// Out-of-tree backends.
    Backend,
    /// Autograd, functionalization, export and `torch.compile`.
    Compiler,
}

impl Profile {
    /// All profiles, the default first.
    pub const ALL: [Self; 7] = [
        Self::Strict,
        Self::Official,
        Self::Python,
        Self::Model,
        Self::Cpp,
        Self::Backend,
        Self::Compiler,
    ];

    /// The word used on the command line and in the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Official => "official",
            Self::Python => "python",
            Self::Model => "model",
            Self::Cpp => "cpp",
            Self::Backend => "backend",
            Self::Compiler => "compiler",
        }
    }

    /// The audiences that count (`docs/spec/compatibility.md`, section 1).
    #[must_use]
    pub fn audiences(self) -> Audiences {
        match self {
            Self::Strict | Self::Official => Audiences::ALL,
            Self::Python => Audiences::of(&[Audience::PythonKeyword, Audience::PythonPositional]),
            Self::Model => Audiences::of(&[Audience::SavedModel, Audience::NewModel]),
            Self::Cpp => Audiences::of(&[Audience::Cpp]),
            Self::Backend => Audiences::of(&[Audience::Backend]),
            Self::Compiler => Audiences::of(&[Audience::Autograd, Audience::Compiler]),
        }
    }

    /// The level of a change under this profile. `level` and `impacts` are those of the change,
    /// which may be raised or lowered against its rule's by what else is known about it.
    ///
    /// Under a profile of audiences a change that breaks one of theirs is breaking, whatever it is
    /// to everybody together. One that breaks none is at most dangerous if it puts one at risk,
    /// else at most informational; one that breaks nothing of theirs but new models on an old
    /// runtime is at most forward-breaking. Computed rules keep
    /// their level for `backend`. `official` takes the level from torch's verdict on the rule's
    /// kind of change, so it raises torch's false alarms and lowers what torch does not see.
    #[must_use]
    pub fn level(self, rule: &ChangeRule, level: Level, impacts: Impacts) -> Level {
        match self {
            Self::Strict => level,
            Self::Official => official_level(rule, level),
            Self::Backend if rule.group == Group::Computed => level,
            _ => match worst_for(self.audiences(), impacts) {
                Level::Breaking => Level::Breaking,
                worst => level.min(worst),
            },
        }
    }
}

fn official_level(rule: &ChangeRule, level: Level) -> Level {
    match (rule.backward, rule.forward) {
        (Official::Incompatible | Official::Raises, _) => Level::Breaking,
        (_, Official::Incompatible | Official::Raises) => Level::ForwardBreaking,
        (Official::Varies, _) | (_, Official::Varies) => level,
        _ => level.min(Level::Info),
    }
}

#[must_use]
pub(crate) fn worst_for(audiences: Audiences, impacts: Impacts) -> Level {
    let broken = audiences.intersection(impacts.breaks);
    if !broken
        .without(Audiences::of(&[Audience::NewModel]))
        .is_empty()
    {
        Level::Breaking
    } else if !broken.is_empty() {
        Level::ForwardBreaking
    } else if !audiences.intersection(impacts.risks).is_empty() {
        Level::Dangerous
    } else {
        Level::Info
    }
}

/// A word that names no level, audience or profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownWord;

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown word")
    }
}

impl std::error::Error for UnknownWord {}

macro_rules! words {
    ($($name:ty),*) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = UnknownWord;

            fn from_str(word: &str) -> Result<Self, UnknownWord> {
                let found = Self::ALL.into_iter().find(|known| known.as_str() == word);
                found.ok_or(UnknownWord)
            }
        }
    )*};
}

words!(Level, Audience, Profile);
