//! Support tables and gap lists as CSV, Markdown and text; the answers about one operator in words and
//! as a picture; and coverage badges.

mod answers;
mod card;
mod gaps;

use std::fmt::Write as _;

use super::escape;
use crate::csv::{flag, line};

pub use answers::{Answered, since_words, summary};
pub use card::card;
pub use gaps::{GapRow, GapSummary, StepRow, gaps_csv, gaps_markdown, gaps_text, leverage_text};

/// The support of an operator on a backend over several releases.
#[derive(Debug, Clone, Default)]
pub struct Row {
    /// The operator.
    pub operator: String,
    /// The runtime key.
    pub key: String,
    /// The first revision in which a call works.
    pub first: Option<String>,
    /// Whether a call may have worked before that.
    pub first_at_latest: bool,
    /// The first revision with a kernel on the key itself.
    pub first_kernel: Option<String>,
    /// Whether the key may have had a kernel before that.
    pub first_kernel_at_latest: bool,
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
    /// `yes`, `partly`, `no` or `unknown` in the last revision.
    pub works: Option<&'static str>,
}

/// The first line of the CSV form.
const HEADER: &str = "operator,key,supported,first,first_kernel,last,reason,source_key,kernel,verdict,works,\
     first_at_latest,first_kernel_at_latest\r\n";

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
                row.works.unwrap_or_default(),
                flag(row.first_at_latest),
                flag(row.first_kernel_at_latest),
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

/// `kernel since 2.5.0`, `CompositeImplicitAutograd since 2.0.0 or earlier`, `2.0.0 until 2.4.0, now unknown`, or the
/// verdict if it never worked.
fn cell(row: &Row) -> String {
    let (Some(first), Some(last)) = (&row.first, &row.last) else {
        return row.verdict.unwrap_or("no").to_owned();
    };
    if !row.is_supported {
        return match row.works {
            Some(works @ ("partly" | "unknown")) => format!("{first} until {last}, now {works}"),
            _ => format!("{first} until {last}"),
        };
    }
    let since = |first: &str, is_latest: bool| match is_latest {
        true => format!("{first} or earlier"),
        false => first.to_owned(),
    };
    let begins = since(first, row.first_at_latest);
    match (&row.first_kernel, row.reason, &row.source_key) {
        (Some(kernel), Some("kernel"), _) if kernel != first => {
            let kernel = since(kernel, row.first_kernel_at_latest);
            format!("kernel since {kernel} (runs since {begins})")
        }
        (_, Some("kernel"), _) => format!("kernel since {begins}"),
        (_, _, Some(source)) => format!("{source} since {begins}"),
        _ => format!("since {begins}"),
    }
}

/// An SVG badge with a label on dark gray and a message on a color, which is gray if the share is
/// unknown.
#[must_use]
pub fn badge(label: &str, message: &str, percent: Option<u32>) -> String {
    let (left, right) = (width(label) + 10, width(message) + 10);
    let all = left + right;
    let colour = match percent {
        None => "#6b7280",
        Some(90..) => "#15803d",
        Some(70..) => "#4d7c0f",
        Some(50..) => "#a16207",
        Some(_) => "#b91c1c",
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
        let svg = badge("coverage of <script>\"&", "63 %", Some(63));
        assert!(!svg.contains("<script>") && svg.contains("&lt;script&gt;"));
        assert!(svg.contains("aria-label=\"coverage of &lt;script&gt;&quot;&amp;: 63 %\""));
        assert!(svg.contains("#a16207"));
        assert!(badge("coverage of XLA", "unknown", None).contains("#6b7280"));
    }

    #[test]
    fn tables_say_since_when() {
        let row = |first: &str, kernel: Option<&str>, last: &str, is_supported| Row {
            operator: "add.Tensor".into(),
            key: "MPS".into(),
            first: Some(first.into()),
            first_at_latest: false,
            first_kernel: kernel.map(Into::into),
            first_kernel_at_latest: false,
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
            works: None,
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
            (
                Row {
                    works: Some("unknown"),
                    ..row("2.0.0", None, "2.4.0", false)
                },
                "2.0.0 until 2.4.0, now unknown",
            ),
            (
                Row {
                    first_at_latest: true,
                    ..row("2.0.0", Some("2.5.0"), "2.9.0", true)
                },
                "kernel since 2.5.0 (runs since 2.0.0 or earlier)",
            ),
            (Row::default(), "no"),
        ];
        for (row, expected) in cells {
            assert_eq!(cell(&row), expected);
        }
    }
}
