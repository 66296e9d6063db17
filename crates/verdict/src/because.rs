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
    /// It only passes calls on, and the key belongs to no backend.
    PassesOn,
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
            Self::PassesOn => "it passes the call on to the next key",
            Self::RaisesUnderVmap => "its batching rule only raises",
            Self::SparseUnderVmap => "vmap does not support sparse tensors",
            Self::RefusedByVmap => {
                "the fallback of vmap refuses out= variants, mutable operators and views"
            }
        }
    }

    /// What would settle a verdict that is unknown for this reason.
    #[must_use]
    pub fn settled_by(self) -> Option<&'static str> {
        Some(match self {
            Self::OutOfTree => "a backend file, sources or an observation of the backend",
            Self::Unmeasured => "a recording of its calls by the probe, or a kernel on the key",
            Self::RegisteredByHand => "an observation of a process of this revision",
            Self::CallsUndeclared => "the complete native_functions.yaml of the revision",
            Self::PassesOn => "the verdict on the backend that the call reaches",
            _ => return None,
        })
    }
}
