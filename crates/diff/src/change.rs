//! A change: one difference between two sides, with what it means to whom.

mod subject;

use std::fmt;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::rules::{ChangeRule, Impacts, Level, of};
use crate::rules::ChangeRuleId;
use opatlas_source::Span;
pub use subject::Subject;

/// One difference. The rule says what kind it is; level and impacts are those of this very
/// change, which can weigh more or less than its rule's.
#[derive(Debug, Clone)]
pub struct Change {
    /// The rule.
    pub rule: &'static ChangeRule,
    /// The operator, qualified unless its namespace is `aten`: the base's name where both sides
    /// have it.
    pub operator: Arc<str>,
    /// The affected audiences.
    pub impacts: Impacts,
    /// How bad it is to everybody together, before any profile.
    pub level: Level,
    /// What in the operator it is about.
    pub subject: Subject,
    /// The old text.
    pub old: Option<Fragment>,
    /// The new text.
    pub new: Option<Fragment>,
    /// What else is to be known about it.
    pub notes: Vec<Note>,
    /// Other operators to which the same happened for the same cause: generated ones that follow
    /// the operator, entries that delegate to it.
    pub also: Vec<Arc<str>>,
}

/// A piece of one side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    /// Its text.
    pub text: Arc<str>,
    /// The position in the operator's canonical schema, in bytes.
    pub mark: Option<Span>,
    /// Which part of the schema it is.
    pub part: Part,
    /// Where it is written. `None` for schemas without a file, and for generated operators.
    pub place: Option<Place>,
}

/// A place in a file of a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: SideFile,
    /// The position in it, in bytes.
    pub span: Span,
}

/// A file that changes are found in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SideFile {
    /// `native_functions.yaml`
    NativeFunctions,
    /// `derivatives.yaml`
    Derivatives,
}

/// A part of a schema, by which its place in a file is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Schema,
    /// Its name.
    Name,
    /// An argument, counted over all of them from 0.
    Argument(u32),
    /// All returns.
    Returns,
    /// A return, counted from 0.
    Return(u32),
    /// Nothing of the schema: another field of the entry.
    Field,
}

impl Fragment {
    /// A part of a schema.
    #[must_use]
    pub fn of_schema(text: impl Into<Arc<str>>, part: Part, mark: Option<Span>) -> Self {
        Self {
            text: text.into(),
            mark,
            part,
            place: None,
        }
    }

    /// A field of an entry, with its place in `native_functions.yaml`.
    #[must_use]
    pub fn of_field(text: impl Into<Arc<str>>, place: Option<Span>) -> Self {
        let file = SideFile::NativeFunctions;
        Self {
            text: text.into(),
            mark: None,
            part: Part::Field,
            place: place.map(|span| Place { file, span }),
        }
    }

    /// A field of an entry of `derivatives.yaml`, with its place there.
    #[must_use]
    pub fn of_formula(text: impl Into<Arc<str>>, span: Span) -> Self {
        let file = SideFile::Derivatives;
        Self {
            place: Some(Place { file, span }),
            ..Self::of_field(text, None)
        }
    }
}

/// Something to know about a change, as data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// Old and new type are the same, so that nothing complains when the meaning is swapped.
    SilentSwap,
    /// Python callers bind by name here, so that only callers by position notice.
    KeywordOnlyInPython,
    /// The old argument had no default, so that new calls fail on the old side.
    HadNoDefault,
    /// The two defaults are the same number, of different kinds.
    SameNumberOtherKind,
    /// Besides, `int` became `SymInt` or the reverse.
    AlsoSymInt,
    /// Operators that may replace a removed one, likeliest first.
    Candidates(Vec<Arc<str>>),
    /// The pairing of an old with a new name is a guess: how alike the names are, in percent.
    Guess(u8),
    /// The operator carried the tag `core` in the base.
    CoreInBase,
    /// Nothing serves the keys any more.
    ServedByNothing,
    /// What was generated went together with the operator that it was generated from.
    WentWith(Arc<str>),
    /// An implicit composite and a backend without an autograd key of its own disagree there, so
    /// that every call fails.
    Ambiguous,
    /// The members of its group that it no longer has.
    Missing(Vec<Arc<str>>),
    /// `autogen` names it no longer, or only now; it is generated either way.
    StillGenerated,
    /// An overload that accepts the same calls.
    Sibling(Arc<str>),
    /// The name of the upgrader that torch has for the old schema.
    Upgrader(Arc<str>),
    /// Rules that are reported of the same operator.
    Rules(Vec<ChangeRuleId>),
    /// A composite under this key runs the very kernels that went.
    TakenOverBy(&'static str),
    /// It ran there through an implicit composite, only as far as the parts of that do.
    RanByParts,
    /// None of the operators that the composite is most probably made of can be trained on, so
    /// that little is lost.
    SiblingsDoNotTrain,
    /// The bundle has no `derivatives.yaml`, so no formula is assumed.
    NoDerivatives,
    /// `derivatives.yaml` still has a formula for the operator's name, but for another schema.
    FormulaUnmatched,
    /// `derivatives.yaml` no longer has the formula.
    FormulaRemoved,
}

impl Change {
    /// The file that it is written in.
    #[must_use]
    pub fn file(&self) -> SideFile {
        let mut sides = [&self.new, &self.old].into_iter().flatten();
        let place = sides.find_map(|fragment| fragment.place);
        place.map_or(SideFile::NativeFunctions, |place| place.file)
    }

    /// A change that weighs what its rule says.
    #[must_use]
    pub fn new(rule: ChangeRuleId, operator: impl Into<Arc<str>>, subject: Subject) -> Self {
        let rule = of(rule);
        Self {
            rule,
            level: rule.level.unwrap_or(Level::None),
            impacts: rule.impacts,
            operator: operator.into(),
            subject,
            old: None,
            new: None,
            notes: Vec::new(),
            also: Vec::new(),
        }
    }

    /// With the old text.
    #[must_use]
    pub fn old(mut self, fragment: impl Into<Option<Fragment>>) -> Self {
        self.old = fragment.into();
        self
    }

    /// With the new text.
    #[must_use]
    pub fn new_side(mut self, fragment: impl Into<Option<Fragment>>) -> Self {
        self.new = fragment.into();
        self
    }

    /// With something more to know.
    #[must_use]
    pub fn note(mut self, note: Note) -> Self {
        self.notes.push(note);
        self
    }

    /// Whether it counts in summaries: level `none` does not, nor does `compound`, which only
    /// represents others, nor what is said of an exception.
    #[must_use]
    pub fn is_counted(&self) -> bool {
        self.level > Level::None && !self.is_compound() && !self.is_about_exception()
    }

    /// Whether it is about an exception and not about an operator.
    #[must_use]
    pub fn is_about_exception(&self) -> bool {
        matches!(
            self.rule.id,
            ChangeRuleId::AllowListed
                | ChangeRuleId::AllowListExpired
                | ChangeRuleId::AllowListUnused
                | ChangeRuleId::AllowListOverbroad
        )
    }

    /// Whether it represents several other changes of its operator.
    #[must_use]
    pub fn is_compound(&self) -> bool {
        self.rule.level.is_none()
    }

    /// Identifies the change across comparisons: a hash of its rule, operator and subject, never of
    /// wording or places.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        let mut hasher = Sha256::new();
        let mut add = |part: &str| {
            hasher.update(part.as_bytes());
            hasher.update([0]);
        };
        add(self.rule.id.as_str());
        add(&self.operator);
        for name in self.subject.names() {
            add(&name);
        }
        let digest: [u8; 32] = hasher.finalize().into();
        let mut short = [0; 8];
        short.copy_from_slice(&digest[..8]);
        Fingerprint(u64::from_be_bytes(short))
    }
}

/// The identity of a change, shown as 16 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(pub u64);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
