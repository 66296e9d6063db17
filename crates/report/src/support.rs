//! Support tables and gap lists as CSV, Markdown and text, and coverage badges.

use std::fmt::Write as _;

use super::escape;
use crate::csv::{flag, line};

/// The support of an operator on a backend over several releases.
#[derive(Debug, Clone, Default)]
pub struct Row {
    /// The operator.
    pub operator: String,
    /// The runtime key.
    pub key: String,
    /// The first revision in which a call works.
    pub first: Option<String>,
    /// The first revision with a kernel on the key itself.
    pub first_kernel: Option<String>,
    /// The last revision in which a call works.
    pub last: Option<String>,
    /// Whether a call works in the last revision.
    pub is_supported: bool,
    /// The reason in the last revision.
    pub reason: Option<&'static str>,
    /// The registered key that serves.
    pub source_key: Option<String>,
    /// The kernel.
    pub kernel: Option<String>,
    /// The verdict in the last revision.
    pub verdict: Option<&'static str>,
}

/// The first line of the CSV form.
const HEADER: &str =
    "operator,key,supported,first,first_kernel,last,reason,source_key,kernel,verdict\r\n";

/// The table as CSV (RFC 4180).
#[must_use]
pub fn csv(rows: &[Row]) -> String {
    let mut out = String::from(HEADER);
    for row in rows {
        line(
            &mut out,
            [
                &*row.operator,
                &row.key,
                flag(row.is_supported),
                row.first.as_deref().unwrap_or_default(),
                row.first_kernel.as_deref().unwrap_or_default(),
                row.last.as_deref().unwrap_or_default(),
                row.reason.unwrap_or_default(),
                row.source_key.as_deref().unwrap_or_default(),
                row.kernel.as_deref().unwrap_or_default(),
                row.verdict.unwrap_or_default(),
            ],
        );
    }
    out
}

/// The table as Markdown: a row for each operator, a column for each key.
#[must_use]
pub fn markdown(rows: &[Row], keys: &[String], last: &str) -> String {
    let mut out = format!("Support up to {}\n\n| operator |", escape::prose(last));
    for key in keys {
        let _ = write!(out, " {} |", escape::prose(key));
    }
    out.push_str("\n|---|");
    out.push_str(&"---|".repeat(keys.len()));
    for line in rows.chunks(keys.len().max(1)) {
        let Some(first) = line.first() else { continue };
        let _ = write!(out, "\n| {} |", escape::code_cell(&first.operator));
        for row in line {
            let _ = write!(out, " {} |", escape::prose(&cell(row)));
        }
    }
    out.push('\n');
    out
}

/// `kernel since 2.5.0`, `CompositeImplicitAutograd since 2.0.0`, `2.0.0 until 2.4.0`, or the verdict if
/// it never worked.
fn cell(row: &Row) -> String {
    let (Some(first), Some(last)) = (&row.first, &row.last) else {
        return row.verdict.unwrap_or("no").to_owned();
    };
    if !row.is_supported {
        return format!("{first} until {last}");
    }
    match (&row.first_kernel, row.reason, &row.source_key) {
        (Some(kernel), Some("kernel"), _) if kernel != first => {
            format!("kernel since {kernel} (runs since {first})")
        }
        (_, Some("kernel"), _) => format!("kernel since {first}"),
        (_, _, Some(source)) => format!("{source} since {first}"),
        _ => format!("since {first}"),
    }
}

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
    /// `fails: needs add.out`, `fails: no kernel`, `decomposes`.
    fn works(&self) -> String {
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
    let mut out =
        String::from("operator,lacking,reason,source_key,core,others,usage,new,verdict,needs\r\n");
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

/// A gap list as Markdown.
#[must_use]
pub fn gaps_markdown(summary: &GapSummary, steps: &[StepRow<'_>], rows: &[GapRow<'_>]) -> String {
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
    out.push_str("| operator | works | other backends | usage | |\n|---|---|---|---|---|\n");
    for row in rows {
        let usage = row
            .usage
            .map_or_else(String::new, |usage| usage.to_string());
        let _ = writeln!(
            out,
            "| {} | {} | {} | {usage} | {} |",
            escape::code_cell(row.operator),
            escape::prose(&row.works()),
            row.others,
            row.marks(),
        );
    }
    out
}

/// A gap list as text for a terminal.
#[must_use]
pub fn gaps_text(rows: &[GapRow<'_>]) -> String {
    let width = rows.iter().map(|row| row.operator.chars().count()).max();
    let width = width.unwrap_or(0);
    let mut out = String::new();
    for row in rows {
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
            row.works(),
            row.marks(),
        );
        out.push_str(&escape::line(line.trim_end()));
        out.push('\n');
    }
    out
}

/// An SVG badge with a label on gray and a message on a color.
#[must_use]
pub fn badge(label: &str, message: &str, percent: u32) -> String {
    let (left, right) = (width(label) + 10, width(message) + 10);
    let all = left + right;
    let colour = match percent {
        90.. => "#15803d",
        70.. => "#4d7c0f",
        50.. => "#a16207",
        _ => "#b91c1c",
    };
    let (label, message) = (escape::xml(label), escape::xml(message));
    let (at_label, at_message) = (left / 2, left + right / 2);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{all}\" height=\"20\" role=\"img\" \
         aria-label=\"{label}: {message}\"><title>{label}: {message}</title>\
         <rect width=\"{all}\" height=\"20\" rx=\"3\" fill=\"#404040\"/>\
         <path d=\"M{left} 0h{flat}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-{flat}z\" fill=\"{colour}\"/>\
         <g fill=\"#fff\" text-anchor=\"middle\" font-family=\"Verdana,DejaVu Sans,sans-serif\" \
         font-size=\"11\"><text x=\"{at_label}\" y=\"14\">{label}</text>\
         <text x=\"{at_message}\" y=\"14\">{message}</text></g></svg>\n",
        flat = right - 3,
    )
}

/// The estimated width of a text in pixels, in the widest of the fonts.
fn width(text: &str) -> usize {
    let of = |char: char| match char {
        'i' | 'l' | 'j' | '.' | ',' | ':' | ' ' | 'I' | '|' | '1' => 5,
        'm' | 'w' | 'M' | 'W' | '%' => 10,
        _ => 7,
    };
    text.chars().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn badges_hold_nothing_that_acts() {
        let svg = badge("coverage of <script>\"&", "63 %", 63);
        assert!(!svg.contains("<script>") && svg.contains("&lt;script&gt;"));
        assert!(svg.contains("aria-label=\"coverage of &lt;script&gt;&quot;&amp;: 63 %\""));
        assert!(svg.contains("#a16207"));
    }

    #[test]
    fn tables_say_since_when() {
        let row = |first: &str, kernel: Option<&str>, last: &str, is_supported| Row {
            operator: "add.Tensor".into(),
            key: "MPS".into(),
            first: Some(first.into()),
            first_kernel: kernel.map(Into::into),
            last: Some(last.into()),
            is_supported,
            reason: Some(if kernel.is_some() {
                "kernel"
            } else {
                "math kernel"
            }),
            source_key: Some("CompositeImplicitAutograd".into()),
            kernel: None,
            verdict: None,
        };
        let cells = [
            (
                row("2.0.0", Some("2.0.0"), "2.9.0", true),
                "kernel since 2.0.0",
            ),
            (
                row("2.0.0", Some("2.5.0"), "2.9.0", true),
                "kernel since 2.5.0 (runs since 2.0.0)",
            ),
            (
                row("2.0.0", None, "2.9.0", true),
                "CompositeImplicitAutograd since 2.0.0",
            ),
            (row("2.0.0", None, "2.4.0", false), "2.0.0 until 2.4.0"),
            (Row::default(), "no"),
        ];
        for (row, expected) in cells {
            assert_eq!(cell(&row), expected);
        }
    }
}
