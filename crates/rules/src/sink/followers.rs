//! Findings that follow from an error at the same place.

use std::collections::BTreeMap;

use opatlas_source::Span;
use opatlas_source::diagnostic::Severity;

use super::mark::Mark;
use crate::rule::Stage;

/// Drops findings about text with an error of an earlier stage, and all conventions if there is an
/// error: fixing the error changes the text. Findings are sorted by position.
pub(super) fn drop_followers(marks: &mut Vec<Mark>) {
    let mut by_stage: BTreeMap<Stage, Reach> = BTreeMap::new();
    for mark in marks.iter() {
        if mark.rule.severity == Severity::Error && !mark.span.is_empty() {
            by_stage
                .entry(mark.rule.stage)
                .or_default()
                .add(mark.file, mark.span);
        }
    }
    if by_stage.is_empty() {
        return;
    }
    marks.retain(|mark| {
        let limit = match mark.rule.severity {
            Severity::Error => mark.rule.stage,
            Severity::Warning | Severity::Info => Stage::Convention,
        };
        let mut earlier = by_stage.range(..limit);
        !earlier.any(|(_, reach)| reach.covers(mark.file, mark.span))
    });
}

/// Spans sorted by start, each with the furthest end so far in its file.
#[derive(Default)]
struct Reach {
    places: Vec<(u16, u32, u32)>,
}

impl Reach {
    fn add(&mut self, file: u16, span: Span) {
        let reach = match self.places.last() {
            Some(&(last, _, reach)) if last == file => span.end.max(reach),
            _ => span.end,
        };
        self.places.push((file, span.start, reach));
    }

    fn covers(&self, file: u16, span: Span) -> bool {
        let end = span.end.max(span.start + 1);
        let before = self
            .places
            .partition_point(|&(of, start, _)| (of, start) < (file, end));
        let last = before.checked_sub(1).map(|last| self.places[last]);
        last.is_some_and(|(of, _, reach)| of == file && reach > span.start)
    }
}
