//! Diagnostics: [`Finding`]s with a rule, a position, a reason and, if mechanical, an edit that
//! fixes it.

use std::fmt;

use crate::{Message, Span, message};

pub use crate::rule_id::RuleId;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// PyTorch's generator refuses it at some stage.
    Error,
    /// Accepted, but against a documented convention, or something is silently lost.
    Warning,
    /// Worth knowing.
    Info,
}

impl Severity {
    /// The word used in every rendering.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A further place that a finding is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Related {
    /// What this place shows.
    pub message: Message,
    /// The bundle's file; `None` is the finding's own.
    pub file: Option<Box<str>>,
    /// Where in it.
    pub span: Span,
}

/// How certain a fix is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Applicability {
    /// The text has one reading, and the edit spells it: spaces, punctuation, quotes, upper and
    /// lower case. What could be read before is read the same after it.
    Safe,
    /// One of several possible fixes, or it changes the declaration. A person decides.
    Suggested,
}

impl Applicability {
    /// The word used in every rendering.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Suggested => "suggested",
        }
    }
}

/// A replacement of text that fixes the finding: `replacement` replaces `span`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fix {
    /// Bytes to replace; empty for an insertion.
    pub span: Span,
    /// The new text.
    pub replacement: Box<str>,
    /// Whether it can be made without asking.
    pub applicability: Applicability,
}

/// One rule's complaint about one place in one file of the bundle.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Finding {
    /// The rule.
    pub rule: RuleId,
    /// Its severity.
    pub severity: Severity,
    /// What is wrong here, in one sentence without a full stop.
    pub message: Message,
    /// The bundle's file, by its name there.
    pub file: Box<str>,
    /// Where in it.
    pub span: Span,
    /// The operator it is about, by full name, where there is one.
    pub operator: Option<Box<str>>,
    /// How to fix it.
    pub help: Option<Message>,
    /// Other places to look at.
    pub related: Vec<Related>,
    /// A mechanical edit, where there is one.
    pub fix: Option<Fix>,
    /// Whether a comment in the file allows it (`opatlas_rules::suppress`).
    pub suppressed: bool,
}

/// A complaint made while reading one entry or file. Its spans count from the beginning of what
/// was read; `opatlas_rules` turns it into a [`Finding`] with file, operator and severity.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    /// The rule.
    pub rule: RuleId,
    /// What is wrong here, in one sentence without a full stop.
    pub message: Message,
    /// Where.
    pub span: Span,
    /// How to fix it.
    pub help: Option<Message>,
    /// Other places to look at.
    pub related: Vec<(Message, Span)>,
    /// A mechanical edit, where there is one.
    pub fix: Option<Fix>,
}

impl Diagnostic {
    /// A complaint with nothing but a message.
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

    /// Adds an edit that a person should look at ([`Applicability::Suggested`]).
    #[must_use]
    pub fn with_fix(mut self, span: Span, replacement: impl Into<Box<str>>) -> Self {
        self.fix = Some(Fix {
            span,
            replacement: replacement.into(),
            applicability: Applicability::Suggested,
        });
        self
    }

    /// Adds an edit that changes no meaning ([`Applicability::Safe`]).
    #[must_use]
    pub fn with_safe_fix(self, span: Span, replacement: impl Into<Box<str>>) -> Self {
        self.with_fix(span, replacement).with_same_meaning()
    }

    /// Says of the edit that it changes no meaning.
    #[must_use]
    pub fn with_same_meaning(mut self) -> Self {
        if let Some(fix) = &mut self.fix {
            fix.applicability = Applicability::Safe;
        }
        self
    }

    /// Asks whether a known name is meant, and adds the edit that writes it. Safe only where
    /// nothing but upper and lower case differs.
    #[must_use]
    pub fn with_near_name(self, span: Span, written: &str, near: &str) -> Self {
        // Two question marks in a row would read as one type, `float??`.
        let with = self.with_help(if near.ends_with('?') {
            message!("write `{}`", near)
        } else {
            message!("did you mean `{}`?", near)
        });
        if written.eq_ignore_ascii_case(near) {
            with.with_safe_fix(span, near)
        } else {
            with.with_fix(span, near)
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

/// What one reader has to say: of each rule the first [`Complaints::MOST_OF_A_RULE`] in full, and how
/// many more there are.
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

    /// Whether further complaints under a rule are counted and not kept.
    #[must_use]
    pub fn is_full(&self, rule: RuleId) -> bool {
        if self.kept.len() < Self::MOST_OF_A_RULE {
            return false;
        }
        // Once a rule is full it is among those that are counted.
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

    /// Puts what is kept into the order of places.
    pub fn sort_by_place(&mut self) {
        self.kept.sort_by_key(|diagnostic| diagnostic.span.start);
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
