//! The operators of a revision behind the names of a model.

use opatlas_model::{Arguments, Call, Kind, Name, Overload};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::{OperatorId, split_qualified};
use opatlas_schema::function::{FunctionSchema, SchemaKind};
use opatlas_schema::types::{BaseType, Type};
use opatlas_source::suggest::Budget;

use super::Judged;
use crate::snapshot::Snapshot;

/// The overloads that are named, and how many similar names.
const OVERLOADS: usize = 10;
const SUGGESTIONS: usize = 3;

/// The operators that a name may mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// This one.
    One(OperatorId),
    /// One of these overloads.
    Any(Vec<OperatorId>),
    /// The revision does not declare it.
    Undeclared,
}

impl Named {
    fn of(mut ids: Vec<OperatorId>) -> Self {
        match (ids.len(), ids.pop()) {
            (_, None) => Self::Undeclared,
            (1, Some(only)) => Self::One(only),
            (_, Some(last)) => {
                ids.push(last);
                Self::Any(ids)
            }
        }
    }

    /// The operators.
    #[must_use]
    pub fn ids(&self) -> &[OperatorId] {
        match self {
            Self::One(id) => std::slice::from_ref(id),
            Self::Any(ids) => ids,
            Self::Undeclared => &[],
        }
    }
}

/// The operators of a revision that a name may mean. A name without an overload means the operator
/// without one, if there is one (`aten::addmm` is never `addmm.dtype`).
#[must_use]
pub fn resolve(catalogue: &Catalogue, name: &Name) -> Named {
    let exact = catalogue.find_qualified(&name.text);
    match (&name.overload, exact) {
        (Overload::Given | Overload::Open, Some(exact)) => Named::One(exact),
        (Overload::Given, None) => Named::Undeclared,
        (Overload::Open, None) => Named::of(functional(catalogue, overloads(catalogue, name))),
        (Overload::Called(arguments), _) => {
            let all = overloads(catalogue, name);
            let fits = |id: &OperatorId| fits(arguments, catalogue.operator(*id).schema());
            let fitting: Vec<OperatorId> = all.iter().copied().filter(fits).collect();
            match fitting.is_empty() {
                true => Named::of(functional(catalogue, all)),
                false => Named::of(fitting),
            }
        }
    }
}

fn overloads(catalogue: &Catalogue, name: &Name) -> Vec<OperatorId> {
    let (namespace, base) = split_qualified(&name.text);
    let all = catalogue.overloads(base).iter().copied();
    all.filter(|&id| catalogue.operator(id).namespace() == namespace)
        .collect()
}

/// Those that are no out variants; all if there are no others.
fn functional(catalogue: &Catalogue, all: Vec<OperatorId>) -> Vec<OperatorId> {
    let is_out = |id: &OperatorId| catalogue.operator(*id).kind == SchemaKind::Out;
    match all.iter().all(is_out) {
        true => all,
        false => all.into_iter().filter(|id| !is_out(id)).collect(),
    }
}

/// Whether arguments can be those of a schema. TorchScript passes keyword-only arguments by place.
fn fits(arguments: &Arguments, schema: &FunctionSchema) -> bool {
    let all = schema.arguments.all();
    let Arguments {
        positional,
        keywords,
        is_complete,
    } = arguments;
    let given = positional.len() + keywords.len();
    if given > all.len() || *is_complete && given < all.len() {
        return false;
    }
    let (by_place, rest) = all.split_at(positional.len());
    let pairs = by_place.iter().zip(positional);
    let named = |name: &str| keywords.iter().find(|(keyword, _)| keyword == name);
    pairs.into_iter().all(|(it, kind)| takes(&it.ty, *kind))
        && keywords.iter().all(|(keyword, kind)| {
            rest.iter()
                .any(|it| *it.name == **keyword && takes(&it.ty, *kind))
        })
        && rest
            .iter()
            .all(|it| it.default.is_some() || named(&it.name).is_some())
}

fn takes(ty: &Type, kind: Kind) -> bool {
    match (ty, kind) {
        (_, Kind::Unknown) | (Type::Optional(_), Kind::None) => true,
        (Type::Optional(inner), _) => takes(inner, kind),
        (Type::List(inner, size), _) => match kind {
            Kind::Tensors => inner.is_tensor_like(),
            Kind::Ints => takes(inner, Kind::Int),
            Kind::Floats => takes(inner, Kind::Float),
            Kind::Bools => takes(inner, Kind::Bool),
            _ => size.is_some() && takes(inner, kind),
        },
        (Type::Base(base), _) => takes_base(*base, kind),
        (Type::Custom(_) | Type::Runtime(_), _) => false,
    }
}

/// Dtypes, layouts and memory formats are integers in TorchScript.
fn takes_base(base: BaseType, kind: Kind) -> bool {
    use BaseType::{
        Bool, Float, Int, Layout, MemoryFormat, Scalar, ScalarType, Str, SymBool, SymInt, Tensor,
    };
    match kind {
        Kind::Tensor => base == Tensor,
        Kind::Int => matches!(
            base,
            Int | SymInt | Float | Scalar | ScalarType | Layout | MemoryFormat
        ),
        Kind::Float => matches!(base, Float | Scalar),
        Kind::Bool => matches!(base, Bool | SymBool | Scalar),
        Kind::Number => base == Scalar,
        Kind::Str => base == Str,
        _ => false,
    }
}

/// The calls that reach a backend, and notes about the others.
pub(super) fn of_backends(snapshot: &Snapshot, calls: Vec<Call>) -> (Vec<Call>, Vec<String>) {
    let is_interpreted = |call: &Call| {
        call.operator.is_of_interpreter()
            && resolve(&snapshot.catalogue, &call.operator) == Named::Undeclared
    };
    let (interpreted, calls): (Vec<_>, Vec<_>) = calls.into_iter().partition(is_interpreted);
    let notes = match interpreted.len() {
        0 => Vec::new(),
        1 => vec![
            "1 operator works on numbers, strings and lists of TorchScript and reaches no backend."
                .to_owned(),
        ],
        many => vec![format!(
            "{many} operators work on numbers, strings and lists of TorchScript and reach no backend."
        )],
    };
    (calls, notes)
}

/// An operator without its answers.
pub(super) fn judged(snapshot: &Snapshot, call: &Call, budget: &Budget) -> Judged {
    let catalogue = &snapshot.catalogue;
    let text = |id: OperatorId| catalogue.operator(id).qualified_name().to_owned();
    let (operator, overloads, suggestions) = match resolve(catalogue, &call.operator) {
        Named::One(id) => (text(id), Vec::new(), Vec::new()),
        Named::Any(ids) => {
            let shown = ids.into_iter().take(OVERLOADS).map(text);
            (call.operator.text.clone(), shown.collect(), Vec::new())
        }
        Named::Undeclared => {
            let near = near(catalogue, &call.operator, budget);
            (call.operator.text.clone(), Vec::new(), near)
        }
    };
    Judged {
        operator,
        overloads,
        count: call.count,
        place: call.place.clone(),
        is_conditional: call.is_conditional,
        suggestions,
        cells: Vec::new(),
    }
}

/// Other overloads of the base name, or similar names.
fn near(catalogue: &Catalogue, name: &Name, budget: &Budget) -> Vec<String> {
    let (namespace, bare) = split_qualified(&name.text);
    if namespace != "aten" {
        return Vec::new();
    }
    let base = bare.split('.').next().unwrap_or(bare);
    let text = |id: &OperatorId| catalogue.operator(*id).qualified_name().to_owned();
    let overloads = catalogue.overloads(base);
    if !overloads.is_empty() {
        return overloads.iter().take(SUGGESTIONS).map(text).collect();
    }
    let names = catalogue.operators.iter();
    let names = names.map(|operator| operator.qualified_name());
    let near = budget.nearest_few(bare, names, SUGGESTIONS);
    near.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use opatlas_pytorch::release::Release;
    use opatlas_source::Bundle;

    use super::*;

    const ENTRIES: &str = "\
- func: add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
- func: add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
- func: add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)
- func: addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor
- func: addmm.dtype(Tensor self, Tensor mat1, Tensor mat2, ScalarType out_dtype, *, Scalar beta=1, Scalar alpha=1) -> Tensor
- func: view(Tensor(a) self, SymInt[] size) -> Tensor(a)
- func: view.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)
- func: norm(Tensor self, int[1]? dim=None, Tensor? weight=None) -> Tensor
";

    fn check(text: &str, arguments: Option<(&[Kind], bool)>, expected: &[&str]) {
        let bundle = Bundle::of_native_functions(ENTRIES.as_bytes());
        let catalogue = Catalogue::read(&bundle, Release::LATEST, None);
        let mut name = Name::parse(text).unwrap();
        if let Some((kinds, is_complete)) = arguments {
            name.overload = Overload::Called(Arguments {
                positional: kinds.to_vec(),
                keywords: Vec::new(),
                is_complete,
            });
        }
        let named = resolve(&catalogue, &name);
        let names = named
            .ids()
            .iter()
            .map(|&id| catalogue.operator(id).qualified_name());
        assert_eq!(names.collect::<Vec<_>>(), expected, "{text} {arguments:?}");
    }

    #[test]
    fn a_name_without_an_overload_is_the_operator_without_one() {
        check("aten.addmm.default", None, &["addmm"]);
        check("aten::addmm", None, &["addmm"]);
        check("addmm.dtype", None, &["addmm.dtype"]);
        check("aten.add.default", None, &[]);
        check("add", None, &["add.Tensor", "add.Scalar"]);
        check("acme::addmm", None, &[]);
        check("nothing", None, &[]);
    }

    #[test]
    fn arguments_choose_among_overloads() {
        use Kind::{Int, Ints, None as Nothing, Tensor, Unknown};
        check("add", Some((&[Tensor, Tensor, Int], true)), &["add.Tensor"]);
        check("add", Some((&[Tensor, Int], false)), &["add.Scalar"]);
        check(
            "add",
            Some((&[Tensor, Unknown], false)),
            &["add.Tensor", "add.Scalar"],
        );
        check(
            "addmm",
            Some((&[Tensor, Tensor, Tensor, Int, Int], true)),
            &["addmm"],
        );
        check("view", Some((&[Tensor, Ints], true)), &["view"]);
        check("view", Some((&[Tensor, Int], true)), &["view.dtype"]);
        check("norm", Some((&[Tensor, Int, Nothing], true)), &["norm"]);
        check("norm", Some((&[Tensor, Nothing, Tensor], true)), &["norm"]);
        // Nothing fits, so every overload may be meant.
        check("view", Some((&[Int], true)), &["view", "view.dtype"]);
    }
}
