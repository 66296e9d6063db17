//! Promises about operators: the tag `core`, and upgraders for saved models
//! (`docs/spec/compatibility.md`, section 3). The base's tag counts, so removing it in the same
//! change excuses nothing.

mod upgraders;

use super::Pair;
use crate::change::{Change, Fragment, Note, Subject};
use crate::rules::ChangeRuleId;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::Operator;

/// The tag of frozen operators.
pub const CORE: &str = "core";

pub(super) fn compare(
    base: &Catalogue,
    head: &Catalogue,
    pairs: &[Pair],
    changes: &mut Vec<Change>,
) {
    for pair in pairs {
        let before = pair.base.map(|id| base.operator(id));
        let after = pair.head.map(|id| head.operator(id));
        let refused = !pair.is_backward_compatible();
        match before {
            None => {
                if let Some(new) = after.filter(|operator| operator.has_tag(CORE)) {
                    changes.push(of(ChangeRuleId::CoreOperatorAdded, new).new_side(schema(new)));
                }
            }
            Some(old) => {
                if old.has_tag(CORE) && refused {
                    let rule = if pair.is_gone() {
                        ChangeRuleId::CoreOperatorRemoved
                    } else {
                        ChangeRuleId::CoreOperatorBcBroken
                    };
                    let change = of(rule, old).old(schema(old)).note(Note::CoreInBase);
                    changes.push(change.new_side(after.and_then(schema)));
                }
                if refused && let Some(upgrader) = upgraders::find(old.canonical()) {
                    let change = of(ChangeRuleId::UpgraderPresent, old).old(schema(old));
                    changes.push(change.note(Note::Upgrader(upgrader.into())));
                }
            }
        }
    }
}

fn of(rule: ChangeRuleId, operator: &Operator) -> Change {
    Change::new(rule, operator.shared_name(), Subject::Operator)
}

fn schema(operator: &Operator) -> Option<Fragment> {
    let placed = operator.declared()?;
    let place = placed.place(placed.entry.func_at);
    Some(Fragment::of_field(operator.canonical(), Some(place)))
}
