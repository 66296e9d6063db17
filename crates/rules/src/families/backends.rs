//! Rules of out-of-tree backend files (`docs/spec/files.md`, section 6). What is about the file
//! alone is reported while reading it.

use opatlas_source::diagnostic::RuleId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::derivatives::declaration;
use super::dispatch::has_symint;
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
        why: "Its keys say what the backend is called and what it supports.",
        bad: example("- scale\n"),
        ..error(RuleId::BackendRoot)
    },
    Rule {
        what: "`backend` and `cpp_namespace` have a value.",
        why: "The one names the dispatch key that kernels are registered to, the other the C++ namespace that they live in.",
        bad: example("backend: XLA\nsupported: [scale]\n"),
        ..error(RuleId::BackendRequired)
    },
    Rule {
        what: "A backend file has no other keys than backend, class_name, cpp_namespace, supported, symint, autograd, full_codegen, non_native, ir_gen, use_out_as_primary and device_guard.",
        why: "A misspelt key would silently change what is generated. `extra_headers` is refused too, although PyTorch's message lists it.",
        bad: example("backend: XLA\ncpp_namespace: acme\nsuported: [scale]\n"),
        ..error(RuleId::BackendKnownKeys)
    },
    Rule {
        what: "`supported`, `symint`, `autograd` and `full_codegen` are lists; `supported` and `symint` may be left empty.",
        why: "They are gone through operator by operator.",
        bad: example("backend: XLA\ncpp_namespace: acme\nsupported: scale\n"),
        ..error(RuleId::BackendSupportedList)
    },
    Rule {
        what: "`use_out_as_primary` and `device_guard` are booleans.",
        why: "Quoted or numeric values are no booleans to the reader.",
        bad: example("backend: XLA\ncpp_namespace: acme\nsupported: [scale]\ndevice_guard: 1\n"),
        ..error(RuleId::BackendBool)
    },
    Rule {
        what: "Every operator listed exists, by its full name without a namespace. Generated operators count.",
        why: "A kernel for an operator that is gone or misspelt would never be called.",
        bad: example("backend: XLA\ncpp_namespace: acme\nsupported: [scale.Tensor]\n"),
        source: "torchgen/gen_backend_stubs.py, create_backend_index",
        ..error(RuleId::BackendOpExists)
    },
    Rule {
        what: "`backend` is a dispatch key of the release when `supported` or `full_codegen` lists anything, and `Autograd` with the backend's name is one when `autograd` does.",
        why: "Kernels are registered to these keys.",
        bad: example("backend: ACME\ncpp_namespace: acme\nsupported: [scale]\n"),
        ..error(RuleId::BackendKey)
    },
    Rule {
        what: "No operator in native_functions.yaml has a kernel on the backend's key.",
        why: "That key belongs to a backend inside PyTorch; the tables of the two are not merged.",
        bad: example("backend: CPU\ncpp_namespace: acme\nsupported: [scale]\n"),
        ..error(RuleId::BackendKeyTaken)
    },
    Rule {
        what: "The functional, in-place and out variants of one operator are all listed for the backend's key or all under `autograd`.",
        why: "Registrations are written for the variants together, to one of the two keys.",
        bad: example(
            "backend: XLA\ncpp_namespace: acme\nsupported: [scale]\nautograd: [scale.out]\n",
        ),
        ..error(RuleId::BackendNoMix)
    },
    Rule {
        what: "An operator is listed once.",
        why: "Repeating it does nothing; mostly another overload was meant.",
        bad: example("backend: XLA\ncpp_namespace: acme\nsupported: [scale, scale]\n"),
        source: "torchgen/gen_backend_stubs.py, create_backend_index",
        ..rule(RuleId::BackendDuplicateOp, Severity::Warning)
    },
    Rule {
        what: "Operators under `symint` are also listed under `supported`, `full_codegen` or `autograd`.",
        why: "`symint` only changes the kernels of listed operators; by itself it does nothing.",
        bad: example(
            "backend: XLA\ncpp_namespace: acme\nsupported: [scale]\nsymint: [scale.out]\n",
        ),
        source: "torchgen/gen_backend_stubs.py, create_backend_index",
        ..rule(RuleId::BackendSymintUnlisted, Severity::Warning)
    },
    Rule {
        what: "An operator whose kernel takes symbolic sizes has a SymInt argument. A kernel takes them when its operator stands under `symint`, or has `_symint` in its name. In 2.0 a SymInt among the returns will do. Nothing is asked of a file without operators for the backend's own key.",
        why: "The kernel is declared with symbolic sizes, and there is no size that could be one.",
        bad: example("backend: XLA\ncpp_namespace: acme\nsupported: [scale]\nsymint: [scale]\n"),
        source: "torchgen/api/types/signatures.py: kernel_signature",
        ..error(RuleId::BackendSymintNeedsSymint)
    },
];

const FILE: &str = "backends/acme.yaml";

const fn example(text: &'static str) -> Example {
    Example { file: FILE, text }
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

pub(super) fn check(catalogue: &Catalogue, sink: &mut Sink) {
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
    for (id, operator) in catalogue.iter() {
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
        self.sink.about(self.name, &name, diagnostic);
        if let Some(related) = declaration(self.catalogue, operator) {
            self.sink.relate(related);
        }
    }

    fn exist(&mut self, listed: &[Listed<'_>]) {
        for (_, op) in self.sink.while_wanted(listed) {
            let name = &*op.value;
            let native = &self.catalogue.native_functions;
            if self.catalogue.find(name).is_some() || native.may_hide(name) {
                continue;
            }
            let diagnostic = Diagnostic::new(
                RuleId::BackendOpExists,
                op.at,
                format!("there is no operator `{name}`"),
            );
            let diagnostic = match self.sink.is_full(RuleId::BackendOpExists) {
                true => diagnostic,
                false => self.suggest(name, op.at, diagnostic),
            };
            self.sink.about(self.name, name, diagnostic);
        }
    }

    fn suggest(&self, name: &str, at: Span, diagnostic: Diagnostic) -> Diagnostic {
        let names = || self.catalogue.operators.iter().map(|o| o.name().as_str());
        if let Some((_, bare)) = name.rsplit_once("::")
            && self.catalogue.find(bare).is_some()
        {
            return diagnostic
                .with_help("write the name without its namespace")
                .with_fix(at, bare);
        }
        let base = name.split('.').next().unwrap_or(name);
        let overloads = self.catalogue.overloads(base).iter().take(6);
        let overloads: Vec<&str> = overloads
            .map(|&id| self.catalogue.operator(id).name().as_str())
            .collect();
        if !overloads.is_empty() {
            let overloads = overloads.join("`, `");
            return diagnostic.with_help(format!("the overloads of `{base}` are `{overloads}`"));
        }
        match self.sink.suggestions.nearest(name, names()) {
            Some(near) => diagnostic.with_near_name(at, name, near),
            None => diagnostic.with_help("remove it, or add the operator to native_functions.yaml"),
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
            let message = format!(
                "the key `{key}` has kernels in {NATIVE_FUNCTIONS} already, such as that of `{}`",
                self.catalogue.operator(operator).qualified_name()
            );
            let diagnostic = Diagnostic::new(RuleId::BackendKeyTaken, backend.at, message)
                .with_help(
                    "register to a key that is not used inside PyTorch, such as `PrivateUse1`",
                );
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
            message: "a kernel on this key".into(),
            file: Some(NATIVE_FUNCTIONS.into()),
            span: placed.place(kernel.key_at),
        })
    }

    fn unknown_key(&self, name: &str, backend: &Placed<Box<str>>, of: KeyOf) -> Diagnostic {
        let release = self.catalogue.release;
        let diagnostic = Diagnostic::new(
            RuleId::BackendKey,
            backend.at,
            format!("`{name}` is no dispatch key of PyTorch {release}"),
        );
        let known = release.data().dispatch_keys_known;
        // A backend may be called anything, so only another spelling of a key is taken for one.
        let spelled = known.iter().find(|key| key.eq_ignore_ascii_case(name));
        match (of, spelled) {
            (KeyOf::Backend, Some(key)) => diagnostic.with_near_name(backend.at, name, key),
            (KeyOf::Backend, None) => diagnostic.with_help(
                "name a dispatch key; `PrivateUse1` is free for backends outside PyTorch",
            ),
            (KeyOf::Autograd, _) => diagnostic.with_help(
                "only backends with an autograd key of their own can have an `autograd` list",
            ),
        }
    }

    fn repeated(&mut self, listed: &[Listed<'_>]) {
        let mut first: FxHashMap<&str, Span> = FxHashMap::default();
        for (listing, op) in self.sink.while_wanted(listed) {
            let Some(earlier) = first.insert(&op.value, op.at) else {
                continue;
            };
            let message = format!(
                "`{}` is listed again under `{}`",
                op.value,
                listing.as_str()
            );
            let diagnostic = Diagnostic::new(RuleId::BackendDuplicateOp, op.at, message)
                .with_help("remove one of the two")
                .with_related("listed here too", earlier);
            self.report(self.catalogue.find(&op.value), diagnostic);
        }
    }

    /// The variants of one operator are not split between the two keys. Only a group with a
    /// functional and an out variant counts as one; other operators stand alone.
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
                format!(
                    "`{}` is listed both for the backend and under `autograd`",
                    op.value
                )
            } else {
                format!(
                    "`{}` is listed under `autograd`, but its variant `{}` for the backend",
                    op.value, other.value
                )
            };
            let diagnostic = Diagnostic::new(RuleId::BackendNoMix, op.at, message)
                .with_help("list all variants of an operator in the same place")
                .with_related("listed for the backend here", other.at);
            self.report(Some(id), diagnostic);
        }
    }

    /// The operator that stands for a group.
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
            let message = format!(
                "`{}` is listed under `symint` alone, which does nothing",
                op.value
            );
            let diagnostic = Diagnostic::new(RuleId::BackendSymintUnlisted, op.at, message)
                .with_help("list it under `supported` too, or remove it");
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
                    format!(
                        "`{}` stands under `symint`, but has no SymInt argument",
                        op.value
                    ),
                ),
                None if kernel.contains("_symint") => (
                    op.at,
                    format!(
                        "`{kernel}` is a kernel for symbolic sizes by its name, but `{}` has no SymInt argument",
                        op.value
                    ),
                ),
                None => continue,
            };
            let diagnostic = Diagnostic::new(RuleId::BackendSymintNeedsSymint, at, message).with_help(
                "take the operator out of `symint`, or make its sizes `SymInt` in native_functions.yaml",
            );
            self.report(Some(id), diagnostic);
        }
    }
}

/// An operator and the list that it stands in.
type Listed<'f> = (Listing, &'f Placed<Box<str>>);

/// Which of a backend's two keys.
#[derive(Clone, Copy)]
enum KeyOf {
    Backend,
    Autograd,
}
