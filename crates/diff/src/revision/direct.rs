//! Functions that C++ code calls without the dispatcher: `at::cpu::add`, `at::native::narrow`.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::pairing::Common;
use super::side::entry_place;
use crate::change::{Change, Fragment, Subject};
use crate::rules::ChangeRuleId;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::faces::FaceMaker;
use opatlas_operators::operator::OperatorId;
use opatlas_source::{Stop, Stopped};

/// Adds gains and losses of operators that both sides have. Each operator gets at most one change
/// per rule.
pub(super) fn compare(
    base: &Catalogue,
    head: &Catalogue,
    common: &Common,
    changes: &mut Vec<Change>,
    stop: &Stop,
) -> Result<(), Stopped> {
    let (old, new) = (Side::new(base), Side::new(head));
    for &(before, after) in &common.same {
        stop.check()?;
        let (functions, later) = (old.functions(before, &new), new.functions(after, &old));
        if functions == later {
            continue;
        }
        let lost = functions.iter().filter(|it| !new.declares(it, &later));
        let (public, internal): (Vec<_>, Vec<_>) = lost.partition(|it| is_public(it));
        let gained: Vec<_> = later
            .iter()
            .filter(|it| !old.declares(it, &functions))
            .collect();
        for (rule, names) in [
            (ChangeRuleId::DirectFunctionRemoved, public),
            (ChangeRuleId::InternalFunctionRemoved, internal),
            (ChangeRuleId::DirectFunctionAdded, gained),
        ] {
            if names.is_empty() {
                continue;
            }
            let names: Vec<&str> = names.into_iter().map(String::as_str).collect();
            let listed = names.join(", ");
            let (was, is) = match rule {
                ChangeRuleId::DirectFunctionAdded => ("", &*listed),
                _ => (&*listed, ""),
            };
            let name = base.operator(before).shared_name();
            let names = names.iter().map(|name| Arc::from(*name)).collect();
            let change = Change::new(rule, name, Subject::Names(names));
            let change = change.old(old.at_entry(was, before));
            changes.push(change.new_side(new.at_entry(is, after)));
        }
    }
    Ok(())
}

struct Side<'c> {
    catalogue: &'c Catalogue,
    maker: FaceMaker<'c>,
    /// All functions of all operators in `at::native` and other kernel namespaces.
    native: FxHashSet<String>,
}

impl<'c> Side<'c> {
    fn new(catalogue: &'c Catalogue) -> Self {
        let maker = FaceMaker::new(catalogue);
        let native = catalogue.native();
        let native = native.flat_map(|(id, _)| maker.native_functions(id));
        Self {
            catalogue,
            maker,
            native: native.collect(),
        }
    }

    /// Returns the functions of an operator in namespaces that both releases have.
    fn functions(&self, id: OperatorId, other: &Self) -> Vec<String> {
        let releases = [self, other].map(|side| side.catalogue.release);
        let mut functions = self.maker.direct_names(id, releases);
        functions.extend(self.maker.native_functions(id));
        functions
    }

    /// `true` if this side declares the function. Other operators may have kernels of the same
    /// name.
    fn declares(&self, function: &str, own: &[String]) -> bool {
        own.iter().any(|it| it == function) || self.native.contains(function)
    }

    /// A text that is placed at the entry of an operator, or of its source.
    fn at_entry(&self, text: &str, id: OperatorId) -> Fragment {
        let operator = self.catalogue.operator(id);
        let source = operator.generated_from().unwrap_or(id);
        Fragment::of_field(text, entry_place(self.catalogue, source))
    }
}

/// `true` if the function is public: it belongs to a backend and its operator has no leading `_`.
/// Functions in `at::native`, `at::meta` and the namespaces of composites are internal.
fn is_public(function: &str) -> bool {
    let mut parts = function.rsplit("::");
    let name = parts.next().unwrap_or_default();
    let namespace = parts.next().unwrap_or_default();
    let is_internal =
        namespace == "native" || namespace == "meta" || namespace.starts_with("composite");
    !is_internal && !name.starts_with('_')
}
