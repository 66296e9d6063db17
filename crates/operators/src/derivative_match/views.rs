//! Pairs views with the operators that copy them.

use opatlas_pytorch::release::Release;
use opatlas_schema::function::SchemaKind;
use opatlas_schema::signature::{ViewCopyNames, view_signature};
use rustc_hash::FxHashMap;

use crate::operator::{Operator, OperatorId};
use crate::table::OperatorTable;

/// The copies of views by the view's name (torchgen `NativeFunctionsViewGroup`).
#[derive(Default)]
pub(super) struct ViewCopies<'a> {
    by_view: FxHashMap<&'a str, OperatorId>,
    copies: Vec<OperatorId>,
}

impl<'a> ViewCopies<'a> {
    pub(super) fn new(catalogue: &'a OperatorTable) -> Self {
        let names = if catalogue.release >= Release::V2_3 {
            ViewCopyNames::CopyAndScatter
        } else {
            ViewCopyNames::Copy
        };
        let mut by_signature: FxHashMap<String, OperatorId> = FxHashMap::default();
        for (id, operator) in catalogue.iter() {
            if may_copy(operator, names) {
                let signature = view_signature(operator.schema(), names);
                by_signature.entry(signature).or_insert(id);
            }
        }
        let mut found = Self {
            by_view: FxHashMap::default(),
            copies: Vec::new(),
        };
        for (_, operator) in catalogue.iter() {
            if !operator.is_view || operator.name().is_inplace() {
                continue;
            }
            let copy = if ends_as_copy(operator, names) {
                by_signature.get(&view_signature(operator.schema(), names))
            } else {
                by_signature.get(operator.signature())
            };
            if let Some(&copy) = copy {
                found.by_view.insert(operator.name_text(), copy);
                found.copies.push(copy);
            }
        }
        found.copies.sort_unstable();
        found
    }

    pub(super) fn of_view(&self, name: &str) -> Option<OperatorId> {
        self.by_view.get(name).copied()
    }

    pub(super) fn is_copy(&self, id: OperatorId) -> bool {
        self.copies.binary_search(&id).is_ok()
    }
}

fn ends_as_copy(operator: &Operator, names: ViewCopyNames) -> bool {
    let stem = operator.name().stem();
    let scatter = names == ViewCopyNames::CopyAndScatter && stem.ends_with("_scatter");
    stem.ends_with("_copy") || scatter
}

fn may_copy(operator: &Operator, names: ViewCopyNames) -> bool {
    let functional = operator.kind == SchemaKind::Functional && !operator.is_view;
    functional && ends_as_copy(operator, names)
}
