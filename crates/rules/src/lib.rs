//! The validation rules.
//!
//! A [`Rule`] is data: id, family, severity, releases, and documentation. Its check is in
//! `families`. Rules about what can be parsed at all are reported by the parsers and only
//! documented here.

mod deleted;
mod families;
mod findings;
pub mod fix;
mod introduced;
pub mod registry;
mod rule;
mod scope;
mod shown;
pub mod sink;
pub mod suppress;

use opatlas_dispatch::Inputs;
use opatlas_operators::catalogue::Catalogue;
use opatlas_source::diagnostic::{Finding, Severity};
use opatlas_source::{NATIVE_FUNCTIONS, Stop, Stopped, TAGS};

use families::autograd;
use scope::Scope;
use sink::Sink;

pub use deleted::deleted;
pub use families::{
    KernelFit, SourceCheck, UnknownKernel, check_sources, expects_alike, kernel_fits,
};
pub use findings::{Findings, MOST_FINDINGS, MOST_OF_A_RULE, Omitted};
pub use introduced::{Introduced, introduced};
pub use rule::{Example, Family, OPERATORS as EXAMPLE_OPERATORS, Rule, SCHEMA, Stage};
pub use shown::{Listed, Shown, Since};

/// Checks a catalogue against the rules of its release, without observations of a process.
/// Suppressed findings are included and marked ([`suppress`]).
#[must_use]
pub fn check(catalogue: &Catalogue) -> Findings {
    Stop::unstopped(|stop| check_until(Inputs::of_files(catalogue), stop))
}

/// Like [`check`], with observed registrations and a way to stop.
///
/// # Errors
/// [`Stopped`].
pub fn check_until(inputs: Inputs<'_>, stop: &Stop) -> Result<Findings, Stopped> {
    let catalogue = inputs.catalogue;
    let native = &catalogue.native_functions;
    let scope = Scope::new(catalogue);
    let mut sink = Sink::new(catalogue.release).until(stop);
    sink.complaints(NATIVE_FUNCTIONS, &native.diagnostics);
    sink.complaints(TAGS, &catalogue.tags_diagnostics);
    for check in families::CHECKS {
        stop.check()?;
        check(&scope, &mut sink);
    }
    autograd::check(inputs, &mut sink, stop)?;
    let entries = &native.entries;
    Ok(sink.into_findings(|review| suppress::apply(&native.text, entries, review)))
}

/// Whether PyTorch's generator accepts the checked files. Suppressed errors count, because the
/// generator ignores suppressions.
#[must_use]
pub fn is_valid(findings: &[Finding]) -> bool {
    findings
        .iter()
        .all(|finding| finding.severity != Severity::Error)
}
