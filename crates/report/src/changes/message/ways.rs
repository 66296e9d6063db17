//! Sentences about ways to run an operator besides a plain call.

use super::{from_to, names, note, some, tick, ticks};
use opatlas_diff::rules::ChangeRuleId;
use opatlas_diff::{Change, Note};
use opatlas_source::{Message, message};
use opatlas_verdict::ways::Way;

pub(super) fn message(change: &Change) -> Option<Message> {
    if matches!(
        change.rule.id,
        ChangeRuleId::WayLost | ChangeRuleId::WayGained | ChangeRuleId::WayChanged
    ) {
        return Some(fate(change));
    }
    let functions = ticks(&names(change));
    Some(match change.rule.id {
        ChangeRuleId::ShimChanged => message!(
            "packages compiled by AOTInductor break: the C declaration of {} changed{}",
            functions,
            version(change)
        ),
        ChangeRuleId::ShimRemoved => message!(
            "packages compiled by AOTInductor break: the C shim lost {}",
            functions
        ),
        ChangeRuleId::ShimVersionAdded => message!("the C shim gained {}", functions),
        ChangeRuleId::StableOperatorChanged => {
            "`torch/csrc/stable/ops.h` calls it with other arguments or returns".into()
        }
        _ => return None,
    })
}

/// The line of the list that keeps the old functions, if one does.
fn version(change: &Change) -> Message {
    let line = note(change, |note| match note {
        Note::ShimVersion(line) => Some(tick(line)),
        _ => None,
    });
    line.map_or_else(Message::default, |line| {
        message!(
            "; {} in `torchgen/aoti/fallback_ops.py` keeps the old ones",
            line
        )
    })
}

/// The way, the two fates, the reason, and the operators with the same change.
fn fate(change: &Change) -> Message {
    let way = names(change).first().and_then(|name| Way::parse(name));
    let way = way.map_or("", Way::title);
    let reason = note(change, |note| match note {
        Note::Reason(text) => Some(&**text),
        _ => None,
    });
    let reason = marked(reason.unwrap_or_default());
    let mut message = message!("{}: {} ({})", way, from_to(change, "nothing"), reason);
    if !change.also.is_empty() {
        let (count, others) = (change.also.len(), some(&change.also));
        let noun = if count == 1 { "operator" } else { "operators" };
        message.push(&message!("; also {} {}: {}", count, noun, others));
    }
    message
}

/// A text whose code is between backticks.
fn marked(text: &str) -> Message {
    let mut message = Message::default();
    for (at, piece) in text.split('`').enumerate() {
        match at % 2 {
            0 => message.push_str(piece),
            _ => message.push_code(piece),
        }
    }
    message
}
