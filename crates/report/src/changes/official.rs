//! The verdict of PyTorch's own check, and why it differs from that of Opatlas
//! (`docs/spec/compatibility.md`, section 6).

use opatlas_diff::revision::Pair;
use opatlas_diff::rules::ChangeRuleId;
use opatlas_diff::rules::{Audience, Group, Level, Official};
use opatlas_diff::{Change, Note};
use opatlas_source::{Message, message};

#[derive(Debug)]
pub(super) enum Word {
    /// Text.
    Plain(Message),
    No,
}

/// The verdict of PyTorch's check on an operator, as a sentence without a period. `pair` is `None` if
/// the schema did not change.
pub(super) fn verdict(pair: Option<&Pair>) -> Vec<Word> {
    let plain = |text: &'static str| Word::Plain(text.into());
    let Some(pair) = pair else {
        return vec![plain("not affected, because it compares only schemas")];
    };
    let Some(verdict) = &pair.verdict else {
        return match (pair.old.is_some(), pair.new.is_some()) {
            (true, false) => vec![
                plain("backward "),
                Word::No,
                plain(", forward "),
                Word::No,
                plain(" (the operator was removed)"),
            ],
            (false, _) => vec![plain("backward yes, forward yes (the operator is new)")],
            (true, true) => vec![plain("cannot parse one of the two schemas")],
        };
    };
    let word = |fine: bool| if fine { plain("yes") } else { Word::No };
    let mut words = vec![plain("backward "), word(verdict.backward)];
    if let Some(reason) = &verdict.backward_reason {
        words.push(Word::Plain(message!(" ({})", reason.message())));
    }
    words.extend([plain(", forward "), word(verdict.forward)]);
    if !verdict.forward_reason.is_empty() {
        let reason = verdict.forward_reason.trim_end_matches('.');
        words.push(Word::Plain(message!(" ({})", reason)));
    }
    words
}

/// Why the verdict of PyTorch's check on an operator differs from that of Opatlas; `None` if they agree.
///
/// `pair` is `None` if the schema did not change; `changes` are all changes of the operator.
#[must_use]
pub fn disagreement<'a>(
    pair: Option<&Pair>,
    changes: impl IntoIterator<Item = &'a Change>,
) -> Option<Message> {
    let changes: Vec<&Change> = changes.into_iter().filter(|c| !c.is_compound()).collect();
    let verdict = pair.and_then(|pair| pair.verdict.as_ref());
    let mut reasons: Vec<&'static str> = Vec::new();
    let mut add = |reason: Option<&'static str>| {
        if let Some(reason) = reason.filter(|reason| !reasons.contains(reason)) {
            reasons.push(reason);
        }
    };
    if let Some(verdict) = verdict {
        if verdict.backward_crash || verdict.forward_crash {
            add(Some(
                "PyTorch's check raises IndexError instead of giving a verdict; Opatlas counts \
                 this as incompatible",
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
        let alarms: Vec<Option<&'static str>> =
            of_schema.map(|change| false_alarm(change)).collect();
        if !verdict.backward && !alarms.is_empty() && alarms.iter().all(Option::is_some) {
            alarms.into_iter().for_each(&mut add);
        }
    }
    if pair.is_none_or(Pair::is_backward_compatible) {
        let unseen = changes.iter().filter(|change| is_unseen(change));
        unseen.for_each(|change| add(Some(unseen_because(change))));
    }
    let is_different = !reasons.is_empty();
    is_different.then(|| Message::join(reasons.into_iter().map(Message::from), "; "))
}

fn is_seen(change: &Change) -> bool {
    change.rule.backward != Official::NotChecked
        && change.rule.group != Group::Policy
        && change.level > Level::None
}

/// Whether PyTorch's check does not examine a change that matters.
fn is_unseen(change: &Change) -> bool {
    change.rule.backward == Official::NotChecked
        && change.rule.group != Group::Policy
        && change.level >= Level::Dangerous
}

fn unseen_because(change: &Change) -> &'static str {
    match (change.rule.group, change.rule.id) {
        (_, ChangeRuleId::OverloadShadowing) => {
            "PyTorch's check compares each overload alone, not which overload a call selects"
        }
        (
            _,
            ChangeRuleId::FormulaAdded
            | ChangeRuleId::FormulaChanged
            | ChangeRuleId::FormulaRemoved,
        ) => "PyTorch's check compares only schemas, not formulas",
        (Group::Binding | Group::Dispatch | Group::Tag | Group::Runtime, _) => {
            "PyTorch's check compares only schemas, not other fields of an entry"
        }
        _ => "PyTorch's check compares each schema alone, not what follows from a change",
    }
}

/// Why torch accepts a change that breaks callers of the old side.
fn missed_backward(change: &Change) -> Option<&'static str> {
    Some(match change.rule.id {
        ChangeRuleId::ArgumentTypeSymint | ChangeRuleId::ReturnTypeSymint => {
            "PyTorch treats `SymInt` as `int`, but the C++ signatures of functions and kernels \
             change"
        }
        ChangeRuleId::ArgumentTypeDeSymint => {
            "PyTorch treats `SymInt` as `int`, but dynamic shapes fail and C++ signatures change"
        }
        ChangeRuleId::ArgumentTypeChangedErased | ChangeRuleId::ReturnTypeChangedErased => {
            "PyTorch treats `ScalarType`, `Layout` and `MemoryFormat` as `int` and `Dimname` as \
             `str`, but the bindings change"
        }
        ChangeRuleId::ArgumentAddedAfterOut => {
            "PyTorch ignores arguments after the old out arguments, but calls without the new \
             argument fail"
        }
        ChangeRuleId::OutArgumentAdded => {
            "PyTorch's backward check ignores added out arguments, but calls without them fail"
        }
        _ => return None,
    })
}

/// Why torch accepts a change that fails on the old side.
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
            "PyTorch's forward check only counts returns, but code for the new returns may fail on \
             the old side"
        }
        ChangeRuleId::ArgumentRemoved if hurts_new_models => {
            "PyTorch's forward check ignores removed arguments, but calls without them fail on the \
             old side"
        }
        ChangeRuleId::ArgumentBecamePositional => {
            "PyTorch's forward check accepts it, but positional calls fail on the old side"
        }
        _ => return None,
    })
}

fn false_alarm(change: &Change) -> Option<&'static str> {
    Some(match change.rule.id {
        ChangeRuleId::AliasSetRenamed => {
            "PyTorch compares the letters of alias sets, which have no meaning of their own"
        }
        ChangeRuleId::MutabilityRespelled => {
            "PyTorch distinguishes `Tensor!` from `Tensor(a!)`, but they mean the same"
        }
        ChangeRuleId::ListSizeHintAdded => {
            "PyTorch requires equal list sizes, but a list with a size accepts everything that one \
             without accepts"
        }
        ChangeRuleId::ArgumentReorderedKwargOnly => {
            "PyTorch compares by position, but Python passes these arguments by name"
        }
        ChangeRuleId::ArgumentInserted if change.notes.contains(&Note::KeywordOnlyInPython) => {
            "PyTorch compares by position, but Python passes keyword-only arguments by name"
        }
        ChangeRuleId::DefaultChanged if change.notes.contains(&Note::SameNumberOtherKind) => {
            "PyTorch also compares the types of defaults, but these are the same number"
        }
        _ => return None,
    })
}
