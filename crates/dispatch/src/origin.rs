//! The origin of a registration, and why the files alone do not determine an entry.

opatlas_source::words! {
    /// The origin of a registration. Parentheses name the source files in a process.
    pub enum Origin {
        /// A line in `dispatch` (`Register*.cpp`).
        Declared = "declared",
        /// A structured operator, for all variants of its group (`Register*.cpp`).
        Structured = "structured",
        /// Generated without a line in `dispatch`: operators of `autogen`, and checks of in-place operators on
        /// `Meta` (`Register*.cpp`).
        Autogen = "autogen",
        /// An entry without `dispatch` (`RegisterCompositeImplicitAutograd.cpp`).
        ImplicitComposite = "implicit composite",
        /// Generated autograd (`VariableType*.cpp`).
        Autograd = "autograd",
        /// Version counters and views (`ADInplaceOrViewType*.cpp`).
        InplaceOrView = "inplace or view",
        /// Generated functionalization (`RegisterFunctionalization*.cpp`).
        Functionalize = "functionalize",
        /// Tracing for TorchScript (`TraceType*.cpp`).
        Tracer = "tracer",
        /// Backend selection for operators without tensor arguments (`RegisterBackendSelect.cpp`).
        BackendSelect = "backend select",
        /// The fallback of the key for all operators.
        Fallback = "fallback",
        /// An out-of-tree backend's file.
        BackendFile = "backend file",
        /// PyTorch's handwritten code, recorded from a process (any other file).
        HandWritten = "hand-written",
        /// C++ and Python sources of the revision.
        Source = "source",
        /// Recorded from a process and added to the revision.
        Observed = "observed",
    }
}

impl Origin {
    /// Whether the registration does not follow from the files that declare operators.
    #[must_use]
    pub fn is_outside_files(self) -> bool {
        matches!(self, Self::HandWritten | Self::Source | Self::Observed)
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
