//! The signatures that the generator makes for one name (`group_overloads` and `sort_overloads` of
//! `tools/autograd/gen_python_functions.py`).

use std::collections::BTreeMap;

use opatlas_schema::faces::{Call, PythonSignature};
use opatlas_schema::function::SchemaKind;

use super::name::{Place, places_of};
use crate::catalogue::Catalogue;
use crate::faces::FaceMaker;
use crate::operator::OperatorId;

/// A signature, and the operators that it calls without and with `out`.
pub(super) struct Overload<'a> {
    pub(super) signature: PythonSignature<'a>,
    pub(super) text: String,
    pub(super) base: OperatorId,
    pub(super) out: Option<OperatorId>,
}

/// Returns the signatures of a name, in order. Omits signatures without a base overload, because
/// they stop PyTorch's build.
pub(super) fn of_name<'a>(
    catalogue: &'a Catalogue,
    place: &Place,
    name: &str,
) -> Vec<Overload<'a>> {
    let mut bases: BTreeMap<String, (PythonSignature<'a>, OperatorId)> = BTreeMap::new();
    let mut outs: BTreeMap<String, (PythonSignature<'a>, OperatorId)> = BTreeMap::new();
    for (signature, id) in signatures(catalogue, place, name) {
        let Ok(key) = signature.clone().text_without_out() else {
            continue;
        };
        let kind = catalogue.operator(id).schema().kind();
        let found = if kind == SchemaKind::Out {
            &mut outs
        } else {
            &mut bases
        };
        found.entry(key).or_insert((signature, id));
    }
    let mut found: Vec<Overload<'a>> = Vec::new();
    for (key, (base_signature, base)) in bases {
        let (signature, out) = match outs.remove(&key) {
            Some((signature, out)) => (signature, Some(out)),
            None => (base_signature, None),
        };
        if let Ok(text) = signature.parser_text() {
            found.push(Overload {
                signature,
                text,
                base,
                out,
            });
        }
    }
    found.sort_by(|a, b| a.text.cmp(&b.text));
    in_order(found)
}

/// The signatures of all operators and deprecated forms of a name.
fn signatures<'a>(
    catalogue: &'a Catalogue,
    place: &Place,
    name: &str,
) -> Vec<(PythonSignature<'a>, OperatorId)> {
    let maker = FaceMaker::new(catalogue);
    let call = match place {
        Place::Tensor => Call::Method,
        _ => Call::Function,
    };
    let is_here = |id: OperatorId| places_of(catalogue.operator(id)).any(|it| it == *place);
    let current = catalogue.overloads(name).iter().copied();
    let current = current.filter(|&id| catalogue.is_bound(id) && is_here(id));
    let current = current.filter_map(|id| Some((maker.python_signature(id, call)?, id)));
    let forms = catalogue.deprecated.iter().flat_map(|file| &file.forms);
    let forms = forms
        .enumerate()
        .filter(|(_, form)| form.schema.name.base() == name);
    let deprecated = forms.flat_map(|(at, form)| {
        let operators = catalogue.deprecated_matches().of_form(at).iter();
        operators.map(move |&id| (id, &form.schema))
    });
    let deprecated = deprecated.filter(|(id, _)| is_here(*id));
    let deprecated = deprecated.filter_map(|(id, schema)| {
        let operator = catalogue.operator(id);
        Some((maker.deprecated_signature(operator, schema, call)?, id))
    });
    current.chain(deprecated).collect()
}

/// Sorts signatures topologically: a signature comes after the signatures that it must not hide.
fn in_order(sorted: Vec<Overload<'_>>) -> Vec<Overload<'_>> {
    let count = sorted.len();
    let mut larger: Vec<Vec<usize>> = sorted
        .iter()
        .map(|one| {
            let behind = |other: &usize| one.signature.yields_to(&sorted[*other].signature);
            (0..count).filter(behind).collect()
        })
        .collect();
    let mut order: Vec<usize> = (0..count).filter(|&at| larger[at].is_empty()).collect();
    let mut next = 0;
    while let Some(&placed) = order.get(next) {
        for (at, larger) in larger.iter_mut().enumerate() {
            if larger.is_empty() {
                continue;
            }
            larger.retain(|&other| other != placed);
            if larger.is_empty() {
                order.push(at);
            }
        }
        next += 1;
    }
    let mut sorted: Vec<Option<Overload<'_>>> = sorted.into_iter().map(Some).collect();
    let placed = order.into_iter().filter_map(|at| sorted[at].take());
    placed.collect()
}
