//! Diagnostics: [`Finding`]s with a rule, a position, a reason and, if it is mechanical, a fix.

use crate::suggest::Near;
use crate::{Message, Span, message};

pub use crate::rule_id::RuleId;

crate::words! {
    /// The severity of a finding.
    pub enum Severity {
        /// PyTorch's generator refuses it at some stage.
        Error = "error",
        /// Accepted, but breaks a documented convention or silently loses something.
        Warning = "warning",
        /// Worth knowing.
        Info = "info",
    }
}

/// A further place that a finding is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Related {
    /// What this place shows.
    pub message: Message,
    /// The bundle's file; `None` means the finding's own.
    pub file: Option<Box<str>>,
    /// Where in that file.
    pub span: Span,
}

crate::words! {
    /// How certain a fix is.
    pub enum Applicability {
        /// Changes spelling only (spaces, punctuation, quotes, case), or a misspelled name to the one known
        /// name that is near.
        Safe = "safe",
        /// One of several possible fixes, or it changes the declaration. A person decides.
        Suggested = "suggested",
    }
}

/// A replacement of text that fixes the finding: `replacement` replaces `span`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fix {
    /// Bytes to replace; empty for an insertion.
    pub span: Span,
    /// The new text.
    pub replacement: Box<str>,
    /// Whether it is safe to apply without asking.
    pub applicability: Applicability,
}

/// One rule's complaint about one place in one file of the bundle.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Finding {
    /// The rule.
    pub rule: RuleId,
    /// Its severity.
    pub severity: Severity,
    /// What is wrong, in one sentence without a full stop.
    pub message: Message,
    /// The file's name in the bundle.
    pub file: Box<str>,
    /// Where in that file.
    pub span: Span,
    /// The full name of the operator, if there is one.
    pub operator: Option<Box<str>>,
    /// How to fix it.
    pub help: Option<Message>,
    /// Other places to look at.
    pub related: Vec<Related>,
    /// A mechanical edit, if there is one.
    pub fix: Option<Fix>,
    /// Whether a comment in the file allows it (`opatlas_rules::suppress`).
    pub suppressed: bool,
}

/// A complaint made while reading one entry or file. Its spans are relative to the text read;
/// `opatlas_rules` turns it into a [`Finding`] with file, operator and severity.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    /// The rule.
    pub rule: RuleId,
    /// What is wrong, in one sentence without a full stop.
    pub message: Message,
    /// Where.
    pub span: Span,
    /// How to fix it.
    pub help: Option<Message>,
    /// Other places to look at.
    pub related: Vec<(Message, Span)>,
    /// A mechanical edit, if there is one.
    pub fix: Option<Fix>,
}

/// Rules about words that PyTorch refuses unless it knows them: fields, types, tags, dispatch keys. To
/// correct one is spelling. The name of an operator or argument decides what is computed, so the nearest
/// one is only suggested.
const WORDS: [RuleId; 8] = [
    RuleId::BackendKey,
    RuleId::BackendKnownKeys,
    RuleId::DerivDispatchKey,
    RuleId::DispatchKeyKnown,
    RuleId::Tags,
    RuleId::TypeUnknown,
    RuleId::Ufunc,
    RuleId::UnknownKey,
];

impl Diagnostic {
    /// A complaint with only a message.
    #[must_use]
    pub fn new(rule: RuleId, span: Span, message: impl Into<Message>) -> Self {
        Self {
            rule,
            message: message.into(),
            span,
            help: None,
            related: Vec::new(),
            fix: None,
        }
    }

    /// Adds how to fix it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<Message>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a place to look at.
    #[must_use]
    pub fn with_related(mut self, message: impl Into<Message>, span: Span) -> Self {
        self.related.push((message.into(), span));
        self
    }

    /// Adds an edit that a person should review ([`Applicability::Suggested`]).
    #[must_use]
    pub fn with_fix(mut self, span: Span, replacement: impl Into<Box<str>>) -> Self {
        self.fix = Some(Fix {
            span,
            replacement: replacement.into(),
            applicability: Applicability::Suggested,
        });
        self
    }

    /// Adds an edit that does not change the meaning ([`Applicability::Safe`]).
    #[must_use]
    pub fn with_safe_fix(self, span: Span, replacement: impl Into<Box<str>>) -> Self {
        self.with_fix(span, replacement).with_same_meaning()
    }

    /// Marks the edit as one that does not change the meaning.
    #[must_use]
    pub fn with_same_meaning(mut self) -> Self {
        if let Some(fix) = &mut self.fix {
            fix.applicability = Applicability::Safe;
        }
        self
    }

    /// Suggests the near name, with an edit. It is safe if no other name is as near, and the rule is
    /// about words of the language, not about names of operators and arguments.
    #[must_use]
    pub fn with_near_name(self, span: Span, near: Near<'_>) -> Self {
        let (name, rule) = (near.name, self.rule);
        // Two question marks in a row would read as one type, `float??`.
        let with = self.with_help(if name.ends_with('?') {
            message!("write `{}`", name)
        } else {
            message!("did you mean `{}`?", name)
        });
        if near.is_only && WORDS.contains(&rule) {
            with.with_safe_fix(span, name)
        } else {
            with.with_fix(span, name)
        }
    }

    /// Moves all spans by `by` bytes.
    #[must_use]
    pub fn shifted(mut self, by: u32) -> Self {
        self.span = self.span.shifted(by);
        for (_, span) in &mut self.related {
            *span = span.shifted(by);
        }
        if let Some(fix) = &mut self.fix {
            fix.span = fix.span.shifted(by);
        }
        self
    }
}

/// Complaints: the first [`Complaints::MOST_OF_A_RULE`] of each rule, and the number of others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Complaints {
    kept: Vec<Diagnostic>,
    more: Vec<(RuleId, usize)>,
}

impl Complaints {
    /// The maximum number of diagnostics of one rule that are kept in full.
    pub const MOST_OF_A_RULE: usize = 1_000;

    /// Adds a complaint.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let rule = diagnostic.rule;
        if !self.is_full(rule) {
            self.kept.push(diagnostic);
        } else {
            self.count(rule, 1);
        }
    }

    /// Whether further complaints of a rule are only counted.
    #[must_use]
    pub fn is_full(&self, rule: RuleId) -> bool {
        if self.kept.len() < Self::MOST_OF_A_RULE {
            return false;
        }
        self.more.iter().any(|(counted, _)| *counted == rule) || {
            let same = self.kept.iter().filter(|kept| kept.rule == rule);
            same.count() >= Self::MOST_OF_A_RULE
        }
    }

    /// Counts complaints without keeping them.
    pub fn count(&mut self, rule: RuleId, count: usize) {
        match self.more.iter_mut().find(|(counted, _)| *counted == rule) {
            Some((_, more)) => *more += count,
            None => self.more.push((rule, count)),
        }
    }

    /// The number of further diagnostics by rule.
    #[must_use]
    pub fn more(&self) -> &[(RuleId, usize)] {
        &self.more
    }

    /// Keeps only what passes a test.
    pub fn retain(&mut self, test: impl FnMut(&Diagnostic) -> bool) {
        self.kept.retain(test);
    }
}

impl std::ops::Deref for Complaints {
    type Target = [Diagnostic];

    fn deref(&self) -> &[Diagnostic] {
        &self.kept
    }
}

impl<const N: usize> PartialEq<[Diagnostic; N]> for Complaints {
    fn eq(&self, other: &[Diagnostic; N]) -> bool {
        self.more.is_empty() && self.kept == other
    }
}

impl Extend<Diagnostic> for Complaints {
    fn extend<T: IntoIterator<Item = Diagnostic>>(&mut self, complaints: T) {
        complaints
            .into_iter()
            .for_each(|complaint| self.push(complaint));
    }
}

impl From<Vec<Diagnostic>> for Complaints {
    fn from(complaints: Vec<Diagnostic>) -> Self {
        let mut all = Self::default();
        all.extend(complaints);
        all
    }
}

impl<'c> IntoIterator for &'c Complaints {
    type Item = &'c Diagnostic;
    type IntoIter = std::slice::Iter<'c, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.kept.iter()
    }
}
