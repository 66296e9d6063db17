//! Sentences about operators as a whole, generated ones, promises, exceptions and the file.

use super::{names, note, text, tick, ticks};
use opatlas_diff::rules::ChangeRuleId;
use opatlas_diff::{Change, Note};

pub(super) fn message(change: &Change) -> Option<String> {
    let (old, new) = (text(change.old.as_ref()), text(change.new.as_ref()));
    let operator = &*change.operator;
    Some(match change.rule.id {
        ChangeRuleId::OperatorRemoved => format!("operator removed{}", candidates(change)),
        ChangeRuleId::OverloadRemoved => format!(
            "overload removed, others of its name remain{}",
            candidates(change)
        ),
        ChangeRuleId::OperatorAdded => "new operator".to_owned(),
        ChangeRuleId::OverloadAdded => "new overload".to_owned(),
        ChangeRuleId::OverloadRenamed => {
            format!("overload renamed to {}", tick(overload(new)))
        }
        ChangeRuleId::OverloadNameAdded => {
            format!("the default overload was named {}", tick(overload(new)))
        }
        ChangeRuleId::OverloadNameRemoved => format!(
            "overload {} became the default overload",
            tick(overload(old))
        ),
        ChangeRuleId::OperatorRenamed => {
            format!("operator renamed to {}{}", tick(new), guess(change))
        }
        ChangeRuleId::OperatorBecamePrivate => {
            format!(
                "the operator became private and was renamed to {}",
                tick(new)
            )
        }
        ChangeRuleId::OperatorBecamePublic => {
            format!(
                "the operator became public and was renamed to {}",
                tick(new)
            )
        }
        ChangeRuleId::OperatorBecameInplace => format!(
            "the operator became the in-place operator {}, which mutates its argument",
            tick(new)
        ),
        ChangeRuleId::OperatorBecameFunctional => format!(
            "the in-place operator became {}, which mutates no argument",
            tick(new)
        ),
        ChangeRuleId::VariantGroupIncomplete => format!(
            "it remains, but its variant {} {} removed",
            ticks(&names(change)),
            if names(change).len() == 1 {
                "was"
            } else {
                "were"
            }
        ),
        ChangeRuleId::NoChange => "nothing changed".to_owned(),
        ChangeRuleId::SignatureRespelled => {
            "the schema is written differently, but means the same".to_owned()
        }
        ChangeRuleId::Compound => {
            let rules = note(change, |note| match note {
                Note::Rules(rules) => Some(rules.len()),
                _ => None,
            });
            format!("{} changes", rules.unwrap_or_default())
        }
        ChangeRuleId::AutogenRemoved => generated(change),
        ChangeRuleId::AutogenAdded if is_still_generated(change) => format!(
            "`autogen` now lists {}, which PyTorch already generated",
            tick(operator)
        ),
        ChangeRuleId::AutogenAdded if change.old.is_some() => {
            "it was declared and is now generated".to_owned()
        }
        ChangeRuleId::AutogenAdded => "it is now generated".to_owned(),
        ChangeRuleId::AutogenBecameExplicit => "it was generated and is now declared".to_owned(),
        ChangeRuleId::ViewCopyLost => {
            format!("the view lost its copy operator {}", ticks(&names(change)))
        }
        ChangeRuleId::CoreOperatorRemoved => {
            "an operator with the tag `core` in the base was removed".to_owned()
        }
        ChangeRuleId::CoreOperatorBcBroken => {
            "an operator with the tag `core` in the base changed, and PyTorch's check rejects the \
             change"
                .to_owned()
        }
        ChangeRuleId::CoreOperatorAdded => "the operator was added with the tag `core`".to_owned(),
        ChangeRuleId::UpgraderPresent => format!(
            "PyTorch upgrades saved models that use the old schema (upgrader {})",
            note(change, |note| match note {
                Note::Upgrader(name) => Some(tick(name)),
                _ => None,
            })
            .unwrap_or_else(|| "unnamed".to_owned())
        ),
        ChangeRuleId::AllowListed => {
            format!("the exception for {} excuses a change", about(change))
        }
        ChangeRuleId::AllowListExpired => format!(
            "the exception for {} has expired, so the change counts again",
            about(change)
        ),
        ChangeRuleId::AllowListUnused => {
            format!("the exception for {} matches nothing", about(change))
        }
        ChangeRuleId::AllowListOverbroad => format!(
            "the exception for {} matches several operator names and is not marked as broad",
            about(change)
        ),
        ChangeRuleId::EntryMoved => "the entry moved within the file".to_owned(),
        _ => return None,
    })
}

/// The rule and argument that an exception is for.
fn about(change: &Change) -> String {
    match names(change).as_slice() {
        [] => "it".to_owned(),
        [rule] => tick(rule),
        [rule, argument, ..] => format!("{} on {}", tick(rule), tick(argument)),
    }
}

fn overload(name: &str) -> &str {
    name.split_once('.').map_or(name, |(_, overload)| overload)
}

fn candidates(change: &Change) -> String {
    let found = note(change, |note| match note {
        Note::Candidates(names) => Some(names),
        _ => None,
    });
    found.map_or_else(String::new, |names| {
        format!("; possible replacement: {}", ticks(names))
    })
}

fn guess(change: &Change) -> String {
    let found = note(change, |note| match note {
        Note::Guess(likeness) => Some(likeness),
        _ => None,
    });
    found.map_or_else(String::new, |likeness| {
        format!(" (a guess: the signatures are equal, and the names are {likeness} % similar)")
    })
}

fn is_still_generated(change: &Change) -> bool {
    change.notes.contains(&Note::StillGenerated)
}

fn generated(change: &Change) -> String {
    if is_still_generated(change) {
        return "`autogen` no longer lists it, but it is still generated".to_owned();
    }
    let owner = note(change, |note| match note {
        Note::WentWith(owner) => Some(owner),
        _ => None,
    });
    match owner {
        Some(owner) => format!(
            "removed together with {}, which it is generated from",
            tick(owner)
        ),
        None => "PyTorch no longer generates the operator".to_owned(),
    }
}
