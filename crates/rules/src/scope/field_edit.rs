//! Edits that add or remove a field of an entry.

use opatlas_operators::entry::{Entry, Field};
use opatlas_source::Span;
use opatlas_source::diagnostic::Diagnostic;

/// Adds a fix that appends fields to an entry in block style. `text` starts at the entry.
pub(crate) fn adding(diagnostic: Diagnostic, text: &str, entry: &Entry, lines: &str) -> Diagnostic {
    let name = lines.split(':').next().and_then(Field::parse);
    if name.is_some_and(|field| entry.field(field).is_some()) {
        return diagnostic; // it is there, without a value
    }
    match addition(text, entry, lines) {
        Some((at, added)) => diagnostic.with_fix(at, added),
        None => diagnostic,
    }
}

pub(crate) fn removing(
    diagnostic: Diagnostic,
    text: &str,
    entry: &Entry,
    field: Field,
) -> Diagnostic {
    match removal(text, entry, field) {
        Some(span) => diagnostic.with_fix(span, ""),
        None => diagnostic,
    }
}

pub(crate) fn entry_after(
    diagnostic: Diagnostic,
    text: &str,
    entry: &Entry,
    lines: &str,
) -> Diagnostic {
    let Some((at, added)) = addition(text, entry, lines) else {
        return diagnostic;
    };
    // The first line starts with the dash of the list item.
    let first = added.find(|c: char| c != '\n' && c != ' ').unwrap_or(0);
    if first < 3 {
        return diagnostic;
    }
    let added = format!("\n{}- {}", &added[..first - 2], &added[first..]);
    diagnostic.with_fix(at, added)
}

fn addition(text: &str, entry: &Entry, lines: &str) -> Option<(Span, String)> {
    let func = entry.field(Field::Func)?;
    let indent = indentation(text, func.key)?;
    let end = entry
        .fields
        .iter()
        .map(|place| end_of(text, place.value.to(place.key)))
        .max()?;
    let mut added = String::new();
    for line in lines.lines() {
        added.push('\n');
        added.extend(std::iter::repeat_n(' ', indent));
        added.push_str(line);
    }
    Some((Span::at(line_end(text, end)), added))
}

fn removal(text: &str, entry: &Entry, field: Field) -> Option<Span> {
    let place = entry.field(field)?;
    indentation(text, place.key)?;
    let before = text.get(..place.key.start as usize)?;
    // The first field follows the dash, which must stay.
    let start = before.rfind('\n')? + 1;
    if before[start..].contains('-') {
        return None;
    }
    let end = line_end(text, end_of(text, place.key.to(place.value)));
    // Removes the line break before the field, since the last line of a file may have none.
    let start = before[..start - 1]
        .strip_suffix('\r')
        .map_or(start - 1, str::len);
    Some(Span::new(u32::try_from(start).ok()?, end))
}

fn end_of(text: &str, span: Span) -> u32 {
    let blank = span.slice(text);
    let blank = blank.len() - blank.trim_end().len();
    span.end - u32::try_from(blank).unwrap_or(0)
}

/// The indentation of a key, if only blanks and the dash of its item precede it.
fn indentation(text: &str, key: Span) -> Option<usize> {
    let before = text.get(..key.start as usize)?;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let lead = &before[start..];
    let rest = lead.trim_start_matches(' ');
    let rest = rest.strip_prefix('-').unwrap_or(rest);
    rest.bytes().all(|b| b == b' ').then_some(lead.len())
}

fn line_end(text: &str, at: u32) -> u32 {
    let rest = text.get(at as usize..).unwrap_or("");
    let line = rest.find(['\r', '\n']).unwrap_or(rest.len());
    at + u32::try_from(line).unwrap_or(0)
}
