//! The syntax at a position, from the lines alone, so that it works in incomplete text.

use std::ops::Range;

/// The most lines of an entry that are searched.
const MOST_LINES: usize = 500;

/// The indentation of an entry's fields.
const FIELDS: usize = 2;

#[derive(Debug, Clone)]
pub(super) struct Cursor<'t> {
    text: &'t str,
    pub(super) offset: usize,
    pub(super) line: Range<usize>,
    pub(super) field: Option<Field<'t>>,
}

#[derive(Debug, Clone)]
pub(super) struct Field<'t> {
    pub(super) name: &'t str,
    pub(super) key: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part<'t> {
    Key,
    /// The value of a field, on the same line.
    Value(&'t str),
    /// A name on a line below a field: `CPU` in `CPU: add_cpu`.
    InnerKey(&'t str),
    /// The text after the colon of such a line.
    InnerValue(&'t str),
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str, offset: usize) -> Self {
        let line = line_at(text, offset);
        let mut cursor = Self {
            text,
            offset,
            field: None,
            line: line.clone(),
        };
        cursor.field = cursor.field_above(line);
        cursor
    }

    pub(super) fn line_text(&self) -> &'t str {
        &self.text[self.line.clone()]
    }

    pub(super) fn before(&self) -> &'t str {
        &self.text[self.line.start..self.offset]
    }

    /// The word that contains the cursor or ends at it: a qualified name with its overload.
    pub(super) fn word(&self) -> Range<usize> {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
        let line = self.line_text();
        let at = self.offset - self.line.start;
        let start = line[..at].trim_end_matches(is_part).len();
        let rest = line[at..].trim_start_matches(is_part);
        let end = line.len() - rest.len();
        let word = &line[start..end];
        // A colon that ends a key is not part of it.
        let kept = word.trim_end_matches([':', '.']);
        let skipped = kept.len() - kept.trim_start_matches([':', '.']).len();
        self.line.start + start + skipped..self.line.start + start + kept.len()
    }

    pub(super) fn word_text(&self) -> &'t str {
        &self.text[self.word()]
    }

    pub(super) fn comment(&self) -> Option<usize> {
        let before = self.before();
        let found = before.match_indices('#').map(|(at, _)| at);
        let mut found =
            found.filter(|&at| at == 0 || matches!(before.as_bytes()[at - 1], b' ' | b'\t'));
        found.next()
    }

    pub(super) fn part(&self) -> Part<'t> {
        let Some(field) = &self.field else {
            return Part::Key;
        };
        if self.line.contains(&field.key.start) || self.line.end == field.key.start {
            return if self.offset <= field.key.end {
                Part::Key
            } else {
                Part::Value(field.name)
            };
        }
        let line = self.line_text();
        let indent = line.len() - line.trim_start_matches([' ', '-']).len();
        if self.offset - self.line.start <= FIELDS && indent <= FIELDS
            || line.trim().is_empty() && self.before().len() <= FIELDS
        {
            return Part::Key;
        }
        if self.before().contains(": ") || self.before().ends_with(':') {
            Part::InnerValue(field.name)
        } else {
            Part::InnerKey(field.name)
        }
    }

    pub(super) fn entry(&self) -> Range<usize> {
        let mut start = self.line.clone();
        for _ in 0..MOST_LINES {
            if is_item(&self.text[start.clone()]) || start.start == 0 {
                break;
            }
            start = line_at(self.text, start.start - 1);
        }
        let mut end = self.line.clone();
        for _ in 0..MOST_LINES {
            let Some(next) = next_line(self.text, end.end) else {
                break;
            };
            if is_item(&self.text[next.clone()]) {
                break;
            }
            end = next;
        }
        start.start..end.end
    }

    pub(super) fn entry_text(&self) -> &'t str {
        &self.text[self.entry()]
    }

    /// The next field at or above a line. An item below a field at the margin belongs to that field's
    /// list; any other item begins an entry.
    fn field_above(&self, mut line: Range<usize>) -> Option<Field<'t>> {
        let mut is_listed = false;
        for _ in 0..MOST_LINES {
            let text = &self.text[line.clone()];
            if let Some(field) = field_of(text, line.start) {
                let fits = !is_listed || field.key.start == line.start;
                return fits.then_some(field);
            }
            is_listed |= is_item(text);
            if line.start == 0 {
                return None;
            }
            line = line_at(self.text, line.start - 1);
        }
        None
    }
}

fn is_item(line: &str) -> bool {
    line.starts_with("- ") || line == "-"
}

/// The field that a line begins: `key:` at the indentation of fields.
fn field_of(line: &str, start: usize) -> Option<Field<'_>> {
    let rest = line.strip_prefix("- ").unwrap_or(line);
    let name_at = line.len() - rest.trim_start_matches(' ').len();
    let text = &line[name_at..];
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    let is_field = name_at <= FIELDS && end > 0 && text[end..].trim_start().starts_with(':');
    is_field.then(|| Field {
        name: &text[..end],
        key: start + name_at..start + name_at + end,
    })
}

fn line_at(text: &str, offset: usize) -> Range<usize> {
    let is_break = |c: char| matches!(c, '\n' | '\r');
    let start = text[..offset].rfind(is_break).map_or(0, |at| at + 1);
    let end = text[offset..].find(is_break);
    start..end.map_or(text.len(), |at| offset + at)
}

fn next_line(text: &str, end: usize) -> Option<Range<usize>> {
    let rest = &text[end..];
    let skipped = match rest.as_bytes() {
        [b'\r', b'\n', ..] => 2,
        [b'\n' | b'\r', ..] => 1,
        _ => return None,
    };
    Some(line_at(text, end + skipped))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The part and the word at `|`.
    fn at(marked: &str) -> (String, String) {
        let offset = marked.find('|').unwrap();
        let text = marked.replacen('|', "", 1);
        let cursor = Cursor::new(&text, offset);
        (
            format!("{:?}", cursor.part()),
            cursor.word_text().to_owned(),
        )
    }

    #[test]
    fn lines_tell_what_a_place_is() {
        let check = |text: &str, part: &str, word: &str| {
            assert_eq!(at(text), (part.to_owned(), word.to_owned()), "{text}");
        };
        check("- fu|nc: add(Tensor self)", "Key", "func");
        check(
            "- func: a|dd.Tensor(Tensor self)",
            "Value(\"func\")",
            "add.Tensor",
        );
        check("- func: f()\n  |", "Key", "");
        check(
            "- func: f()\n  tags: [core, po|int",
            "Value(\"tags\")",
            "point",
        );
        check(
            "- func: f()\n  dispatch:\n    CP|U: f_cpu",
            "InnerKey(\"dispatch\")",
            "CPU",
        );
        check(
            "- func: f()\n  dispatch:\n    CPU, CU|",
            "InnerKey(\"dispatch\")",
            "CU",
        );
        check(
            "- func: f()\n  dispatch:\n    CPU: f|",
            "InnerValue(\"dispatch\")",
            "f",
        );
        check("backend: X|LA\n", "Value(\"backend\")", "XLA");
        check(
            "supported:\n- add.Ten|sor\n",
            "InnerKey(\"supported\")",
            "add.Tensor",
        );
        check(
            "supported:\n  - add.Ten|sor\n",
            "InnerKey(\"supported\")",
            "add.Tensor",
        );
        check("|", "Key", "");
    }

    #[test]
    fn an_entry_ends_before_the_next() {
        let text = "- func: f()\n  tags: core\n\n- func: g()\n";
        let cursor = Cursor::new(text, 15);
        assert_eq!(cursor.entry_text(), "- func: f()\n  tags: core\n");
    }
}
