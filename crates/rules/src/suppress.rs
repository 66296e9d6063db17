//! Suppressions: `# opatlas: allow(rule-id[, rule-id]) reason`.
//!
//! The comment is at the end of a line of an entry, or on its own line inside or above it. It marks the
//! findings of these rules in that entry as
//! [suppressed](opatlas_source::diagnostic::Finding::suppressed). Listings omit suppressed findings, but a
//! suppressed error still makes a file invalid, because PyTorch's generator ignores comments.

use std::ops::Range;

use opatlas_operators::operator::PlacedEntry;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::suggest::Budget;
use opatlas_source::{Span, message};

use crate::sink::Review;

pub(crate) const MARK: &str = "opatlas:";

/// A comment that allows rules in an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppression {
    /// The comment, including its `#`.
    pub at: Span,
    /// The index of its entry; `None` if no entry follows.
    pub entry: Option<usize>,
    /// The rules as written, with their positions.
    pub rules: Vec<(Box<str>, Span)>,
    /// The text after the parentheses; may be empty.
    pub reason: Box<str>,
    /// Whether its syntax is correct.
    pub well_formed: bool,
}

/// The suppressions of a file, in order. `entries` are those of the text, in file order.
#[must_use]
pub fn read(text: &str, entries: &[PlacedEntry]) -> Vec<Suppression> {
    let mut comments: Vec<(usize, Range<usize>)> = Vec::new();
    let mut line = Line::default();
    for mark in memchr::memmem::find_iter(text.as_bytes(), MARK) {
        line.go_on(text, mark);
        let Some(hash) = line.comment_start(text, mark) else {
            continue;
        };
        // A second mark ends the first comment.
        if let Some((_, before)) = comments.last_mut() {
            before.end = before.end.min(hash);
        }
        comments.push((hash, mark + MARK.len()..line.end));
    }
    let mut owners = Owners {
        text,
        entries,
        last: None,
    };
    let suppression = |(hash, range)| Suppression {
        entry: owners.of(hash),
        ..parse(text, hash, range)
    };
    comments.into_iter().map(suppression).collect()
}

pub(super) fn apply(text: &str, entries: &[PlacedEntry], review: &mut Review<'_>) {
    for suppression in read(text, entries) {
        if !suppression.well_formed {
            let message = "malformed suppression comment";
            review.reports.push(
                Diagnostic::new(RuleId::SuppressionMalformed, suppression.at, message)
                    .with_help("write `# opatlas: allow(rule-id) reason`"),
            );
            continue;
        }
        if suppression.reason.is_empty() {
            let message = "the suppression has no reason";
            review.reports.push(
                Diagnostic::new(RuleId::SuppressionWithoutReason, suppression.at, message)
                    .with_help("write the reason after the parenthesis"),
            );
        }
        let entry = suppression.entry.and_then(|i| entries.get(i));
        let within = entry.map(|placed| placed.place(placed.entry.span));
        for (rule, at) in &suppression.rules {
            allow(rule, *at, within, review);
        }
    }
}

/// Marks the findings of a rule within an entry; reports if there are none.
fn allow(rule: &str, at: Span, within: Option<Span>, review: &mut Review<'_>) {
    let Some(rule) = RuleId::parse(rule) else {
        if review.reports.is_full(UNKNOWN) {
            review.reports.count(UNKNOWN, 1);
        } else {
            review.reports.push(unknown(rule, at, review.suggestions));
        }
        return;
    };
    let message = match within {
        Some(entry) if review.allow(rule, entry) => return,
        Some(_) => message!("`{}` has no finding in this entry", rule),
        None => message!("no entry follows this suppression of `{}`", rule),
    };
    let unused =
        Diagnostic::new(RuleId::SuppressionUnused, at, message).with_help("remove the suppression");
    review.reports.push(unused);
}

const UNKNOWN: RuleId = RuleId::SuppressionUnknownRule;

pub(crate) fn unknown(rule: &str, at: Span, suggestions: &Budget) -> Diagnostic {
    let message = message!("unknown rule `{}`", rule.escape_debug());
    let diagnostic = Diagnostic::new(UNKNOWN, at, message);
    match suggestions.near(rule, RuleId::ALL.iter().map(|id| id.as_str())) {
        Some(near) => diagnostic.with_near_name(at, near),
        None => diagnostic.with_help("`opatlas explain` lists all rules"),
    }
}

#[derive(Default)]
struct Line {
    end: usize,
    read: usize,
    /// A quote that begins a value and is still open.
    open: Option<char>,
    /// The character before `read`; a space at the start of the line.
    last: Option<char>,
}

impl Line {
    fn go_on(&mut self, text: &str, mark: usize) {
        if mark < self.end {
            return;
        }
        let line_break = |c: &u8| matches!(c, b'\n' | b'\r');
        let before = &text.as_bytes()[self.end..mark];
        let start = before.iter().rposition(line_break);
        let after = &text.as_bytes()[mark..];
        let end = after.iter().position(line_break);
        *self = Self {
            read: start.map_or(self.end, |at| self.end + at + 1),
            end: end.map_or(text.len(), |at| mark + at),
            ..Self::default()
        };
    }

    fn comment_start(&mut self, text: &str, mark: usize) -> Option<usize> {
        let lead = text[self.read..mark].trim_end_matches([' ', '\t']);
        let hash = lead
            .strip_suffix('#')
            .map(|before| self.read + before.len());
        // Before the first mark, nothing can start a quote or a comment.
        self.read_to(text, hash.unwrap_or(mark));
        let free = matches!(self.last, None | Some(' ' | '\t'));
        let found = hash.filter(|_| free && self.open.is_none());
        self.read_to(text, mark);
        found
    }

    fn read_to(&mut self, text: &str, to: usize) {
        for c in text.get(self.read..to).unwrap_or("").chars() {
            let last = self.last.unwrap_or(' ');
            match self.open {
                Some(quote) if c == quote && !(quote == '"' && last == '\\') => self.open = None,
                None if matches!(c, '\'' | '"') && matches!(last, ' ' | '\t' | '[' | '{' | ',') => {
                    self.open = Some(c);
                }
                _ => {}
            }
            self.last = Some(c);
        }
        self.read = self.read.max(to);
    }
}

struct Owners<'t> {
    text: &'t str,
    entries: &'t [PlacedEntry],
    last: Option<(usize, usize)>,
}

impl Owners<'_> {
    /// The entry that contains a comment at `at` or ends with it, or else the first entry after it.
    fn of(&mut self, at: usize) -> Option<usize> {
        let offset = u32::try_from(at).ok()?;
        let begin = |placed: &PlacedEntry| placed.place(placed.entry.span).start;
        let next = self
            .entries
            .partition_point(|placed| begin(placed) <= offset);
        if let Some(before) = next.checked_sub(1)
            && at <= self.line_end(before)
        {
            return Some(before);
        }
        (next < self.entries.len()).then_some(next)
    }

    fn line_end(&mut self, entry: usize) -> usize {
        if let Some((known, end)) = self.last
            && known == entry
        {
            return end;
        }
        let placed = &self.entries[entry];
        let end = placed.place(placed.entry.span).end as usize;
        let rest = self.text.get(end..).unwrap_or("");
        let end = rest
            .find(['\n', '\r'])
            .map_or(self.text.len(), |at| end + at);
        self.last = Some((entry, end));
        end
    }
}

/// Reads ` allow(rule, rule) reason` in `range`.
pub(crate) fn parse(text: &str, hash: usize, range: Range<usize>) -> Suppression {
    let mut suppression = Suppression {
        at: span(hash, range.end),
        entry: None,
        rules: Vec::new(),
        reason: Box::default(),
        well_formed: false,
    };
    let body = &text[range.clone()];
    let start = range.start + (body.len() - body.trim_start().len());
    let Some(list) = text[start..range.end].strip_prefix("allow(") else {
        return suppression;
    };
    let Some(close) = list.find(')') else {
        return suppression;
    };
    let mut at = start + "allow(".len();
    for piece in list[..close].split(',') {
        let name = piece.trim();
        let from = at + (piece.len() - piece.trim_start().len());
        at += piece.len() + 1;
        if !name.is_empty() {
            suppression
                .rules
                .push((name.into(), span(from, from + name.len())));
        }
    }
    suppression.reason = list[close + 1..].trim().into();
    suppression.well_formed = !suppression.rules.is_empty();
    suppression
}

fn span(start: usize, end: usize) -> Span {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(offset(start), offset(end))
}
