//! Rules of Python bindings and of `deprecated.yaml` (`docs/spec/files.md`, sections 7 and 9).
//!
//! What the generator refuses in `deprecated.yaml` is an error. What it refuses in operators is a
//! warning: torchgen reads the file, but the Python bindings are not generated.

mod deprecated;
mod docs;
mod overloads;

pub(super) use docs::RULES;

use super::scope::Scope;
use crate::sink::Sink;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_schema::faces::{Call, PythonSignature};
use rustc_hash::FxHashMap;

pub(super) fn check(scope: &Scope<'_>, sink: &mut Sink) {
    let catalogue = scope.catalogue;
    overloads::check(catalogue, sink);
    if let Some(file) = &catalogue.deprecated {
        deprecated::check(catalogue, file, sink);
    }
}

/// A set of overloads behind one Python name: those of `torch`, of `Tensor` or of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Place<'a> {
    Function,
    Method,
    Module(&'a str),
}

impl<'a> Place<'a> {
    /// Where an operator is bound.
    fn of(operator: &'a Operator) -> impl Iterator<Item = Self> {
        let variants = operator.variants();
        let module = operator.python_module();
        let function = variants.function && module.is_none();
        let method = variants.method && module.is_none();
        let places = [
            module.map(Self::Module),
            function.then_some(Self::Function),
            method.then_some(Self::Method),
        ];
        places.into_iter().flatten()
    }

    fn call(self) -> Call {
        match self {
            Self::Method => Call::Method,
            Self::Function | Self::Module(_) => Call::Function,
        }
    }
}

/// The signature that the generator compares an overload by.
fn text_of(catalogue: &Catalogue, id: OperatorId, place: Place<'_>) -> Option<String> {
    let maker = opatlas_operators::faces::FaceMaker::new(catalogue);
    let signature: PythonSignature<'_> = maker.python_signature(id, place.call())?;
    signature.text_without_out().ok()
}

/// Overloads of one name in one place.
type ByPlace<'a, T> = FxHashMap<(Place<'a>, &'a str), T>;
