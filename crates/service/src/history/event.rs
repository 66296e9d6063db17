//! The stored form of an event: the structured change. Its sentence is generated when it is read.

use std::sync::Arc;

use opatlas_operators::entry::KeyName;
use serde::{Deserialize, Serialize};

use super::words::{Composite, Word};
use opatlas_diff::history::{Event, EventKind};
use opatlas_diff::rules::{ChangeRule, Level};
use opatlas_diff::{Change, Fragment, Note, Subject};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredEvent {
    pub(super) kind: Word<EventKind>,
    pub(super) rule: Word<&'static ChangeRule>,
    pub(super) level: Word<Level>,
    /// The changed operator, if it is another one.
    #[serde(rename = "of", default, skip_serializing_if = "Option::is_none")]
    operator: Option<String>,
    /// Whether this operator changed only because that one did.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    follows: bool,
    #[serde(default, skip_serializing_if = "About::is_operator")]
    about: About,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) old: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) new: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notes: Vec<StoredNote>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum About {
    #[default]
    Operator,
    Argument(Arc<str>),
    Return(usize),
    Keys(Vec<Box<str>>),
    Names(Vec<Arc<str>>),
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredNote {
    SilentSwap,
    KeywordOnlyInPython,
    HadNoDefault,
    SameNumberOtherKind,
    AlsoSymInt,
    Candidates(Vec<Arc<str>>),
    Guess(u8),
    CoreInBase,
    ServedByNothing,
    WentWith(Arc<str>),
    Ambiguous,
    Missing(Vec<Arc<str>>),
    StillGenerated,
    Sibling(Arc<str>),
    Upgrader(Arc<str>),
    Rules(Vec<Word<&'static ChangeRule>>),
    TakenOverBy(Word<Composite>),
    RanByParts,
    SiblingsDoNotTrain,
    NoDerivatives,
    FormulaUnmatched,
    FormulaRemoved,
    WasComposite,
    NoEntry,
    NoFormulas,
    GradientRaises(Vec<Arc<str>>),
    GradientRefused(Vec<Arc<str>>),
    GradientStops(Vec<Arc<str>>),
    Expected(Vec<(Arc<str>, Arc<str>)>),
    CallersFail(Vec<Arc<str>>),
    NeedsRemoved(Vec<Arc<str>>),
    SupportUnknown,
    ShimVersion(Arc<str>),
    Reason(Arc<str>),
    CppCall(Arc<str>),
}

impl About {
    fn is_operator(&self) -> bool {
        *self == Self::Operator
    }

    fn of(subject: &Subject) -> Self {
        match subject {
            Subject::Operator => Self::Operator,
            Subject::Argument(name) => Self::Argument(name.clone()),
            Subject::Return(index) => Self::Return(*index),
            Subject::Keys(keys) => Self::Keys(keys.iter().map(|key| key.as_str().into()).collect()),
            Subject::Names(names) => Self::Names(names.clone()),
        }
    }

    fn subject(&self) -> Subject {
        match self.clone() {
            Self::Operator => Subject::Operator,
            Self::Argument(name) => Subject::Argument(name),
            Self::Return(index) => Subject::Return(index),
            Self::Keys(keys) => Subject::Keys(keys.iter().map(|key| KeyName::of(key)).collect()),
            Self::Names(names) => Subject::Names(names),
        }
    }
}

impl StoredEvent {
    pub(super) fn of(operator: &str, event: &Event<'_>) -> Self {
        let change = event.change;
        let text = |fragment: Option<&Fragment>| fragment.map(|f| f.text.to_string());
        Self {
            kind: Word(event.kind),
            rule: Word(change.rule),
            level: Word(change.level),
            operator: (*change.operator != *operator).then(|| change.operator.to_string()),
            follows: event.follows,
            about: About::of(&change.subject),
            old: text(change.old.as_ref()),
            new: text(change.new.as_ref()),
            notes: change.notes.iter().map(StoredNote::of).collect(),
        }
    }

    pub(super) fn follows(&self) -> Option<&str> {
        self.operator.as_deref().filter(|_| self.follows)
    }

    pub(super) fn change(&self, operator: &str) -> Change {
        let told_of = self.operator.as_deref().unwrap_or(operator);
        let side = |text: &Option<String>| {
            let text = text.as_deref()?;
            Some(Fragment::of_field(text, None))
        };
        let mut change = Change::new(self.rule.0.id, told_of, self.about.subject())
            .old(side(&self.old))
            .new_side(side(&self.new));
        change.level = self.level.0;
        change.notes = self.notes.iter().map(StoredNote::note).collect();
        change
    }
}

impl StoredNote {
    fn of(note: &Note) -> Self {
        match note {
            Note::SilentSwap => Self::SilentSwap,
            Note::KeywordOnlyInPython => Self::KeywordOnlyInPython,
            Note::HadNoDefault => Self::HadNoDefault,
            Note::SameNumberOtherKind => Self::SameNumberOtherKind,
            Note::AlsoSymInt => Self::AlsoSymInt,
            Note::Candidates(names) => Self::Candidates(names.clone()),
            Note::Guess(percent) => Self::Guess(*percent),
            Note::CoreInBase => Self::CoreInBase,
            Note::ServedByNothing => Self::ServedByNothing,
            Note::WentWith(name) => Self::WentWith(name.clone()),
            Note::Ambiguous => Self::Ambiguous,
            Note::Missing(names) => Self::Missing(names.clone()),
            Note::StillGenerated => Self::StillGenerated,
            Note::Sibling(name) => Self::Sibling(name.clone()),
            Note::Upgrader(name) => Self::Upgrader(name.clone()),
            Note::Rules(ids) => {
                let rules = ids.iter().map(|&id| opatlas_diff::rules::of(id));
                Self::Rules(rules.map(Word).collect())
            }
            Note::TakenOverBy(key) => Self::TakenOverBy(Word(Composite(key))),
            Note::RanByParts => Self::RanByParts,
            Note::SiblingsDoNotTrain => Self::SiblingsDoNotTrain,
            Note::NoDerivatives => Self::NoDerivatives,
            Note::FormulaUnmatched => Self::FormulaUnmatched,
            Note::FormulaRemoved => Self::FormulaRemoved,
            Note::WasComposite => Self::WasComposite,
            Note::NoEntry => Self::NoEntry,
            Note::NoFormulas => Self::NoFormulas,
            Note::GradientRaises(names) => Self::GradientRaises(names.clone()),
            Note::GradientRefused(names) => Self::GradientRefused(names.clone()),
            Note::GradientStops(names) => Self::GradientStops(names.clone()),
            Note::Expected(schemas) => Self::Expected(schemas.clone()),
            Note::CallersFail(names) => Self::CallersFail(names.clone()),
            Note::NeedsRemoved(names) => Self::NeedsRemoved(names.clone()),
            Note::SupportUnknown => Self::SupportUnknown,
            Note::ShimVersion(line) => Self::ShimVersion(line.clone()),
            Note::CppCall(call) => Self::CppCall(call.clone()),
            Note::Reason(text) => Self::Reason(text.clone()),
        }
    }

    fn note(&self) -> Note {
        match self {
            Self::SilentSwap => Note::SilentSwap,
            Self::KeywordOnlyInPython => Note::KeywordOnlyInPython,
            Self::HadNoDefault => Note::HadNoDefault,
            Self::SameNumberOtherKind => Note::SameNumberOtherKind,
            Self::AlsoSymInt => Note::AlsoSymInt,
            Self::Candidates(names) => Note::Candidates(names.clone()),
            Self::Guess(percent) => Note::Guess(*percent),
            Self::CoreInBase => Note::CoreInBase,
            Self::ServedByNothing => Note::ServedByNothing,
            Self::WentWith(name) => Note::WentWith(name.clone()),
            Self::Ambiguous => Note::Ambiguous,
            Self::Missing(names) => Note::Missing(names.clone()),
            Self::StillGenerated => Note::StillGenerated,
            Self::Sibling(name) => Note::Sibling(name.clone()),
            Self::Upgrader(name) => Note::Upgrader(name.clone()),
            Self::Rules(rules) => Note::Rules(rules.iter().map(|rule| rule.0.id).collect()),
            Self::TakenOverBy(key) => Note::TakenOverBy(key.0.0),
            Self::RanByParts => Note::RanByParts,
            Self::SiblingsDoNotTrain => Note::SiblingsDoNotTrain,
            Self::NoDerivatives => Note::NoDerivatives,
            Self::FormulaUnmatched => Note::FormulaUnmatched,
            Self::FormulaRemoved => Note::FormulaRemoved,
            Self::WasComposite => Note::WasComposite,
            Self::NoEntry => Note::NoEntry,
            Self::NoFormulas => Note::NoFormulas,
            Self::GradientRaises(names) => Note::GradientRaises(names.clone()),
            Self::GradientRefused(names) => Note::GradientRefused(names.clone()),
            Self::GradientStops(names) => Note::GradientStops(names.clone()),
            Self::Expected(schemas) => Note::Expected(schemas.clone()),
            Self::CallersFail(names) => Note::CallersFail(names.clone()),
            Self::NeedsRemoved(names) => Note::NeedsRemoved(names.clone()),
            Self::SupportUnknown => Note::SupportUnknown,
            Self::ShimVersion(line) => Note::ShimVersion(line.clone()),
            Self::CppCall(call) => Note::CppCall(call.clone()),
            Self::Reason(text) => Note::Reason(text.clone()),
        }
    }
}
