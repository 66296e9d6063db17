//! The rules of validation, one item each.
//!
//! A [`Rule`] is data: id, family, severity, the releases it applies to, and its documentation.
//! Its check is code in the file of its family. Rules that are about what can be read at all are
//! reported while reading (`syntax`, `model::lower`) and only documented here.

mod example;
mod families;
mod findings;
pub mod fix;
mod introduced;
pub mod registry;
pub mod sink;
pub mod suppress;

use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::{Finding, RuleId, Severity};
use opatlas_source::{NATIVE_FUNCTIONS, Stop, Stopped, TAGS};

pub use example::OPERATORS as EXAMPLE_OPERATORS;
use families::Scope;
pub use families::check_sources;
pub use findings::{Findings, MOST_FINDINGS, MOST_OF_A_RULE, Omitted};
pub use introduced::{Introduced, introduced};
use sink::Sink;

/// What a rule is about; one file each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// YAML and the shape of the file.
    Yaml,
    /// The shape of the schema and the operator's name.
    Grammar,
    /// Fields with simple values.
    Fields,
    /// Alias annotations and mutation.
    Annotations,
    /// Arguments and their names.
    Arguments,
    /// Types.
    Types,
    /// Out arguments.
    OutNaming,
    /// Default values.
    Defaults,
    /// Return values.
    Returns,
    /// Operator and overload names across entries.
    Overloads,
    /// `variants` and bindings.
    Variants,
    /// Dispatch keys and kernels.
    Dispatch,
    /// Structured kernels.
    Structured,
    /// Generated operators and groups.
    Autogen,
    /// Tags.
    Tags,
    /// View operators.
    Views,
    /// `derivatives.yaml`.
    Derivatives,
    /// Python bindings and `deprecated.yaml`.
    Bindings,
    /// Out-of-tree backend files.
    Backends,
    /// C++ and Python sources.
    Sources,
    /// The schema grammar of PyTorch's runtime.
    Runtime,
    /// The tool's own: suppressions.
    Suppressions,
}

/// When PyTorch's generator notices (`docs/spec/rules.md`, section 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// Loading the YAML.
    Yaml,
    /// Reading one entry.
    Entry,
    /// Checking all entries.
    File,
    /// Making generated operators.
    Generate,
    /// Grouping.
    Group,
    /// Writing C++.
    Codegen,
    /// Never: a documented convention.
    Convention,
}

/// The `file` of an [`Example`] that is a single schema, read by the runtime's grammar.
pub const SCHEMA: &str = "schema";

/// An example that is run as a test: a bad one gives exactly its rule, a good one nothing.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// The file it is about, by its name in a bundle.
    pub file: &'static str,
    /// Its text.
    pub text: &'static str,
    /// The `native_functions.yaml` beside it, unless it is one itself.
    pub operators: &'static str,
}

impl Example {
    /// An example that is a whole `native_functions.yaml`.
    #[must_use]
    pub const fn native(text: &'static str) -> Self {
        Self::of(NATIVE_FUNCTIONS, text)
    }

    /// An example that is a whole `tags.yaml`.
    #[must_use]
    pub const fn tags(text: &'static str) -> Self {
        Self::of(TAGS, text)
    }

    /// An example that is a whole file of this name, beside [`EXAMPLE_OPERATORS`].
    #[must_use]
    pub const fn of(file: &'static str, text: &'static str) -> Self {
        Self {
            file,
            text,
            operators: EXAMPLE_OPERATORS,
        }
    }

    /// The same beside other operators.
    #[must_use]
    pub const fn beside(self, operators: &'static str) -> Self {
        Self { operators, ..self }
    }
}

/// A rule. Ids are forever: they are never renamed and never used again.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Its id.
    pub id: RuleId,
    /// What it is about.
    pub family: Family,
    /// How bad a finding of it is.
    pub severity: Severity,
    /// When PyTorch's generator notices.
    pub stage: Stage,
    /// The first release it applies to.
    pub since: Release,
    /// The last release it applies to, where that is over.
    pub until: Option<Release>,
    /// What it finds, in a paragraph.
    pub what: &'static str,
    /// Why that is bad, and for whom.
    pub why: &'static str,
    /// An example that breaks it.
    pub bad: Example,
    /// The same example, fixed.
    pub good: Example,
    /// Where PyTorch decides it: file and function.
    pub source: &'static str,
}

impl Rule {
    /// Whether the rule applies to a release.
    #[must_use]
    pub fn applies_to(&self, release: Release) -> bool {
        self.since <= release && self.until.is_none_or(|until| release <= until)
    }
}

/// Everything that the rules of the catalogue's release find in it, in a stable order. Suppressed
/// findings are in the list, marked so ([`suppress`]). Of very many findings the first are kept and
/// the others counted ([`Findings`]).
#[must_use]
pub fn check(catalogue: &Catalogue) -> Findings {
    Stop::unstopped(|stop| check_until(catalogue, stop))
}

/// Like [`check`], but can be stopped.
///
/// # Errors
/// [`Stopped`].
pub fn check_until(catalogue: &Catalogue, stop: &Stop) -> Result<Findings, Stopped> {
    let native = &catalogue.native_functions;
    let scope = Scope::new(catalogue);
    let mut sink = Sink::new(catalogue.release).until(stop);
    sink.complaints(NATIVE_FUNCTIONS, &native.diagnostics);
    sink.complaints(TAGS, &catalogue.tags_diagnostics);
    for check in families::CHECKS {
        stop.check()?;
        check(&scope, &mut sink);
    }
    stop.check()?;
    let entries = &native.entries;
    Ok(sink.into_findings(|review| suppress::apply(&native.text, entries, review)))
}

/// Whether PyTorch's generator accepts the checked files: there is no error. Suppressed errors
/// count, because the generator ignores suppressions.
#[must_use]
pub fn is_valid(findings: &[Finding]) -> bool {
    findings
        .iter()
        .all(|finding| finding.severity != Severity::Error)
}
