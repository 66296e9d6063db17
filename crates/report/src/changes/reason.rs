//! The verdict and its reason: the first line of a report.

use super::markdown::impacts as audiences;
use super::outline::{Class, Kind, Section, impacts, outline};
use super::title::{edit_title, title};
use super::{Report, count, verdict};
use opatlas_diff::causes::Cause;
use opatlas_diff::policy::Conclusion;
use opatlas_diff::rules::{Impacts, Level};
use opatlas_rules::{Stage, registry};
use opatlas_source::diagnostic::{Finding, Severity};
use opatlas_source::{Message, message};

/// The most bytes of a change or message.
const MOST_TEXT: usize = 240;

/// The verdict as a word.
pub(super) fn word(conclusion: Conclusion) -> &'static str {
    match conclusion {
        Conclusion::Fail => "Blocked",
        Conclusion::Warn => "Warning",
        Conclusion::Pass => "Pass",
    }
}

/// The most important fact behind the verdict, and how many more there are of its kind. A filter does
/// not affect it.
#[must_use]
pub fn reason(report: &Report<'_>) -> Message {
    let sections = outline(&report.unfiltered());
    let own = match report.own_conclusion() {
        Conclusion::Pass => None,
        _ => of_problems(report, &sections),
    };
    let worse = report.conclusion() > report.own_conclusion();
    let further = worse.then(|| of_further(report)).flatten();
    let rest = || of_first(report, &sections);
    further.or(own).unwrap_or_else(rest)
}

fn of_further(report: &Report<'_>) -> Option<Message> {
    let mut all: Vec<_> = report.not_passed().collect();
    all.sort_by_key(|further| std::cmp::Reverse(further.conclusion));
    let first = all.first()?;
    let more = more(all.len() - 1, "revision", "");
    Some(message!(
        "against {}: {}{}",
        first.title,
        first.counts(),
        more
    ))
}

/// Why the comparison with the base fails or warns.
fn of_problems(report: &Report<'_>, sections: &[Section<'_>]) -> Option<Message> {
    if report.found.count(Severity::Error) > 0 {
        return Some(of_errors(report, sections));
    }
    let unread = verdict::unread(report);
    let unread = unread.map(|unread| message!("{}, which may hide breaking changes", unread));
    match (unread, of_changes(report, sections)) {
        (Some(unread), Some(change)) => Some(message!("{}; {}", unread, change)),
        (Some(only), None) | (None, Some(only)) => Some(only),
        (None, None) => {
            verdict::ending(report).map(|ending| message!("an exception ends soon: {}", ending))
        }
    }
}

fn number_of(sections: &[Section<'_>], class: Class) -> usize {
    let own = sections.iter().filter(|section| section.class == class);
    own.count()
}

/// The first error, and what else prevents a merge.
fn of_errors(report: &Report<'_>, sections: &[Section<'_>]) -> Message {
    let mut rest = match verdict::unread(report) {
        Some(unread) => format!("; {unread}"),
        None => String::new(),
    };
    if let to_fix @ 1.. = number_of(sections, Class::Fix) {
        let to_fix = count(to_fix, "change");
        rest.push_str(&format!("; {to_fix} to revert or accept"));
    }
    let all = report.found.count(Severity::Error);
    let mut errors = sections.iter();
    let first = errors.find(|section| section.class == Class::Errors);
    match first.and_then(|section| error(report, section)) {
        Some((what, alike)) => {
            let more = more(all.saturating_sub(alike), "error", "");
            message!("{}{}{}", what, more, rest)
        }
        None => message!("{}{}", count(all, "new error"), rest),
    }
}

/// The first change to revert or accept, or to look at.
fn of_changes(report: &Report<'_>, sections: &[Section<'_>]) -> Option<Message> {
    let (classes, act) = match report.own_conclusion() {
        Conclusion::Fail => (&[Class::Fix][..], " to revert or accept"),
        _ => (&[Class::Fix, Class::Look][..], " to look at"),
    };
    let mut of_classes = sections
        .iter()
        .filter(|section| classes.contains(&section.class));
    let first = said(report, of_classes.next()?);
    Some(message!(
        "{}{}",
        first,
        more(of_classes.count(), "change", act)
    ))
}

/// The most important change of a report that passes, and a convention that it does not follow.
fn of_first(report: &Report<'_>, sections: &[Section<'_>]) -> Message {
    let is_cause = |section: &&Section<'_>| matches!(section.kind, Kind::Cause(..));
    let causes: Vec<&Section<'_>> = sections.iter().filter(is_cause).collect();
    let change = causes.first().map(|first| {
        let allowed = match first.class {
            Class::Fix | Class::Look => "the policy allows ",
            _ => "",
        };
        let what = said(report, first);
        let more = more(causes.len() - 1 + further(report, first), "change", "");
        message!("{}{}{}{}", allowed, what, hurt(report, first), more)
    });
    let mut others = sections.iter().filter(|section| !is_cause(section));
    let convention = others.find(|section| section.class == Class::Conventions);
    let convention = convention.map(|first| {
        let more = more(
            number_of(sections, Class::Conventions) - 1,
            "convention",
            "",
        );
        message!("{}{}", said(report, first), more)
    });
    match (convention, change) {
        (Some(convention), Some(change)) => message!("{}; {}", convention, change),
        (Some(only), None) | (None, Some(only)) => only,
        (None, None) => match sections.first() {
            Some(first) => said(report, first),
            None => "no changes".into(),
        },
    }
}

/// The number of further edits of the only operator of a cause.
fn further(report: &Report<'_>, section: &Section<'_>) -> usize {
    match &section.kind {
        Kind::Cause(cause, _) => title(&report.judgement.changes, cause).more,
        Kind::Findings(_) | Kind::Exceptions(_) => 0,
    }
}

/// Whom a harmless change breaks nevertheless.
fn hurt(report: &Report<'_>, section: &Section<'_>) -> String {
    match &section.kind {
        Kind::Cause(cause, _) if section.level < Level::Dangerous => {
            let breaks = impacts(report, cause).breaks;
            let only = Impacts {
                breaks,
                ..Impacts::default()
            };
            match breaks.is_empty() {
                true => String::new(),
                false => format!(", which {}", audiences(only)),
            }
        }
        _ => String::new(),
    }
}

fn more(number: usize, one: &str, act: &str) -> String {
    match number {
        0 => String::new(),
        _ => format!(" (and {}{act})", count(number, &format!("more {one}"))),
    }
}

/// What a section is about, in a few words.
pub(super) fn said(report: &Report<'_>, section: &Section<'_>) -> Message {
    match &section.kind {
        Kind::Cause(cause, _) => {
            let title = title(&report.judgement.changes, cause);
            title.named(&title.what).cut(MOST_TEXT)
        }
        Kind::Findings(found) => about(found),
        Kind::Exceptions(about) => {
            let number = about.len();
            message!("{}", count(number, "exception"))
        }
    }
}

/// The error of a section that PyTorch's code generator finds first, and how many have its message.
fn error(report: &Report<'_>, section: &Section<'_>) -> Option<(Message, usize)> {
    let found = match &section.kind {
        Kind::Cause(_, found) | Kind::Findings(found) => found,
        Kind::Exceptions(_) => return None,
    };
    let errors = found.iter().filter(|one| one.severity == Severity::Error);
    let stage = |finding: &&&Finding| registry::of(finding.rule).stage;
    let first = errors.clone().min_by_key(stage)?;
    let place = report.found.place(first);
    let place = place.rsplit('/').next().unwrap_or(&place);
    let alike = errors
        .clone()
        .filter(|other| other.message == first.message);
    let alike: Vec<&Finding> = alike.copied().collect();
    let number = alike.len();
    let what = match number {
        1 => message!("{} (`{}`)", about(&alike), place),
        number => message!("{} in {}", about(&alike), count(number, "place")),
    };
    let what = match &section.kind {
        Kind::Cause(cause, _) if !is_root(cause, first) => {
            let title = edit_title(&report.judgement.changes, cause);
            let edit = title.named(&title.what).cut(MOST_TEXT);
            message!("{}; error: {}", edit, what)
        }
        _ => what,
    };
    Some((what, number))
}

/// Whether a finding explains the edit: a mistake in the entry itself, such as an unknown field.
pub(super) fn is_root(cause: &Cause, finding: &Finding) -> bool {
    let [edited] = &*cause.edited else {
        return false;
    };
    let name = finding.operator.as_deref();
    registry::of(finding.rule).stage <= Stage::Entry && name == Some(&*edited.operator)
}

/// What findings with one message say, with the operator if there is only one.
fn about(found: &[&Finding]) -> Message {
    let text = found[0].message.cut(MOST_TEXT);
    let is_named = |name: &&str| found[0].message.contains(*name);
    match found[0].operator.as_deref().filter(|_| found.len() == 1) {
        Some(name) if !is_named(&name) => message!("`{}`: {}", name, text),
        _ => text,
    }
}
