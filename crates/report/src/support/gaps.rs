//! Gap lists as CSV, Markdown and text.

use std::fmt::Write as _;

use opatlas_verdict::Answer;

use crate::csv::{flag, line};
use crate::escape;

/// An operator without a kernel of the backend.
#[derive(Debug, Clone, Copy)]
pub struct GapRow<'a> {
    /// The operator.
    pub operator: &'a str,
    /// Why its kernel serves it.
    pub reason: &'a str,
    /// The registered key that serves it, or empty.
    pub source_key: &'a str,
    /// Whether a call works.
    pub verdict: &'a str,
    /// `yes`, `partly`, `no` or `unknown`.
    pub works: &'a str,
    /// Why, unless operators that it needs are the reason.
    pub because: Option<&'a str>,
    /// What would settle it if it is unknown.
    pub settled_by: Option<&'a str>,
    /// The operators that it needs.
    pub needs: &'a [String],
    /// Whether a call fails, at least in some cases.
    pub is_lacking: bool,
    /// Whether it is tagged `core`.
    pub is_core: bool,
    /// The number of other backends with a kernel.
    pub others: u32,
    /// How often it is used.
    pub usage: Option<u64>,
    /// Whether it was added after the requested revision.
    pub is_new: Option<bool>,
}

impl GapRow<'_> {
    /// `fails: needs add.out`, `fails: no kernel`, `decomposes`, `unknown (out of tree: give its file)`.
    fn words(&self) -> String {
        if let Some(because) = self.because {
            return format!("{} ({because})", self.verdict);
        }
        match self.needs {
            [] => self.verdict.to_owned(),
            [own] if own == self.operator => format!("{}: no kernel", self.verdict),
            needs if needs.len() <= NEEDS => {
                format!("{}: needs {}", self.verdict, needs.join(", "))
            }
            needs => {
                let (named, more) = needs.split_at(NEEDS);
                let named = named.join(", ");
                format!("{}: needs {named} and {} more", self.verdict, more.len())
            }
        }
    }

    fn marks(&self) -> String {
        let marks = [(self.is_core, "core"), (self.is_new == Some(true), "new")];
        let marks = marks.iter().filter(|(is_set, _)| *is_set);
        let marks: Vec<&str> = marks.map(|(_, mark)| *mark).collect();
        marks.join(", ")
    }
}

/// A kernel to add.
#[derive(Debug, Clone, Copy)]
pub struct StepRow<'a> {
    /// The operator that lacks the kernel.
    pub operator: &'a str,
    /// The number of operators that then work.
    pub gain: usize,
    /// The number of further operators that need it and other kernels.
    pub blocks: usize,
}

/// The most missing operators that a line names.
const NEEDS: usize = 3;

/// The most useful kernels to add, as text for a terminal.
#[must_use]
pub fn leverage_text(steps: &[StepRow<'_>]) -> String {
    if steps.is_empty() {
        return String::new();
    }
    let all: usize = steps.iter().map(|step| step.gain).sum();
    let kernels = match steps.len() {
        1 => "this kernel".to_owned(),
        many => format!("these {many} kernels"),
    };
    let mut out = format!("\nImplement {kernels}: {all} more operators work\n");
    let width = steps.iter().map(|step| step.operator.chars().count()).max();
    for step in steps {
        let mut line = format!(
            "  {:w$}  +{}",
            step.operator,
            step.gain,
            w = width.unwrap_or(0)
        );
        if step.blocks > 0 {
            let _ = write!(line, ", also needed by {} more", step.blocks);
        }
        out.push_str(&escape::line(&line));
        out.push('\n');
    }
    out.push('\n');
    out
}

/// A gap list as CSV (RFC 4180).
#[must_use]
pub fn gaps_csv(rows: &[GapRow<'_>]) -> String {
    let mut out = String::from(
        "operator,lacking,reason,source_key,core,others,usage,new,verdict,needs,\
         works,because,settled_by\r\n",
    );
    for row in rows {
        let usage = row.usage.map(|usage| usage.to_string());
        line(
            &mut out,
            [
                row.operator,
                flag(row.is_lacking),
                row.reason,
                row.source_key,
                flag(row.is_core),
                &row.others.to_string(),
                usage.as_deref().unwrap_or_default(),
                row.is_new.map_or("", flag),
                row.verdict,
                &row.needs.join(" "),
                row.works,
                row.because.unwrap_or_default(),
                row.settled_by.unwrap_or_default(),
            ],
        );
    }
    out
}

/// The heading of a gap list.
#[derive(Debug, Clone)]
pub struct GapSummary {
    /// The title.
    pub title: String,
    /// The share of applicable operators that work, in percent.
    pub covered: u8,
    /// Operators that the backend is expected to have.
    pub applicable: u32,
    /// Operators that only other backends have.
    pub other_backends: u32,
}

/// A gap list as Markdown, with at most `most` rows.
#[must_use]
pub fn gaps_markdown(
    summary: &GapSummary,
    steps: &[StepRow<'_>],
    rows: &[GapRow<'_>],
    most: usize,
) -> String {
    let mut out = format!(
        "### {}\n\n{} % of {} applicable operators work; {} belong to other backends.\n\n",
        escape::prose(&summary.title),
        summary.covered,
        summary.applicable,
        summary.other_backends,
    );
    if !steps.is_empty() {
        out.push_str(
            "| next kernel | operators that work then | also needed by |\n|---|---|---|\n",
        );
        for step in steps {
            let operator = escape::code_cell(step.operator);
            let _ = writeln!(out, "| {operator} | {} | {} |", step.gain, step.blocks);
        }
        out.push('\n');
    }
    let (gaps, unknown) = apart(rows);
    gap_rows(&mut out, first(gaps, most));
    if !unknown.is_empty() {
        let _ = writeln!(out, "\n{}\n", escape::prose(&unknown_title(unknown)));
        gap_rows(&mut out, first(unknown, most.saturating_sub(gaps.len())));
    }
    out
}

fn first<T>(items: &[T], most: usize) -> &[T] {
    &items[..most.min(items.len())]
}

fn gap_rows(out: &mut String, rows: &[GapRow<'_>]) {
    if rows.is_empty() {
        return;
    }
    out.push_str("| operator | works | other backends | usage | |\n|---|---|---|---|---|\n");
    for row in rows {
        let usage = row
            .usage
            .map_or_else(String::new, |usage| usage.to_string());
        let _ = writeln!(
            out,
            "| {} | {} | {} | {usage} | {} |",
            escape::code_cell(row.operator),
            escape::prose(&row.words()),
            row.others,
            row.marks(),
        );
    }
}

/// The gaps, and the operators after them for which it is unknown whether they work.
fn apart<'a, 'r>(rows: &'r [GapRow<'a>]) -> (&'r [GapRow<'a>], &'r [GapRow<'a>]) {
    let is_unknown = |row: &GapRow<'_>| row.works == Answer::Unknown.as_str();
    rows.split_at(rows.partition_point(|row| !is_unknown(row)))
}

fn unknown_title(rows: &[GapRow<'_>]) -> String {
    let mut settled_by: Vec<&str> = rows.iter().filter_map(|row| row.settled_by).collect();
    settled_by.sort_unstable();
    settled_by.dedup();
    let mut title = match rows.len() {
        1 => "It is unknown whether 1 operator works.".to_owned(),
        many => format!("It is unknown whether {many} operators work."),
    };
    if !settled_by.is_empty() {
        let _ = write!(title, " This would settle it: {}.", settled_by.join("; "));
    }
    title
}

/// A gap list as text for a terminal, with at most `most` rows.
#[must_use]
pub fn gaps_text(rows: &[GapRow<'_>], most: usize) -> String {
    let shown = first(rows, most).iter();
    let width = shown.map(|row| row.operator.chars().count()).max();
    let width = width.unwrap_or(0);
    let (gaps, unknown) = apart(rows);
    let mut out = String::new();
    for row in first(gaps, most) {
        gap_line(&mut out, row, width);
    }
    if !unknown.is_empty() {
        let _ = writeln!(out, "\n{}", escape::line(&unknown_title(unknown)));
        for row in first(unknown, most.saturating_sub(gaps.len())) {
            gap_line(&mut out, row, width);
        }
    }
    out
}

fn gap_line(out: &mut String, row: &GapRow<'_>, width: usize) {
    let usage = row
        .usage
        .map_or_else(String::new, |usage| format!("{usage:>10}  "));
    let others = match row.others {
        0 => "no other backend has a kernel".to_owned(),
        1 => "1 other backend has a kernel".to_owned(),
        many => format!("{many} other backends have a kernel"),
    };
    let line = format!(
        "  {usage}{:width$}  {:40}  {others:27}  {}",
        row.operator,
        row.words(),
        row.marks(),
    );
    out.push_str(&escape::line(line.trim_end()));
    out.push('\n');
}
