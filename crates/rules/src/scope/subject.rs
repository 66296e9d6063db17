//! The subject of most checks: an entry with a parsed schema, and its text.

use opatlas_operators::entry::{Entry, Field, Precompute};
use opatlas_operators::operator::PlacedEntry;
use opatlas_schema::function::{Argument, FunctionSchema};
use opatlas_source::Span;
use opatlas_source::diagnostic::Diagnostic;

use crate::sink::Sink;

#[derive(Clone, Copy)]
pub(crate) struct Subject<'c> {
    pub(crate) placed: &'c PlacedEntry,
    pub(crate) schema: &'c FunctionSchema,
    text: &'c str,
}

impl<'c> Subject<'c> {
    /// `None` without a schema. `text` is the whole file.
    pub(crate) fn new(placed: &'c PlacedEntry, text: &'c str) -> Option<Self> {
        let schema = placed.entry.schema.as_ref()?;
        Some(Self {
            placed,
            schema,
            text: text.get(placed.base as usize..).unwrap_or(""),
        })
    }

    pub(crate) fn entry(&self) -> &'c Entry {
        &self.placed.entry
    }

    /// The text from the entry on; spans in the entry are relative to it.
    pub(crate) fn text(&self) -> &'c str {
        self.text
    }

    /// Whether the schema occurs in the file exactly as parsed. Otherwise (escapes, folded lines) a
    /// partial edit cannot be written in place.
    pub(crate) fn is_verbatim(&self) -> bool {
        let at = self.schema.name_at.0.to(self.schema.returns_at.0);
        at.slice(self.text) == &*self.entry().canonical
    }

    pub(crate) fn field_or_name(&self, field: Field) -> Span {
        match self.entry().field(field) {
            Some(place) if !place.value.is_empty() => place.value,
            Some(place) => place.key,
            None => self.schema.name_at.0,
        }
    }

    /// Reports a diagnostic for this entry. Drops an edit within a schema that does not occur in
    /// the file as parsed.
    pub(crate) fn report(&self, sink: &mut Sink, mut diagnostic: Diagnostic) {
        if let Some(fix) = &diagnostic.fix
            && !sink.is_full(diagnostic.rule)
        {
            let schema = self.schema.name_at.0.to(self.schema.returns_at.0);
            let within = schema.start <= fix.span.start && fix.span.end <= schema.end;
            if within && !self.is_verbatim() {
                diagnostic.fix = None;
            }
        }
        sink.entry(self.placed, diagnostic);
    }
}

/// Whether a text is an identifier of C++ and Python: `[A-Za-z_][A-Za-z0-9_]*`.
pub(crate) fn is_identifier(text: &str) -> bool {
    let is_digit_first = text.as_bytes().first().is_none_or(u8::is_ascii_digit);
    !is_digit_first && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Characters that get into names when a schema is split in an unexpected place.
pub(crate) const STRAY: [char; 8] = [',', '(', ')', '[', ']', '?', '*', '"'];

pub(crate) fn is_quirk(name: &str) -> bool {
    !is_identifier(name) && (name.is_empty() || name.contains(STRAY))
}

pub(crate) fn parameters(precompute: &Precompute) -> impl Iterator<Item = &Argument> {
    let replacing = precompute.replace.iter().flat_map(|(_, new)| new);
    replacing.chain(&precompute.add)
}

#[cfg(test)]
mod tests {
    use super::is_identifier;

    #[test]
    fn identifiers() {
        for good in ["a", "_", "self", "A1", "__x"] {
            assert!(is_identifier(good), "{good}");
        }
        for bad in ["", "1a", "a-b", "a b", "ä", "a)"] {
            assert!(!is_identifier(bad), "{bad}");
        }
    }
}
