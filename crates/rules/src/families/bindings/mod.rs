//! Rules of Python bindings and of `deprecated.yaml` (`docs/spec/files.md`, sections 7 and 9).
//!
//! What the generator rejects in `deprecated.yaml` is an error. What it rejects in operators is a
//! warning: torchgen reads the file, but cannot generate Python bindings.

mod deprecated;
mod overloads;
mod place;

use crate::scope::Scope;
use crate::sink::Sink;

pub(super) fn check(scope: &Scope<'_>, sink: &mut Sink) {
    let catalogue = scope.catalogue;
    overloads::check(catalogue, sink);
    if let Some(file) = &catalogue.deprecated {
        deprecated::check(catalogue, file, sink);
    }
}
