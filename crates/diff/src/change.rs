//! A change: one difference between two sides, with what it means to whom.

mod subject;

use std::fmt;
use std::sync::{Arc, OnceLock};

use sha2::{Digest as _, Sha256};

use super::rules::{ChangeRule, Impacts, Level, of};
use crate::rules::ChangeRuleId;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::OperatorId;
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
    /// The operator on both sides, where the comparison found it on both anyway.
    ids: Option<(OperatorId, OperatorId)>,
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
    /// Made once, since the change, its cause and the tables that follow from it all show it.
    fingerprint: OnceLock<Fingerprint>,
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
            ids: None,
            fingerprint: OnceLock::new(),
        }
    }

    /// The same of another operator.
    pub(crate) fn of_operator(&self, operator: Arc<str>) -> Self {
        Self {
            operator,
            fingerprint: OnceLock::new(),
            ..self.clone()
        }
    }

    /// With the operator on both sides, which has its name there and is the first that has it.
    pub(crate) fn at(mut self, ids: (OperatorId, OperatorId)) -> Self {
        self.ids = Some(ids);
        self
    }

    /// The operator in the catalogues that were compared.
    pub(crate) fn ids(&self, sides: [&Catalogue; 2]) -> [Option<OperatorId>; 2] {
        match self.ids {
            Some((old, new)) => [Some(old), Some(new)],
            None => sides.map(|side| side.find_qualified(&self.operator)),
        }
    }

    /// The same in the base alone.
    pub(crate) fn base_id(&self, base: &Catalogue) -> Option<OperatorId> {
        match self.ids {
            Some((old, _)) => Some(old),
            None => base.find_qualified(&self.operator),
        }
    }

    /// Whether both are about the same operator; by id where both have one.
    pub(crate) fn is_of_operator_of(&self, other: &Self) -> bool {
        match (self.ids, other.ids) {
            // A name has one pair of ids.
            (Some(ids), Some(others)) => ids == others,
            _ => self.operator == other.operator,
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

    /// What names the change from one comparison to the next: made of rule, operator and subject,
    /// never of wording or places. These three stay as they are once it has been asked for.
    pub fn fingerprint(&self) -> Fingerprint {
        *self.fingerprint.get_or_init(|| self.make_fingerprint())
    }

    fn make_fingerprint(&self) -> Fingerprint {
        let mut hasher = Sha256::new();
        let mut add = |part: &str| {
            hasher.update(part.as_bytes());
            hasher.update([0]);
        };
        add(self.rule.id.as_str());
        add(&self.operator);
        match &self.subject {
            Subject::Operator => {}
            Subject::Argument(name) => add(name),
            Subject::Return(_) => self.subject.names().iter().for_each(|name| add(name)),
            Subject::Keys(keys) => keys.iter().for_each(|key| add(key.as_str())),
            Subject::Names(names) => names.iter().for_each(|name| add(name)),
        }
        let digest: [u8; 32] = hasher.finalize().into();
        let mut short = [0; 8];
        short.copy_from_slice(&digest[..8]);
        Fingerprint(u64::from_be_bytes(short))
    }
}

/// What names a change; shown as 16 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(pub u64);

/// The hexadecimal digits of a fingerprint.
#[derive(Debug, Clone, Copy)]
pub struct Digits([u8; 16]);

impl Fingerprint {
    /// What it is shown as.
    #[must_use]
    pub fn digits(self) -> Digits {
        let mut rest = self.0;
        let mut digits = [0; 16];
        for digit in digits.iter_mut().rev() {
            *digit = b"0123456789abcdef"[(rest & 15) as usize];
            rest >>= 4;
        }
        Digits(digits)
    }
}

impl Digits {
    /// The digits as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.digits().as_str())
    }
}
