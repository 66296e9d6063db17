//! Out variants without the function that Python parses them with (`group_overloads` of
//! `tools/autograd/gen_python_functions.py`).

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::OperatorId;
use opatlas_source::diagnostic::RuleId;
use opatlas_source::message;
use rustc_hash::{FxHashMap, FxHashSet};

use super::overloads::report;
use super::place::{ByPlace, Place, text_of};
use crate::sink::Sink;

/// Reports out variants whose Python signature without `out` belongs to no other overload in the same
/// place. The candidates have no overload with the very same arguments; the texts may still be equal.
pub(super) fn check(
    catalogue: &Catalogue,
    mut candidates: Vec<(Place<'_>, OperatorId)>,
    sink: &mut Sink,
) {
    candidates.sort_unstable_by_key(|(_, id)| *id);
    let mut bases: ByPlace<'_, FxHashSet<String>> = FxHashMap::default();
    let mut reported = FxHashSet::default();
    // Another rule refuses out variants that are methods.
    candidates.retain(|(place, _)| *place != Place::Method);
    for (place, id) in sink.while_wanted(candidates) {
        let operator = catalogue.operator(id);
        let name = operator.base_name();
        if catalogue.native_functions.may_hide_overload(name) {
            continue;
        }
        let Some(text) = text_of(catalogue, id, place) else {
            continue;
        };
        let base = bases
            .entry((place, name))
            .or_insert_with(|| texts_without_out(catalogue, name, place));
        if !base.contains(&text) && reported.insert(id) {
            let message = message!("Python needs an operator `{}` without `out`", text);
            let help = "declare the operator with the same arguments and without `out`; a generated one has no \
                        binding";
            report(operator, RuleId::PythonOutAlone, message, help, sink);
        }
    }
}

/// The Python signatures of the overloads in a place that have no out arguments.
fn texts_without_out(catalogue: &Catalogue, name: &str, place: Place<'_>) -> FxHashSet<String> {
    let is_base = |id: &OperatorId| {
        let operator = catalogue.operator(*id);
        catalogue.is_bound(*id)
            && operator.schema().arguments.out().is_empty()
            && Place::of(operator).any(|of| of == place)
    };
    let bases = catalogue.overloads(name).iter().copied().filter(is_base);
    bases
        .filter_map(|id| text_of(catalogue, id, place))
        .collect()
}
