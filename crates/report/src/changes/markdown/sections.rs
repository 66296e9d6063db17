//! The pieces of a Markdown report, from its outline.

use super::piece::{MOST_LINES, Piece, Rendered, render};
use super::{added, backends, cause, exceptions, found, further, unread};
use crate::changes::Report;
use crate::changes::outline::{Class, Kind, SHOWN, Section, outline};

/// The most lines of a report besides its causes and findings: the header, the titles of classes, and
/// the end.
const FRAME: usize = 36;

/// The pieces of a report, and how many sections of each class are only counted.
pub(super) struct Pieces {
    pub pieces: Vec<Rendered>,
    pub rest: Vec<(Class, usize)>,
}

/// The pieces within the budget of lines. `frame` is the number of lines around pieces of some
/// classes.
pub(super) fn pieces(report: &Report<'_>, frame: impl Fn(&[Class]) -> usize) -> Pieces {
    let (sections, rest) = kept(outline(report));
    let all = all(report, &sections);
    let mut classes: Vec<Class> = all.iter().map(|piece| piece.class).collect();
    classes.sort_unstable();
    classes.dedup();
    let lines = MOST_LINES.saturating_sub(frame(&classes) + rest.len());
    Pieces {
        pieces: render(all, lines),
        rest,
    }
}

fn all(report: &Report<'_>, sections: &[Section<'_>]) -> Vec<Piece> {
    let pairs = report.comparison.pairs.iter();
    let pairs: cause::Pairs<'_> = pairs.map(|pair| (&*pair.name, pair)).collect();
    let cards = added::cards(report);
    let of_section = sections.iter().map(|section| match &section.kind {
        Kind::Cause(cause, _) if section.class == Class::New => added::piece(report, cause, &cards),
        Kind::Cause(cause, found) => cause::piece(report, section, (cause, found), &pairs),
        Kind::Findings(found) => found::piece(report, section.class, found),
        Kind::Exceptions(about) => exceptions::piece(report, about),
    });
    let mut pieces: Vec<Piece> = of_section.collect();
    pieces.extend(found::omission(report));
    pieces.extend(unread::piece(report));
    pieces.extend(further::piece(report));
    pieces.extend(backends::overview(report));
    pieces.sort_by_key(|piece| piece.class);
    pieces
}

/// The most important sections of each class, and the number of the others. A report with few causes
/// leaves out findings that would make it too long.
fn kept(sections: Vec<Section<'_>>) -> (Vec<Section<'_>>, Vec<(Class, usize)>) {
    let is_cause = |section: &Section<'_>| matches!(section.kind, Kind::Cause(..));
    let causes = sections.iter().filter(|section| is_cause(section)).count();
    let most = if causes <= SHOWN {
        (MOST_LINES - FRAME).saturating_sub(causes)
    } else {
        usize::MAX
    };
    let (mut kept, mut rest) = (Vec::new(), Vec::<(Class, usize)>::new());
    let mut of_class = [0; Class::ALL.len()];
    let mut others = 0;
    for section in sections {
        let class = section.class;
        let number = &mut of_class[class as usize];
        let has_room = is_cause(&section) || others < most;
        if *number < SHOWN && has_room {
            *number += 1;
            others += usize::from(!is_cause(&section));
            kept.push(section);
            continue;
        }
        match rest.iter_mut().find(|(known, _)| *known == class) {
            Some((_, count)) => *count += 1,
            None => rest.push((class, 1)),
        }
    }
    (kept, rest)
}
