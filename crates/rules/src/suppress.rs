//! Suppressions: `# opatlas: allow(rule-id[, rule-id]) reason`.
//!
//! Such a comment stands at the end of any line of an entry, on a line of its own within it, or on
//! a line of its own above it, and marks the findings of these rules in that entry as
//! [`Finding::suppressed`]. Suppressed findings are left out of listings. They still count for
//! whether a file is valid: PyTorch's generator reads no comments of ours, so a suppressed error
//! is one that somebody answers for, and not one that is gone.

use opatlas_source::diagnostic::RuleId;
use std::ops::Range;

use opatlas_operators::operator::PlacedEntry;
use opatlas_source::diagnostic::{Diagnostic, Finding};
use opatlas_source::suggest;
use opatlas_source::{NATIVE_FUNCTIONS, Span};

/// What a comment of ours begins with.
const MARK: &str = "opatlas:";

/// One comment that allows rules in one entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppression {
    /// The comment, its `#` included.
    pub at: Span,
    /// Index of the entry it belongs to; none when no entry follows.
    pub entry: Option<usize>,
    /// The rules as written, with their places.
    pub rules: Vec<(Box<str>, Span)>,
    /// What follows the parenthesis; may be empty.
    pub reason: Box<str>,
    /// Whether it has the right form.
    pub well_formed: bool,
}

/// The suppressions of a file, in order. `entries` are those of the text, in file order.
#[must_use]
pub fn read(text: &str, entries: &[PlacedEntry]) -> Vec<Suppression> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(MARK)) {
        let mark = from + at;
        from = mark + MARK.len();
        let Some(hash) = comment_start(text, mark) else {
            continue;
        };
        let line = text[from..]
            .find(['\n', '\r'])
            .map_or(text.len(), |end| from + end);
        let mut suppression = parse(text, hash, from..line);
        suppression.entry = owner(text, entries, hash);
        found.push(suppression);
    }
    found
}

/// Marks the findings that the file's comments allow, and reports on the comments themselves.
/// `findings` are in the order of [`super::sink::Sink::into_findings`].
pub(super) fn apply(
    text: &str,
    entries: &[PlacedEntry],
    findings: &mut [Finding],
) -> Vec<Diagnostic> {
    let mut reports = Vec::new();
    let suppressions = read(text, entries);
    if suppressions.is_empty() {
        return reports;
    }
    let start = findings.partition_point(|finding| &*finding.file < NATIVE_FUNCTIONS);
    let end = findings.partition_point(|finding| &*finding.file <= NATIVE_FUNCTIONS);
    let native = &mut findings[start..end];
    for suppression in suppressions {
        if !suppression.well_formed {
            let message = "this comment is not of a form that is read";
            reports.push(
                Diagnostic::new(RuleId::SuppressionMalformed, suppression.at, message)
                    .with_help("write `# opatlas: allow(rule-id) reason`"),
            );
            continue;
        }
        if suppression.reason.is_empty() {
            let message = "nothing says why this is allowed";
            reports.push(
                Diagnostic::new(RuleId::SuppressionWithoutReason, suppression.at, message)
                    .with_help("write the reason behind the parenthesis"),
            );
        }
        let entry = suppression.entry.and_then(|i| entries.get(i));
        let within = entry.map(|placed| findings_of(placed, native));
        for (rule, at) in &suppression.rules {
            let within = within.clone().map(|range| &mut native[range]);
            reports.extend(allow(rule, *at, within));
        }
    }
    reports
}

/// Which findings stand in an entry.
fn findings_of(placed: &PlacedEntry, findings: &[Finding]) -> Range<usize> {
    let span = placed.place(placed.entry.span);
    let start = findings.partition_point(|finding| finding.span.start < span.start);
    let end = findings.partition_point(|finding| finding.span.start <= span.end);
    start..end.max(start)
}

/// Marks the findings of a rule; a complaint when there is none.
fn allow(rule: &str, at: Span, within: Option<&mut [Finding]>) -> Option<Diagnostic> {
    let Some(rule) = RuleId::parse(rule) else {
        return Some(unknown(rule, at));
    };
    let message = match within {
        Some(findings) => {
            let mut used = false;
            for finding in findings.iter_mut().filter(|finding| finding.rule == rule) {
                finding.suppressed = true;
                used = true;
            }
            if used {
                return None;
            }
            format!("`{rule}` finds nothing in this entry")
        }
        None => format!("no entry follows that `{rule}` could be allowed in"),
    };
    Some(Diagnostic::new(RuleId::SuppressionUnused, at, message).with_help("remove it"))
}

fn unknown(rule: &str, at: Span) -> Diagnostic {
    let message = format!("there is no rule `{}`", rule.escape_debug());
    let diagnostic = Diagnostic::new(RuleId::SuppressionUnknownRule, at, message);
    match suggest::nearest(rule, RuleId::ALL.iter().map(|id| id.as_str())) {
        Some(near) => diagnostic.with_near_name(at, rule, near),
        None => diagnostic.with_help("`opatlas explain` lists all rules"),
    }
}

/// Where the comment begins that holds a mark, if the mark is the first thing in a comment.
fn comment_start(text: &str, mark: usize) -> Option<usize> {
    let line_start = text[..mark].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let lead = text[line_start..mark].trim_end_matches([' ', '\t']);
    let before = lead.strip_suffix('#')?;
    let free = before.is_empty() || before.ends_with([' ', '\t']);
    (free && !within_quotes(before)).then_some(line_start + before.len())
}

/// Whether a quote that begins a value is still open at the end of a piece of a line.
fn within_quotes(line: &str) -> bool {
    let mut open = None;
    let mut last = ' ';
    for c in line.chars() {
        match open {
            Some(quote) if c == quote && !(quote == '"' && last == '\\') => open = None,
            None if matches!(c, '\'' | '"') && matches!(last, ' ' | '\t' | '[' | '{' | ',') => {
                open = Some(c);
            }
            _ => {}
        }
        last = c;
    }
    open.is_some()
}

/// The entry that a comment at `at` stands in or at the end of, or else the first one behind it.
fn owner(text: &str, entries: &[PlacedEntry], at: usize) -> Option<usize> {
    let offset = u32::try_from(at).ok()?;
    let begin = |placed: &PlacedEntry| placed.place(placed.entry.span).start;
    let next = entries.partition_point(|placed| begin(placed) <= offset);
    if let Some(before) = next.checked_sub(1) {
        let end = entries[before].place(entries[before].entry.span).end as usize;
        let between = text.get(end..at).unwrap_or("");
        if !between.contains(['\n', '\r']) {
            return Some(before);
        }
    }
    (next < entries.len()).then_some(next)
}

/// Reads ` allow(rule, rule) reason` in `range`.
fn parse(text: &str, hash: usize, range: Range<usize>) -> Suppression {
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
