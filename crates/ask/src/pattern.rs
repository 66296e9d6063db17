//! Patterns of messages: text with holes, such as `the operator '{op}' is not implemented`.
//!
//! A pattern is in lower case, and a blank stands for any white space. A hole is a name in braces;
//! [`Hole::of`] says what fits into it. The last place where a pattern fits counts. The number of
//! places that are tried and the bytes that a hole takes are bounded, so the search is linear.

use crate::text::Text;

/// The places of a pattern's beginning that are tried, from the end of the text.
const MOST_PLACES: usize = 64;
/// The most bytes of a text in a hole.
const MOST_OF_TEXT: usize = 600;
/// The most bytes of a name in a hole.
const MOST_OF_NAME: usize = 400;

/// A place where a pattern fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Match {
    /// The start in the plain text.
    pub(crate) start: usize,
    /// The end in the plain text.
    pub(crate) end: usize,
    /// The name of each hole with its range in the plain text.
    pub(crate) holes: Vec<(&'static str, std::ops::Range<usize>)>,
}

/// What fits into a hole.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hole {
    /// A name of an operator or a C++ symbol.
    Name,
    /// A version: `2.6.0+cu124`.
    Version,
    /// A word of letters, digits and underscores.
    Word,
    /// Any text up to what follows; up to the end of the line if nothing follows.
    Text,
}

impl Hole {
    fn of(name: &str) -> Self {
        match name.trim_end_matches(|char: char| char.is_ascii_digit()) {
            "op" | "symbol" | "name" | "shim" => Self::Name,
            "version" => Self::Version,
            "key" | "device" | "dtype" | "number" | "word" => Self::Word,
            _ => Self::Text,
        }
    }

    fn has(self, char: char) -> bool {
        match self {
            Self::Text => char != '\n',
            Self::Word => char.is_alphanumeric() || char == '_',
            Self::Name => Self::Word.has(char) || matches!(char, ':' | '.'),
            Self::Version => Self::Word.has(char) || matches!(char, '.' | '+' | '-'),
        }
    }
}

/// The last place where a pattern fits.
pub(crate) fn find(pattern: &'static str, text: &Text) -> Option<Match> {
    let (before, pattern) = match hole(pattern) {
        Some((name, rest)) => (Some(name), rest),
        None => (None, pattern),
    };
    let (first, rest) = split(pattern);
    let places = text.folded().rmatch_indices(first).take(MOST_PLACES);
    let mut fits = places.filter_map(|(start, _)| {
        let mut holes = Vec::new();
        let end = fit(rest, text, start + first.len(), &mut holes)?;
        let start = match before {
            Some(name) => {
                let from = hole_start(Hole::of(name), text, start)?;
                holes.push((name, from..start));
                from
            }
            None => start,
        };
        Some(Match { start, end, holes })
    });
    fits.next()
}

/// The name of the hole that a pattern begins with, and the rest.
fn hole(pattern: &'static str) -> Option<(&'static str, &'static str)> {
    pattern.strip_prefix('{')?.split_once('}')
}

/// The start of a hole that ends at `end`.
fn hole_start(hole: Hole, text: &Text, end: usize) -> Option<usize> {
    let before = text.plain().get(..end)?;
    let from = before.floor_char_boundary(end.saturating_sub(MOST_OF_NAME));
    let near = &before[from..];
    let start = near.rfind(|char| !hole.has(char));
    let start = start.map_or(0, |at| near.ceil_char_boundary(at + 1));
    let start = match hole {
        // The name of the exception.
        Hole::Text => near[start..].rfind(": ").map_or(start, |at| start + at + 2),
        _ => start,
    };
    (start < near.len()).then_some(from + start)
}

/// The text before the first hole, and the rest.
fn split(pattern: &'static str) -> (&'static str, &'static str) {
    pattern.split_at(pattern.find('{').unwrap_or(pattern.len()))
}

/// The end of the rest of a pattern that begins at `at`.
fn fit(
    pattern: &'static str,
    text: &Text,
    at: usize,
    holes: &mut Vec<(&'static str, std::ops::Range<usize>)>,
) -> Option<usize> {
    let Some((name, rest)) = hole(pattern) else {
        return Some(at);
    };
    let (literal, rest) = split(rest);
    let end = hole_end(Hole::of(name), text, at, literal)?;
    holes.push((name, at..end));
    fit(rest, text, end + literal.len(), holes)
}

/// The end of a hole at `at` that `literal` follows.
fn hole_end(hole: Hole, text: &Text, at: usize, literal: &str) -> Option<usize> {
    let rest = text.folded().get(at..)?;
    if hole == Hole::Text {
        let most = rest.floor_char_boundary(MOST_OF_TEXT);
        let length = match literal {
            "" => line_length(text, at).min(most),
            _ => rest[..most].find(literal)?,
        };
        return Some(at + length);
    }
    let longest = rest.find(|char| !hole.has(char)).unwrap_or(rest.len());
    let length = match literal {
        "" => rest[..longest].trim_end_matches(['.', ':', '-']).len(),
        _ => name_length(&rest[..longest], literal, &rest[longest..])?,
    };
    (1..=MOST_OF_NAME).contains(&length).then_some(at + length)
}

/// The length of the longest start of a name after which the literal follows.
fn name_length(name: &str, literal: &str, after: &str) -> Option<usize> {
    if after.starts_with(literal) {
        return Some(name.len());
    }
    let head = literal.find(|char: char| !matches!(char, '.' | ':' | '-'));
    let head = head.unwrap_or(literal.len());
    let (end, follows) = literal.split_at(head);
    if head > 0 && name.ends_with(end) && after.starts_with(follows) {
        return Some(name.len() - end.len());
    }
    // The literal continues with letters of the name: `{label}_kernel`.
    let within = name.rfind(literal)?;
    Some(within)
}

fn line_length(text: &Text, at: usize) -> usize {
    let rest = &text.plain()[at..];
    rest.find('\n').unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &'static str, text: &str, expected: &[(&str, &str)]) {
        let text = Text::new(text);
        let found = find(pattern, &text).unwrap_or_else(|| panic!("{pattern}"));
        let holes: Vec<_> = found
            .holes
            .iter()
            .map(|(name, range)| (*name, &text.plain()[range.clone()]))
            .collect();
        assert_eq!(holes, expected, "{pattern}");
    }

    #[test]
    fn holes_take_what_their_names_say() {
        check(
            "the operator '{op}' is not for {device}",
            "X: The operator  'aten::a.Out' is\nnot for MPS.",
            &[("op", "aten::a.Out"), ("device", "MPS")],
        );
        check(
            "schema {op}. this",
            "for schema aten::_cat.  This usually",
            &[("op", "aten::_cat")],
        );
        check(
            "derivative for {op}",
            "derivative for x.y.",
            &[("op", "x.y")],
        );
        check("{op}: tried", "W: a::b: tried", &[("op", "a::b")]);
        check(
            "{label} does",
            "E: a_b with c does",
            &[("label", "a_b with c")],
        );
        check("got {text} end", "got (1, 2) end", &[("text", "(1, 2)")]);
        check("got {text}", "got a b\nnext", &[("text", "a b")]);
    }

    #[test]
    fn the_last_fitting_place_counts() {
        check("op {word} x", "op a x, op b x, op c y", &[("word", "b")]);
        let text = Text::new("op a y");
        assert_eq!(find("op {word} x", &text), None);
    }
}
