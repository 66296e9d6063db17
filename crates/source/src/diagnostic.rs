//! What a check has to say: [`Finding`]s with a rule, a place, a reason and, where it is
//! mechanical, an edit that mends it.

use std::borrow::Cow;
use std::fmt;

use crate::Span;

pub use crate::rule_id::RuleId;

/// How bad a finding is.
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
    /// What is to be seen there.
    pub message: Cow<'static, str>,
    /// The bundle's file; `None` is the finding's own.
    pub file: Option<Box<str>>,
    /// Where in it.
    pub span: Span,
}

/// How sure it is that an edit is the one that is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Applicability {
    /// The text has one reading, and the edit spells it: spaces, punctuation, quotes, upper and
    /// lower case. What could be read before is read the same after it.
    Safe,
    /// One of several ways to mend it, or it changes what is declared. A person decides.
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

/// A replacement of text that mends the finding: put `replacement` in the place of `span`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fix {
    /// Bytes to replace; empty for an insertion.
    pub span: Span,
    /// What to put there.
    pub replacement: Box<str>,
    /// Whether it can be made without asking.
    pub applicability: Applicability,
}

/// One rule's complaint about one place in one file of the bundle.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Finding {
    /// The rule.
    pub rule: RuleId,
    /// How bad.
    pub severity: Severity,
    /// What is wrong here, in one sentence without a full stop.
    pub message: Cow<'static, str>,
    /// The bundle's file, by its name there.
    pub file: Box<str>,
    /// Where in it.
    pub span: Span,
    /// The operator it is about, by full name, where there is one.
    pub operator: Option<Box<str>>,
    /// How to mend it.
    pub help: Option<Cow<'static, str>>,
    /// Other places to look at.
    pub related: Vec<Related>,
    /// A mechanical edit, where there is one.
    pub fix: Option<Fix>,
    /// Whether a comment in the file allows it ([`opatlas_rules::suppress`]).
    pub suppressed: bool,
}

/// A complaint made while reading one entry or file. Its spans count from the beginning of what
/// was read; [`opatlas_rules`] turns it into a [`Finding`] with file, operator and severity.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    /// The rule.
    pub rule: RuleId,
    /// What is wrong here, in one sentence without a full stop.
    pub message: Cow<'static, str>,
    /// Where.
    pub span: Span,
    /// How to mend it.
    pub help: Option<Cow<'static, str>>,
    /// Other places to look at.
    pub related: Vec<(Cow<'static, str>, Span)>,
    /// A mechanical edit, where there is one.
    pub fix: Option<Fix>,
}

impl Diagnostic {
    /// A complaint with nothing but a message.
    #[must_use]
    pub fn new(rule: RuleId, span: Span, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            rule,
            message: message.into(),
            span,
            help: None,
            related: Vec::new(),
            fix: None,
        }
    }

    /// Adds how to mend it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<Cow<'static, str>>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a place to look at.
    #[must_use]
    pub fn with_related(mut self, message: impl Into<Cow<'static, str>>, span: Span) -> Self {
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
        let with = self.with_help(format!("did you mean `{near}`?"));
        match written.eq_ignore_ascii_case(near) {
            true => with.with_safe_fix(span, near),
            false => with.with_fix(span, near),
        }
    }

    /// The same complaint with every place `by` bytes further on.
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
