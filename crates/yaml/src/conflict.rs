//! Finds what an unfinished merge left in a file.

use std::borrow::Cow;

use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Span, message};

use super::scanner::offset;

/// Diagnostics per file.
const MOST: usize = 50;
/// The most characters of a marker that a message shows.
const SHOWN: usize = 60;

/// Reads a file with conflict markers as its first side: markers and other sides become spaces, so
/// offsets stay the same, and each conflict has a diagnostic (`merge-conflict`).
pub(crate) fn first_side(text: Cow<'_, str>) -> (Cow<'_, str>, Vec<Diagnostic>) {
    let conflicts = conflicts(&text);
    if conflicts.is_empty() {
        return (text, Vec::new());
    }
    let mut bytes = text.as_bytes().to_vec();
    for conflict in &conflicts {
        for skipped in &conflict.skipped {
            for byte in &mut bytes[skipped.clone()] {
                if !matches!(byte, b'\n' | b'\r') {
                    *byte = b' ';
                }
            }
        }
    }
    let left_out = conflicts.len().saturating_sub(MOST);
    let shown = conflicts.iter().take(MOST);
    let mut diagnostics: Vec<Diagnostic> = shown.map(|one| one.diagnostic(&text)).collect();
    if let Some(last) = diagnostics.last_mut().filter(|_| left_out > 0) {
        let more = message!(", here and at {} more places", left_out);
        last.message.push(&more);
    }
    // Whole lines were replaced, so no character is split.
    let read = String::from_utf8(bytes).unwrap_or_default();
    (Cow::Owned(read), diagnostics)
}

/// A conflict, or a marker that a half-finished resolution left.
struct Conflict {
    /// The first marker, without its line ending.
    marker: std::ops::Range<usize>,
    /// The markers, and the lines of all sides but the first.
    skipped: Vec<std::ops::Range<usize>>,
    is_whole: bool,
}

impl Conflict {
    fn diagnostic(&self, text: &str) -> Diagnostic {
        let marker: String = text[self.marker.clone()].chars().take(SHOWN).collect();
        let span = Span::new(offset(self.marker.start), offset(self.marker.end));
        let (what, help) = if self.is_whole {
            (
                message!("unresolved merge conflict: `{}`", marker),
                "keep the lines that are right, and remove the marker lines; until then, Opatlas \
                 reads the first of the two sides",
            )
        } else {
            (
                message!("marker of a merge conflict: `{}`", marker),
                "check the lines around it, then remove this line",
            )
        };
        Diagnostic::new(RuleId::MergeConflict, span, what).with_help(help)
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Marker {
    Start,
    Ancestor,
    Middle,
    End,
}

/// A marker stands at the start of a line, where no entry of a list can have these characters.
fn marker(line: &str) -> Option<Marker> {
    let kind = match line.get(..7)? {
        "<<<<<<<" => Marker::Start,
        "|||||||" => Marker::Ancestor,
        "=======" => Marker::Middle,
        ">>>>>>>" => Marker::End,
        _ => return None,
    };
    match (kind, &line[7..]) {
        (_, "") => Some(kind),
        (Marker::Middle, _) => None,
        (_, name) => name.starts_with(' ').then_some(kind),
    }
}

fn conflicts(text: &str) -> Vec<Conflict> {
    let mut found: Vec<Conflict> = Vec::new();
    // The last marker of the open conflict, and where its lines are skipped from.
    let mut open: Option<(Marker, usize)> = None;
    let mut start = 0;
    for whole in text.split_inclusive('\n') {
        let line = whole.trim_end_matches(['\n', '\r']);
        let at = start..start + line.len();
        start += whole.len();
        let Some(kind) = marker(line) else {
            continue;
        };
        match (kind, open, found.last_mut()) {
            (Marker::Ancestor, Some((Marker::Start, _)), Some(_)) => open = Some((kind, at.start)),
            (Marker::Middle, Some((Marker::Start, _)), Some(_)) => open = Some((kind, at.start)),
            (Marker::Middle, Some((Marker::Ancestor, from)), Some(_)) => open = Some((kind, from)),
            (Marker::End, Some((Marker::Middle, from)), Some(conflict)) => {
                conflict.skipped.push(from..at.end);
                conflict.is_whole = true;
                open = None;
            }
            _ => {
                open = (kind == Marker::Start).then_some((kind, at.start));
                found.push(Conflict {
                    marker: at.clone(),
                    skipped: vec![at],
                    is_whole: false,
                });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (String, Vec<(u32, String)>) {
        let (read, found) = first_side(Cow::Borrowed(text));
        assert_eq!(read.len(), text.len());
        let found = found.into_iter();
        let found = found.map(|one| (one.span.start, one.message.to_string()));
        let lines: Vec<&str> = read.lines().map(str::trim_end).collect();
        (lines.join("|"), found.collect())
    }

    fn whole(at: u32, marker: &str) -> Vec<(u32, String)> {
        vec![(at, format!("unresolved merge conflict: `{marker}`"))]
    }

    fn stray(at: u32, marker: &str) -> (u32, String) {
        (at, format!("marker of a merge conflict: `{marker}`"))
    }

    #[test]
    fn the_first_side_is_read() {
        assert_eq!(
            read("- a\n<<<<<<< HEAD\n- b\n=======\n- é\n>>>>>>> topic\n- d\n"),
            ("- a||- b||||- d".into(), whole(4, "<<<<<<< HEAD"))
        );
        assert_eq!(
            read("<<<<<<< HEAD\r\n- b\r\n||||||| 1f0c\r\n- z\r\n=======\r\n- c\r\n>>>>>>> x\r\n"),
            ("|- b|||||".into(), whole(0, "<<<<<<< HEAD"))
        );
        assert_eq!(
            read("<<<<<<< ours\n=======\n- c\n>>>>>>> theirs"),
            ("|||".into(), whole(0, "<<<<<<< ours"))
        );
    }

    #[test]
    fn markers_that_were_left_over_are_found() {
        assert_eq!(
            read("- a\n=======\n- b\n>>>>>>> topic\n- c\n"),
            (
                "- a||- b||- c".into(),
                vec![stray(4, "======="), stray(16, ">>>>>>> topic")]
            )
        );
        assert_eq!(
            read("<<<<<<< HEAD\n- a\n"),
            ("|- a".into(), vec![stray(0, "<<<<<<< HEAD")])
        );
    }

    #[test]
    fn other_lines_are_not_markers() {
        for text in [
            "- desc: |\n    <<<<<<< HEAD\n",
            "# =======\n",
            "========\n",
            "<<<<<<<<\n",
            "<<<<<<\n",
            "======= x\n",
        ] {
            assert_eq!(first_side(Cow::Borrowed(text)).1, [], "{text}");
        }
    }

    #[test]
    fn many_conflicts_are_counted() {
        let text = "<<<<<<< a\n=======\n>>>>>>> b\n".repeat(MOST + 3);
        let (_, found) = first_side(Cow::Borrowed(&text));
        assert_eq!(found.len(), MOST);
        assert!(
            found[MOST - 1]
                .message
                .ends_with(", here and at 3 more places")
        );
    }
}
