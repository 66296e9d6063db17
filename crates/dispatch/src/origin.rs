//! The origin of a registration, and why the files alone do not determine an entry.

use std::fmt;

/// The origin of a registration. Parentheses name the source files in a process.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub enum Origin {
    /// A line in `dispatch` (`Register*.cpp`).
    Declared,
    /// A structured operator, for all variants of its group (`Register*.cpp`).
    Structured,
    /// Generated without a line in `dispatch`: operators of `autogen`, and checks of in-place operators on
    /// `Meta` (`Register*.cpp`).
    Autogen,
    /// An entry without `dispatch` (`RegisterCompositeImplicitAutograd.cpp`).
    ImplicitComposite,
    /// Generated autograd (`VariableType*.cpp`).
    Autograd,
    /// Version counters and views (`ADInplaceOrViewType*.cpp`).
    InplaceOrView,
    /// Generated functionalization (`RegisterFunctionalization*.cpp`).
    Functionalize,
    /// Tracing for TorchScript (`TraceType*.cpp`).
    Tracer,
    /// Backend selection for operators without tensor arguments (`RegisterBackendSelect.cpp`).
    BackendSelect,
    /// The fallback of the key for all operators.
    Fallback,
    /// An out-of-tree backend's file.
    BackendFile,
    /// PyTorch's handwritten code, recorded from a process (any other file).
    HandWritten,
    /// C++ and Python sources of the revision.
    Source,
    /// Recorded from a process and added to the revision.
    Observed,
}

impl Origin {
    /// All origins.
    pub const ALL: [Self; 14] = [
        Self::Declared,
        Self::Structured,
        Self::Autogen,
        Self::ImplicitComposite,
        Self::Autograd,
        Self::InplaceOrView,
        Self::Functionalize,
        Self::Tracer,
        Self::BackendSelect,
        Self::Fallback,
        Self::BackendFile,
        Self::HandWritten,
        Self::Source,
        Self::Observed,
    ];

    /// The name in the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Declared => "declared",
            Self::Structured => "structured",
            Self::Autogen => "autogen",
            Self::ImplicitComposite => "implicit composite",
            Self::Autograd => "autograd",
            Self::InplaceOrView => "inplace or view",
            Self::Functionalize => "functionalize",
            Self::Tracer => "tracer",
            Self::BackendSelect => "backend select",
            Self::Fallback => "fallback",
            Self::BackendFile => "backend file",
            Self::HandWritten => "hand-written",
            Self::Source => "source",
            Self::Observed => "observed",
        }
    }

    /// The origin with this name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|origin| origin.as_str() == text)
    }

    /// Whether the registration does not follow from the files that declare operators.
    #[must_use]
    pub fn is_outside_files(self) -> bool {
        matches!(self, Self::HandWritten | Self::Source | Self::Observed)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Why the files alone do not determine an entry.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub enum Cause {
    /// Handwritten registrations of PyTorch, recorded from this release.
    HandWritten {
        /// The source file, if recorded.
        file: Option<&'static str>,
    },
    /// Handwritten registrations of the nearest recorded release.
    HandWrittenInRelease {
        /// The source file, if recorded.
        file: Option<&'static str>,
    },
    /// PyTorch has many handwritten registrations on the key, and none are recorded for this revision.
    MayBeHandWritten,
    /// Registrations in the revision's sources.
    Sources,
    /// Observed registrations.
    Observed,
}

/// The registrations that a table includes.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Default)]
pub enum Source {
    /// All known ones: from files, handwritten, and observed.
    #[default]
    Everything,
    /// Only those that follow from the files.
    Files,
}
