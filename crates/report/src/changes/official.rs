//! Torch's own verdict beside ours, and where and why the two differ (`docs/spec/compatibility.md`,
//! section 6).

use opatlas_diff::revision::Pair;
use opatlas_diff::rules::ChangeRuleId;
use opatlas_diff::rules::{Audience, Group, Level, Official};
use opatlas_diff::{Change, Note};

/// Torch's verdict on an operator, as a sentence without a full stop. `pair` is the operator's in
/// the comparison, `None` where its schema did not change.
pub(super) fn verdict(pair: Option<&Pair>) -> String {
    let Some(pair) = pair else {
        return "sees nothing of this, since it compares schemas alone".to_owned();
    };
    let Some(verdict) = &pair.verdict else {
        return match (pair.old.is_some(), pair.new.is_some()) {
            (true, false) => "backward **no**, forward **no** (the operator is gone)".to_owned(),
            (false, _) => "backward yes, forward yes (the operator is new)".to_owned(),
            (true, true) => "cannot read one of the two schemas".to_owned(),
        };
    };
    let word = |fine: bool| if fine { "yes" } else { "**no**" };
    let mut text = format!("backward {}", word(verdict.backward));
    if let Some(reason) = &verdict.backward_reason {
        text.push_str(&format!(" ({reason})"));
    }
    text.push_str(&format!(", forward {}", word(verdict.forward)));
    if !verdict.forward_reason.is_empty() {
        text.push_str(&format!(
            " ({})",
            verdict.forward_reason.trim_end_matches('.')
        ));
    }
    text
}

/// Where torch's verdict on an operator and ours differ, and why; `None` where they agree.
///
/// `pair` is the operator's in the comparison, `None` where its schema did not change; `changes`
/// are all that is reported of the operator.
#[must_use]
pub fn disagreement<'a>(
    pair: Option<&Pair>,
    changes: impl IntoIterator<Item = &'a Change>,
) -> Option<String> {
    let changes: Vec<&Change> = changes.into_iter().filter(|c| !c.is_compound()).collect();
    let verdict = pair.and_then(|pair| pair.verdict.as_ref());
    let mut reasons: Vec<&str> = Vec::new();
    let mut add = |reason: Option<&'static str>| {
        if let Some(reason) = reason.filter(|reason| !reasons.contains(reason)) {
            reasons.push(reason);
        }
    };
    if let Some(verdict) = verdict {
        if verdict.backward_crash || verdict.forward_crash {
            add(Some(
                "torch's check raises IndexError instead of answering, which counts as \
                 incompatible here",
            ));
        }
        for change in &changes {
            if verdict.backward {
                add(missed_backward(change));
            }
            if verdict.forward {
                add(missed_forward(change));
            }
        }
        let of_schema = changes.iter().filter(|change| is_seen(change));
        let alarms: Vec<Option<&str>> = of_schema.map(|change| false_alarm(change)).collect();
        if !verdict.backward && !alarms.is_empty() && alarms.iter().all(Option::is_some) {
            alarms.into_iter().for_each(&mut add);
        }
    }
    let is_unseen = |change: &&&Change| {
        change.rule.backward == Official::NotChecked
            && change.rule.group != Group::Policy
            && change.rule.id != ChangeRuleId::OverloadShadowing
            && change.level >= Level::Dangerous
    };
    for change in changes
        .iter()
        .filter(|c| c.rule.id == ChangeRuleId::OverloadShadowing)
    {
        add((change.level >= Level::Dangerous).then_some(
            "torch's check looks at each overload alone and not at which one a call binds to",
        ));
    }
    let is_accepted = pair.is_none_or(Pair::is_backward_compatible);
    if is_accepted && changes.iter().any(|change| is_unseen(&change)) {
        add(Some(
            "torch's check compares schemas alone and cannot see what changed beside them",
        ));
    }
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// Whether torch's check looks at what changed.
fn is_seen(change: &Change) -> bool {
    change.rule.backward != Official::NotChecked
        && change.rule.group != Group::Policy
        && change.level > Level::None
}

/// Why torch calls compatible what breaks callers of the old side.
fn missed_backward(change: &Change) -> Option<&'static str> {
    Some(match change.rule.id {
        ChangeRuleId::ArgumentTypeSymint | ChangeRuleId::ReturnTypeSymint => {
            "torch takes `SymInt` for `int`, but C++ signatures and those of kernels change"
        }
        ChangeRuleId::ArgumentTypeDeSymint => {
            "torch takes `SymInt` for `int`, but dynamic shapes no longer pass and C++ signatures \
             change"
        }
        ChangeRuleId::ArgumentTypeChangedErased | ChangeRuleId::ReturnTypeChangedErased => {
            "torch takes `ScalarType`, `Layout` and `MemoryFormat` for `int` and `Dimname` for \
             `str`, but the bindings change"
        }
        ChangeRuleId::ArgumentAddedAfterOut => {
            "torch does not look behind the old out arguments, but calls without the new argument \
             fail"
        }
        ChangeRuleId::OutArgumentAdded => {
            "torch's backward check does not look at further out arguments, but calls without it \
             fail"
        }
        _ => return None,
    })
}

/// Why torch calls compatible what fails on the old side.
fn missed_forward(change: &Change) -> Option<&'static str> {
    let hurts_new_models = change.impacts.breaks.contains(Audience::NewModel);
    Some(match change.rule.id {
        ChangeRuleId::ReturnRenamed
        | ChangeRuleId::ReturnNameAdded
        | ChangeRuleId::ReturnNameRemoved
        | ChangeRuleId::ReturnReordered
        | ChangeRuleId::ReturnTypeWidened
        | ChangeRuleId::ReturnTypeChanged
        | ChangeRuleId::ReturnAliasChanged => {
            "torch's forward check only counts returns, but what is written against the new ones \
             may fail on the old side"
        }
        ChangeRuleId::ArgumentRemoved if hurts_new_models => {
            "torch's forward check does not look at removed arguments, but calls without it do not \
             bind on the old side"
        }
        ChangeRuleId::ArgumentBecamePositional => {
            "torch's forward check accepts it, but calls by position fail on the old side"
        }
        _ => return None,
    })
}

/// Why torch calls incompatible what hurts nobody, or fewer than it seems.
fn false_alarm(change: &Change) -> Option<&'static str> {
    Some(match change.rule.id {
        ChangeRuleId::AliasSetRenamed => {
            "torch compares the letters of alias sets, which mean nothing by themselves"
        }
        ChangeRuleId::MutabilityRespelled => {
            "torch takes `Tensor!` and `Tensor(a!)` for different things, but they mean the same"
        }
        ChangeRuleId::ListSizeHintAdded => {
            "torch wants equal list sizes, but a list with a size takes all that one without takes"
        }
        ChangeRuleId::ArgumentReorderedKwargOnly => {
            "torch compares by position, but Python passes these arguments by name"
        }
        ChangeRuleId::ArgumentInserted if change.notes.contains(&Note::KeywordOnlyInPython) => {
            "torch compares by position, but Python passes keyword-only arguments by name"
        }
        ChangeRuleId::DefaultChanged if change.notes.contains(&Note::SameNumberOtherKind) => {
            "torch compares defaults by their kind as well, and these are the same number"
        }
        _ => return None,
    })
}

/// Torch's verdict without reasons, for many operators together.
pub(super) fn in_short(pair: Option<&Pair>) -> String {
    match pair.and_then(|pair| pair.verdict.as_ref()) {
        Some(verdict) => {
            let word = |fine: bool| if fine { "yes" } else { "**no**" };
            let (backward, forward) = (word(verdict.backward), word(verdict.forward));
            format!("backward {backward}, forward {forward}")
        }
        None => verdict(pair),
    }
}
