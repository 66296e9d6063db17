//! Recovers from YAML errors.
//!
//! A YAML parser stops at its first error. In a list of entries, the next line that begins an entry
//! is a good place to continue, so a broken entry costs one diagnostic.

use opatlas_source::Span;
use opatlas_source::diagnostic::Diagnostic;

use super::build::Builder;
use super::limit_error;
use super::scanner::offset;
use super::split::entry_lines;

/// Bounds the text that is read again, in multiples of its length.
const REREADS: usize = 8;

pub(super) fn read<'t>(builder: &mut Builder<'t>, text: &'t str) -> Vec<Span> {
    let mut unread = Vec::new();
    let mut lines = None;
    let mut from = 0;
    let mut budget = text.len() * REREADS + (1 << 20);
    while let Err(error) = builder.run() {
        let lines = lines.get_or_insert_with(|| EntryLines::new(text));
        let in_list = builder.in_sequence;
        let broken = lines.drop_broken(builder, from, error.span.start as usize);
        lose_anchors(builder, text, broken);
        let elsewhere = in_list && error.span.start >= broken.end;
        let own = elsewhere.then(|| own_error(text, broken)).flatten();
        builder.say_document(own.unwrap_or(*error));
        unread.push(broken);
        if broken.end as usize == text.len() {
            break;
        }
        from = broken.end as usize;
        let again = builder.parser.scanner.pos().saturating_sub(from);
        if builder.is_exhausted() || builder.is_full() || again > budget {
            if !builder.is_exhausted() {
                builder.say_document(too_broken(broken.end));
            }
            unread.push(Span::new(broken.end, offset(text.len())));
            break;
        }
        budget -= again;
        builder.restart(from);
    }
    unread
}

fn too_broken(at: u32) -> Diagnostic {
    let message = "too many errors in this file; Opatlas ignores the rest";
    limit_error(Span::at(at), message).with_help("fix the errors above first")
}

/// An unterminated quote includes later entries; parsing the entry alone gives a better message.
fn own_error(text: &str, broken: Span) -> Option<Diagnostic> {
    let error = Builder::new(broken.slice(text), 0).run().err()?;
    Some(error.shifted(broken.start))
}

/// Aliases to anchors in unreadable text are not at fault.
fn lose_anchors<'t>(builder: &mut Builder<'t>, text: &'t str, broken: Span) {
    let mut rest = broken.slice(text);
    while let Some(at) = rest.find('&') {
        rest = &rest[at + 1..];
        let name = |char: char| char.is_ascii_alphanumeric() || char == '_' || char == '-';
        let end = rest.find(|char| !name(char)).unwrap_or(rest.len());
        builder.lost.insert(&rest[..end]);
        rest = &rest[end..];
    }
}

struct EntryLines {
    starts: Vec<usize>,
    end: usize,
}

impl EntryLines {
    fn new(text: &str) -> Self {
        let first = if text.starts_with('\u{FEFF}') { 3 } else { 0 };
        let indent_of_entry = |line: &str| {
            let body = line.trim_start_matches(' ');
            (body.starts_with("- ") || body == "-").then(|| line.len() - body.len())
        };
        let column = text[first..].lines().find_map(indent_of_entry);
        Self {
            starts: entry_lines(text, first, column.unwrap_or(0)).collect(),
            end: text.len(),
        }
    }

    fn entry_at(&self, at: usize) -> Option<usize> {
        let after = self.starts.partition_point(|&start| start <= at);
        after.checked_sub(1).map(|number| self.starts[number])
    }

    fn span(&self, start: usize, past: usize) -> Span {
        let next = self.starts.partition_point(|&start| start <= past);
        let end = self.starts.get(next).copied().unwrap_or(self.end);
        Span::new(offset(start), offset(end))
    }

    /// Drops the entry that made reading fail at `error`, after it began at `from`.
    fn drop_broken(&self, builder: &mut Builder<'_>, from: usize, error: usize) -> Span {
        builder.diagnostics.clear();
        if !builder.in_sequence {
            // Other values cannot continue; a list may follow.
            return self.span(from, from.max(error.saturating_sub(1)));
        }
        // The current entry may have begun long before the error.
        let open = builder.parser.entry.map_or(error, |entry| entry as usize);
        let mut start = self
            .entry_at(error.min(open))
            .map_or(from, |start| start.max(from));
        // A complete entry that reached into this one broke it.
        while let Some(item) = builder.items.pop_if(|item| item.span.end as usize > start) {
            let at = item.span.start as usize;
            start = self
                .entry_at(at)
                .map_or(from, |entry| entry.max(from))
                .min(start);
        }
        self.span(start, start.max(from))
    }
}
