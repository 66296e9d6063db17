//! A change: one difference between two sides, its level, and the affected audiences.

mod subject;

use std::fmt;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::rules::{Audiences, ChangeRule, Impacts, Level, of};
use crate::rules::ChangeRuleId;
use opatlas_source::Span;
pub use subject::Subject;

/// One difference. Level and impacts are those of this change, which may be more or less severe than
/// its rule's.
#[derive(Debug, Clone)]
pub struct Change {
    /// The kind of change.
    pub rule: &'static ChangeRule,
    /// The operator's name, qualified unless its namespace is `aten`. If both sides have the operator,
    /// this is the base's name. A change of a tag itself has [`tag_member`] instead.
    pub operator: Arc<str>,
    /// The affected audiences.
    pub impacts: Impacts,
    /// The level for all audiences together, before any profile.
    pub level: Level,
    /// The changed part of the operator.
    pub subject: Subject,
    /// The old text.
    pub old: Option<Fragment>,
    /// The new text.
    pub new: Option<Fragment>,
    /// Further facts.
    pub notes: Vec<Note>,
    /// Other operators with this change for the same cause: generated from the operator, or calling it.
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
    /// Its place in a file. `None` for schemas without a file and for generated operators.
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

/// A file with changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SideFile {
    /// `native_functions.yaml`
    NativeFunctions,
    /// `derivatives.yaml`
    Derivatives,
    /// `tags.yaml`
    Tags,
}

/// A part of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Schema,
    /// Its name.
    Name,
    /// An argument, counted from 0.
    Argument(u32),
    /// All returns.
    Returns,
    /// A return, counted from 0.
    Return(u32),
    /// Another field of the entry.
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
        Self::in_file(text, SideFile::Derivatives, span)
    }

    /// A tag, with its place in `tags.yaml`.
    #[must_use]
    pub fn of_tag(tag: impl Into<Arc<str>>, span: Span) -> Self {
        Self::in_file(tag, SideFile::Tags, span)
    }

    fn in_file(text: impl Into<Arc<str>>, file: SideFile, span: Span) -> Self {
        Self {
            place: Some(Place { file, span }),
            ..Self::of_field(text, None)
        }
    }
}

/// A fact about a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// The types are equal, so swapped arguments cause no error.
    SilentSwap,
    /// Python passes the argument by name, so only positional callers in other languages notice.
    KeywordOnlyInPython,
    /// The old argument had no default, so new calls fail on the old side.
    HadNoDefault,
    /// The two defaults are the same number with different types.
    SameNumberOtherKind,
    /// In addition, `int` became `SymInt` or the reverse.
    AlsoSymInt,
    /// Operators that may replace a removed one, the likeliest first.
    Candidates(Vec<Arc<str>>),
    /// The rename is a guess. The value is the similarity of the names in percent.
    Guess(u8),
    /// The operator has the tag `core` in the base.
    CoreInBase,
    /// No kernel serves the keys any more.
    ServedByNothing,
    /// The generated operator was removed together with this source.
    WentWith(Arc<str>),
    /// An implicit composite and a backend without its own autograd key conflict, so every call fails.
    Ambiguous,
    /// The members that its group lost.
    Missing(Vec<Arc<str>>),
    /// Whether `autogen` lists it changed; it is generated either way.
    StillGenerated,
    /// An overload that accepts the same calls.
    Sibling(Arc<str>),
    /// The torch upgrader for the old schema.
    Upgrader(Arc<str>),
    /// The rules of the operator's changes.
    Rules(Vec<ChangeRuleId>),
    /// A composite on this key runs the removed kernels.
    TakenOverBy(&'static str),
    /// It ran there through an implicit composite, which needs all of its parts to run there.
    RanByParts,
    /// None of the operators that the composite probably calls can be trained, so little is lost.
    SiblingsDoNotTrain,
    /// The bundle has no `derivatives.yaml`, so no formula is assumed.
    NoDerivatives,
    /// `derivatives.yaml` still has a formula for the operator's name, but for another schema.
    FormulaUnmatched,
    /// `derivatives.yaml` no longer has the formula.
    FormulaRemoved,
    /// In the base, an implicit composite made it differentiable.
    WasComposite,
    /// `derivatives.yaml` has no entry for it.
    NoEntry,
    /// Its entry in `derivatives.yaml` has no formula, and excludes neither all inputs nor all outputs.
    NoFormulas,
    /// The formulas of these inputs only raise (`not_implemented`).
    GradientRaises(Vec<Arc<str>>),
    /// These inputs have no formula although others have one, so they may not require a gradient.
    GradientRefused(Vec<Arc<str>>),
    /// `derivatives.yaml` declares these inputs as not differentiable; without names, the whole operator.
    GradientStops(Vec<Arc<str>>),
    /// Members of its group that did not get its change, and the schemas that they must have.
    Expected(Vec<(Arc<str>, Arc<str>)>),
    /// Operators that call the removed one and fail without it.
    CallersFail(Vec<Arc<str>>),
    /// The removed operators that it calls.
    NeedsRemoved(Vec<Arc<str>>),
    /// The verdict was or is unknown.
    SupportUnknown,
    /// The line of `torchgen/aoti/fallback_ops.py` that keeps the old functions of the C shim.
    ShimVersion(Arc<str>),
    /// A C++ call whose meaning changes.
    CppCall(Arc<str>),
    /// Why the fate on the head's side is what it is.
    Reason(Arc<str>),
}

/// The name in changes of a tag that `tags.yaml` declares: its name in Python. No operator of PyTorch has
/// a name with two dots.
#[must_use]
pub fn tag_member(tag: &str) -> String {
    format!("{TAG_MEMBER}{tag}")
}

/// The tag of a [`tag_member`].
#[must_use]
pub fn tag_of_member(name: &str) -> Option<&str> {
    name.strip_prefix(TAG_MEMBER)
}

const TAG_MEMBER: &str = "torch.Tag.";

impl Change {
    /// The file with the change.
    #[must_use]
    pub fn file(&self) -> SideFile {
        let mut sides = [&self.new, &self.old].into_iter().flatten();
        let place = sides.find_map(|fragment| fragment.place);
        place.map_or(SideFile::NativeFunctions, |place| place.file)
    }

    /// A change with the level and impacts of its rule.
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

    /// Sets the old text.
    #[must_use]
    pub fn old(mut self, fragment: impl Into<Option<Fragment>>) -> Self {
        self.old = fragment.into();
        self
    }

    /// Sets the new text.
    #[must_use]
    pub fn new_side(mut self, fragment: impl Into<Option<Fragment>>) -> Self {
        self.new = fragment.into();
        self
    }

    /// Lowers the level. What the change breaks is then only at risk.
    #[must_use]
    pub fn at_risk(mut self, level: Level) -> Self {
        self.level = level;
        self.impacts = Impacts {
            breaks: Audiences::NONE,
            risks: self.impacts.breaks.union(self.impacts.risks),
        };
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, note: Note) -> Self {
        self.notes.push(note);
        self
    }

    /// Whether it counts in summaries. Changes of level `none`, compound changes, and changes about
    /// exceptions do not.
    #[must_use]
    pub fn is_counted(&self) -> bool {
        self.level > Level::None && !self.is_compound() && !self.is_about_exception()
    }

    /// `true` if it is about a tag itself, not about an operator.
    #[must_use]
    pub fn is_about_tag(&self) -> bool {
        matches!(
            self.rule.id,
            ChangeRuleId::TagMemberAdded | ChangeRuleId::TagMemberRemoved
        )
    }

    /// Whether it is about an exception, not about an operator.
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
