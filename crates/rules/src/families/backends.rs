//! Rules of out-of-tree backend files (`docs/spec/files.md`, section 6). What is about the file
//! alone is reported while reading it.

use opatlas_source::diagnostic::RuleId;
use opatlas_source::message;
use opatlas_source::sentence::codes;
use rustc_hash::{FxHashMap, FxHashSet};

use super::derivatives::declaration;
use super::dispatch::has_symint;
use super::scope::Scope;
use crate::sink::Sink;
use crate::{Example, Family, Rule, Stage};
use opatlas_operators::backend::{BackendFile, Listing, dispatch_key};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::entry::Placed;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::{Diagnostic, Related, Severity};
use opatlas_source::{NATIVE_FUNCTIONS, Span};

/// All of them.
pub(super) static RULES: [Rule; 12] = [
    Rule {
        what: "A backend file is a mapping.",
        why: "Its keys name the backend and state what it supports.",
        bad: example("- scale\n"),
        ..error(RuleId::BackendRoot)
    },
    Rule {
        what: "`backend` and `cpp_namespace` have a value.",
        why: "`backend` names the dispatch key of the kernels, and `cpp_namespace` the C++ \
              namespace that defines them.",
        bad: example("backend: XLA\nsupported: [scale]\n"),
        ..error(RuleId::BackendRequired)
    },
    Rule {
        what: "A backend file has only the keys backend, class_name, cpp_namespace, supported, \
               symint, autograd, full_codegen, non_native, ir_gen, use_out_as_primary and \
               device_guard.",
        why: "A misspelt key would silently change the generated code. PyTorch also rejects \
              `extra_headers`, although its error message lists that key.",
        bad: example("backend: XLA\ncpp_namespace: acme\nsuported: [scale]\n"),
        ..error(RuleId::BackendKnownKeys)
    },
    Rule {
        what: "`supported`, `symint`, `autograd` and `full_codegen` are lists; `supported` and `symint` may be left empty.",
        why: "The generator iterates over them operator by operator.",
        bad: example("backend: XLA\ncpp_namespace: acme\nsupported: scale\n"),
        ..error(RuleId::BackendSupportedList)
    },
    Rule {
        what: "`use_out_as_primary` and `device_guard` are booleans.",
        why: "The generator does not accept quoted or numeric values as booleans.",
        bad: example("backend: XLA\ncpp_namespace: acme\nsupported: [scale]\ndevice_guard: 1\n"),
        ..error(RuleId::BackendBool)
    },
    Rule {
        what: "Every listed operator exists and is listed by its full name, without a namespace. \
               Generated operators count.",
        why: "PyTorch would never call a kernel for an operator that was removed or is misspelt.",
        bad: example("backend: XLA\ncpp_namespace: acme\nsupported: [scale.Tensor]\n"),
        source: "torchgen/gen_backend_stubs.py, create_backend_index",
        ..error(RuleId::BackendOpExists)
    },
    Rule {
        what: "`backend` is a dispatch key of the release if `supported` or `full_codegen` lists \
               an operator. `Autograd` followed by the backend's name is a dispatch key if \
               `autograd` lists one.",
        why: "The generator registers kernels to these keys.",
        bad: example("backend: ACME\ncpp_namespace: acme\nsupported: [scale]\n"),
        ..error(RuleId::BackendKey)
    },
    Rule {
        what: "No operator in native_functions.yaml has a kernel on the backend's key.",
        why: "Such a key belongs to a backend inside PyTorch, and the generator does not merge the \
              kernels of the two.",
        bad: example("backend: CPU\ncpp_namespace: acme\nsupported: [scale]\n"),
        ..error(RuleId::BackendKeyTaken)
    },
    Rule {
        what: "The functional, in-place and out variants of an operator are either all listed for \
               the backend's key or all listed under `autograd`.",
        why: "The generator registers all variants to one of the two keys.",
        bad: example(
            "backend: XLA\ncpp_namespace: acme\nsupported: [scale]\nautograd: [scale.out]\n",
        ),
        ..error(RuleId::BackendNoMix)
    },
    Rule {
        what: "An operator is listed only once.",
        why: "A repeated name has no effect; usually another overload was meant.",
        bad: example("backend: XLA\ncpp_namespace: acme\nsupported: [scale, scale]\n"),
        source: "torchgen/gen_backend_stubs.py, create_backend_index",
        ..rule(RuleId::BackendDuplicateOp, Severity::Warning)
    },
    Rule {
        what: "Operators under `symint` are also listed under `supported`, `full_codegen` or `autograd`.",
        why: "`symint` only changes the kernels of operators that are listed elsewhere; by itself \
              it has no effect.",
        bad: example(
            "backend: XLA\ncpp_namespace: acme\nsupported: [scale]\nsymint: [scale.out]\n",
        ),
        source: "torchgen/gen_backend_stubs.py, create_backend_index",
        ..rule(RuleId::BackendSymintUnlisted, Severity::Warning)
    },
    Rule {
        what: "An operator whose kernel takes symbolic sizes has a SymInt argument. A kernel takes \
               symbolic sizes if its operator is listed under `symint`, or if its name contains \
               `_symint`. In 2.0 a SymInt return is enough. The rule does not apply to a file \
               without operators for the backend's own key.",
        why: "The generator declares the kernel with symbolic sizes, but the schema has no \
              symbolic size.",
        bad: example("backend: XLA\ncpp_namespace: acme\nsupported: [scale]\nsymint: [scale]\n"),
        source: "torchgen/api/types/signatures.py: kernel_signature",
        ..error(RuleId::BackendSymintNeedsSymint)
    },
];

const FILE: &str = "backends/acme.yaml";

const fn example(text: &'static str) -> Example {
    Example::of(FILE, text)
}

const fn rule(id: RuleId, severity: Severity) -> Rule {
    Rule {
        id,
        family: Family::Backends,
        severity,
        stage: Stage::Codegen,
        since: Release::V2_0,
        until: None,
        what: "",
        why: "",
        bad: example(""),
        good: example("backend: XLA\ncpp_namespace: acme\nsupported:\n- scale\n- scale.out\n"),
        source: "torchgen/gen_backend_stubs.py, parse_backend_yaml",
    }
}

const fn error(id: RuleId) -> Rule {
    rule(id, Severity::Error)
}

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

/// The keys that operators have kernels on, each with one of them.
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
            let diagnostic = match self.sink.is_full(RuleId::BackendOpExists) {
                true => diagnostic,
                false => self.suggest(name, op.at, diagnostic),
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
        match self.sink.suggestions.nearest(name, names()) {
            Some(near) => diagnostic.with_near_name(at, name, near),
            None => diagnostic
                .with_help("remove the name, or declare the operator in native_functions.yaml"),
        }
    }

    /// The key exists and is free, where something is registered to it.
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
        if let Some(&operator) = self.taken.get(key) {
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
        // A backend may be called anything, so only another spelling of a key is taken for one.
        let spelled = known.iter().find(|key| key.eq_ignore_ascii_case(name));
        match (of, spelled) {
            (KeyOf::Backend, Some(key)) => diagnostic.with_near_name(backend.at, name, key),
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

    /// The variants of one operator are not split between the two keys. Only a group with a
    /// functional and an out variant counts as one; other operators count individually.
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

    /// The operator that represents a group.
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

    /// Kernels with symbolic sizes need such sizes. The generator writes kernels down only when
    /// there are some for the backend's own key.
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

/// An operator and the list that contains it.
type Listed<'f> = (Listing, &'f Placed<Box<str>>);

/// Which of a backend's two keys.
#[derive(Clone, Copy)]
enum KeyOf {
    Backend,
    Autograd,
}
