//! A Markdown report in parts of bounded length. Important changes come first, no change is split,
//! and best-fit-decreasing packing keeps the number of parts low.

use super::item::{Item, chars, permalink};
use super::sections;
use crate::changes::outline::{Class, outline};
use crate::changes::{Report, count, verdict};
use crate::escape::{cut, markdown as escaped, paragraph, prose};
use crate::packing::{MAX_ROOM, pack};
use opatlas_diff::policy::Conclusion;

/// The lowest limit for the length of a part. The markup and one shortened change need this much.
pub const LEAST_MAX_CHARS: usize = 3_000;

/// Longer titles and notes are cut, so that they cannot crowd out the report.
const LONGEST_TITLE: usize = 60;
const LONGEST_NOTE: usize = 200;
const MOST_NOTES: usize = 4;

/// A part of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Self-contained Markdown.
    pub text: String,
    /// The changes in it, as indices into the judgement.
    pub changes: Vec<usize>,
}

/// The report in parts.
///
/// A change that is too long for a part is shortened, and the report says so. A `max_chars` below
/// [`LEAST_MAX_CHARS`] is raised to it.
#[must_use]
pub fn parts(report: &Report<'_>) -> Vec<Part> {
    let whole = sections::items(report, None);
    if report.is_empty() {
        return vec![nothing(report)];
    }
    let part = assemble(report, &whole.iter().collect::<Vec<_>>(), None);
    let Some(most) = report.max_chars.map(|most| most.max(LEAST_MAX_CHARS)) else {
        return vec![part];
    };
    if chars(&part.text) <= most {
        return vec![part];
    }
    let overhead = overhead(report, &whole);
    let items = sections::items(report, Some(most - overhead));
    let of_class = |class: Class| items.iter().filter(move |item| item.class == class);
    let sizes: Vec<Vec<u32>> = Class::ALL
        .into_iter()
        .map(|class| of_class(class).map(|item| size(&item.text)).collect())
        .collect();
    let ordered: Vec<&Item> = Class::ALL.into_iter().flat_map(of_class).collect();
    let classes: Vec<&[u32]> = sizes.iter().map(|sizes| &**sizes).collect();
    let room = u32::try_from(most - overhead).unwrap_or(MAX_ROOM);
    let bins: Vec<Vec<&Item>> = match pack(&classes, room.min(MAX_ROOM)) {
        Ok(packing) => packing
            .bins()
            .map(|bin| bin.iter().map(|&item| ordered[item as usize]).collect())
            .collect(),
        // No item is larger than the room, so this does not happen. One item per part is correct too.
        Err(_) => ordered.iter().map(|item| vec![*item]).collect(),
    };
    let all = bins.len();
    let numbered = bins.iter().enumerate();
    numbered
        .map(|(i, items)| assemble(report, items, Some((i + 1, all))))
        .collect()
}

fn size(text: &str) -> u32 {
    u32::try_from(chars(text)).unwrap_or(u32::MAX)
}

fn between(report: &Report<'_>) -> String {
    let title = |title: &str| prose(&cut(title, LONGEST_TITLE));
    format!(
        "({} → {})",
        title(report.base.title),
        title(report.head.title)
    )
}

fn nothing(report: &Report<'_>) -> Part {
    let headline = verdict::headline(report);
    let caveat = if report.comparison.has_dispatch {
        ""
    } else {
        "; dispatch tables were not compared"
    };
    let notes = notes(report);
    Part {
        text: format!(
            "### Operator schemas: {headline} {}{caveat}\n{notes}",
            between(report)
        ),
        changes: Vec::new(),
    }
}

fn is_harmless(report: &Report<'_>) -> bool {
    let mut sections = outline(report).into_iter();
    report.comparison.unread.is_empty()
        && report.own_conclusion() == Conclusion::Pass
        && sections.all(|section| section.class == Class::Quiet)
}

fn header(report: &Report<'_>, part: Option<(usize, usize)>) -> String {
    let of = part.map_or_else(String::new, |(i, all)| format!(", part {i} of {all}"));
    let mut text = format!(
        "### Operator schemas: {} {}{of}\n",
        verdict::headline(report),
        between(report)
    );
    if part.is_none_or(|(i, _)| i == 1) && !is_harmless(report) {
        let word = match report.own_conclusion() {
            Conclusion::Fail => "Blocked",
            Conclusion::Warn => "Warning",
            Conclusion::Pass => "Pass",
        };
        let conclusion = escaped(&verdict::conclusion(report));
        text.push_str(&format!("\n**{word}.** {conclusion}\n"));
    }
    if part.is_none_or(|(i, _)| i == 1) {
        text.push_str(&notes(report));
    }
    text
}

fn notes(report: &Report<'_>) -> String {
    let notes = report.notes.iter().take(MOST_NOTES);
    let lines: Vec<String> = notes
        .map(|note| format!("- {}\n", paragraph(&cut(note, LONGEST_NOTE))))
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    format!("\n{}", lines.concat())
}

fn footer(report: &Report<'_>, is_short: bool) -> String {
    let mut text = String::new();
    if is_short {
        text.push_str("\nThis part shows some long changes only in short form.\n");
    }
    if let Some(link) = permalink(report) {
        text.push_str(&format!("\n[Full comparison]({link})\n"));
    }
    text
}

/// The markup around the items of a class; `None` if they have none.
fn wrapper(report: &Report<'_>, class: Class, items: &[&Item]) -> Option<(String, &'static str)> {
    const FOLD: &str = "\n</details>\n";
    let folded = |what: String| Some((format!("\n<details><summary>{what}</summary>\n"), FOLD));
    let pieces = items.len();
    match class {
        Class::Unread | Class::New => None,
        Class::Excused => Some(("\n**Accepted**\n".to_owned(), "")),
        Class::Errors => Some(("\n**Fix**\n".to_owned(), "")),
        Class::Fix => {
            let word = match report.judgement.conclusion {
                Conclusion::Fail => "Fix or accept",
                _ => "Breaking",
            };
            Some((format!("\n**{word}**\n"), ""))
        }
        Class::MoreToFix => folded(format!("{pieces} more to fix or accept")),
        Class::Look => Some(("\n**Look at**\n".to_owned(), "")),
        Class::MoreToLook => folded(format!("{pieces} more to look at")),
        Class::Backends => folded("Backends at a glance".to_owned()),
        Class::Quiet => {
            let changes = items.iter().flat_map(|item| &item.changes);
            let judged = changes.map(|&i| &report.judgement.changes[i]);
            let number = judged.filter(|judged| judged.is_counted()).count();
            folded(match number {
                0 => "Changes without effect".to_owned(),
                _ => count(number, "safe or informational change"),
            })
        }
    }
}

pub(super) fn overhead(report: &Report<'_>, items: &[Item]) -> usize {
    const MOST: usize = 9_999_999;
    // The first part has the longest header.
    let header = header(report, Some((1, MOST))) + "9999999";
    let all: Vec<&Item> = items.iter().collect();
    let wrappers = Class::ALL
        .into_iter()
        .filter_map(|class| wrapper(report, class, &all));
    let wrappers: usize = wrappers
        .map(|(open, close)| chars(&open) + chars(close))
        .sum();
    // Split items make the counts in the markup longer.
    chars(&header) + wrappers + chars(&footer(report, true)) + 16
}

fn assemble(report: &Report<'_>, items: &[&Item], part: Option<(usize, usize)>) -> Part {
    let mut text = header(report, part);
    for class in Class::ALL {
        let own: Vec<&Item> = items.iter().copied().filter(|i| i.class == class).collect();
        if own.is_empty() {
            continue;
        }
        let wrapper = wrapper(report, class, &own);
        if let Some((open, _)) = &wrapper {
            text.push_str(open);
        }
        for item in &own {
            text.push_str(&item.text);
        }
        if let Some((_, close)) = wrapper {
            text.push_str(close);
        }
    }
    text.push_str(&footer(report, items.iter().any(|item| item.is_short)));
    Part {
        text,
        changes: items.iter().flat_map(|item| item.changes.clone()).collect(),
    }
}
