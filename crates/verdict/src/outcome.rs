//! The verdict on a model, which runs many operators.

/// The verdict on a model and a backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All operators work.
    Runs,
    /// All operators work, some of them only on the CPU.
    FallsBack {
        /// The calls that fall back.
        calls: u64,
    },
    /// An operator fails whenever the model runs.
    Fails,
    /// An operator fails in some cases, or in a branch.
    MayFail,
    /// Nobody can tell for an operator, and no other one fails.
    Unknown,
}

impl Outcome {
    /// The word in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Runs => "runs",
            Self::FallsBack { .. } => "falls-back",
            Self::Fails => "fails",
            Self::MayFail => "may-fail",
            Self::Unknown => "unknown",
        }
    }
}
