//! Reasons for a verdict, beyond the operators that are missing.

/// Why an operator fails, works in part, or is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Because {
    /// The kernels of the backend are outside PyTorch, and no file, source or observation of the
    /// revision describes them.
    OutOfTree,
    /// The chosen build does not compile the backend.
    LeftOut,
    /// Nobody recorded what its composite kernel calls.
    Unmeasured,
    /// Its sources do not say all that its composite kernel calls.
    Unresolved,
    /// `manual_kernel_registration`: hand-written code registers its kernels.
    RegisteredByHand,
    /// It calls an operator that the revision does not declare, and the revision may be incomplete.
    CallsUndeclared,
    /// No argument of it carries a dispatch key, so a call never reaches a backend's kernel.
    NothingToDispatchOn,
    /// Nothing is registered at the autograd key, which every call passes first outside of
    /// `torch.inference_mode()`.
    InferenceModeOnly,
    /// Its fallback copies arguments to the CPU, which cannot run it.
    FailsOnCpu,
    /// Its fallback runs operators on the CPU and refuses views (`error_on_views`).
    ViewOnCpu,
    /// Its kernel under `vmap` only raises.
    RaisesUnderVmap,
    /// `vmap` does not support sparse tensors.
    SparseUnderVmap,
    /// The fallback of `vmap` refuses out= variants, mutable operators and views.
    RefusedByVmap,
}

impl Because {
    /// The reason in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OutOfTree => "out of tree: give its file",
            Self::LeftOut => "the build leaves this backend out",
            Self::Unmeasured => "what it calls was not measured",
            Self::Unresolved => "its sources do not say all that it calls: probe it",
            Self::RegisteredByHand => "hand-written code registers its kernels",
            Self::CallsUndeclared => "it calls an operator that this file does not declare",
            Self::NothingToDispatchOn => {
                "no argument carries a dispatch key, so no call reaches a kernel on this key"
            }
            Self::InferenceModeOnly => {
                "works in inference mode only: nothing is registered at the autograd key"
            }
            Self::FailsOnCpu => "the fallback runs it on the CPU, where it fails",
            Self::ViewOnCpu => "the fallback runs operators on the CPU and refuses views",
            Self::RaisesUnderVmap => "its batching rule only raises",
            Self::SparseUnderVmap => "vmap does not support sparse tensors",
            Self::RefusedByVmap => {
                "the fallback of vmap refuses out= variants, mutable operators and views"
            }
        }
    }
}
