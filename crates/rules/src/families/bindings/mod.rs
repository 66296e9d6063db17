//! Rules of Python bindings and of `deprecated.yaml` (`docs/spec/files.md`, sections 7 and 9).
//!
//! torchgen reads what these rules find, but `gen_autograd_python` stops.

mod calls;
mod deprecated;
mod lone;
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
