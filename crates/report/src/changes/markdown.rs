//! A comparison as Markdown for a pull request: a verdict, then one bullet for each edit, the most
//! important ones first, with the affected audiences and what to do, and its consequences folded
//! below it.

mod added;
mod backends;
mod block;
mod cause;
mod exceptions;
mod found;
mod item;
mod listing;
mod marked;
mod parts;
mod sections;
mod unread;

use super::Report;
use crate::escape::code;
use item::chars;

pub(super) use item::impacts;
pub use parts::{LEAST_MAX_CHARS, Part, parts};

/// The report in as few parts as its `max_chars` allows, or in one part without a limit.
#[must_use]
pub fn markdown(report: &Report<'_>) -> Vec<String> {
    let mut parts: Vec<String> = parts(report).into_iter().map(|part| part.text).collect();
    let Some(section) = further(report) else {
        return parts;
    };
    let fits = |first: &String| {
        let both = chars(&section) + chars(first);
        report.max_chars.is_none_or(|max| both <= max)
    };
    match parts.first_mut().filter(|first| fits(first)) {
        Some(first) => first.insert_str(0, &section),
        None => parts.insert(0, section),
    }
    parts
}

/// The further revisions that the head does not pass against. They come first, in a separate part if
/// the first one has no room for them.
fn further(report: &Report<'_>) -> Option<String> {
    let lines = report.not_passed().map(|further| {
        let found = further.found();
        let (conclusion, rest) = found.split_once(',').unwrap_or((&found, ""));
        let title = code(further.title);
        format!("- against {title}: **{conclusion}**,{rest}\n")
    });
    let lines: String = lines.collect();
    (!lines.is_empty()).then(|| format!("**Further revisions**\n\n{lines}\n"))
}

#[cfg(test)]
mod tests;
