//! Reasons for a verdict, beyond the operators that are missing.

opatlas_source::words! {
    /// Why an operator fails, works in part, or is unknown.
    pub enum Because {
        /// The kernels of the backend are outside PyTorch, and no file, source or observation of the
        /// revision describes them.
        OutOfTree = "out of tree: give its file",
        /// The chosen build does not compile the backend.
        LeftOut = "the build leaves this backend out",
        /// Nobody recorded what its composite kernel calls.
        Unmeasured = "what it calls was not measured",
        /// Its sources do not say all that its composite kernel calls.
        Unresolved = "its sources do not say all that it calls: probe it",
        /// `manual_kernel_registration`: hand-written code registers its kernels.
        RegisteredByHand = "hand-written code registers its kernels",
        /// It calls an operator that the revision does not declare, and the revision may be incomplete.
        CallsUndeclared = "it calls an operator that this file does not declare",
        /// No argument of it carries a dispatch key, so a call never reaches a backend's kernel.
        NothingToDispatchOn = "no argument carries a dispatch key, so no call reaches a kernel on this key",
        /// Nothing is registered at the autograd key, which every call passes first outside of
        /// `torch.inference_mode()`.
        InferenceModeOnly = "works in inference mode only: nothing is registered at the autograd key",
        /// It reads data, and tensors on Meta have none.
        NeedsData = "it reads data, which tensors on Meta do not have",
        /// Its fallback copies arguments to the CPU, which cannot run it.
        FailsOnCpu = "the fallback runs it on the CPU, where it fails",
        /// Its fallback runs operators on the CPU and refuses views (`error_on_views`).
        ViewOnCpu = "the fallback runs operators on the CPU and refuses views",
        /// It only passes calls on, and the key belongs to no backend.
        PassesOn = "it passes the call on to the next key",
        /// Its kernel under `vmap` only raises.
        RaisesUnderVmap = "its batching rule only raises",
        /// `vmap` does not support sparse tensors.
        SparseUnderVmap = "vmap does not support sparse tensors",
        /// The fallback of `vmap` refuses out= variants, mutable operators and views.
        RefusedByVmap = "the fallback of vmap refuses out= variants, mutable operators and views",
        /// It calls an operator whose support is unknown.
        CallsUnknown = "it calls an operator whose support is unknown",
    }
}

impl Because {
    /// What would settle a verdict that is unknown for this reason.
    #[must_use]
    pub fn settled_by(self) -> Option<&'static str> {
        Some(match self {
            Self::OutOfTree => "a backend file, sources or an observation of the backend",
            Self::Unresolved => "a recording of its calls by the probe",
            Self::CallsUnknown => "what settles the operator that it calls",
            Self::Unmeasured => "a recording of its calls by the probe, or a kernel on the key",
            Self::RegisteredByHand => "an observation of a process of this revision",
            Self::CallsUndeclared => "the complete native_functions.yaml of the revision",
            Self::PassesOn => "the verdict on the backend that the call reaches",
            _ => return None,
        })
    }
}
