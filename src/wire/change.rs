//! Changes on the wire.

use opatlas_diff::policy::{Exception, Judged, Judgement};
use opatlas_diff::rules::{Audiences, Level};
use opatlas_diff::{Change as DiffChange, Fragment, Note, Subject};
use opatlas_report::changes::{accept, help, message};
use opatlas_report::findings::SourceText;
use serde::Serialize;
use utoipa::ToSchema;

use crate::wire::finding::Span;

/// One difference between two revisions: what changed, whom it hurts, what to do.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Change {
    /// The rule that it falls under; `/v1/rules/{id}` has more.
    #[schema(example = "argument-renamed")]
    pub rule: &'static str,
    /// How bad it is under the profile: `breaking`, `forward-breaking`, `dangerous`, `info`, `safe`
    /// or `none`, which is not counted. A `compound` change stands for the others of its operator,
    /// and has `none` where those are counted; how bad they are together is `strict_level`.
    #[schema(example = "breaking")]
    pub level: &'static str,
    /// How bad it is to everybody together, whatever the profile.
    pub strict_level: &'static str,
    /// The operator.
    #[schema(example = "can_cast")]
    pub operator: String,
    /// The argument that it is about, if it is about one.
    pub argument: Option<String>,
    /// The dispatch keys that it is about.
    pub keys: Vec<String>,
    /// Tags, operators or whatever else it is about, by name.
    pub names: Vec<String>,
    /// What changed, in a sentence.
    pub message: String,
    /// Why it matters.
    pub why: &'static str,
    /// For whom something stops working or silently changes.
    pub breaks: Vec<&'static str>,
    /// For whom it may.
    pub risks: Vec<&'static str>,
    /// What stood there before.
    pub old: Option<String>,
    /// What stands there now.
    pub new: Option<String>,
    /// Where the former stands in the base's `native_functions.yaml`.
    pub base_span: Option<Span>,
    /// Where the latter stands in the head's `native_functions.yaml`.
    pub head_span: Option<Span>,
    /// Which part of the base's canonical schema changed: two offsets in Unicode scalar values.
    pub base_mark: Option<[usize; 2]>,
    /// Which part of the head's canonical schema changed.
    pub head_mark: Option<[usize; 2]>,
    /// The smallest alternative that hurts nobody.
    pub help: Option<String>,
    /// The command that accepts it.
    pub accept: String,
    /// Other operators to which the same happened for the same cause.
    pub also: Vec<String>,
    /// How sure it is that two names are one operator, in percent; null where nothing is guessed.
    #[schema(maximum = 100)]
    pub confidence: Option<u8>,
    /// The exception that speaks of it.
    pub exception: Option<Excuse>,
    /// What names it from one comparison to the next: made of rule, operator and arguments, never of
    /// wording or places.
    #[schema(example = "9f86d081884c7d65")]
    pub fingerprint: String,
}

/// An exception as it applies to a change.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Excuse {
    /// The exception's id.
    pub id: String,
    /// Whether it excuses the change: it has not ended, and the operator may be excused.
    pub holds: bool,
    /// How the exception stands.
    #[schema(example = "active")]
    pub status: &'static str,
    /// Why it was accepted.
    pub reason: String,
    /// By whom.
    pub owner: Option<String>,
    /// The last day or release for which it holds.
    pub until: Option<String>,
}

/// What changes are told with: the texts that their places count in, and what they are judged by.
#[derive(Debug, Clone, Copy)]
pub struct ChangeContext<'a> {
    /// The judgement.
    pub judgement: &'a Judgement,
    /// Its exceptions.
    pub exceptions: &'a [Exception],
    /// The base's `native_functions.yaml`.
    pub base: Option<&'a SourceText>,
    /// The head's.
    pub head: Option<&'a SourceText>,
}

impl ChangeContext<'_> {
    /// A change.
    #[must_use]
    pub fn change(&self, judged: &Judged) -> Change {
        let mut told = change(&judged.change, self.base, self.head);
        // It stands for others that are counted under their own levels.
        told.level = match judged.change.is_compound() {
            true => Level::None.as_str(),
            false => judged.level.as_str(),
        };
        told.exception = judged.excuse.and_then(|excuse| {
            let exception = self.exceptions.get(excuse.exception)?;
            let status = self.judgement.exceptions.get(excuse.exception)?;
            Some(Excuse {
                id: exception.id.to_string(),
                holds: excuse.holds,
                status: status.as_str(),
                reason: exception.reason.to_string(),
                owner: exception.owner.as_deref().map(Into::into),
                until: exception.until.as_ref().map(ToString::to_string),
            })
        });
        told
    }
}

/// A change that no policy has been applied to.
#[must_use]
pub fn change(change: &DiffChange, base: Option<&SourceText>, head: Option<&SourceText>) -> Change {
    let names = change.subject.names();
    let (argument, keys, names) = match &change.subject {
        Subject::Operator => (None, Vec::new(), Vec::new()),
        Subject::Argument(name) => (Some(name.to_string()), Vec::new(), Vec::new()),
        Subject::Keys(_) => (None, names, Vec::new()),
        Subject::Return(_) | Subject::Names(_) => (None, Vec::new(), names),
    };
    let words = |audiences: Audiences| audiences.iter().map(|audience| audience.as_str()).collect();
    let place = |fragment: Option<&Fragment>, source: Option<&SourceText>| {
        Some(source?.lines(fragment?.place?).into())
    };
    let text = |fragment: Option<&Fragment>| fragment.map(|fragment| fragment.text.to_string());
    let confidence = change.notes.iter().find_map(|note| match note {
        Note::Guess(percent) => Some(*percent),
        _ => None,
    });
    Change {
        rule: change.rule.id.as_str(),
        level: change.level.as_str(),
        strict_level: change.level.as_str(),
        operator: change.operator.to_string(),
        argument,
        keys,
        names,
        message: message(change),
        why: change.rule.why,
        breaks: words(change.impacts.breaks),
        risks: words(change.impacts.risks),
        old: text(change.old.as_ref()),
        new: text(change.new.as_ref()),
        base_span: place(change.old.as_ref(), base),
        head_span: place(change.new.as_ref(), head),
        base_mark: mark(change.old.as_ref()),
        head_mark: mark(change.new.as_ref()),
        help: help(change),
        accept: accept(change),
        also: change.also.iter().map(ToString::to_string).collect(),
        confidence,
        exception: None,
        fingerprint: change.fingerprint().to_string(),
    }
}

/// Schemas are ASCII but for what stands in strings, which no release has; offsets are bytes.
pub(crate) fn mark(fragment: Option<&Fragment>) -> Option<[usize; 2]> {
    let mark = fragment?.mark?;
    Some([mark.start as usize, mark.end as usize])
}
