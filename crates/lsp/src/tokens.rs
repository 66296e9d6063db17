//! Semantic tokens of schemas: operators, types, annotations, argument names and defaults.

use std::ops::Range;

use lsp_types::{SemanticToken, SemanticTokenType};

use super::workspace::{OpenFile, Role};
use opatlas_source::Span;

/// The kinds of tokens, in the order of the legend.
pub(super) const LEGEND: [SemanticTokenType; 6] = [
    SemanticTokenType::FUNCTION,
    SemanticTokenType::TYPE,
    SemanticTokenType::DECORATOR,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::NUMBER,
    SemanticTokenType::OPERATOR,
];

/// An index into [`LEGEND`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Operator,
    Type,
    Annotation,
    Argument,
    Default,
    Punctuation,
}

/// The tokens of the schemas that overlap a range of bytes.
pub(super) fn semantic_tokens(opened: OpenFile<'_>, within: Range<usize>) -> Vec<SemanticToken> {
    let text = &opened.document.text;
    let mut tokens = Vec::new();
    let (mut line, mut column) = (0, 0);
    for schema in schemas(opened) {
        let range = schema.start as usize..schema.end as usize;
        if range.end < within.start || range.start > within.end {
            continue;
        }
        for (part, kind) in parts(schema.slice(text.as_str())) {
            let start = range.start + part.start;
            let at = text.position(start);
            let written = &text.as_str()[start..range.start + part.end];
            if at.line != line {
                column = 0;
            }
            tokens.push(SemanticToken {
                delta_line: at.line - line,
                delta_start: at.character - column,
                length: text.encoding().length(written),
                token_type: kind as u32,
                token_modifiers_bitset: 0,
            });
            (line, column) = (at.line, at.character);
        }
    }
    tokens
}

/// The schemas of a file, in order.
fn schemas(opened: OpenFile<'_>) -> Vec<Span> {
    let catalogue = &opened.snapshot.catalogue;
    let mut schemas: Vec<Span> = match opened.document.role {
        Role::Native => {
            let entries = catalogue.native_functions.entries.iter();
            let named = entries.filter(|placed| placed.entry.name.is_some());
            named
                .map(|placed| placed.place(placed.entry.func_at))
                .collect()
        }
        Role::Derivatives => {
            let files = catalogue.derivatives.iter();
            let names = files.flat_map(|file| {
                let entries = file.entries.iter();
                entries.map(|entry| file.span(entry.name))
            });
            names.collect()
        }
        _ => Vec::new(),
    };
    schemas.sort();
    // YAML aliases may give several entries one text.
    let mut end = 0;
    schemas.retain(|span| {
        let is_next = span.start >= end;
        end = end.max(span.end);
        is_next
    });
    schemas
}

/// The tokens of one schema, up to the first error. No token contains a line break.
fn parts(schema: &str) -> Vec<(Range<usize>, Kind)> {
    let mut parts = Vec::new();
    let mut scanner = Scanner {
        text: schema,
        at: 0,
        depth: 0,
        is_default: false,
    };
    while let Some(part) = scanner.next_part() {
        parts.push(part);
    }
    parts
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    is_default: bool,
}

impl Scanner<'_> {
    fn next_part(&mut self) -> Option<(Range<usize>, Kind)> {
        loop {
            let rest = &self.text[self.at..];
            let c = rest.chars().next()?;
            let start = self.at;
            let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
            if is_name(c) || (c == '-' && !rest.starts_with("->")) {
                let sign = c.len_utf8();
                let tail = &rest[sign..];
                self.at += sign + (tail.len() - tail.trim_start_matches(is_name).len());
                return Some((start..self.at, self.of_name(start)));
            }
            if let Some(annotation) = self.annotation(rest) {
                self.at += annotation;
                return Some((start..self.at, Kind::Annotation));
            }
            self.at += c.len_utf8();
            match c {
                '(' => self.depth += 1,
                ')' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            match c {
                '=' => self.is_default = true,
                ',' | ')' if !self.in_brackets() => self.is_default = false,
                _ => {}
            }
            if c == '*' {
                return Some((start..self.at, Kind::Punctuation));
            }
            if rest.starts_with("->") {
                self.at = start + 2;
                return Some((start..self.at, Kind::Punctuation));
            }
        }
    }

    /// Whether a bracket of a default is open: its commas do not end it.
    fn in_brackets(&self) -> bool {
        let before = &self.text[..self.at];
        before.rfind('[') > before.rfind(']')
    }

    /// A name is the operator before the first parenthesis, a value behind `=`, an argument before
    /// `,`, `=` or `)`, and else a type.
    fn of_name(&self, start: usize) -> Kind {
        if self.depth == 0 && start == 0 {
            return Kind::Operator;
        }
        if self.is_default {
            return Kind::Default;
        }
        let next = self.text[self.at..].trim_start().chars().next();
        let before = self.text[..start].trim_end();
        let follows_type = before.len() < start && !before.ends_with([',', '(', '*', '>']);
        match (next, follows_type) {
            (Some(',' | '=' | ')'), true) => Kind::Argument,
            _ => Kind::Type,
        }
    }

    /// The length of an annotation: `(a!)`, `(a -> *)`, `(a|b)`.
    fn annotation(&self, rest: &str) -> Option<usize> {
        const LONGEST: usize = 64;
        let inner = rest.strip_prefix('(')?;
        let is_behind_type = self.text[..self.at].ends_with(|c: char| c.is_alphanumeric());
        let end = inner.find(')')?;
        let is_set = |c: char| c.is_ascii_lowercase() || " !|*->".contains(c);
        let marks = inner[..end]
            .chars()
            .filter(char::is_ascii_lowercase)
            .count();
        let bounded = end > 0 && end <= LONGEST && inner[..end].chars().all(is_set);
        let words = inner[..end].split([' ', '|', '!', '-', '>', '*']);
        let single =
            words.clone().all(|word| word.len() <= 1) && (marks > 0 || inner.starts_with('*'));
        let in_types = self.depth > 0 || self.text[..self.at].contains("->");
        (is_behind_type && in_types && bounded && single).then_some(end + 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_schema() {
        let schema = "add.out(Tensor(a!) self, int[2] dim=[0, -1], *, bool? x=None) -> Tensor(a!)";
        let parts = parts(schema);
        let shown: Vec<_> = parts
            .iter()
            .map(|(at, kind)| (&schema[at.clone()], *kind))
            .collect();
        use Kind::{Annotation, Argument, Default, Operator, Punctuation, Type};
        let expected = [
            ("add.out", Operator),
            ("Tensor", Type),
            ("(a!)", Annotation),
            ("self", Argument),
            ("int", Type),
            ("2", Type),
            ("dim", Argument),
            ("0", Default),
            ("-1", Default),
            ("*", Punctuation),
            ("bool", Type),
            ("x", Argument),
            ("None", Default),
            ("->", Punctuation),
            ("Tensor", Type),
            ("(a!)", Annotation),
        ];
        assert_eq!(shown, expected);
    }
}
