//! What made a registration, and whether the files alone decide an entry.

use std::fmt;

/// What made a registration. In a real process each stands for source files, named in brackets.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub enum Origin {
    /// A line of `dispatch:` (`Register*.cpp`).
    Declared,
    /// A structured operator, for every variant of its group (`Register*.cpp`).
    Structured,
    /// The generator without any line: operators that `autogen` brings, and the kernels at `Meta`
    /// that check in-place operators (`Register*.cpp`).
    Autogen,
    /// The absence of `dispatch:` (`RegisterCompositeImplicitAutograd.cpp`).
    ImplicitComposite,
    /// Generated autograd (`VariableType*.cpp`).
    Autograd,
    /// Version counters and views (`ADInplaceOrViewType*.cpp`).
    InplaceOrView,
    /// Generated functionalization (`RegisterFunctionalization*.cpp`).
    Functionalize,
    /// Tracing for TorchScript (`TraceType*.cpp`).
    Tracer,
    /// The choice of a backend for operators without a tensor (`RegisterBackendSelect.cpp`).
    BackendSelect,
    /// A global fallback of the key.
    Fallback,
    /// An out-of-tree backend's file.
    BackendFile,
    /// PyTorch's own code outside the files, as recorded from a real process (any other file).
    HandWritten,
    /// Found in the C++ and Python sources that came with the revision.
    Source,
    /// Recorded from a real process and given with the revision.
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

    /// The text in answers.
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

    /// The origin of a text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|origin| origin.as_str() == text)
    }

    /// Whether the registration is known from outside the files that declare operators.
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

/// Why the files alone do not decide an entry.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub enum Cause {
    /// PyTorch's hand-written registrations, recorded from this very release, decide it.
    HandWritten {
        /// The source file, where recorded.
        file: Option<&'static str>,
    },
    /// They decide it in the nearest recorded release, which is not this revision.
    HandWrittenInRelease {
        /// The source file, where recorded.
        file: Option<&'static str>,
    },
    /// The key is one that PyTorch registers many kernels to by hand, and nothing is recorded of
    /// this revision.
    MayBeHandWritten,
    /// Registrations in the revision's sources decide it.
    Sources,
    /// Observed registrations decide it.
    Observed,
}

/// Which registrations a table is made of.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Default)]
pub enum Source {
    /// All that are known: of the files, hand-written and observed ones.
    #[default]
    Everything,
    /// Those that follow from the files.
    Files,
}
