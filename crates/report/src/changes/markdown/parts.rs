//! A Markdown report in parts of bounded length, the most important changes first.

use super::item::{chars, permalink};
use super::piece::newlines;
use super::sections::{Pieces, pieces};
use crate::changes::outline::Class;
use crate::changes::reason::{reason, word};
use crate::changes::{Report, verdict};
use crate::escape::{cut, markdown as escaped, paragraph, prose};
use opatlas_diff::policy::Conclusion;

/// The lowest limit for the length of a part. The markup and one shortened change need this much.
pub const LEAST_MAX_CHARS: usize = 3_000;

/// Longer titles and notes are cut, so that they cannot crowd out the report.
const LONGEST_TITLE: usize = 60;
const LONGEST_NOTE: usize = 200;
const MOST_NOTES: usize = 4;

/// The number that part numbers are measured with.
const MOST_PARTS: usize = 9_999_999;

/// The report in as few parts as its `max_chars` allows, or in one part without a limit. Each part is
/// self-contained Markdown.
///
/// A report has at most 60 lines, or one for each of its first causes and findings: details are shown
/// as long as there is room. A change that is too long for a part is shortened. The report says what
/// it leaves out. A `max_chars` below [`LEAST_MAX_CHARS`] is raised to it.
#[must_use]
pub fn markdown(report: &Report<'_>) -> Vec<String> {
    if report.is_empty() && report.not_passed().next().is_none() {
        return vec![nothing(report)];
    }
    let frame = |classes: &[Class]| frame(report, classes);
    let Pieces { pieces, rest } = pieces(report, frame);
    let rest = rest.into_iter();
    let rest: Vec<(Class, String)> = rest.map(|(class, n)| (class, counted(n))).collect();
    let most = report.max_chars.map(|most| most.max(LEAST_MAX_CHARS));
    let room = most.map_or(usize::MAX, |most| most - overhead(report));
    let mut parts: Vec<Draft<'_>> = vec![Draft::default()];
    for class in Class::ALL {
        let own = pieces.iter().filter(|piece| piece.class == class);
        let texts = own.map(|piece| piece.within(room));
        let rest = rest.iter().filter(|(other, _)| *other == class);
        let rest = rest.map(|(_, text)| (&**text, true));
        for (text, is_cut) in texts.chain(rest) {
            match parts.last_mut() {
                Some(part) if part.length + chars(text) <= room => part.add(class, text, is_cut),
                _ => {
                    let mut part = Draft::default();
                    part.add(class, text, is_cut);
                    parts.push(part);
                }
            }
        }
    }
    let all = parts.len();
    let numbered = parts.iter().enumerate();
    numbered
        .map(|(i, part)| part.text(report, (i + 1, all)))
        .collect()
}

/// The pieces of a part.
#[derive(Default)]
struct Draft<'a> {
    texts: Vec<(Class, &'a str)>,
    length: usize,
    is_cut: bool,
}

impl<'a> Draft<'a> {
    fn add(&mut self, class: Class, text: &'a str, is_cut: bool) {
        self.length += chars(text);
        self.texts.push((class, text));
        self.is_cut |= is_cut;
    }

    fn text(&self, report: &Report<'_>, part: (usize, usize)) -> String {
        let mut text = header(report, part);
        let mut before = None;
        for (class, piece) in &self.texts {
            if before != Some(*class) {
                text.push_str(title(report, *class));
            }
            before = Some(*class);
            text.push_str(piece);
        }
        text.push_str(&footer(report, self.is_cut));
        text
    }
}

fn between(report: &Report<'_>) -> String {
    let title = |title: &str| prose(&cut(title, LONGEST_TITLE));
    format!(
        "{} → {}",
        title(report.base.title),
        title(report.head.title)
    )
}

fn verdict_line(report: &Report<'_>) -> String {
    let reason = escaped(&reason(report));
    format!("### **{}:** {reason}", word(report.conclusion()))
}

fn nothing(report: &Report<'_>) -> String {
    let caveat = match report.comparison.has_dispatch {
        true => "",
        false => "; dispatch tables were not compared",
    };
    let (verdict, between) = (verdict_line(report), between(report));
    format!("{verdict} ({between}){caveat}\n{}", notes(report))
}

fn header(report: &Report<'_>, (part, all): (usize, usize)) -> String {
    let between = between(report);
    if part > 1 {
        return format!("### Operator schemas, part {part} of {all} ({between})\n");
    }
    let of = match all {
        1 => String::new(),
        _ => format!(" (part 1 of {all})"),
    };
    let headline = verdict::headline(report);
    let conclusion = escaped(&verdict::conclusion(report));
    let mut text = format!(
        "{}\n\n{between}{of}: {headline}. {conclusion}",
        verdict_line(report)
    );
    if let Some(showing) = report.showing() {
        text.push_str(&format!(
            " This report is filtered: {}.",
            prose(&cut(&showing, 200))
        ));
    }
    if !report.comparison.has_dispatch {
        text.push_str(" Dispatch tables were not compared, so backend support is not covered.");
    }
    format!("{text}\n{}", notes(report))
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

fn footer(report: &Report<'_>, is_cut: bool) -> String {
    let link = permalink(report);
    match (is_cut, link) {
        (true, Some(link)) => format!("\n{HOW} The [full comparison]({link}) has everything.\n"),
        (true, None) => format!("\n{HOW}\n"),
        (false, Some(link)) => format!("\n[Full comparison]({link})\n"),
        (false, None) => String::new(),
    }
}

/// How to see what a report leaves out.
const HOW: &str = "Some details are left out. `opatlas compare --operator NAME` shows them for one \
                   operator; `--level` and `--backend` filter too, and `--format json` has all.";

/// The line that counts the sections of a class that are left out.
fn counted(number: usize) -> String {
    format!("- and {number} more\n")
}

/// The title of a class.
fn title(report: &Report<'_>, class: Class) -> &'static str {
    match class {
        Class::New | Class::Backends => "",
        Class::Errors => "\n**Fix**\n",
        Class::Unread => "\n**Not compared**\n",
        Class::Fix if report.judgement.conclusion == Conclusion::Fail => "\n**Fix or accept**\n",
        Class::Fix => "\n**Breaking**\n",
        Class::Further => "\n**Further revisions**\n",
        Class::Look => "\n**Look at**\n",
        Class::Excused => "\n**Accepted**\n",
        Class::Conventions => "\n**Conventions for new operators**\n",
        Class::Quiet => "\n**Also changed**\n",
    }
}

/// The number of lines around the pieces of these classes.
fn frame(report: &Report<'_>, classes: &[Class]) -> usize {
    let titles = classes.iter().map(|class| newlines(title(report, *class)));
    newlines(&header(report, (1, 1))) + titles.sum::<usize>() + newlines(&footer(report, true))
}

/// The most characters around the pieces of a part.
fn overhead(report: &Report<'_>) -> usize {
    let headers = [1, MOST_PARTS].map(|part| chars(&header(report, (part, MOST_PARTS))));
    let titles = Class::ALL.iter().map(|class| chars(title(report, *class)));
    let header = headers.into_iter().max().unwrap_or_default();
    header + titles.sum::<usize>() + chars(&footer(report, true))
}
