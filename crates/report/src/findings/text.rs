//! Findings like compiler diagnostics: the line, carets under the position, the reason, and the fix.

use std::borrow::Cow;
use std::cmp::Reverse;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::{Findings, SourceText, first_sentence, rule};
use crate::escape::line;
use opatlas_source::Span;
use opatlas_source::diagnostic::{Finding, Severity};

/// Whether text is colored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Colored text for a terminal.
    Always,
    /// Plain text.
    Never,
}

/// The most lines between places in one snippet.
const TOGETHER: u32 = 30;
/// The longest line in bytes; longer ones are cut around the place.
const LONGEST_LINE: usize = 2_000;

/// All findings with their snippets, errors last, and a last line with counts.
#[must_use]
pub fn text(report: &Findings<'_>, colour: Colour) -> String {
    let renderer = match colour {
        Colour::Always => Renderer::styled(),
        Colour::Never => Renderer::plain(),
    }
    .decor_style(DecorStyle::Ascii);
    let mut out = String::new();
    let mut findings: Vec<&Finding> = report.findings.iter().collect();
    findings.sort_by_key(|finding| Reverse(finding.severity));
    for finding in findings {
        if report.room.is_over(out.len()) {
            return out;
        }
        out.push_str(&renderer.render(&[group(report, finding)]));
        out.push_str("\n\n");
    }
    if let Some(omission) = report.omission() {
        out.push_str(&omission);
        out.push_str("\n\n");
    }
    out.push_str(&report.counts().to_string());
    out.push('\n');
    out
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    }
}

fn group<'a>(report: &'a Findings<'_>, finding: &'a Finding) -> Group<'a> {
    let title = level(finding.severity)
        .primary_title(line(&finding.message))
        .id(finding.rule.as_str());
    let mut group = Group::with_title(title);
    if let Some(source) = report.source(&finding.file) {
        let (near, far) = places(finding, source);
        group = group.element(snippet(source, &near));
        for place in far {
            group = group.element(snippet(source, &[place]));
        }
    }
    for related in &finding.related {
        let elsewhere = related
            .file
            .as_deref()
            .filter(|file| *file != &*finding.file);
        if let Some(source) = elsewhere.and_then(|file| report.source(file)) {
            let place = (
                related.span,
                AnnotationKind::Context,
                line(&related.message),
            );
            group = group.element(snippet(source, &[place]));
        }
    }
    let why = first_sentence(rule(finding).why);
    group = group.element(Level::NOTE.with_name("why").message(why));
    if let Some(help) = &finding.help {
        let name = if finding.fix.is_some() { "fix" } else { "help" };
        group = group.element(Level::HELP.with_name(name).message(line(help)));
    }
    group
}

type Place<'a> = (Span, AnnotationKind, Cow<'a, str>);

fn places<'a>(finding: &'a Finding, source: &SourceText) -> (Vec<Place<'a>>, Vec<Place<'a>>) {
    let own = source.lines(finding.span).start.line;
    let mut near = vec![(finding.span, AnnotationKind::Primary, "".into())];
    let mut far = Vec::new();
    for related in &finding.related {
        if related
            .file
            .as_deref()
            .is_some_and(|file| file != &*finding.file)
        {
            continue;
        }
        let place = (
            related.span,
            AnnotationKind::Context,
            line(&related.message),
        );
        let line = source.lines(related.span).start.line;
        if line.abs_diff(own) <= TOGETHER {
            near.push(place);
        } else {
            far.push(place);
        }
    }
    (near, far)
}

/// The lines around some places. Only these lines are handed on, so that the cost of a finding
/// does not grow with its file.
fn snippet<'a>(
    source: &'a SourceText,
    places: &[Place<'a>],
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let lines = || places.iter().map(|(span, ..)| source.lines(*span));
    let first = lines().map(|l| l.start.line).min().unwrap_or(1);
    let last = lines()
        .map(|l| l.end.line)
        .max()
        .unwrap_or(first)
        .min(first + TOGETHER);
    let mut window = source.line(first).to(source.line(last));
    if window.len() > LONGEST_LINE {
        window = excerpt(source, window, places[0].0);
    }
    let text = window.slice(&source.text);
    let annotations = places.iter().map(|(span, kind, label)| {
        let start = (span.start.saturating_sub(window.start) as usize).min(text.len());
        let end = (span.end.saturating_sub(window.start) as usize).clamp(start, text.len());
        let annotation = kind.span(start..end);
        match label.is_empty() {
            true => annotation,
            false => annotation.label(label.clone()),
        }
    });
    Snippet::source(text)
        .line_start(first as usize)
        .path(line(&source.path))
        .annotations(annotations)
}

fn excerpt(source: &SourceText, window: Span, place: Span) -> Span {
    let half = u32::try_from(LONGEST_LINE / 2).unwrap_or(u32::MAX);
    let boundary = |mut at: u32| {
        while at > window.start && !source.text.is_char_boundary(at as usize) {
            at -= 1;
        }
        at
    };
    let start = boundary(place.start.saturating_sub(half).max(window.start));
    let end = boundary(place.start.saturating_add(half).min(window.end));
    Span::new(start, end)
}
