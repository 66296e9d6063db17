//! Registrations that PyTorch refuses when the library is compiled or loaded, or warns about
//! (`aten/src/ATen/core/library.cpp`, `aten/src/ATen/core/dispatch/OperatorEntry.cpp`).

use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::keys::{Keys, NotRegistrable};
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::{Diagnostic, Related, RuleId};
use opatlas_source::{Message, message};
use opatlas_sources::{Language, Registration, RegistrationKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::sink::Sink;

pub(super) fn check(catalogue: &Catalogue, sink: &mut Sink) {
    let rows = catalogue.sources.rows();
    let certain = rows.iter().filter(|row| row.unresolved.is_none());
    let mut blocks = FxHashSet::default();
    for row in sink.while_wanted(certain) {
        namespace(catalogue, row, sink);
        if blocks.insert((row.file, row.block, row.key.as_deref())) {
            key(catalogue, row, sink);
        }
    }
    again(catalogue, sink);
}

fn report(catalogue: &Catalogue, row: &Registration, sink: &mut Sink, diagnostic: Diagnostic) {
    let file = catalogue.sources.file(row.file);
    match row.qualified_name() {
        Some(name) => sink.about(file, &name, diagnostic),
        None => sink.file(file, diagnostic),
    }
}

fn namespace(catalogue: &Catalogue, row: &Registration, sink: &mut Sink) {
    let (Some(own), Some(library)) = (row.namespace.as_deref(), row.library.as_deref()) else {
        return;
    };
    if own == library || library == "_" {
        return;
    }
    let operator = row.operator.as_deref().unwrap_or_default();
    let message = message!(
        "`{}::{}` is not in the namespace `{}` of its library, so loading fails",
        own,
        operator,
        library
    );
    let help = message!("write `{}`, or use a library for `{}`", operator, own);
    let diagnostic = Diagnostic::new(RuleId::SourceNamespace, row.at, message).with_help(help);
    report(catalogue, row, sink, diagnostic);
}

fn key(catalogue: &Catalogue, row: &Registration, sink: &mut Sink) {
    let release = catalogue.release;
    let Some(name) = row.key.as_deref() else {
        return;
    };
    let is_python = is_python(catalogue, row);
    match Keys::of(release).registrable(name) {
        Err(NotRegistrable::Unknown) => {}
        Err(NotRegistrable::Unparseable(_)) if is_python => {}
        _ => return,
    }
    let known = Keys::of(release).names();
    let near = sink.suggestions.nearest(name, known).map(str::to_owned);
    // In C++, a name in capitals may be a macro from a header that was not scanned.
    let may_be_macro = !is_python && !name.bytes().any(|byte| byte.is_ascii_lowercase());
    let other = elsewhere(name, release);
    if may_be_macro && near.is_none() && other.is_none() {
        return;
    }
    let fails = if is_python { "import" } else { "compile" };
    let message = message!("`{}` is not a dispatch key of PyTorch {}", name, release);
    let help: Message = match (other, near) {
        (Some(other), _) => message!(
            "PyTorch {} has this key; with {} the file does not {}",
            other,
            release,
            fails
        ),
        (None, Some(near)) => message!(
            "did you mean `{}`? As it is, the file does not {}",
            near,
            fails
        ),
        (None, None) => message!("use an existing key; as it is, the file does not {}", fails),
    };
    let names_key = row.through.ends_with("IMPL");
    let at = if names_key { row.block } else { row.at };
    let diagnostic = Diagnostic::new(RuleId::SourceKeyUnknown, at, message).with_help(help);
    report(catalogue, row, sink, diagnostic);
}

fn is_python(catalogue: &Catalogue, row: &Registration) -> bool {
    Language::of(catalogue.sources.file(row.file)) == Some(Language::Python)
}

/// Finds the newest other release that has a key.
fn elsewhere(name: &str, release: Release) -> Option<Release> {
    let mut others = Release::all().filter(|other| *other != release);
    let has = |other: &Release| Keys::of(*other).registrable(name).is_ok();
    others.rfind(has)
}

/// Reports kernels that replace an earlier kernel of the sources at the same key.
fn again(catalogue: &Catalogue, sink: &mut Sink) {
    let sources = &catalogue.sources;
    let mut first: FxHashMap<(String, &str, Option<&str>), &Registration> = FxHashMap::default();
    // Python code, such as tests, often registers kernels temporarily in functions.
    let is_passing = |row: &&Registration| is_python(catalogue, row) && row.condition.is_some();
    let rows = sources.rows().iter();
    let rows = rows.filter(|row| row.kind == RegistrationKind::Impl && row.is_dispatched());
    for row in sink.while_wanted(rows.filter(|row| !is_passing(row))) {
        let (Some(name), Some(key)) = (row.qualified_name(), row.key.as_deref()) else {
            continue;
        };
        let place = (name, key, row.condition.as_deref());
        let Some(earlier) = first.get(&place).copied() else {
            first.insert(place, row);
            continue;
        };
        if (earlier.file, earlier.at) == (row.file, row.at) {
            continue;
        }
        let message = message!(
            "`{}` already has a kernel at {}; this one replaces it when both are loaded",
            place.0,
            key
        );
        let diagnostic = Diagnostic::new(RuleId::SourceKernelAgain, row.at, message)
            .with_help("remove one of the two");
        report(catalogue, row, sink, diagnostic);
        sink.relate(Related {
            message: "the other kernel is here".into(),
            file: Some(sources.file(earlier.file).into()),
            span: earlier.at,
        });
    }
}
