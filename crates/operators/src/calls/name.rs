//! Names of bindings.

use std::fmt;

use crate::operator::Operator;

/// The module or class in which a name is bound.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// `torch`, for a function in Python that replaces the binding.
    Python,
    /// `torch`.
    Torch,
    /// The class `torch.Tensor`.
    Tensor,
    /// A module of `torch._C`, such as `nn` for `torch._C._nn`.
    Module(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Python | Self::Torch => f.write_str("torch"),
            Self::Tensor => f.write_str("Tensor"),
            Self::Module(module) => write!(f, "torch._C._{module}"),
        }
    }
}

/// The modules of `torch._C` with generated bindings.
const MODULES: [&str; 7] = [
    "nn", "linalg", "fft", "special", "sparse", "nested", "foreach",
];

/// Returns the bindings that a name may refer to, in lookup order.
#[must_use]
pub fn candidates(name: &str) -> Vec<(Place, String)> {
    let one = |place, name: &str| vec![(place, name.to_owned())];
    let name = name.trim();
    let tensor = name.strip_prefix("torch.Tensor.");
    let tensor = tensor.or_else(|| name.strip_prefix("torch._C.TensorBase."));
    if let Some(method) = tensor.or_else(|| name.strip_prefix("Tensor.")) {
        return one(Place::Tensor, method);
    }
    if let Some(function) = name.strip_prefix("torch._C._VariableFunctions.") {
        return one(Place::Torch, function);
    }
    if let Some(path) = name.strip_prefix("torch._C._") {
        let (module, function) = path.split_once('.').unwrap_or((path, ""));
        return one(Place::Module(module.to_owned()), function);
    }
    if let Some(function) = name.strip_prefix("torch.nn.functional.") {
        return one(Place::Module("nn".to_owned()), function);
    }
    let Some(path) = name.strip_prefix("torch.") else {
        let modules = MODULES.map(|module| Place::Module(module.to_owned()));
        let places = [Place::Python, Place::Torch, Place::Tensor].into_iter();
        let places = places.chain(modules);
        return places.map(|place| (place, name.to_owned())).collect();
    };
    match path.split_once('.') {
        Some((module, function)) => in_module(module, function),
        None => [Place::Python, Place::Torch]
            .map(|place| (place, path.to_owned()))
            .to_vec(),
    }
}

/// Returns the bindings of a function in a public module: `torch.linalg.norm` is `linalg_norm` in
/// `torch._C._linalg`, and `torch.sparse.mm` is `_sparse_mm` in `torch._C._sparse`.
fn in_module(module: &str, function: &str) -> Vec<(Place, String)> {
    let names = [
        format!("{module}_{function}"),
        format!("_{module}_{function}"),
        format!("_{function}"),
        function.to_owned(),
    ];
    let place = Place::Module(module.to_owned());
    names.map(|name| (place.clone(), name)).to_vec()
}

/// Returns the modules and classes in which the generator binds an operator.
pub(super) fn places_of(operator: &Operator) -> impl Iterator<Item = Place> + use<> {
    let variants = operator.variants();
    let module = operator.python_module();
    let places = [
        module.map(|module| Place::Module(module.to_owned())),
        (module.is_none() && variants.function).then_some(Place::Torch),
        (module.is_none() && variants.method).then_some(Place::Tensor),
    ];
    places.into_iter().flatten()
}
