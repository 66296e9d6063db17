//! Edits that add to an entry.

use crate::model::entry::{Entry, Field};
use crate::source::Span;

/// The edit that adds lines behind `func`, indented as the fields of the entry are. `text` is what
/// the entry's places count from. `None` where the entry is not written in block style.
pub(super) fn add_lines(text: &str, entry: &Entry, lines: &[&str]) -> Option<(Span, String)> {
    let func = entry.field(Field::Func)?;
    let indent = indentation(text, func.key)?;
    let end = line_end(text, func.value);
    let mut added = String::new();
    for line in lines {
        added.push('\n');
        added.extend(std::iter::repeat_n(' ', indent));
        added.push_str(line);
    }
    Some((Span::at(end), added))
}

/// How far a key is indented, when nothing but blanks and the dash of its item stand before it.
fn indentation(text: &str, key: Span) -> Option<usize> {
    let before = text.get(..key.start as usize)?;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let lead = &before[start..];
    let rest = lead.trim_start_matches(' ');
    let rest = rest.strip_prefix('-').unwrap_or(rest);
    rest.bytes().all(|b| b == b' ').then_some(lead.len())
}

/// Where the line ends that a value ends on, its line break excluded.
fn line_end(text: &str, value: Span) -> u32 {
    let from = value.end as usize;
    let rest = text.get(from..).unwrap_or("");
    let line = rest.find(['\r', '\n']).unwrap_or(rest.len());
    value.end + u32::try_from(line).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_behind_a_dash_are_indented_by_it() {
        let key = |text: &str| {
            let at = u32::try_from(text.find("func").unwrap()).unwrap();
            indentation(text, Span::new(at, at + 4))
        };
        assert_eq!(key("- func: x"), Some(2));
        assert_eq!(key("-   func: x"), Some(4));
        assert_eq!(key("- variants: y\n  func: x"), Some(2));
        assert_eq!(key("- {func: x}"), None);
        assert_eq!(key("[{variants: y, func: x}]"), None);
    }
}
