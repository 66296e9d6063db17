//! The diff of an edited entry between the two files.

use similar::TextDiff;

use super::{Report, Side};
use opatlas_diff::{Change, Fragment};

/// The longest entry, in bytes, and the longest diff, in lines, that are shown.
const LONGEST_ENTRY: usize = 8_000;
const MOST_LINES: usize = 60;

/// The diff of the entry with a change; `None` if a side lacks the entry, or if it is too long.
pub(super) fn entry_diff(report: &Report<'_>, change: &Change) -> Option<Vec<String>> {
    let old = entry(&report.base, change.old.as_ref())?;
    let new = entry(&report.head, change.new.as_ref())?;
    let is_short = |text: &str| text.lines().take(MOST_LINES + 1).count() <= MOST_LINES;
    if old == new || !is_short(old) || !is_short(new) {
        return None;
    }
    let diff = TextDiff::from_lines(old, new);
    let lines: Vec<String> = diff
        .iter_all_changes()
        .map(|line| format!("{}{}", line.tag(), line.value().trim_end()))
        .collect();
    (lines.len() <= MOST_LINES).then_some(lines)
}

fn entry<'a>(side: &Side<'a>, fragment: Option<&Fragment>) -> Option<&'a str> {
    let (source, span) = side.place(fragment)?;
    let (at, text) = (span.start as usize, &*source.text);
    let (before, behind) = (text.get(..at)?, text.get(at..)?);
    let start = before.rfind("\n- ").map_or(0, |start| start + 1);
    let end = behind.find("\n- ").map_or(text.len(), |end| at + end);
    let entry = text.get(start..end)?;
    let mut length = 0;
    let mut end = 0;
    for line in entry.split_inclusive('\n') {
        length += line.len();
        if !line.trim_start().starts_with('#') && !line.trim().is_empty() {
            end = length;
        }
    }
    (end <= LONGEST_ENTRY).then(|| &entry[..end])
}
