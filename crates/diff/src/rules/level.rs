//! Levels, audiences and profiles of changes.

use super::{ChangeRule, Group, Official};

opatlas_source::words! {
    /// The severity of a change; greater is worse.
    pub enum Level {
        /// No effect; not counted.
        None = "none",
        /// No Python caller and no model breaks. For other audiences, see [`Impacts`].
        Safe = "safe",
        /// Worth knowing.
        Info = "info",
        /// Some audience must act, or behavior may differ.
        Dangerous = "dangerous",
        /// New code or models fail on the old side.
        ForwardBreaking = "forward-breaking",
        /// Something that worked fails, or silently changes.
        Breaking = "breaking",
    }
}

opatlas_source::words! {
    /// A group that a change may affect (`docs/spec/compatibility.md`, section 1).
    #[repr(u8)]
    pub enum Audience {
        /// Python callers that pass arguments by keyword.
        PythonKeyword = "python-keyword",
        /// Python callers that pass arguments by position.
        PythonPositional = "python-positional",
        /// Models saved with the old revision and run on the new one.
        SavedModel = "saved-model",
        /// Models saved with the new revision and run on the old one.
        NewModel = "new-model",
        /// C++ callers that are recompiled.
        Cpp = "cpp",
        /// Out-of-tree backends, which register kernels.
        Backend = "backend",
        /// `derivatives.yaml` and autograd.
        Autograd = "autograd",
        /// Functionalization, export and `torch.compile`.
        Compiler = "compiler",
        /// Python callers of operators that are bound only in `torch.ops`. They replace the other Python
        /// callers for such operators.
        TorchOps = "torch-ops",
        /// Exported programs, and the decompositions that export applies.
        Export = "export",
        /// Packages that AOTInductor compiled, and extensions for the stable headers.
        Aoti = "aoti",
        /// Transforms of calls: `vmap`, autocast, sharding.
        Transforms = "transforms",
    }
}

impl Audience {
    /// The number of audiences with a column in `docs/spec/compatibility.md`, section 5.
    const COLUMNS: usize = 8;
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

opatlas_source::words! {
    /// Whose view counts. A profile changes levels and hides nothing.
    #[derive(Default)]
    pub enum Profile {
        /// All audiences.
        #[default]
        Strict = "strict",
        /// The verdicts of PyTorch's own check.
        Official = "official",
        /// Python callers.
        Python = "python",
        /// Saved, exported and compiled models.
        Model = "model",
        /// C++ callers.
        Cpp = "cpp",
        /// Out-of-tree backends.
        Backend = "backend",
        /// Autograd, functionalization, export, `torch.compile`, compiled packages and transforms.
        Compiler = "compiler",
    }
}

impl Profile {
    /// The audiences that count (`docs/spec/compatibility.md`, section 1).
    #[must_use]
    pub fn audiences(self) -> Audiences {
        match self {
            Self::Strict | Self::Official => Audiences::ALL,
            Self::Python => Audiences::of(&[Audience::PythonKeyword, Audience::PythonPositional]),
            Self::Model => Audiences::of(&[
                Audience::SavedModel,
                Audience::NewModel,
                Audience::Export,
                Audience::Aoti,
            ]),
            Self::Cpp => Audiences::of(&[Audience::Cpp]),
            Self::Backend => Audiences::of(&[Audience::Backend]),
            Self::Compiler => Audiences::of(&[
                Audience::Autograd,
                Audience::Compiler,
                Audience::Export,
                Audience::Aoti,
                Audience::Transforms,
            ]),
        }
    }

    /// The level of a change under this profile. `level` and `impacts` are those of the change, which may
    /// differ from its rule's.
    ///
    /// A profile of audiences considers only its audiences: a change that breaks one is breaking, one that
    /// breaks only new models on an old runtime is at most forward-breaking, one that is a risk is at most
    /// dangerous, and any other is at most informational. Computed rules keep their level for `backend`.
    /// `official` takes the level from the verdict of PyTorch's check.
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
