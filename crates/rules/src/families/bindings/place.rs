//! Where Python binds operators.

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::faces::FaceMaker;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_schema::faces::{Call, PythonSignature};
use rustc_hash::FxHashMap;

/// A set of overloads behind one Python name: those of `torch`, of `Tensor` or of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Place<'a> {
    Function,
    Method,
    Module(&'a str),
}

impl<'a> Place<'a> {
    pub(super) fn of(operator: &'a Operator) -> impl Iterator<Item = Self> {
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

    pub(super) fn call(self) -> Call {
        match self {
            Self::Method => Call::Method,
            Self::Function | Self::Module(_) => Call::Function,
        }
    }
}

pub(super) fn text_of(catalogue: &Catalogue, id: OperatorId, place: Place<'_>) -> Option<String> {
    let maker = FaceMaker::new(catalogue);
    let signature: PythonSignature<'_> = maker.python_signature(id, place.call())?;
    signature.text_without_out().ok()
}

pub(super) type ByPlace<'a, T> = FxHashMap<(Place<'a>, &'a str), T>;
