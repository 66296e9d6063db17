//! Whether and where Python binds an operator (`tools/autograd/gen_python_functions.py`).

use rustc_hash::FxHashMap;

use crate::catalogue::Catalogue;
use crate::operator::Operator;

/// Where Python has an operator. A binding has a name, and the argument parser behind it chooses
/// among overloads; so the first three fields are about the name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bound {
    /// `torch` has a function of this name.
    pub torch: bool,
    /// `Tensor` has a method or attribute of this name.
    pub tensor: bool,
    /// The module that has a function of this name, such as `_nn` or `_linalg` in `torch._C`.
    pub module: Option<String>,
    /// Whether one of these calls can reach this overload itself. Generated out variants and some
    /// overloads with a number are left out of the parser.
    pub overload: bool,
}

impl Bound {
    /// Whether Python has the name at all.
    #[must_use]
    pub fn anywhere(&self) -> bool {
        self.torch || self.tensor || self.module.is_some()
    }
}

/// What is bound of a base name.
#[derive(Debug, Clone, Copy, Default)]
struct Names<'a> {
    torch: bool,
    tensor: bool,
    module: Option<&'a str>,
}

/// What is bound of every base name of a revision.
#[derive(Debug)]
pub(super) struct BoundNames<'a> {
    catalogue: &'a Catalogue,
    names: FxHashMap<&'a str, Names<'a>>,
}

impl<'a> BoundNames<'a> {
    pub(super) fn of(catalogue: &'a Catalogue) -> Self {
        let lists = &catalogue.release.data().bindings;
        let mut names: FxHashMap<&str, Names<'_>> = FxHashMap::default();
        for operator in &catalogue.operators {
            let name = operator.name().base();
            let (module, variants) = (operator.python_module(), operator.variants());
            let generated = is_reached(operator, catalogue);
            let known = names.entry(name).or_default();
            match module {
                Some(module) => known.module = known.module.or(generated.then_some(module)),
                None => {
                    known.torch |=
                        variants.function && (generated || lists.functions_by_hand.contains(name));
                    known.tensor |=
                        variants.method && (generated || lists.methods_by_hand.contains(name));
                }
            }
        }
        Self { catalogue, names }
    }

    pub(super) fn bound(&self, operator: &Operator) -> Bound {
        let name = operator.name().base();
        let names = self.names.get(name).copied().unwrap_or_default();
        let (module, variants) = (operator.python_module(), operator.variants());
        let torch = module.is_none() && variants.function && names.torch;
        let tensor = module.is_none() && variants.method && names.tensor;
        let lists = &self.catalogue.release.data().bindings;
        let by_hand = (torch && lists.functions_by_hand.contains(name))
            || (tensor && lists.methods_by_hand.contains(name));
        let module = module.filter(|_| names.module.is_some());
        let is_bound = torch || tensor || module.is_some();
        Bound {
            torch,
            tensor,
            module: module.map(|module| format!("_{module}")),
            overload: is_bound && (by_hand || is_reached(operator, self.catalogue)),
        }
    }
}

/// Whether the generator makes a binding that takes this overload (torchgen
/// `should_generate_py_binding`).
fn is_reached(operator: &Operator, catalogue: &Catalogue) -> bool {
    let lists = &catalogue.release.data().bindings;
    let copies_view = || operator.has_tag("view_copy");
    if operator.namespace() != "aten" || (operator.has_tag("generated") && !copies_view()) {
        return false;
    }
    let schema = operator.schema();
    let is_skipped = match schema.arguments.out().is_empty() {
        true => lists.skips(schema.name.base()),
        false => lists.skips(&schema.default_kernel()),
    };
    !is_skipped && !lists.skipped_schemas.contains(operator.canonical())
}
