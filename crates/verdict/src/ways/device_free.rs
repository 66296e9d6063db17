//! Shapes without data, and functionalization.

use opatlas_pytorch::ways::Registry;

use super::membership::{Membership, Shape};
use super::{Fate, Found};

/// What serves tensors on the meta device. Python functions replace C++ kernels there
/// (`torch/_meta_registrations.py`, `activate_meta`).
pub(super) fn meta(shape: &Shape, of: Membership<'_>) -> Found {
    if of.is_in(Registry::MetaPython) {
        return (Fate::Python, "a Python function computes the shapes".into());
    }
    if of.is_in(Registry::MetaKernel) {
        return (Fate::Kernel, "it has a kernel at `Meta`".into());
    }
    if of.is_in(Registry::CompositeImplicit) || of.is_in(Registry::CompositeExplicit) {
        return (
            Fate::Decomposes,
            "the operators that it calls compute the shapes".into(),
        );
    }
    let because = match (of.is_in(Registry::FakeImpls), shape.is_of_aten) {
        (true, _) => {
            "no Meta kernel: tensors on the meta device fail; fake tensors have an implementation of their own"
        }
        (false, true) => {
            "no Meta kernel: tensors on the meta device and export fail; fake tensors run the real kernel"
        }
        (false, false) => {
            "no Meta kernel: torch.compile and export need one, or a fake implementation"
        }
    };
    (Fate::None, because.into())
}

/// What functionalization does with it (`aten/src/ATen/FunctionalizeFallbackKernel.cpp`).
pub(super) fn functionalize(shape: &Shape, of: Membership<'_>) -> Found {
    let has_kernel =
        of.is_in(Registry::FunctionalizeKernel) && (shape.has_functional || of.is_recorded());
    match shape {
        Shape { writes: true, .. } if has_kernel => (
            Fate::Generated,
            "a generated kernel calls its functional form".into(),
        ),
        Shape { writes: true, .. } if of.is_in(Registry::CompositeImplicit) => (
            Fate::Decomposes,
            "the operators that it calls are functionalized".into(),
        ),
        Shape { writes: true, .. } => {
            let because = "it writes to an argument and has no kernel at `Functionalize`: give it a functional form, or `autogen` one";
            (Fate::Raises, because.into())
        }
        Shape { is_view: true, .. } => (
            Fate::View,
            "views are replayed when their base changes".into(),
        ),
        _ => (
            Fate::Functional,
            "it neither writes to an argument nor returns one".into(),
        ),
    }
}
