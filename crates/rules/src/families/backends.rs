//! Rules of out-of-tree backend files (`docs/spec/files.md`, section 6). The parser reports problems of the
//! text alone.

use opatlas_operators::backend::{BackendFile, Listing, dispatch_key};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::entry::Placed;
use opatlas_operators::operator::OperatorId;
use opatlas_source::diagnostic::{Diagnostic, Related, RuleId};
use opatlas_source::sentence::codes;
use opatlas_source::suggest::Near;
use opatlas_source::{NATIVE_FUNCTIONS, Span, message};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::scope::Scope;
use crate::scope::places::declaration;
use crate::scope::types::has_symint;
use crate::sink::Sink;

pub(super) fn check(scope: &Scope<'_>, sink: &mut Sink) {
    let catalogue = scope.catalogue;
    if catalogue.backends.is_empty() {
        return;
    }
    let taken = keys_with_kernels(catalogue);
    for (name, file) in &catalogue.backends {
        sink.complaints(name, &file.diagnostics);
        if file.is_mapping {
            let mut check = Check {
                catalogue,
                name,
                file,
                taken: &taken,
                sink,
            };
            check.all();
        }
    }
}

fn keys_with_kernels(catalogue: &Catalogue) -> FxHashMap<&str, OperatorId> {
    let mut keys = FxHashMap::default();
    for (id, operator) in catalogue.native() {
        for kernel in operator.kernels() {
            keys.entry(kernel.key.as_str()).or_insert(id);
        }
    }
    keys
}

struct Check<'c> {
    catalogue: &'c Catalogue,
    name: &'c str,
    file: &'c BackendFile,
    taken: &'c FxHashMap<&'c str, OperatorId>,
    sink: &'c mut Sink,
}

impl<'c> Check<'c> {
    fn all(&mut self) {
        let supported: Vec<_> = self.file.on_backend_key().collect();
        let autograd: Vec<_> = self.file.autograd.iter().collect();
        let autograd: Vec<_> = autograd
            .into_iter()
            .map(|op| (Listing::Autograd, op))
            .collect();
        self.exist(&supported);
        self.exist(&autograd);
        self.key(&supported, KeyOf::Backend);
        self.key(&autograd, KeyOf::Autograd);
        self.repeated(&supported);
        self.repeated(&autograd);
        // The rules below are those of PyTorch's own generator.
        if self.file.vendor.is_some() {
            return;
        }
        self.mixed(&supported, &autograd);
        self.symint(&supported, &autograd);
        if !supported.is_empty() {
            self.symbolic(supported.iter().chain(&autograd));
        }
    }

    fn report(&mut self, operator: Option<OperatorId>, diagnostic: Diagnostic) {
        let Some(operator) = operator else {
            self.sink.file(self.name, diagnostic);
            return;
        };
        let name = self.catalogue.operator(operator).qualified_name();
        self.sink.about(self.name, name, diagnostic);
        if let Some(related) = declaration(self.catalogue, operator) {
            self.sink.relate(related);
        }
    }

    fn exist(&mut self, listed: &[Listed<'_>]) {
        for (_, op) in self.sink.while_wanted(listed) {
            let name = &*op.value;
            let native = &self.catalogue.native_functions;
            if self.file.listed(self.catalogue, name).is_some() || native.may_hide(name) {
                continue;
            }
            let diagnostic = Diagnostic::new(
                RuleId::BackendOpExists,
                op.at,
                message!("unknown operator `{}`", name),
            );
            let diagnostic = if self.sink.is_full(RuleId::BackendOpExists) {
                diagnostic
            } else {
                self.suggest(name, op.at, diagnostic)
            };
            self.sink.about(self.name, name, diagnostic);
        }
    }

    fn suggest(&self, name: &str, at: Span, diagnostic: Diagnostic) -> Diagnostic {
        let names = || self.catalogue.operators.iter().map(|o| o.name_text());
        if let Some((_, bare)) = name.rsplit_once("::")
            && self.catalogue.find(bare).is_some()
        {
            return diagnostic
                .with_help("remove the namespace from the name")
                .with_fix(at, bare);
        }
        let base = name.split('.').next().unwrap_or(name);
        let overloads = self.catalogue.overloads(base).iter().take(6);
        let overloads: Vec<&str> = overloads
            .map(|&id| self.catalogue.operator(id).name_text())
            .collect();
        if !overloads.is_empty() {
            return diagnostic.with_help(message!(
                "the overloads of `{}` are {}",
                base,
                codes(overloads)
            ));
        }
        match self.sink.suggestions.near(name, names()) {
            Some(near) => diagnostic.with_near_name(at, near),
            None => diagnostic
                .with_help("remove the name, or declare the operator in native_functions.yaml"),
        }
    }

    fn key(&mut self, listed: &[Listed<'_>], of: KeyOf) {
        let Some(backend) = &self.file.backend else {
            return;
        };
        if listed.is_empty() {
            return;
        }
        let name = match of {
            KeyOf::Backend => backend.value.to_string(),
            KeyOf::Autograd => format!("Autograd{}", backend.value),
        };
        let Some(key) = dispatch_key(&name, self.catalogue.release) else {
            let diagnostic = self.unknown_key(&name, backend, of);
            self.report(None, diagnostic);
            return;
        };
        // A file without `backend` goes by its profile, which may place kernels beside PyTorch's.
        if !backend.at.is_empty()
            && let Some(&operator) = self.taken.get(key)
        {
            let message = message!(
                "`{}` already has kernels in {}, for example for `{}`",
                key,
                NATIVE_FUNCTIONS,
                self.catalogue.operator(operator).qualified_name()
            );
            let diagnostic = Diagnostic::new(RuleId::BackendKeyTaken, backend.at, message)
                .with_help("use a key that PyTorch itself does not use, such as `PrivateUse1`");
            let related = self.kernel_on(operator, key);
            self.report(None, diagnostic);
            if let Some(related) = related {
                self.sink.relate(related);
            }
        }
    }

    fn kernel_on(&self, operator: OperatorId, key: &str) -> Option<Related> {
        let placed = self.catalogue.entry(operator)?;
        let kernel = placed.entry.kernel(key)?;
        Some(Related {
            message: "a kernel on this key is here".into(),
            file: Some(NATIVE_FUNCTIONS.into()),
            span: placed.place(kernel.key_at),
        })
    }

    fn unknown_key(&self, name: &str, backend: &Placed<Box<str>>, of: KeyOf) -> Diagnostic {
        let release = self.catalogue.release;
        let diagnostic = Diagnostic::new(
            RuleId::BackendKey,
            backend.at,
            message!("`{}` is not a dispatch key of PyTorch {}", name, release),
        );
        let known = release.data().dispatch_keys_known;
        // Any name is valid for a backend, so only another spelling of a key is reported.
        let spelled = known.iter().find(|key| key.eq_ignore_ascii_case(name));
        match (of, spelled) {
            (KeyOf::Backend, Some(key)) => diagnostic.with_near_name(backend.at, Near::only(key)),
            (KeyOf::Backend, None) => diagnostic.with_help(
                "use an existing dispatch key; `PrivateUse1` is reserved for backends outside \
                 PyTorch",
            ),
            (KeyOf::Autograd, _) => diagnostic
                .with_help("the backend needs its own autograd key to have an `autograd` list"),
        }
    }

    fn repeated(&mut self, listed: &[Listed<'_>]) {
        let mut first: FxHashMap<&str, Span> = FxHashMap::default();
        for (listing, op) in self.sink.while_wanted(listed) {
            let Some(earlier) = first.insert(&op.value, op.at) else {
                continue;
            };
            let message = message!(
                "`{}` is listed a second time, under `{}`",
                op.value,
                listing.as_str()
            );
            let diagnostic = Diagnostic::new(RuleId::BackendDuplicateOp, op.at, message)
                .with_help("remove one of the two")
                .with_related("also listed here", earlier);
            self.report(self.catalogue.find(&op.value), diagnostic);
        }
    }

    /// Checks that variants of one operator share a key. Only complete groups count; other
    /// operators are checked individually.
    fn mixed(&mut self, supported: &[Listed<'_>], autograd: &[Listed<'_>]) {
        let mut by_group: FxHashMap<OperatorId, &Placed<Box<str>>> = FxHashMap::default();
        for (_, op) in supported {
            if let Some(id) = self.catalogue.find(&op.value) {
                by_group.entry(self.representative(id)).or_insert(op);
            }
        }
        for (_, op) in autograd {
            let Some(id) = self.catalogue.find(&op.value) else {
                continue;
            };
            let Some(other) = by_group.get(&self.representative(id)) else {
                continue;
            };
            let message = if other.value == op.value {
                message!(
                    "`{}` is listed both for the backend and under `autograd`",
                    op.value
                )
            } else {
                message!(
                    "`{}` is listed under `autograd`, but its variant `{}` is listed for the \
                     backend",
                    op.value,
                    other.value
                )
            };
            let diagnostic = Diagnostic::new(RuleId::BackendNoMix, op.at, message)
                .with_help("list all variants of an operator in one place")
                .with_related("listed for the backend here", other.at);
            self.report(Some(id), diagnostic);
        }
    }

    fn representative(&self, id: OperatorId) -> OperatorId {
        let group = self.catalogue.groups.of(id);
        match (group.functional, group.out) {
            (Some(functional), Some(_)) => functional,
            _ => id,
        }
    }

    fn symint(&mut self, supported: &[Listed<'_>], autograd: &[Listed<'_>]) {
        let listed: FxHashSet<&str> = supported
            .iter()
            .chain(autograd)
            .map(|(_, op)| &*op.value)
            .collect();
        let file: &'c BackendFile = self.file;
        for op in file.symint.iter().filter(|op| !listed.contains(&*op.value)) {
            let message = message!(
                "`{}` is listed only under `symint`, which has no effect",
                op.value
            );
            let diagnostic = Diagnostic::new(RuleId::BackendSymintUnlisted, op.at, message)
                .with_help("also list it under `supported`, or remove it");
            self.report(self.catalogue.find(&op.value), diagnostic);
        }
    }

    /// Checks that kernels with symbolic sizes have such sizes. The generator declares kernels only
    /// if the backend's own key has any.
    fn symbolic<'l>(&mut self, listed: impl Iterator<Item = &'l Listed<'c>>)
    where
        'c: 'l,
    {
        let file: &'c BackendFile = self.file;
        let symint: FxHashMap<&str, Span> =
            file.symint.iter().map(|op| (&*op.value, op.at)).collect();
        let mut seen = FxHashSet::default();
        for (_, op) in self.sink.while_wanted(listed) {
            let Some(id) = self.catalogue.find(&op.value).filter(|id| seen.insert(*id)) else {
                continue;
            };
            let schema = self.catalogue.operator(id).schema();
            if has_symint(schema, self.catalogue.release) {
                continue;
            }
            let kernel = schema.default_kernel();
            let (at, message) = match symint.get(&*op.value) {
                Some(&at) => (
                    at,
                    message!(
                        "`{}` is listed under `symint`, but has no SymInt argument",
                        op.value
                    ),
                ),
                None if kernel.contains("_symint") => (
                    op.at,
                    message!(
                        "kernel `{}` takes symbolic sizes (`_symint`), but `{}` has no \
                         SymInt argument",
                        kernel,
                        op.value
                    ),
                ),
                None => continue,
            };
            let diagnostic = Diagnostic::new(RuleId::BackendSymintNeedsSymint, at, message)
                .with_help(
                    "remove the operator from `symint`, or declare its sizes as `SymInt` in \
                     native_functions.yaml",
                );
            self.report(Some(id), diagnostic);
        }
    }
}

type Listed<'f> = (Listing, &'f Placed<Box<str>>);

#[derive(Clone, Copy)]
enum KeyOf {
    Backend,
    Autograd,
}
