//! A Markdown report in parts, none of them longer than what a hosting site takes, no change cut in
//! two, what matters most first, and no more parts than best-fit-decreasing needs.

use super::markdown::{self, Item};
use super::outline::{Class, outline};
use super::{Report, verdict};
use crate::escape::{address, cut, markdown as escaped, paragraph, prose};
use crate::packing::{MAX_ROOM, pack};
use opatlas_diff::policy::Conclusion;

/// The least that a part may be limited to: what goes around the changes and one shown short need
/// that much.
pub const LEAST_MAX_CHARS: usize = 3_000;

/// Longer addresses are left off, longer titles cut, so that they cannot crowd out the report.
const LONGEST_LINK: usize = 500;
const LONGEST_TITLE: usize = 60;
const LONGEST_NOTE: usize = 200;
const MOST_NOTES: usize = 4;

/// A part of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Markdown that stands by itself.
    pub text: String,
    /// The changes that it tells, by their numbers in the judgement.
    pub changes: Vec<usize>,
}

/// The report in parts.
///
/// What is too long for a part is shown short; the report says so. `max_chars` below
/// [`LEAST_MAX_CHARS`] counts as that.
#[must_use]
pub fn parts(report: &Report<'_>) -> Vec<Part> {
    let whole = markdown::items(report, None);
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
    let items = markdown::items(report, Some(most - overhead));
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
        // Nothing is larger than the room, so this does not happen; one by one is right as well.
        Err(_) => ordered.iter().map(|item| vec![*item]).collect(),
    };
    let all = bins.len();
    let numbered = bins.iter().enumerate();
    numbered
        .map(|(i, items)| assemble(report, items, Some((i + 1, all))))
        .collect()
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

fn size(text: &str) -> u32 {
    u32::try_from(chars(text)).unwrap_or(u32::MAX)
}

/// The address of the whole report, unless it is too long to show.
pub(super) fn permalink(report: &Report<'_>) -> Option<String> {
    let link = address(report.permalink?);
    (chars(&link) <= LONGEST_LINK).then_some(link)
}

fn between(report: &Report<'_>) -> String {
    let title = |title: &str| prose(&cut(title, LONGEST_TITLE));
    format!(
        "({} → {})",
        title(report.base.title),
        title(report.head.title)
    )
}

/// The one line of a report with nothing to say.
fn nothing(report: &Report<'_>) -> Part {
    let headline = verdict::headline(report);
    let caveat = match report.comparison.has_dispatch {
        true => "",
        false => "; dispatch tables were not compared",
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

/// Whether nothing needs anybody's attention, so that the title says all.
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

/// What else there is to know, as items.
fn notes(report: &Report<'_>) -> String {
    let notes = report.notes.iter().take(MOST_NOTES);
    let lines: Vec<String> = notes
        .map(|note| format!("- {}\n", paragraph(&cut(note, LONGEST_NOTE))))
        .collect();
    match lines.is_empty() {
        true => String::new(),
        false => format!("\n{}", lines.concat()),
    }
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
                _ => super::count(number, "safe or informational change"),
            })
        }
    }
}

/// The largest markup around items in a part.
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
    // Pieces that are split make longer counts in the markup.
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
