//! Rules of C++ and Python sources (`docs/spec/sources.md`, sections 3 and 7).

mod allow;
mod composite;
mod definitions;
mod drift;
mod kernel_types;
mod loading;

use opatlas_dispatch::Inputs;
use opatlas_source::diagnostic::Finding;
use opatlas_sources::File;

use super::autograd;
use crate::scope::Scope;
use crate::sink::Sink;
use allow::Comments;

pub use kernel_types::{KernelFit, UnknownKernel, expects_alike, kernel_fits};

pub(super) fn check(scope: &Scope<'_>, sink: &mut Sink) {
    drift::check(scope, sink);
    loading::check(scope.catalogue, sink);
    definitions::check(scope.catalogue, sink);
}

/// The result of [`check_sources`].
#[derive(Debug, Default)]
pub struct SourceCheck {
    /// Findings on the sources.
    pub findings: Vec<Finding>,
    /// Registered kernels whose C++ types only a build can decide, by file and place.
    pub unknown_kernels: Vec<UnknownKernel>,
}

/// Checks that need all sources of a backend or of PyTorch: missing kernels, kernel signatures,
/// types of registered kernels, and composite functions. `files` have their names in the bundle. Omits findings that a comment
/// allows, and reports unused comments.
#[must_use]
pub fn check_sources(inputs: Inputs<'_>, files: &[File<'_>]) -> SourceCheck {
    let catalogue = inputs.catalogue;
    let mut sink = Sink::new(catalogue.release);
    drift::kernels(catalogue, files, &mut sink);
    let kernels = kernel_types::check(catalogue, files, &mut sink);
    composite::check(catalogue, files, &mut sink);
    autograd::sources(inputs, files, &mut sink);
    let findings = sink.into_findings(|_| {});
    let omitted = findings.omitted().to_vec();
    let mut comments = Comments::read(files);
    let mut kept = findings.into_kept();
    kept.retain(|finding| !comments.allow(finding));
    let mut sink = Sink::new(catalogue.release);
    comments.complain(&omitted, &mut sink);
    kept.extend(sink.into_findings(|_| {}).into_kept());
    SourceCheck {
        findings: kept,
        unknown_kernels: kernels.unknown,
    }
}
