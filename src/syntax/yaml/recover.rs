//! Reading a whole file, over whatever is broken in it.
//!
//! A YAML parser stops at its first error. A list of entries need not: the next line that begins an
//! entry is a good place to go on. One broken entry so costs one finding, and all others are read.

use crate::diagnostic::Diagnostic;
use crate::source::Span;

use super::build::Builder;
use super::limit_error;
use super::scanner::offset;
use super::split::entry_lines;

/// Text may be read again up to this many times its own length in all.
const REREADS: usize = 8;

/// Reads all of the text; gives the entries that could not be read.
pub(super) fn read<'t>(builder: &mut Builder<'t>, text: &'t str) -> Vec<Span> {
    let mut broken = Vec::new();
    let mut lines = None;
    let mut from = 0;
    let mut budget = text.len() * REREADS + (1 << 20);
    while let Err(error) = builder.run() {
        let lines = lines.get_or_insert_with(|| EntryLines::new(text));
        let read_to = builder.parser.scanner.pos();
        let (start, resume) = lines.around(builder, from, error.span.start as usize);
        drop_from(builder, start);
        let span = Span::new(offset(start), offset(resume.unwrap_or(text.len())));
        lose_anchors(builder, text, span);
        builder.say_document(*error);
        broken.push(span);
        let Some(resume) = resume else { break };
        let again = read_to.saturating_sub(resume);
        if builder.is_full() {
            break;
        }
        if again > budget {
            let rest = Span::new(offset(resume), offset(text.len()));
            builder.say_document(too_broken(rest));
            broken.push(rest);
            break;
        }
        budget -= again;
        from = resume;
        builder.restart(from);
    }
    broken
}

fn too_broken(span: Span) -> Diagnostic {
    limit_error(
        Span::at(span.start),
        "too much of this file is broken; the rest of it is not read",
    )
    .with_help("mend the errors above first")
}

/// What was read from the broken entry on does not count.
fn drop_from(builder: &mut Builder<'_>, start: usize) {
    while builder
        .items
        .last()
        .is_some_and(|item| item.span.start as usize >= start)
    {
        builder.items.pop();
    }
    builder.diagnostics.clear();
}

/// Aliases to anchors in what could not be read are not at fault.
fn lose_anchors<'t>(builder: &mut Builder<'t>, text: &'t str, span: Span) {
    let mut rest = span.slice(text);
    while let Some(at) = rest.find('&') {
        rest = &rest[at + 1..];
        let name = |char: char| char.is_ascii_alphanumeric() || char == '_' || char == '-';
        let end = rest.find(|char| !name(char)).unwrap_or(rest.len());
        builder.lost.insert(&rest[..end], ());
        rest = &rest[end..];
    }
}

/// The lines at which an entry of the file's list begins.
struct EntryLines {
    starts: Vec<usize>,
}

impl EntryLines {
    fn new(text: &str) -> Self {
        let column = text
            .lines()
            .map(|line| line.trim_start_matches('\u{FEFF}'))
            .find_map(|line| {
                let body = line.trim_start_matches(' ');
                (body.starts_with("- ") || body == "-").then(|| line.len() - body.len())
            })
            .unwrap_or(0);
        let bom = if text.starts_with('\u{FEFF}') { 3 } else { 0 };
        Self {
            starts: entry_lines(text, bom, column).collect(),
        }
    }

    /// Where the broken entry begins, and the next one. `from` is where reading began, `error` where
    /// it failed.
    fn around(&self, builder: &Builder<'_>, from: usize, error: usize) -> (usize, Option<usize>) {
        if !builder.in_sequence {
            let next = self
                .starts
                .partition_point(|&start| start < error || start <= from && from > 0);
            return (from, self.starts.get(next).copied());
        }
        // The entry that is being read may have begun long before the place of the error.
        let open = builder.parser.entry.map_or(error, |entry| entry as usize);
        let next = self
            .starts
            .partition_point(|&start| start <= error.min(open));
        let start = next
            .checked_sub(1)
            .map_or(from, |number| self.starts[number]);
        let next = next + self.starts[next..].partition_point(|&start| start <= from);
        (start.max(from), self.starts.get(next).copied())
    }
}
