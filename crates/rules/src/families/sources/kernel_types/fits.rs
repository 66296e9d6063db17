//! Whether the kernels of each operator fit it.

use std::collections::BTreeMap;

use opatlas_operators::catalogue::Catalogue;
use opatlas_source::{Message, message};
use opatlas_sources::{File, Registration, RegistrationKind};

use super::has_typed_kernel;
use crate::sink::Sink;

/// Whether an operator accepts the kernels that sources register for it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum KernelFit {
    /// All of them compile and load.
    Fits,
    /// The sources do not decide it, for this reason.
    Unknown(Message),
    /// One does not compile or load, for this reason.
    Refused(Message),
}

/// Judges the kernels of each operator that sources register, by the operator's qualified name
/// (`docs/spec/sources.md`, section 8). `files` have their names in the bundle.
#[must_use]
pub fn kernel_fits(catalogue: &Catalogue, files: &[File<'_>]) -> BTreeMap<Box<str>, KernelFit> {
    let mut fits = BTreeMap::new();
    let mut note = |operator: &str, fit: KernelFit| {
        let worst = fits.entry(operator.into()).or_insert(KernelFit::Fits);
        if *worst < fit {
            *worst = fit;
        }
    };
    let sources = &catalogue.sources;
    let is_kernel = |row: &&Registration| {
        row.kind == RegistrationKind::Impl && row.unresolved.is_none() && row.kernel.is_some()
    };
    for row in sources.rows().iter().filter(is_kernel) {
        let Some(operator) = row.qualified_name() else {
            continue;
        };
        let fits_always = row.boxed || row.fallthrough;
        let is_judged = fits_always || has_typed_kernel(row, sources.file(row.file));
        note(
            &operator,
            if is_judged {
                KernelFit::Fits
            } else {
                unjudged(row)
            },
        );
    }
    let judged = super::check(catalogue, files, &mut Sink::new(catalogue.release));
    for unknown in judged.unknown {
        note(
            &unknown.operator,
            KernelFit::Unknown(message!("{}", unknown.reason)),
        );
    }
    for refused in judged.refused {
        note(&refused.operator, KernelFit::Refused(refused.why));
    }
    fits
}

/// `true` if [`kernel_fits`] gives the same result for another revision under the rules of the same
/// release and with the same sources.
#[must_use]
pub fn expects_alike<'n>(
    operators: impl IntoIterator<Item = &'n str>,
    old: &Catalogue,
    new: &Catalogue,
) -> bool {
    let expected = |catalogue: &'_ Catalogue, name: &str| {
        let operator = catalogue.operator(catalogue.find_qualified(name)?);
        let is_structured = operator.is_part_of_structured_group();
        Some((operator.schema().clone(), is_structured))
    };
    let mut operators = operators.into_iter();
    operators.all(|name| expected(old, name) == expected(new, name))
}

fn unjudged(row: &Registration) -> KernelFit {
    KernelFit::Unknown(message!(
        "the type of a kernel that `{}` registers is not judged",
        row.through
    ))
}
