//! Rules of C++ and Python sources (`docs/spec/sources.md`, sections 3 and 7).

mod allow;
mod composite;
mod definitions;
mod drift;
mod loading;

use opatlas_operators::catalogue::Catalogue;
use opatlas_source::diagnostic::Finding;
use opatlas_sources::File;

use crate::scope::Scope;
use crate::sink::Sink;
use allow::Comments;

pub(super) fn check(scope: &Scope<'_>, sink: &mut Sink) {
    drift::check(scope, sink);
    loading::check(scope.catalogue, sink);
    definitions::check(scope.catalogue, sink);
}

/// Checks that need all sources of a backend or of PyTorch: missing kernels, kernel signatures, and
/// composite functions. `files` have their names in the bundle. Omits findings that a comment
/// allows, and reports unused comments.
#[must_use]
pub fn check_sources(catalogue: &Catalogue, files: &[File<'_>]) -> Vec<Finding> {
    let mut sink = Sink::new(catalogue.release);
    drift::kernels(catalogue, files, &mut sink);
    composite::check(catalogue, files, &mut sink);
    let findings = sink.into_findings(|_| {});
    let omitted = findings.omitted().to_vec();
    let mut comments = Comments::read(files);
    let mut kept = findings.into_kept();
    kept.retain(|finding| !comments.allow(finding));
    let mut sink = Sink::new(catalogue.release);
    comments.complain(&omitted, &mut sink);
    kept.extend(sink.into_findings(|_| {}).into_kept());
    kept
}
