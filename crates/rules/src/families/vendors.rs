//! Rules of vendors' files: supersets of backend files, and entries that are laid over PyTorch's
//! (`docs/spec/vendors.md`). What is about the text alone is reported while reading it.

use std::sync::Arc;

use super::derivatives::declaration;
use super::scope::Scope;
use crate::sink::Sink;
use crate::{Example, Family, Rule, Stage};
use opatlas_operators::backend::BackendFile;
use opatlas_operators::backend::vendor::{Section, VendorEntry, VendorFile, WholeSchema};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::faces::FaceMaker;
use opatlas_operators::operator::{Declaration, Operator, OperatorId, VendorOperator};
use opatlas_pytorch::release::Release;
use opatlas_source::VENDOR;
use opatlas_source::diagnostic::{Diagnostic, RuleId, Severity};
use opatlas_source::{Message, message};

/// All of them.
pub(super) static RULES: [Rule; 5] = [
    Rule {
        what: "A file with sections or entries that only generators of vendors read has a vendor \
               profile.",
        why: "PyTorch's generator rejects such a file. A profile says what its keys, fields and \
              names mean; those of some vendors are built in.",
        bad: example(
            "backend: ACME\ncpp_namespace: acme\nsupported:\n- func: scale\n  fast: True\n",
        ),
        ..rule(RuleId::BackendSuperset, Severity::Error)
    },
    Rule {
        what: "A whole schema in a vendor's file is the schema that PyTorch has in this release.",
        why: "The kernel has the signature of the old schema. PyTorch calls it with the arguments \
              of its own.",
        bad: example("backend: NPU\nsupported:\n- func: scale(Tensor self) -> Tensor\n"),
        ..rule(RuleId::SchemaDrift, Severity::Warning)
    },
    Rule {
        what: "An entry of a vendor's file has only fields that the vendor profile lists.",
        why: "A misspelt field has no effect.",
        bad: example("backend: NPU\nsupported:\n- func: scale\n  op_aip: True\n"),
        ..rule(RuleId::VendorField, Severity::Warning)
    },
    Rule {
        what: "`vendor.yaml` is a mapping with `key`, and with name, namespace, cpp_namespace, \
               spellings, keys, fields and versions where they are needed.",
        why: "It says how the backend files of the bundle are read.",
        bad: profile("name: Acme\n"),
        good: profile("name: Acme\nkey: PrivateUse1\nspellings: [ACME]\n"),
        ..rule(RuleId::VendorProfile, Severity::Error)
    },
    Rule {
        what: "Every entry of a vendor's file names an operator. A schema in it can be read, and \
               operators of the vendor's own have one.",
        why: "Without its schema an operator cannot be declared or compared.",
        bad: example("backend: NPU\ncustom:\n- func: mine(Tensor self -> Tensor\n"),
        ..rule(RuleId::VendorSchema, Severity::Error)
    },
];

const fn example(text: &'static str) -> Example {
    Example::of("backends/acme.yaml", text)
}

const fn profile(text: &'static str) -> Example {
    Example::of(VENDOR, text)
}

const fn rule(id: RuleId, severity: Severity) -> Rule {
    Rule {
        id,
        family: Family::Backends,
        severity,
        stage: Stage::Convention,
        since: Release::V2_0,
        until: None,
        what: "",
        why: "",
        bad: example(""),
        good: example(
            "backend: NPU\nsupported:\n- func: scale(Tensor self, Tensor other) -> Tensor\n  \
             op_api: True\ncustom:\n- func: mine(Tensor self) -> Tensor\n",
        ),
        source: "none; PyTorch has no such files",
    }
}

pub(super) fn check(scope: &Scope<'_>, sink: &mut Sink) {
    let catalogue = scope.catalogue;
    sink.complaints(VENDOR, &catalogue.vendor_diagnostics);
    for (name, file) in &catalogue.backends {
        if let Some(vendor) = &file.vendor {
            drift(catalogue, name, file, vendor, sink);
        }
    }
}

/// Compares the whole schemas of PyTorch's operators with PyTorch's.
fn drift(
    catalogue: &Catalogue,
    name: &str,
    file: &BackendFile,
    vendor: &VendorFile,
    sink: &mut Sink,
) {
    let current = vendor.entries.iter().filter(|entry| {
        let is_compared = !entry.section.is_own() && entry.section != Section::Derivatives;
        is_compared && entry.versions.contain(catalogue.release)
    });
    let maker = std::cell::LazyCell::new(|| FaceMaker::new(catalogue));
    for entry in sink.while_wanted(current) {
        let (Some(whole), Some(id)) = (&entry.schema, native(catalogue, vendor, entry)) else {
            continue;
        };
        let operator = catalogue.operator(id);
        if *whole.canonical == *operator.canonical() || file.text.is_empty() {
            continue;
        }
        let mut diagnostic = Diagnostic::new(
            RuleId::SchemaDrift,
            whole.at,
            message!(
                "`{}` differs from PyTorch {}: `{}` here, `{}` there",
                entry.name.value,
                catalogue.release,
                whole.canonical,
                operator.canonical()
            ),
        );
        if !sink.is_full(RuleId::SchemaDrift) {
            diagnostic = diagnostic.with_help(help(&maker, operator, whole));
        }
        sink.about(name, operator.qualified_name(), diagnostic);
        if let Some(related) = declaration(catalogue, id) {
            sink.relate(related);
        }
    }
}

/// PyTorch's operator of an entry.
fn native(catalogue: &Catalogue, vendor: &VendorFile, entry: &VendorEntry) -> Option<OperatorId> {
    let found = catalogue.find_in(vendor.namespace_of(entry), &entry.name.value)?;
    catalogue
        .operator(found)
        .vendor()
        .is_none()
        .then_some(found)
}

/// What to do, with the C++ declarations if they differ.
fn help(maker: &FaceMaker<'_>, operator: &Operator, whole: &Arc<WholeSchema>) -> Message {
    let declaration = Declaration::Vendor(Arc::new(VendorOperator {
        schema: whole.schema.clone(),
        canonical: whole.canonical.clone(),
        signature: whole.signature.clone(),
        namespace: "aten".into(),
        file: "".into(),
        at: whole.at,
    }));
    let ours = Operator::new(declaration, Arc::from([]), false);
    match (maker.dispatcher(&ours), maker.dispatcher(operator)) {
        ((Some(ours), _), (Some(theirs), _)) if ours != theirs => message!(
            "adapt the schema and the kernel: its C++ declaration is `{}` here and `{}` \
             in PyTorch",
            ours,
            theirs
        ),
        _ => "adapt the schema; the C++ declaration of the kernel stays the same".into(),
    }
}
