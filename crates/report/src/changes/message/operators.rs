//! Sentences about operators as a whole, generated ones, promises, exceptions and the file.

use super::{names, note, text, tick, ticks};
use opatlas_diff::rules::ChangeRuleId;
use opatlas_diff::{Change, Note};

pub(super) fn message(change: &Change) -> Option<String> {
    let (old, new) = (text(change.old.as_ref()), text(change.new.as_ref()));
    let operator = &*change.operator;
    Some(match change.rule.id {
        ChangeRuleId::OperatorRemoved => format!("the operator is gone{}", candidates(change)),
        ChangeRuleId::OverloadRemoved => format!(
            "this overload is gone, others of its name stay{}",
            candidates(change)
        ),
        ChangeRuleId::OperatorAdded => "new operator".to_owned(),
        ChangeRuleId::OverloadAdded => "new overload".to_owned(),
        ChangeRuleId::OverloadRenamed => {
            format!("the overload is now called {}", tick(overload(new)))
        }
        ChangeRuleId::OverloadNameAdded => {
            format!("the default overload is now called {}", tick(overload(new)))
        }
        ChangeRuleId::OverloadNameRemoved => format!(
            "the overload {} became the default one",
            tick(overload(old))
        ),
        ChangeRuleId::OperatorRenamed => {
            format!("the operator is now called {}{}", tick(new), guess(change))
        }
        ChangeRuleId::OperatorBecamePrivate => {
            format!(
                "the operator became private and is now called {}",
                tick(new)
            )
        }
        ChangeRuleId::OperatorBecamePublic => {
            format!("the operator became public and is now called {}", tick(new))
        }
        ChangeRuleId::OperatorBecameInplace => format!(
            "the operator became the in-place operator {}, which writes to its argument",
            tick(new)
        ),
        ChangeRuleId::OperatorBecameFunctional => format!(
            "the in-place operator became {}, which writes to none of its arguments",
            tick(new)
        ),
        ChangeRuleId::VariantGroupIncomplete => format!(
            "it stays, but {} beside it {} gone",
            ticks(&names(change)),
            if names(change).len() == 1 {
                "is"
            } else {
                "are"
            }
        ),
        ChangeRuleId::NoChange => "nothing changed".to_owned(),
        ChangeRuleId::SignatureRespelled => {
            "the schema is written differently and means the same".to_owned()
        }
        ChangeRuleId::Compound => {
            let rules = note(change, |note| match note {
                Note::Rules(rules) => Some(rules.len()),
                _ => None,
            });
            format!("{} changes at once", rules.unwrap_or_default())
        }
        ChangeRuleId::AutogenRemoved => generated(change),
        ChangeRuleId::AutogenAdded if is_still_generated(change) => format!(
            "`autogen` lists {} now, which was generated without it as well",
            tick(operator)
        ),
        ChangeRuleId::AutogenAdded if change.old.is_some() => {
            "it had an entry of its own and is generated now".to_owned()
        }
        ChangeRuleId::AutogenAdded => "it is generated now".to_owned(),
        ChangeRuleId::AutogenBecameExplicit => {
            "it was generated and has an entry of its own now".to_owned()
        }
        ChangeRuleId::ViewCopyLost => {
            format!("the view lost its copying twin {}", ticks(&names(change)))
        }
        ChangeRuleId::CoreOperatorRemoved => {
            "the operator carried the tag `core` in the base and is gone".to_owned()
        }
        ChangeRuleId::CoreOperatorBcBroken => {
            "the operator carried the tag `core` in the base, and torch calls its change \
             incompatible"
                .to_owned()
        }
        ChangeRuleId::CoreOperatorAdded => "the operator came with the tag `core`".to_owned(),
        ChangeRuleId::UpgraderPresent => format!(
            "torch upgrades saved models that use the old schema, by {}",
            note(change, |note| match note {
                Note::Upgrader(name) => Some(tick(name)),
                _ => None,
            })
            .unwrap_or_else(|| "an upgrader".to_owned())
        ),
        ChangeRuleId::AllowListed => {
            format!("the exception for {} excuses a change", about(change))
        }
        ChangeRuleId::AllowListExpired => format!(
            "the exception for {} has ended, so that what it excused counts again",
            about(change)
        ),
        ChangeRuleId::AllowListUnused => {
            format!("the exception for {} matches nothing", about(change))
        }
        ChangeRuleId::AllowListOverbroad => format!(
            "the exception for {} matches operators of several names and does not say that it is \
             meant to",
            about(change)
        ),
        ChangeRuleId::EntryMoved => "the entry stands elsewhere in the file".to_owned(),
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
        format!("; {} came and may replace it", ticks(names))
    })
}

fn guess(change: &Change) -> String {
    let found = note(change, |note| match note {
        Note::Guess(likeness) => Some(likeness),
        _ => None,
    });
    found.map_or_else(String::new, |likeness| {
        format!(" (a guess: the signatures are equal and the names alike by {likeness} %)")
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
            "the generated operator is gone together with {}",
            tick(owner)
        ),
        None => "the operator is no longer generated".to_owned(),
    }
}
