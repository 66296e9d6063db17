//! Differences between sources and files.

use opatlas_operators::backend::{BackendFile, dispatch_key};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::faces::FaceMaker;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::handwritten;
use opatlas_schema::faces::Sizes;
use opatlas_source::diagnostic::{Diagnostic, Related, RuleId};
use opatlas_source::{Span, message};
use opatlas_sources::{
    File, Function, Functions, Registration, RegistrationKind, Sources, parameter_types,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::scope::Scope;
use crate::sink::Sink;

pub(super) fn check(scope: &Scope<'_>, sink: &mut Sink) {
    let catalogue = scope.catalogue;
    let sources = &catalogue.sources;
    for fault in sources.faults() {
        sink.file(
            sources.file(fault.file),
            Diagnostic::new(RuleId::SourceUnread, fault.at, fault.kind.as_str()),
        );
    }
    if sources.is_empty() {
        return;
    }
    let listed = listed(catalogue);
    let undeclared = undeclared(catalogue, sources);
    for row in sources.rows().iter().filter(|row| row.is_dispatched()) {
        if row.kind != RegistrationKind::Impl || row.namespace.as_deref() != Some("aten") {
            continue;
        }
        let Some(name) = row.operator.as_deref() else {
            continue;
        };
        match catalogue.find(name) {
            Some(id) => twice(catalogue, row, id, &listed, sink),
            None if undeclared.contains(name) => {}
            None => unknown(catalogue, row, name, sink),
        }
    }
}

/// The file index and position of each listed operator and key.
fn listed(catalogue: &Catalogue) -> FxHashMap<(OperatorId, &'static str), (usize, Span)> {
    let mut listed = FxHashMap::default();
    for (index, (_, file)) in catalogue.backends.iter().enumerate() {
        for kernels in file.kernels(catalogue) {
            for kernel in kernels.kernels {
                listed.insert((kernel.operator, kernels.key), (index, kernel.at));
            }
        }
    }
    listed
}

/// Operators of `aten` that the runtime or the sources define without an entry.
fn undeclared<'a>(catalogue: &Catalogue, sources: &'a Sources) -> FxHashSet<&'a str> {
    let defined = sources
        .rows()
        .iter()
        .filter(|row| row.kind == RegistrationKind::Def);
    let mut names: FxHashSet<&'a str> = defined.filter_map(|row| row.operator.as_deref()).collect();
    for name in handwritten::operators_without_yaml(catalogue.release) {
        names.insert(name);
    }
    names
}

fn twice(
    catalogue: &Catalogue,
    row: &Registration,
    id: OperatorId,
    listed: &FxHashMap<(OperatorId, &'static str), (usize, Span)>,
    sink: &mut Sink,
) {
    let key = row.key.as_deref().unwrap_or_default();
    let known = dispatch_key(key, catalogue.release);
    let place = known.and_then(|key| listed.get(&(id, key)));
    let Some((file, span)) = place else {
        return;
    };
    let name = row.operator.as_deref().unwrap_or_default();
    let message = message!(
        "`{}` is registered to {} here and listed in the backend file",
        name,
        key
    );
    let file_name = &catalogue.backends[*file].0;
    let diagnostic = Diagnostic::new(RuleId::SourceDeclaredTwice, row.at, message)
        .with_help("remove one of the two: the registration that runs last wins");
    sink.about(catalogue.sources.file(row.file), name, diagnostic);
    sink.relate(Related {
        message: "listed here".into(),
        file: Some(file_name.clone()),
        span: *span,
    });
}

fn unknown(catalogue: &Catalogue, row: &Registration, name: &str, sink: &mut Sink) {
    let message = message!(
        "no operator `aten::{}` exists in PyTorch {}",
        name,
        catalogue.release
    );
    let known = catalogue.iter().map(|(_, operator)| operator.name_text());
    let near = sink.suggestions.nearest(name, known).map(str::to_owned);
    let diagnostic = Diagnostic::new(RuleId::SourceOperatorUnknown, row.at, message);
    let diagnostic = match near {
        Some(near) => diagnostic.with_help(message!("did you mean `{}`?", near)),
        None => diagnostic.with_help("remove the registration, or define the operator"),
    };
    sink.about(catalogue.sources.file(row.file), name, diagnostic);
}

pub(super) fn kernels(catalogue: &Catalogue, files: &[File<'_>], sink: &mut Sink) {
    for (name, backend) in &catalogue.backends {
        let promised = promised(catalogue, backend);
        let wanted: FxHashSet<&str> = promised.iter().map(|kernel| &*kernel.name).collect();
        let class = class_name(backend);
        let found = Functions::find(files, |name| wanted.contains(name));
        let is_member = |function: &&Function| function.scope.rsplit("::").next() == Some(&class);
        let mut of_name: FxHashMap<&str, Vec<&Function>> = FxHashMap::default();
        for function in found.all.iter().filter(is_member) {
            of_name.entry(&function.name).or_default().push(function);
        }
        if of_name.is_empty() {
            continue;
        }
        for kernel in &promised {
            kernel.check(catalogue, files, name, &class, &of_name, sink);
        }
    }
}

struct Promised {
    name: Box<str>,
    operator: OperatorId,
    at: Span,
    is_symbolic: bool,
}

/// The C++ class of the kernels (torchgen `gen_backend_stubs.run`).
fn class_name(backend: &BackendFile) -> String {
    match (&backend.class_name, &backend.backend) {
        (Some(class), _) => class.value.to_string(),
        (None, Some(backend)) => format!("{}NativeFunctions", backend.value),
        (None, None) => String::new(),
    }
}

/// Kernels written by hand; those under `full_codegen` are generated.
fn promised(catalogue: &Catalogue, backend: &BackendFile) -> Vec<Promised> {
    let generated: FxHashSet<&str> = backend.full_codegen.iter().map(|op| &*op.value).collect();
    let mut promised = Vec::new();
    for kernels in backend.kernels(catalogue) {
        for kernel in kernels.kernels {
            let name = catalogue.operator(kernel.operator).name();
            if generated.contains(name.as_str()) {
                continue;
            }
            promised.push(Promised {
                is_symbolic: kernel.kernel.ends_with("_symint"),
                name: kernel.kernel,
                operator: kernel.operator,
                at: kernel.at,
            });
        }
    }
    promised
}

impl Promised {
    fn check(
        &self,
        catalogue: &Catalogue,
        files: &[File<'_>],
        backend: &str,
        class: &str,
        of_name: &FxHashMap<&str, Vec<&Function>>,
        sink: &mut Sink,
    ) {
        let operator = catalogue.operator(self.operator);
        let name = operator.name_text();
        let sizes = if self.is_symbolic {
            Sizes::Symbolic
        } else {
            Sizes::Concrete
        };
        let stub = FaceMaker::new(catalogue).backend_declaration(operator, sizes);
        let declared = stub.as_deref().unwrap_or_default();
        let Some(functions) = of_name.get(&*self.name) else {
            let message = message!(
                "the sources define no `{}::{}` for `{}`",
                class,
                self.name,
                name
            );
            let diagnostic = Diagnostic::new(RuleId::SourceKernelMissing, self.at, message);
            let diagnostic = diagnostic.with_help(message!("define `{}`", declared));
            return sink.about(backend, name, diagnostic);
        };
        let expected = parameter_types(declared);
        let fits = |function: &&&Function| function.parameters == expected;
        if stub.is_none() || functions.iter().any(|function| fits(&function)) {
            return;
        }
        let Some(function) = functions.first() else {
            return;
        };
        let file = files
            .get(function.file as usize)
            .map_or("", |file| file.path);
        let message = message!(
            "`{}::{}` has other parameters than `{}` declares",
            class,
            self.name,
            name
        );
        let diagnostic = Diagnostic::new(RuleId::SourceKernelSignature, function.at, message)
            .with_help(message!("define `{}`", declared));
        sink.about(file, name, diagnostic);
        sink.relate(Related {
            message: "listed here".into(),
            file: Some(backend.into()),
            span: self.at,
        });
    }
}
