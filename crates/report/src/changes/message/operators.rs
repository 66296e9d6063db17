//! Sentences about operators as a whole, generated ones, promises, exceptions and the file.

use super::{names, note, some, text, tick, ticks};
use opatlas_diff::rules::ChangeRuleId;
use opatlas_diff::{Change, Note};
use opatlas_source::{Message, message};

pub(super) fn message(change: &Change) -> Option<Message> {
    let (old, new) = (text(change.old.as_ref()), text(change.new.as_ref()));
    let operator = &*change.operator;
    Some(match change.rule.id {
        ChangeRuleId::OperatorRemoved => {
            message!("operator removed{}{}", callers(change), candidates(change))
        }
        ChangeRuleId::OverloadRemoved => message!(
            "overload removed, others of its name remain{}{}",
            callers(change),
            candidates(change)
        ),
        ChangeRuleId::OperatorAdded => "new operator".into(),
        ChangeRuleId::OverloadAdded => "new overload".into(),
        ChangeRuleId::OverloadRenamed => {
            message!("overload renamed to {}", tick(overload(new)))
        }
        ChangeRuleId::OverloadNameAdded => {
            message!("the default overload was named {}", tick(overload(new)))
        }
        ChangeRuleId::OverloadNameRemoved => message!(
            "overload {} became the default overload",
            tick(overload(old))
        ),
        ChangeRuleId::OperatorRenamed => {
            message!("operator renamed to {}{}", tick(new), guess(change))
        }
        ChangeRuleId::OperatorBecamePrivate => {
            message!(
                "the operator became private and was renamed to {}",
                tick(new)
            )
        }
        ChangeRuleId::OperatorBecamePublic => {
            message!(
                "the operator became public and was renamed to {}",
                tick(new)
            )
        }
        ChangeRuleId::OperatorBecameInplace => message!(
            "the operator became the in-place operator {}, which mutates its argument",
            tick(new)
        ),
        ChangeRuleId::OperatorBecameFunctional => message!(
            "the in-place operator became {}, which mutates no argument",
            tick(new)
        ),
        ChangeRuleId::VariantGroupIncomplete => match &names(change)[..] {
            [only] => message!("it remains, but its variant {} was removed", tick(only)),
            several => message!(
                "it remains, but its variants {} were removed",
                ticks(several)
            ),
        },
        ChangeRuleId::VariantsOutOfStep => message!(
            "its variants are out of step: make the same change in {}{}",
            ticks(&names(change)),
            expected(change)
        ),
        ChangeRuleId::NoChange => "nothing changed".into(),
        ChangeRuleId::SignatureRespelled => {
            "the schema is written differently, but means the same".into()
        }
        ChangeRuleId::Compound => {
            let rules = note(change, |note| match note {
                Note::Rules(rules) => Some(rules.len()),
                _ => None,
            });
            message!("{} changes", rules.unwrap_or_default())
        }
        ChangeRuleId::AutogenRemoved => generated(change),
        ChangeRuleId::AutogenAdded if is_still_generated(change) => message!(
            "`autogen` now lists {}, which PyTorch already generated",
            tick(operator)
        ),
        ChangeRuleId::AutogenAdded if change.old.is_some() => {
            "it was declared and is now generated".into()
        }
        ChangeRuleId::AutogenAdded => "it is now generated".into(),
        ChangeRuleId::AutogenBecameExplicit => "it was generated and is now declared".into(),
        ChangeRuleId::ViewCopyLost => {
            message!("the view lost its copy operator {}", ticks(&names(change)))
        }
        ChangeRuleId::CoreOperatorRemoved => {
            "an operator with the tag `core` in the base was removed".into()
        }
        ChangeRuleId::CoreOperatorBcBroken => {
            "an operator with the tag `core` in the base changed, and PyTorch's check rejects the \
             change"
                .into()
        }
        ChangeRuleId::CoreOperatorAdded => "the operator was added with the tag `core`".into(),
        ChangeRuleId::UpgraderPresent => message!(
            "PyTorch upgrades saved models that use the old schema (upgrader {})",
            note(change, |note| match note {
                Note::Upgrader(name) => Some(tick(name)),
                _ => None,
            })
            .unwrap_or_else(|| "unnamed".into())
        ),
        ChangeRuleId::AllowListed => {
            message!("the exception for {} excuses a change", about(change))
        }
        ChangeRuleId::AllowListExpired => message!(
            "the exception for {} has expired, so the change counts again",
            about(change)
        ),
        ChangeRuleId::AllowListUnused => {
            message!("the exception for {} matches nothing", about(change))
        }
        ChangeRuleId::AllowListOverbroad => message!(
            "the exception for {} matches several operator names and is not marked as broad",
            about(change)
        ),
        ChangeRuleId::EntryMoved => "the entry moved within the file".into(),
        _ => return None,
    })
}

/// The rule and argument that an exception is for.
fn about(change: &Change) -> Message {
    match names(change).as_slice() {
        [] => "it".into(),
        [rule] => tick(rule),
        [rule, argument, ..] => message!("{} on {}", tick(rule), tick(argument)),
    }
}

fn overload(name: &str) -> &str {
    name.split_once('.').map_or(name, |(_, overload)| overload)
}

/// The schemas to write.
fn expected(change: &Change) -> Message {
    let expected = note(change, |note| match note {
        Note::Expected(schemas) => Some(schemas.iter().map(|(_, schema)| schema)),
        _ => None,
    });
    let schemas: Vec<_> = expected.into_iter().flatten().collect();
    match &schemas[..] {
        [] => Message::default(),
        schemas => message!(" (write {})", ticks(schemas)),
    }
}

/// The operators that fail without a removed one.
fn callers(change: &Change) -> Message {
    let failing = note(change, |note| match note {
        Note::CallersFail(names) => Some(names),
        _ => None,
    });
    match failing.map_or(&[][..], Vec::as_slice) {
        [] => Message::default(),
        [only] => message!("; {}, which calls it, fails", tick(only)),
        several => message!(
            "; {} operators that call it fail: {}",
            several.len(),
            some(several)
        ),
    }
}

fn candidates(change: &Change) -> Message {
    let found = note(change, |note| match note {
        Note::Candidates(names) => Some(names),
        _ => None,
    });
    found.map_or_else(Message::default, |names| {
        message!("; possible replacement: {}", ticks(names))
    })
}

fn guess(change: &Change) -> Message {
    let found = note(change, |note| match note {
        Note::Guess(likeness) => Some(likeness),
        _ => None,
    });
    found.map_or_else(Message::default, |likeness| {
        message!(
            " (a guess: the signatures are equal, and the names are {} % similar)",
            likeness
        )
    })
}

fn is_still_generated(change: &Change) -> bool {
    change.notes.contains(&Note::StillGenerated)
}

fn generated(change: &Change) -> Message {
    if is_still_generated(change) {
        return "`autogen` no longer lists it, but it is still generated".into();
    }
    let owner = note(change, |note| match note {
        Note::WentWith(owner) => Some(owner),
        _ => None,
    });
    match owner {
        Some(owner) => message!(
            "removed together with {}, which it is generated from",
            tick(owner)
        ),
        None => "PyTorch no longer generates the operator".into(),
    }
}
