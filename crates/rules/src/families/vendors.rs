//! Rules of vendors' files (`docs/spec/vendors.md`): supersets of backend files, and overlays. The
//! parser reports problems of the text alone.

use std::sync::Arc;

use opatlas_operators::backend::vendor::{Section, VendorEntry, VendorFile, WholeSchema};
use opatlas_operators::backend::{BackendFile, dispatch_key};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::faces::FaceMaker;
use opatlas_operators::operator::{Declaration, Operator, OperatorId, VendorOperator};
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::suggest::nearest;
use opatlas_source::{Message, VENDOR, message};

use crate::scope::Scope;
use crate::scope::places::declaration;
use crate::sink::Sink;

pub(super) fn check(scope: &Scope<'_>, sink: &mut Sink) {
    let catalogue = scope.catalogue;
    sink.complaints(VENDOR, &catalogue.vendor_diagnostics);
    for (name, file) in &catalogue.backends {
        if let Some(vendor) = &file.vendor {
            drift(catalogue, name, file, vendor, sink);
            keys(catalogue, name, file, sink);
        }
    }
}

/// Keys of entries that the release does not have.
fn keys(catalogue: &Catalogue, name: &str, file: &BackendFile, sink: &mut Sink) {
    let release = catalogue.release;
    let own = file.backend.as_ref().map(|backend| &*backend.value);
    let unknown = file.placed.iter().filter(|placed| {
        // The rules of backend files judge the backend's own key.
        own != Some(&*placed.key) && dispatch_key(&placed.key, release).is_none()
    });
    for placed in sink.while_wanted(unknown) {
        let message = message!(
            "`{}` is not a dispatch key of PyTorch {}",
            placed.key,
            release
        );
        let diagnostic = Diagnostic::new(RuleId::BackendKey, placed.at, message);
        let known = release.data().dispatch_keys_known;
        let diagnostic = match nearest(&placed.key, known.iter()) {
            Some(near) => diagnostic.with_help(message!("did you mean `{}`?", near)),
            None => diagnostic.with_help(
                "use a key that PyTorch has, or add the spelling to `spellings` of the vendor profile",
            ),
        };
        sink.about(name, &placed.operator, diagnostic);
    }
}

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

fn native(catalogue: &Catalogue, vendor: &VendorFile, entry: &VendorEntry) -> Option<OperatorId> {
    let found = catalogue.find_in(vendor.namespace_of(entry), &entry.name.value)?;
    catalogue
        .operator(found)
        .vendor()
        .is_none()
        .then_some(found)
}

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
