//! Inner loops of ufuncs: their dtypes, and whether the kernels around them can be written
//! (torchgen `UfuncInnerLoop`, `dest/ufunc.py`).

use opatlas_operators::entry::{Entry, Field, Placed, UfuncLoop};
use opatlas_operators::operator::{Operator, OperatorId, PlacedEntry};
use opatlas_pytorch::release::Release;
use opatlas_schema::function::Argument;
use opatlas_schema::types::{BaseType, Type};
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::message;
use rustc_hash::{FxHashMap, FxHashSet};

use super::precomputed::is_writable;
use crate::scope::places::field_at;
use crate::scope::{CompleteGroup, Scope};
use crate::sink::Sink;

/// Names for several dtypes, equal in all releases (torchgen `DTYPE_CLASSES`).
const CLASSES: [(&str, &[&str]); 6] = [
    ("Integral", &["Byte", "Char", "Int", "Long", "Short"]),
    ("Floating", &["Float", "Double"]),
    ("Complex", &["ComplexFloat", "ComplexDouble"]),
    (
        "All",
        &["Byte", "Char", "Int", "Long", "Short", "Float", "Double"],
    ),
    (
        "AllAndComplex",
        &[
            "Byte",
            "Char",
            "Int",
            "Long",
            "Short",
            "Float",
            "Double",
            "ComplexFloat",
            "ComplexDouble",
        ],
    ),
    (
        "FloatingAndComplex",
        &["Float", "Double", "ComplexFloat", "ComplexDouble"],
    ),
];

/// The loops for CUDA functors.
const GENERAL: [&str; 2] = ["ScalarOnly", "Generic"];

/// The functors that bind one of two tensors, and the name that this tensor must have.
const BINDING: [(&str, &str); 2] = [
    ("CUDAFunctorOnSelf", "other"),
    ("CUDAFunctorOnOther", "self"),
];

pub(super) fn entry(placed: &PlacedEntry, release: Release, sink: &mut Sink) {
    let entry = &placed.entry;
    if entry.ufunc_inner_loop.is_empty() {
        return;
    }
    for dtype in entry
        .ufunc_inner_loop
        .iter()
        .flat_map(|inner| &inner.dtypes)
    {
        if !is_dtype(&dtype.value, release) {
            let diagnostic = unknown_dtype(dtype, release, sink);
            sink.entry(placed, diagnostic);
        }
    }
    let keys = release.data().ufunc_keys;
    for line in entry
        .dispatch
        .iter()
        .flatten()
        .filter(|line| keys.contains(line.key.as_str()))
    {
        let message = message!(
            "the inner loops already define the kernel for {}",
            line.key.as_str()
        );
        sink.entry(
            placed,
            Diagnostic::new(RuleId::Ufunc, line.key_at, message)
                .with_help("remove the line from `dispatch`")
                .with_related(
                    "the inner loops are here",
                    field_at(entry, Field::UfuncInnerLoop),
                ),
        );
    }
}

fn is_dtype(name: &str, release: Release) -> bool {
    class(name).is_some() || release.data().scalar_types.contains(name)
}

fn class(name: &str) -> Option<&'static [&'static str]> {
    let found = CLASSES.iter().find(|(class, _)| *class == name)?;
    Some(found.1)
}

fn unknown_dtype(dtype: &Placed<Box<str>>, release: Release, sink: &Sink) -> Diagnostic {
    let names = release
        .data()
        .scalar_types
        .iter()
        .chain(CLASSES.iter().map(|(name, _)| *name));
    let message = message!("unknown dtype `{}`", dtype.value);
    let diagnostic = Diagnostic::new(RuleId::Ufunc, dtype.at, message);
    if sink.is_full(RuleId::Ufunc) {
        return diagnostic;
    }
    match sink.suggestions.near(&dtype.value, names) {
        Some(nearest) => diagnostic.with_near_name(dtype.at, nearest),
        None => diagnostic.with_help(
            "write dtypes such as `Float`, or classes of dtypes such as `AllAndComplex`, separated \
             by a comma and one space",
        ),
    }
}

fn dtypes(inner: &UfuncLoop) -> impl Iterator<Item = &str> {
    inner.dtypes.iter().flat_map(|dtype| {
        let spelled = class(&dtype.value);
        let single = spelled.is_none().then_some(&*dtype.value);
        spelled.unwrap_or_default().iter().copied().chain(single)
    })
}

#[derive(Default)]
pub(super) struct Files<'c> {
    written: FxHashMap<&'c str, OperatorId>,
}

impl<'c> Files<'c> {
    pub(super) fn group(&mut self, scope: &Scope<'c>, group: CompleteGroup, sink: &mut Sink) {
        let Some(placed) = scope.operator(group.out).declared() else {
            return;
        };
        let entry = &placed.entry;
        if entry.ufunc_inner_loop.is_empty() {
            return;
        }
        let functional = scope.operator(group.functional);
        let base = functional.base_name();
        if let Some(&first) = self.written.get(base) {
            let message = message!(
                "another overload of `{}` is also a ufunc, and both generate the same file",
                base
            );
            let at = field_at(entry, Field::UfuncInnerLoop);
            let diagnostic = Diagnostic::new(RuleId::UfuncFileTaken, at, message)
                .with_help("write the kernels of one of them by hand");
            scope.report_with(
                sink,
                group.out,
                diagnostic,
                &[("the other ufunc is here", first, scope.name_at(first))],
            );
        } else {
            self.written.insert(base, group.out);
        }
        let known = dtypes_are_known(entry, scope.catalogue.release);
        if !known {
            return;
        }
        let ufunc = Ufunc::new(entry, functional);
        if let Some(argument) = ufunc.unusable_argument(scope.catalogue.release) {
            let message = message!(
                "inner loops take only plain tensors and scalars, not `{}` of type `{}`",
                argument.name,
                argument.ty
            );
            let diagnostic = Diagnostic::new(RuleId::UfuncArgumentType, argument.at.0, message)
                .with_help("remove `ufunc_inner_loop` and write the kernels by hand");
            let at = field_at(entry, Field::UfuncInnerLoop);
            let elsewhere = [("the inner loops are here", group.out, at)];
            scope.report_with(sink, group.functional, diagnostic, &elsewhere);
        } else if let Some(fault) = ufunc.fault() {
            scope.report(sink, group.out, fault);
        }
    }
}

fn dtypes_are_known(entry: &Entry, release: Release) -> bool {
    let all = entry
        .ufunc_inner_loop
        .iter()
        .flat_map(|inner| &inner.dtypes);
    all.clone().count() > 0 && all.into_iter().all(|dtype| is_dtype(&dtype.value, release))
}

struct Ufunc<'c> {
    entry: &'c Entry,
    arguments: &'c [Argument],
    /// Arguments of the kernel that replace precomputed ones.
    replaced: Vec<&'c str>,
}

impl<'c> Ufunc<'c> {
    fn new(entry: &'c Entry, functional: &'c Operator) -> Self {
        let replaced = entry.precomputed.iter().flat_map(|p| &p.replace);
        Self {
            entry,
            arguments: functional.schema().arguments.non_out(),
            replaced: replaced.map(|(left, _)| &*left.value).collect(),
        }
    }

    fn find(&self, key: &str) -> Option<&'c UfuncLoop> {
        self.entry
            .ufunc_inner_loop
            .iter()
            .find(|inner| &*inner.key.value == key)
    }

    fn has_cpu_loops(&self) -> bool {
        ["CPUScalar", "CPUVector", "ScalarOnly", "Generic"]
            .iter()
            .any(|key| self.find(key).is_some())
    }

    fn unusable_argument(&self, release: Release) -> Option<&'c Argument> {
        let on_cpu = self.has_cpu_loops();
        let usable = |argument: &&Argument| match &argument.ty {
            Type::Base(BaseType::Tensor) => true,
            Type::Base(BaseType::Scalar) => !self.replaced.contains(&&*argument.name),
            // CUDA functors take any value; CPU loops take only scalars.
            ty => {
                !on_cpu
                    && is_value(ty)
                    && is_writable(ty, release)
                    && !self.replaced.contains(&&*argument.name)
            }
        };
        self.arguments.iter().find(|argument| !usable(argument))
    }

    fn fault(&self) -> Option<Diagnostic> {
        let tensors: Vec<&Argument> = self
            .arguments
            .iter()
            .filter(|a| a.ty.is_tensor_like())
            .collect();
        self.names_differ(tensors.len())
            .or_else(|| self.misplaced_functor(tensors.len()))
            .or_else(|| self.missing_functor(tensors.len()))
            .or_else(|| self.functor_lacks_dtype(tensors.len()))
            .or_else(|| self.vector_without_scalar())
            .or_else(|| self.misnamed_tensor(&tensors))
    }

    fn report(
        &self,
        inner: &UfuncLoop,
        message: opatlas_source::Message,
        help: &'static str,
    ) -> Diagnostic {
        Diagnostic::new(RuleId::UfuncNamesMatch, inner.at, message).with_help(help)
    }

    fn functors(tensors: usize) -> &'static [&'static str] {
        if tensors == 2 {
            &["CUDAFunctorOnSelf", "CUDAFunctorOnOther", "CUDAFunctor"]
        } else {
            &["CUDAFunctor"]
        }
    }

    fn is_derived(&self, tensors: usize) -> bool {
        Self::functors(tensors)
            .iter()
            .any(|key| self.find(key).is_none())
    }

    fn names_differ(&self, tensors: usize) -> Option<Diagnostic> {
        let (scalar, generic) = (self.find("ScalarOnly")?, self.find("Generic")?);
        if scalar.name == generic.name || !self.is_derived(tensors) {
            return None;
        }
        let message = message!(
            "`ScalarOnly` is `{}` and `Generic` is `{}`, but the CUDA functor needs one function",
            scalar.name,
            generic.name
        );
        let diagnostic = self.report(scalar, message, "use the same function for both loops");
        Some(diagnostic.with_related("the generic loop is here", generic.at))
    }

    fn misplaced_functor(&self, tensors: usize) -> Option<Diagnostic> {
        if tensors == 2 {
            return None;
        }
        let (key, inner) = BINDING
            .iter()
            .find_map(|(key, _)| Some((key, self.find(key)?)))?;
        let message = message!(
            "`{}` needs an operator with two tensors; this one has {}",
            key,
            tensors
        );
        Some(self.report(inner, message, "remove the loop"))
    }

    fn missing_functor(&self, tensors: usize) -> Option<Diagnostic> {
        if GENERAL.iter().any(|key| self.find(key).is_some()) {
            return None;
        }
        let missing = Self::functors(tensors)
            .iter()
            .find(|key| self.find(key).is_none())?;
        let message = message!("no loop defines `{}`", missing);
        let inner = self.entry.ufunc_inner_loop.first()?;
        Some(self.report(
            inner,
            message,
            "add a `Generic` or `ScalarOnly` loop, or the functor",
        ))
    }

    fn functor_dtypes(&self, key: &str) -> FxHashSet<&'c str> {
        let general = || {
            GENERAL
                .iter()
                .filter_map(|key| self.find(key))
                .flat_map(dtypes)
        };
        match self.find(key) {
            Some(inner) => dtypes(inner).collect(),
            None => general().collect(),
        }
    }

    fn functor_lacks_dtype(&self, tensors: usize) -> Option<Diagnostic> {
        if tensors != 2 {
            return None;
        }
        let plain = self.functor_dtypes("CUDAFunctor");
        BINDING.iter().find_map(|(key, _)| {
            let inner = self.find(key).or_else(|| self.find("CUDAFunctor"))?;
            let bound = self.functor_dtypes(key);
            let mut missing: Vec<&str> = bound.difference(&plain).copied().collect();
            missing.sort_unstable();
            let message = message!(
                "`{}` covers {}, but `CUDAFunctor` does not",
                key,
                missing.first()?
            );
            Some(self.report(inner, message, "add the missing dtypes to `CUDAFunctor`"))
        })
    }

    fn vector_without_scalar(&self) -> Option<Diagnostic> {
        let vector = self.find("CPUVector")?;
        let scalars = ["CPUScalar", "ScalarOnly", "Generic"]
            .iter()
            .filter_map(|key| self.find(key));
        let covered: FxHashSet<&str> = scalars.flat_map(dtypes).collect();
        let missing = dtypes(vector).find(|dtype| !covered.contains(dtype))?;
        let message = message!("`CPUVector` covers {}, but no scalar loop does", missing);
        Some(self.report(
            vector,
            message,
            "add the missing dtypes to `CPUScalar`, `ScalarOnly` or `Generic`",
        ))
    }

    /// Functors that bind a tensor find it by name.
    fn misnamed_tensor(&self, tensors: &[&'c Argument]) -> Option<Diagnostic> {
        let [first, second] = tensors else {
            return None;
        };
        let expected = [(first, "self"), (second, "other")];
        let (argument, name) = expected
            .into_iter()
            .find(|(argument, name)| &*argument.name != *name)?;
        let inner = self.entry.ufunc_inner_loop.first()?;
        let message = message!(
            "a ufunc names its two tensors `self` and `other`; `{}` should be `{}`",
            argument.name,
            name
        );
        Some(self.report(
            inner,
            message,
            "rename the argument, or write the kernels by hand",
        ))
    }
}

/// Types that C++ passes by value (torchgen `cpp.valuetype_type`).
fn is_value(ty: &Type) -> bool {
    match ty {
        Type::Base(base) => !matches!(base, BaseType::Tensor | BaseType::Scalar),
        Type::Custom(_) | Type::Runtime(_) => true,
        Type::Optional(inner) => is_value(inner),
        Type::List(inner, size) => **inner == Type::Base(BaseType::Bool) && size.is_some(),
    }
}
