//! Rules as data, and their examples.

use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::{RuleId, Severity};
use opatlas_source::{Bundle, NATIVE_FUNCTIONS, TAGS};

/// The subject of a rule. Each has its own file.
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
    /// Suppression comments.
    Suppressions,
}

/// The step that fails: a step of PyTorch's generator or of the build after it
/// (`docs/spec/rules.md`, section 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// Loading the YAML.
    Yaml,
    /// Parsing an entry.
    Entry,
    /// Checking all entries.
    File,
    /// Generating operators.
    Generate,
    /// Grouping.
    Group,
    /// Writing C++.
    Codegen,
    /// Writing autograd kernels and Python bindings (`tools/autograd`), which is part of `compile`, the rest of
    /// the build, in answers.
    Autograd,
    /// Compiling the generated C++.
    Compile,
    /// Loading the built library.
    Load,
    /// None: a documented convention.
    Convention,
}

/// The `file` of an [`Example`] that is a schema for the runtime's parser.
pub const SCHEMA: &str = "schema";

/// An example that is run as a test. A bad one breaks exactly its rule, a good one none.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// The name of its file in the bundle.
    pub file: &'static str,
    /// Its text.
    pub text: &'static str,
    /// The `native_functions.yaml` of the bundle, unless the example is one.
    pub operators: &'static str,
}

impl Example {
    /// A `native_functions.yaml`.
    #[must_use]
    pub const fn native(text: &'static str) -> Self {
        Self::of(NATIVE_FUNCTIONS, text)
    }

    /// A `tags.yaml`.
    #[must_use]
    pub const fn tags(text: &'static str) -> Self {
        Self::of(TAGS, text)
    }

    /// A file of this name, with [`OPERATORS`].
    #[must_use]
    pub const fn of(file: &'static str, text: &'static str) -> Self {
        Self {
            file,
            text,
            operators: OPERATORS,
        }
    }

    /// Replaces the operators of the bundle.
    #[must_use]
    pub const fn beside(self, operators: &'static str) -> Self {
        Self { operators, ..self }
    }

    /// The bundle of the example.
    #[must_use]
    pub fn bundle(&self) -> Bundle {
        let mut bundle = Bundle::of_native_functions(self.operators.as_bytes());
        bundle.insert(self.file, self.text.as_bytes());
        bundle
    }
}

/// A rule. Ids are never renamed or reused.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Its id.
    pub id: RuleId,
    /// Its subject.
    pub family: Family,
    /// The severity of its findings.
    pub severity: Severity,
    /// The step that fails.
    pub stage: Stage,
    /// The first release that it applies to.
    pub since: Release,
    /// The last release that it applies to, if it no longer does.
    pub until: Option<Release>,
    /// What it finds, as a paragraph.
    pub what: &'static str,
    /// Why that matters, and to whom.
    pub why: &'static str,
    /// An example that breaks it.
    pub bad: Example,
    /// The same example, fixed.
    pub good: Example,
    /// The file and function in PyTorch that decide it.
    pub source: &'static str,
}

impl Rule {
    /// A rule since PyTorch 2.0. Tables fill in its documentation.
    pub(crate) const fn new(
        id: RuleId,
        family: Family,
        severity: Severity,
        stage: Stage,
        example: Example,
        source: &'static str,
    ) -> Self {
        Self {
            id,
            family,
            severity,
            stage,
            since: Release::V2_0,
            until: None,
            what: "",
            why: "",
            bad: example,
            good: example,
            source,
        }
    }

    /// Whether the rule applies to a release.
    #[must_use]
    pub fn applies_to(&self, release: Release) -> bool {
        self.since <= release && self.until.is_none_or(|until| release <= until)
    }
}

/// The `native_functions.yaml` of examples of other files.
pub const OPERATORS: &str = "\
- func: scale(Tensor self, Tensor other) -> Tensor
  variants: function, method
  dispatch:
    CPU: scale_cpu
- func: scale_(Tensor(a!) self, Tensor other) -> Tensor(a!)
  variants: method
  dispatch:
    CPU: scale_cpu_
- func: scale.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
  dispatch:
    CPU: scale_out_cpu
- func: pair(Tensor self) -> (Tensor, Tensor)
  dispatch:
    CPU: pair_cpu
  autogen: pair.out
- func: best(Tensor self) -> (Tensor values, Tensor indices)
  dispatch:
    CPU: best_cpu
  autogen: best.out
# opatlas: allow(argument-naming-semantic) shows what formulas make of the name
- func: masked_backward(Tensor self, bool[2] grad_input_mask) -> Tensor
  dispatch:
    CPU: masked_backward_cpu
  autogen: masked_backward.out
- func: clash(Tensor self, Tensor values) -> (Tensor values, Tensor rest)
  dispatch:
    CPU: clash_cpu
  autogen: clash.out
# opatlas: allow(autogen-missing) its overload leaves no name for an out variant
- func: tidy.functional(Tensor self) -> Tensor
  dispatch:
    CPU: tidy_cpu
- func: stamp_(Tensor(a!) self, Tensor mark) -> Tensor(a!)
  variants: method
  dispatch:
    CPU: stamp_cpu_
  autogen: stamp, stamp.out
- func: decomposed(Tensor self) -> Tensor
- func: scaled(Tensor self, Tensor other, *, Scalar factor=1) -> Tensor
  dispatch:
    CPU: scaled_cpu
- func: scaled.out(Tensor self, Tensor other, *, Scalar factor=1, Tensor(a!) out) -> Tensor(a!)
  dispatch:
    CPU: scaled_out_cpu
";
