//! Changes on the wire.

use std::borrow::Cow;

use opatlas_diff::policy::{Exception, Judged, Judgement};
use opatlas_diff::rules::{Audiences, Level};
use opatlas_diff::{Change as DiffChange, Fingerprint, Fragment, Note, SideFile, Subject};
use opatlas_report::changes::{Files, accept, help, message};
use opatlas_source::{DERIVATIVES, Message, NATIVE_FUNCTIONS, TAGS};
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use crate::finding::Span;
use crate::names::Names;

/// One difference between two revisions: what changed, whom it affects, what to do.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Change<'a> {
    /// The rule; `/v1/rules/{id}` has its documentation.
    #[schema(example = "argument-renamed")]
    pub rule: &'static str,
    /// The level under the profile: `breaking`, `forward-breaking`, `dangerous`, `info`, `safe` or
    /// `none`, which is not counted. A `compound` change represents the other changes of its
    /// operator, and has `none` if those are counted; `strict_level` is their joint level.
    #[schema(example = "breaking")]
    pub level: &'static str,
    /// The level for all audiences together, independent of the profile.
    pub strict_level: &'static str,
    /// The operator. A change of a tag that `tags.yaml` declares has the tag's name in Python, such as
    /// `torch.Tag.pointwise`.
    #[schema(example = "can_cast")]
    pub operator: Cow<'a, str>,
    /// The affected argument, if any.
    pub argument: Option<Cow<'a, str>>,
    /// The affected dispatch keys.
    #[schema(value_type = Vec<String>)]
    pub keys: Names<'a>,
    /// The names of affected tags, operators and the like.
    #[schema(value_type = Vec<String>)]
    pub names: Names<'a>,
    /// What changed, in a sentence.
    pub message: String,
    /// Why it matters.
    pub why: &'static str,
    /// Audiences for whom code stops working or silently changes, even if `level` is `safe` or `info`:
    /// for each of these alone, the change is breaking (`forward-breaking` for `new-model`). The profile
    /// of an audience has that level.
    #[schema(value_type = Vec<String>)]
    #[serde(serialize_with = "words")]
    pub breaks: Audiences,
    /// Audiences for whom this may happen. For each of these alone, the change is dangerous at most.
    #[schema(value_type = Vec<String>)]
    #[serde(serialize_with = "words")]
    pub risks: Audiences,
    /// The old text.
    pub old: Option<Cow<'a, str>>,
    /// The new text.
    pub new: Option<Cow<'a, str>>,
    /// The file that the positions are in: `native_functions.yaml`, `derivatives.yaml` for formulas, or
    /// `tags.yaml` for tags themselves.
    pub file: &'static str,
    /// The position of the old text in the base's file.
    pub base_span: Option<Span>,
    /// The position of the new text in the head's file.
    pub head_span: Option<Span>,
    /// The part of the base's canonical schema that changed: two offsets in Unicode scalar values.
    pub base_mark: Option<[usize; 2]>,
    /// The part of the head's canonical schema that changed.
    pub head_mark: Option<[usize; 2]>,
    /// The smallest alternative that breaks nobody.
    pub help: Option<Cow<'static, str>>,
    /// The command that accepts it.
    pub accept: String,
    /// Other operators with the same change for the same cause.
    #[schema(value_type = Vec<String>)]
    pub also: Names<'a>,
    /// If an operator was removed: the operators that call it and fail without it.
    #[schema(value_type = Vec<String>)]
    pub failing_callers: Names<'a>,
    /// The confidence, in percent, that two names are the same operator; null without a guess.
    #[schema(maximum = 100)]
    pub confidence: Option<u8>,
    /// The exception that matches it.
    pub exception: Option<Excuse>,
    /// A stable fingerprint of the change across comparisons: computed from rule, operator and
    /// arguments, never from wording or positions.
    #[schema(value_type = String, example = "9f86d081884c7d65")]
    #[serde(serialize_with = "digits")]
    pub fingerprint: Fingerprint,
}

fn words<S: Serializer>(audiences: &Audiences, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(audiences.iter().map(|audience| audience.as_str()))
}

fn digits<S: Serializer>(fingerprint: &Fingerprint, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(fingerprint)
}

/// An exception as it applies to a change.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Excuse {
    /// The exception's id.
    pub id: String,
    /// Whether it excuses the change: it has not expired, and the operator can be excused.
    pub holds: bool,
    /// The status of the exception.
    #[schema(example = "active")]
    pub status: &'static str,
    /// Why it was accepted.
    pub reason: String,
    /// By whom.
    pub owner: Option<String>,
    /// The last day or release on which it is valid.
    pub until: Option<String>,
}

/// The context of changes: the texts that their positions refer to, and the judgement.
#[derive(Debug, Clone, Copy)]
pub struct ChangeContext<'a> {
    /// The judgement.
    pub judgement: &'a Judgement,
    /// Its exceptions.
    pub exceptions: &'a [Exception],
    /// The files of the base.
    pub base: Option<Files<'a>>,
    /// Those of the head.
    pub head: Option<Files<'a>>,
}

impl ChangeContext<'_> {
    /// A change.
    #[must_use]
    pub fn change<'j>(&self, judged: &'j Judged) -> Change<'j> {
        let mut told = change(&judged.change, self.base, self.head);
        // It represents other changes, which are counted under their own levels.
        told.level = if judged.change.is_compound() {
            Level::None.as_str()
        } else {
            judged.level.as_str()
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

impl Change<'_> {
    /// A copy that does not borrow from the comparison.
    #[must_use]
    pub fn into_owned(self) -> Change<'static> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        Change {
            operator: own(self.operator),
            argument: self.argument.map(own),
            keys: self.keys.into_owned(),
            names: self.names.into_owned(),
            old: self.old.map(own),
            new: self.new.map(own),
            also: self.also.into_owned(),
            failing_callers: self.failing_callers.into_owned(),
            ..self
        }
    }
}

/// A change before any policy is applied.
#[must_use]
pub fn change<'c>(
    change: &'c DiffChange,
    base: Option<Files<'_>>,
    head: Option<Files<'_>>,
) -> Change<'c> {
    let (argument, keys, names) = match &change.subject {
        Subject::Operator => (None, Names::NONE, Names::NONE),
        Subject::Argument(name) => (Some(Cow::Borrowed(&**name)), Names::NONE, Names::NONE),
        Subject::Keys(keys) => (None, Names::Keys(keys), Names::NONE),
        Subject::Names(names) => (None, Names::NONE, Names::Names(names)),
        Subject::Return(_) => {
            let names = Names::Own(change.subject.names());
            (None, Names::NONE, names)
        }
    };
    let place = |fragment: Option<&Fragment>, files: Option<Files<'_>>| {
        let (source, span) = files?.place(fragment)?;
        Some(source.lines(span).into())
    };
    let text = |fragment: Option<&'c Fragment>| fragment.map(|it| Cow::Borrowed(&*it.text));
    let confidence = change.notes.iter().find_map(|note| match note {
        Note::Guess(percent) => Some(*percent),
        _ => None,
    });
    let failing_callers = change.notes.iter().find_map(|note| match note {
        Note::CallersFail(names) => Some(Names::Names(names)),
        _ => None,
    });
    Change {
        rule: change.rule.id.as_str(),
        level: change.level.as_str(),
        strict_level: change.level.as_str(),
        operator: Cow::Borrowed(&change.operator),
        argument,
        keys,
        names,
        message: message(change).to_string(),
        why: change.rule.why,
        breaks: change.impacts.breaks,
        risks: change.impacts.risks,
        old: text(change.old.as_ref()),
        new: text(change.new.as_ref()),
        file: match change.file() {
            SideFile::NativeFunctions => NATIVE_FUNCTIONS,
            SideFile::Derivatives => DERIVATIVES,
            SideFile::Tags => TAGS,
        },
        base_span: place(change.old.as_ref(), base),
        head_span: place(change.new.as_ref(), head),
        base_mark: mark(change.old.as_ref()),
        head_mark: mark(change.new.as_ref()),
        help: help(change).map(Message::into_text),
        accept: accept(change),
        also: Names::Names(&change.also),
        failing_callers: failing_callers.unwrap_or(Names::NONE),
        confidence,
        exception: None,
        fingerprint: change.fingerprint(),
    }
}

/// Schemas are ASCII except for strings, which no release uses; offsets are bytes.
pub(crate) fn mark(fragment: Option<&Fragment>) -> Option<[usize; 2]> {
    let mark = fragment?.mark?;
    Some([mark.start as usize, mark.end as usize])
}
