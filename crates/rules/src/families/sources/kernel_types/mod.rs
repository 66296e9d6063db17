//! C++ types of kernels that register themselves (`docs/spec/sources.md`, section 8).
//!
//! The compiler refuses some types. When a library is loaded, the dispatcher refuses kernels whose
//! type does not match their operator. If only a build can decide the type, the result is an
//! [`UnknownKernel`].

mod compiles;
mod expected;
mod fits;
mod inferred;
mod judge;
mod kernels;

use opatlas_operators::catalogue::Catalogue;
use opatlas_source::diagnostic::{Diagnostic, Related, RuleId};
use opatlas_source::{Message, Span, message};
use opatlas_sources::{File, Language, Registration, RegistrationKind};
use rustc_hash::FxHashMap;

use crate::sink::Sink;
use expected::{Expectations, Expected};
use judge::{Judgement, Refusal};
use kernels::{Kernel, Kernels};

pub use fits::{KernelFit, expects_alike, kernel_fits};

/// A registered kernel whose C++ type the sources do not decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownKernel {
    /// The file of the registration.
    pub file: Box<str>,
    /// The registration.
    pub at: Span,
    /// The operator, with its namespace unless that is `aten`.
    pub operator: Box<str>,
    /// The kernel as written, or `lambda` if it has no name.
    pub kernel: Box<str>,
    /// The reason why the type is unknown.
    pub reason: Box<str>,
}

/// The kernels that do not fit, and those that may not.
#[derive(Debug, Default)]
pub(super) struct Judged {
    pub(super) unknown: Vec<UnknownKernel>,
    refused: Vec<RefusedKernel>,
}

/// A kernel that does not compile or load.
#[derive(Debug)]
struct RefusedKernel {
    operator: Box<str>,
    why: Message,
}

/// Macros that wrap the function that they name, so the kernel has another type.
const ADAPTING: [&str; 3] = ["VMAP_SUPPORT", "VMAP_SUPPORT2", "NEED_PLAIN"];

pub(super) fn check(catalogue: &Catalogue, files: &[File<'_>], sink: &mut Sink) -> Judged {
    let sources = &catalogue.sources;
    let rows: Vec<&Registration> = sources
        .rows()
        .iter()
        .filter(|row| has_typed_kernel(row, sources.file(row.file)))
        .collect();
    let mut judged = Judged::default();
    if rows.is_empty() {
        return judged;
    }
    let by_name: FxHashMap<&str, u32> = (0..).zip(files).map(|(i, file)| (file.path, i)).collect();
    let kernels = Kernels::of(files, &rows);
    let expectations = Expectations::new(catalogue);
    let mut first: FxHashMap<(Box<str>, bool), Accepted> = FxHashMap::default();
    for row in rows {
        let name = sources.file(row.file);
        let (Some(&index), Some(operator)) = (by_name.get(name), row.qualified_name()) else {
            continue;
        };
        let Some(file) = files.get(index as usize) else {
            continue;
        };
        let place = Row {
            row,
            file: name,
            operator: &operator,
        };
        match kernels.of_row(row, index, file) {
            Ok(candidates) => {
                place.judge(
                    candidates,
                    &expectations,
                    &mut first,
                    files,
                    &mut judged,
                    sink,
                );
            }
            Err(reason) => {
                let unknown = reason.map(|reason| place.unknown(reason));
                judged.unknown.extend(unknown);
            }
        }
    }
    let unknown = &mut judged.unknown;
    unknown.sort_by(|a, b| (&a.file, a.at.start).cmp(&(&b.file, b.at.start)));
    judged
}

fn has_typed_kernel(row: &Registration, file: &str) -> bool {
    let adapts = ADAPTING.iter().any(|part| {
        let through = &*row.through;
        through == *part || (*part == "NEED_PLAIN" && through.contains(part))
    });
    Language::of(file) == Some(Language::Cpp)
        && row.kind != RegistrationKind::Fallback
        && row.unresolved.is_none()
        && row.kernel.is_some()
        && !row.fallthrough
        && !row.boxed
        && !adapts
        && !row.through.contains("RegisterOperators")
}

/// The first kernel of an operator. Later kernels must have its type.
struct Accepted {
    kernel: Kernel,
    file: Box<str>,
    at: Span,
}

struct Row<'r> {
    row: &'r Registration,
    file: &'r str,
    operator: &'r str,
}

impl Row<'_> {
    fn unknown(&self, reason: Box<str>) -> UnknownKernel {
        UnknownKernel {
            file: self.file.into(),
            at: self.row.at,
            operator: self.operator.into(),
            kernel: self.row.kernel.clone().unwrap_or_default(),
            reason,
        }
    }

    fn refused(&self, why: Message) -> RefusedKernel {
        RefusedKernel {
            operator: self.operator.into(),
            why,
        }
    }

    /// Judges a registration. If it may refer to several functions, one that fits is enough.
    fn judge(
        &self,
        candidates: Vec<Kernel>,
        expectations: &Expectations<'_>,
        first: &mut FxHashMap<(Box<str>, bool), Accepted>,
        files: &[File<'_>],
        judged: &mut Judged,
        sink: &mut Sink,
    ) {
        let expected = expectations.of(self.row);
        let mut refused: Option<(Kernel, Refusal)> = None;
        let mut reason = None;
        for kernel in candidates {
            match judge::judge(&kernel, &expected) {
                Judgement::Fits => {
                    let accepted = self.accepted(kernel, &expected, first, files, sink);
                    return judged.refused.extend(accepted);
                }
                Judgement::Unknown(why) => reason = Some(why),
                Judgement::Refused(why) => refused = refused.or(Some((kernel, why))),
            }
        }
        match (reason, refused) {
            (Some(reason), _) => judged.unknown.push(self.unknown(reason)),
            (None, Some((kernel, refusal))) => {
                let refused = self.report(&kernel, &refusal, &expected, files, sink);
                judged.refused.push(refused);
            }
            (None, None) => {}
        }
    }

    /// Checks a kernel against the first one of its operator. Kernels with symbolic sizes and
    /// kernels with plain sizes are compared separately. Returns it if it is refused.
    fn accepted(
        &self,
        kernel: Kernel,
        expected: &Expected,
        first: &mut FxHashMap<(Box<str>, bool), Accepted>,
        files: &[File<'_>],
        sink: &mut Sink,
    ) -> Option<RefusedKernel> {
        let is_symbolic = judge::is_symbolic(&kernel.parameters);
        // A library that a function creates may end before another one begins.
        let is_certain = self.row.condition.is_none()
            && !kernel.is_one_of_several
            && expected.schemas.len() == 1
            && self.row.through.starts_with("TORCH_LIBRARY");
        if expected.signature(is_symbolic).is_some() || !is_certain {
            return None;
        }
        let slot = (self.operator.into(), is_symbolic);
        let Some(earlier) = first.get(&slot) else {
            let (file, at) = self.place_of(&kernel, files);
            let accepted = Accepted { kernel, file, at };
            first.insert(slot, accepted);
            return None;
        };
        let difference = judge::difference(&kernel, &earlier.kernel.signature())?;
        let (file, at) = self.place_of(&kernel, files);
        let message = message!(
            "two kernels of `{}` have different C++ types, so the library does not load: {}",
            self.operator,
            difference
        );
        let diagnostic =
            Diagnostic::new(RuleId::SourceKernelType, at, message.clone()).with_help(message!(
                "declare both alike; the other one is `{}`",
                earlier.kernel.shown()
            ));
        sink.about(&file, self.operator, diagnostic);
        sink.relate(Related {
            message: "the other kernel".into(),
            file: Some(earlier.file.clone()),
            span: earlier.at,
        });
        Some(self.refused(message))
    }

    /// Returns the place of the function if a file defines it, and of the registration otherwise.
    fn place_of(&self, kernel: &Kernel, files: &[File<'_>]) -> (Box<str>, Span) {
        let file = kernel.defined.and_then(|(file, at)| {
            let file = files.get(file as usize)?;
            Some((file.path.into(), at))
        });
        file.unwrap_or_else(|| (self.file.into(), self.row.at))
    }

    fn report(
        &self,
        kernel: &Kernel,
        refusal: &Refusal,
        expected: &Expected,
        files: &[File<'_>],
        sink: &mut Sink,
    ) -> RefusedKernel {
        let (file, at) = self.place_of(kernel, files);
        let name = self.row.kernel.as_deref().unwrap_or_default();
        let (rule, message) = match refusal {
            Refusal::Compile(why) => (
                RuleId::SourceKernelUncompilable,
                message!(
                    "the kernel `{}` of `{}` does not compile: {}",
                    name,
                    self.operator,
                    why
                ),
            ),
            Refusal::Load(why) => (
                RuleId::SourceKernelType,
                message!(
                    "the library does not load: the kernel `{}` does not have the type of `{}`: {}",
                    name,
                    self.operator,
                    why
                ),
            ),
        };
        let mut diagnostic = Diagnostic::new(rule, at, message.clone());
        if let Some(help) = self.help(kernel, expected) {
            diagnostic = diagnostic.with_help(help);
        }
        sink.about(&file, self.operator, diagnostic);
        if kernel.defined.is_some() {
            sink.relate(Related {
                message: "registered here".into(),
                file: Some(self.file.into()),
                span: self.row.at,
            });
        }
        self.refused(message)
    }

    fn help(&self, kernel: &Kernel, expected: &Expected) -> Option<Message> {
        let is_symbolic = judge::is_symbolic(&kernel.parameters);
        let declared = expected.declaration(is_symbolic)?;
        Some(message!(
            "it is declared as `{}`; declare it as `{}`",
            kernel.shown(),
            declared
        ))
    }
}
