//! Whether a model runs on backends, as text and Markdown.

use std::fmt::Write as _;

use crate::escape;

/// The answer for a model.
#[derive(Debug, Clone, Default)]
pub struct ModelReport<'a> {
    /// What the model is, such as `exported program`.
    pub kind: &'a str,
    /// The title of the revision.
    pub revision: &'a str,
    /// The number of different operators.
    pub operators: usize,
    /// The number of calls.
    pub calls: u64,
    /// The backends.
    pub backends: Vec<BackendRow<'a>>,
    /// What the answer depends on.
    pub notes: &'a [String],
    /// Calls that could not be read.
    pub unread: &'a [String],
}

/// The answer on a backend.
#[derive(Debug, Clone, Default)]
pub struct BackendRow<'a> {
    /// The backend.
    pub name: &'a str,
    /// `runs`, `falls-back`, `fails`, `may-fail` or `unknown`.
    pub verdict: &'a str,
    /// The calls that fall back.
    pub falls_back: u64,
    /// The first call that fails, always or in most cases.
    pub first: Option<FailureRow<'a>>,
    /// A call before it that fails in few cases.
    pub may_fail: Option<FailureRow<'a>>,
    /// The first operator that is unknown.
    pub unknown: Option<FailureRow<'a>>,
    /// How many operators work, work in some cases, fail, and are unknown.
    pub counts: [usize; 4],
    /// The kernels that make the model run, with the number of calls that need each.
    pub kernels: Vec<(&'a str, u64)>,
    /// The release from which the model runs.
    pub works_from: Option<&'a str>,
    /// An operator that fails in the newest release, too.
    pub never_works: Option<&'a str>,
    /// The operators that do not work, or are unknown.
    pub operators: Vec<OperatorRow<'a>>,
}

/// A call that fails.
#[derive(Debug, Clone, Copy)]
pub struct FailureRow<'a> {
    /// The operator.
    pub operator: &'a str,
    /// The operator without a kernel that the call reaches first.
    pub missing: Option<&'a str>,
    /// Whether every call fails.
    pub is_certain: bool,
    /// Another reason.
    pub because: Option<&'a str>,
    /// Where the call is in the user's source.
    pub place: Option<&'a str>,
}

/// An operator on a backend.
#[derive(Debug, Clone)]
pub struct OperatorRow<'a> {
    /// The operator.
    pub operator: &'a str,
    /// How often it is called.
    pub count: u64,
    /// `partly`, `no` or `unknown`.
    pub works: &'a str,
    /// Why.
    pub because: String,
    /// Where its first call is.
    pub place: Option<&'a str>,
}

/// How many kernels and operators text lists for each backend.
const LISTED: usize = 20;

impl FailureRow<'_> {
    /// `` `add.Tensor`, which needs a kernel for `add.out` ``
    fn words(&self) -> String {
        let Self {
            operator,
            missing,
            because,
            ..
        } = self;
        match (because, missing) {
            (Some(because), _) => format!("`{operator}` ({because})"),
            (None, Some(missing)) if missing == operator => {
                format!("`{operator}`, which has no kernel")
            }
            (None, Some(missing)) => format!("`{operator}`, which needs a kernel for `{missing}`"),
            (None, None) => format!("`{operator}`"),
        }
    }
}

/// The answer on a backend, in a sentence without a period.
#[must_use]
pub fn sentence(row: &BackendRow<'_>) -> String {
    let name = row.name;
    match (row.verdict, &row.first, &row.may_fail, &row.unknown) {
        ("runs", ..) => format!("{name} runs the model"),
        (_, None, None, None) if row.falls_back == 1 => {
            format!("{name} runs the model, and 1 call falls back to the CPU")
        }
        (_, None, None, None) if row.falls_back > 1 => {
            let calls = row.falls_back;
            format!("{name} runs the model, and {calls} calls fall back to the CPU")
        }
        ("may-fail", Some(first), _, _) => {
            format!("{name} fails in some cases, first at {}", first.words())
        }
        (_, Some(first), _, _) if first.is_certain => {
            format!("{name} fails first at {}", first.words())
        }
        (_, Some(first), _, _) => format!("{name} fails, most likely first at {}", first.words()),
        (_, None, Some(may_fail), _) => {
            format!("{name} fails in some cases, first at {}", may_fail.words())
        }
        (_, None, None, Some(unknown)) => {
            format!("{name} is unknown, first because of {}", unknown.words())
        }
        _ => format!("{name} is unknown, because not all calls could be read"),
    }
}

/// As text for a terminal. The first line is the answer.
#[must_use]
pub fn text(report: &ModelReport<'_>) -> String {
    let sentences: Vec<String> = report.backends.iter().map(sentence).collect();
    let mut out = String::new();
    push(&mut out, &format!("{}.", sentences.join("; ")));
    push(&mut out, &heading(report));
    for row in &report.backends {
        let counts = counts_words(row.counts);
        push(&mut out, &format!("  {}: {counts}", row.name));
    }
    for row in &report.backends {
        backend(&mut out, row);
    }
    if !report.notes.is_empty() || !report.unread.is_empty() {
        out.push('\n');
    }
    for note in report.notes {
        push(&mut out, &format!("note: {note}"));
    }
    if !report.unread.is_empty() {
        push(&mut out, "Calls that could not be read:");
        for call in report.unread.iter().take(LISTED) {
            push(&mut out, &format!("  {call}"));
        }
        push_more(&mut out, report.unread.len());
    }
    out
}

/// `exported program with 12 operators and 40 calls, checked against pytorch 2.15.0`
fn heading(report: &ModelReport<'_>) -> String {
    format!(
        "{} with {} and {}, checked against {}",
        report.kind,
        counted(report.operators as u64, "operator"),
        counted(report.calls, "call"),
        report.revision
    )
}

fn counted(count: u64, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    }
}

fn push(out: &mut String, text: &str) {
    out.push_str(&escape::line(text));
    out.push('\n');
}

fn push_more(out: &mut String, all: usize) {
    if all > LISTED {
        let more = all - LISTED;
        push(out, &format!("  and {more} more; --format json lists all"));
    }
}

/// `18 operators work, 1 works in some cases, 2 fail`
fn counts_words(counts: [usize; 4]) -> String {
    const WORDS: [(&str, &str); 4] = [
        ("works", "work"),
        ("works in some cases", "work in some cases"),
        ("fails", "fail"),
        ("is unknown", "are unknown"),
    ];
    let parts = counts.into_iter().zip(WORDS).enumerate();
    let parts = parts.filter(|(at, (count, _))| *at == 0 || *count > 0);
    let parts = parts.map(|(at, (count, (one, many)))| {
        let words = if count == 1 { one } else { many };
        let noun = match (at, count) {
            (0, 1) => " operator",
            (0, _) => " operators",
            _ => "",
        };
        format!("{count}{noun} {words}")
    });
    parts.collect::<Vec<_>>().join(", ")
}

fn backend(out: &mut String, row: &BackendRow<'_>) {
    let is_plain = row.first.is_none() && row.operators.is_empty();
    if is_plain {
        return;
    }
    out.push('\n');
    push(out, row.name);
    if let Some(place) = row.first.and_then(|first| first.place) {
        push(out, &format!("  first failing call: {place}"));
    }
    if let (Some(_), Some(may_fail)) = (&row.first, &row.may_fail) {
        let words = may_fail.words();
        push(out, &format!("  may fail before, in few cases: {words}"));
    }
    if let Some(upgrade) = upgrade(row) {
        push(out, &format!("  {upgrade}"));
    }
    if !row.kernels.is_empty() {
        push(out, &format!("  {}:", kernels_title(row.kernels.len())));
        let width = row.kernels.iter().take(LISTED).map(|(name, _)| name.len());
        let width = width.max().unwrap_or(0);
        for (name, calls) in row.kernels.iter().take(LISTED) {
            let calls = counted(*calls, "call");
            push(out, &format!("    {name:width$}  needed by {calls}"));
        }
        push_more(out, row.kernels.len());
    }
    let shown = row.operators.iter().take(LISTED);
    let width = shown.clone().map(|it| it.operator.chars().count()).max();
    let width = width.unwrap_or(0);
    for it in shown {
        let place = it.place.map_or_else(String::new, |at| format!("  {at}"));
        let (works, operator, count, because) = (it.works, it.operator, it.count, &it.because);
        push(
            out,
            &format!("  {works:7}  {operator:width$}  {count:>5}x  {because}{place}"),
        );
    }
    push_more(out, row.operators.len());
}

/// A sentence as Markdown, in which code is between backticks.
fn said(text: &str) -> String {
    let pieces = text.split('`').enumerate();
    let pieces = pieces.map(|(at, piece)| match at % 2 {
        0 => escape::prose(piece),
        _ => escape::code(piece),
    });
    pieces.collect()
}

/// The release that helps, in a sentence.
fn upgrade(row: &BackendRow<'_>) -> Option<String> {
    let name = row.name;
    match (row.works_from, row.never_works) {
        (Some(release), _) => Some(format!("{name} runs the model from PyTorch {release} on")),
        (None, Some(operator)) => Some(format!(
            "No known release helps: `{operator}` fails in the newest one, too"
        )),
        (None, None) => None,
    }
}

fn kernels_title(count: usize) -> String {
    match count {
        1 => "This kernel would make it run".to_owned(),
        count => format!("These {count} kernels would make it run"),
    }
}

/// As Markdown.
#[must_use]
pub fn markdown(report: &ModelReport<'_>) -> String {
    let mut out = String::new();
    for row in &report.backends {
        let _ = writeln!(out, "- {}.", said(&sentence(row)));
    }
    let _ = writeln!(out, "\n{}.", escape::prose(&heading(report)));
    for row in &report.backends {
        markdown_backend(&mut out, row);
    }
    for note in report.notes {
        let _ = writeln!(out, "\n{}", said(note));
    }
    if !report.unread.is_empty() {
        out.push_str("\nCalls that could not be read:\n\n");
        for call in report.unread {
            let _ = writeln!(out, "- {}", escape::code(call));
        }
    }
    out
}

fn markdown_backend(out: &mut String, row: &BackendRow<'_>) {
    let _ = writeln!(out, "\n## {}\n", escape::prose(row.name));
    let _ = writeln!(out, "{}.", counts_words(row.counts));
    if let Some(upgrade) = upgrade(row) {
        let _ = writeln!(out, "\n{}.", said(&upgrade));
    }
    if !row.kernels.is_empty() {
        let _ = writeln!(out, "\n{}:\n", kernels_title(row.kernels.len()));
        for (name, calls) in &row.kernels {
            let calls = counted(*calls, "call");
            let _ = writeln!(out, "- {}, needed by {calls}", escape::code(name));
        }
    }
    if row.operators.is_empty() {
        return;
    }
    out.push_str("\n| operator | works | calls | why | where |\n|---|---|---|---|---|\n");
    for it in &row.operators {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} |",
            escape::code_cell(it.operator),
            it.works,
            it.count,
            escape::prose(&it.because),
            it.place.map_or_else(String::new, escape::code_cell),
        );
    }
}
