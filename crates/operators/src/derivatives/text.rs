//! Looking for names in formulas as torchgen does: with regular expressions, not with a parser of
//! C++. What is a word character and which character a match uses up are theirs, since verdicts
//! hang on both (torchgen `IDENT_REGEX` and its uses).

use std::ops::Range;

use memchr::memmem;

/// A whole-word name in a formula (torchgen `IDENT_REGEX`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    /// First byte of the name.
    pub start: usize,
    /// One past the last byte of the name.
    pub end: usize,
    /// Where looking goes on: the character behind the name is used up, so of two names with one
    /// character between them only the first is seen.
    next: usize,
}

/// A character of `\w`.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn char_at(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

/// Where a text stands in another at or behind `from`. Formulas are short and names many: the search
/// of the standard library would first analyse each name, which takes longer than to find it.
pub(super) fn find_from(text: &str, from: usize, name: &str) -> Option<usize> {
    let rest = text.as_bytes().get(from..)?;
    memmem::find(rest, name.as_bytes()).map(|at| from + at)
}

/// Whether a match that has used up everything before `from` may find a name at `at`.
fn opens(text: &str, from: usize, at: usize) -> bool {
    if at == 0 {
        return true;
    }
    let before = text.get(from..at).and_then(|t| t.chars().next_back());
    before.is_some_and(|c| !is_word(c))
}

/// Where a match that ends at `end` goes on; `None` when a word character follows.
fn closes(text: &str, end: usize) -> Option<usize> {
    match char_at(text, end) {
        None => Some(end),
        // `$` matches before a line break that ends the text, without using it up.
        Some('\n') if end + 1 == text.len() => Some(end),
        Some(c) if !is_word(c) => Some(end + c.len_utf8()),
        Some(_) => None,
    }
}

/// The whole-word occurrences of `name`, each character used once; none for an empty name.
pub fn identifiers<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = Occurrence> + 't {
    let mut from = 0;
    std::iter::from_fn(move || {
        if name.is_empty() {
            return None;
        }
        let mut look = from;
        loop {
            let start = find_from(text, look, name)?;
            let end = start + name.len();
            if opens(text, from, start)
                && let Some(next) = closes(text, end)
            {
                from = next;
                return Some(Occurrence { start, end, next });
            }
            look = start + char_at(text, start).map_or(1, char::len_utf8);
        }
    })
}

/// Whether `name` occurs as a whole word.
#[must_use]
pub fn uses(text: &str, name: &str) -> bool {
    identifiers(text, name).next().is_some()
}

/// The text with every [`identifiers`] occurrence of `name` replaced. Those that a match before
/// them hides stay, as in torchgen.
#[must_use]
pub fn replace_identifier(text: &str, name: &str, by: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut copied = 0;
    for found in identifiers(text, name) {
        out.push_str(&text[copied..found.start]);
        out.push_str(by);
        copied = found.end;
    }
    out.push_str(&text[copied..]);
    out
}

/// The text with every `name` between word boundaries replaced (`\b`).
#[must_use]
pub fn replace_word(text: &str, name: &str, by: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for (start, _) in text.match_indices(name) {
        let end = start + name.len();
        let boundary = |at: usize| {
            let before = text[..at].chars().next_back().is_some_and(is_word);
            let after = char_at(text, at).is_some_and(is_word);
            before != after
        };
        if boundary(start) && boundary(end) {
            out.push_str(&text[copied..start]);
            out.push_str(by);
            copied = end;
        }
    }
    out.push_str(&text[copied..]);
    out
}

/// Every `grads[N]`: its position and N (torchgen `used_gradient_indices`). A number too large to
/// count is the largest.
#[must_use]
pub fn gradient_indices(text: &str) -> Vec<(Range<usize>, usize)> {
    const OPEN: &str = "grads[";
    let mut found = Vec::new();
    let (mut from, mut look) = (0, 0);
    while let Some(start) = find_from(text, look, OPEN) {
        let digits = start + OPEN.len();
        let end = digits + digit_run(&text[digits..]);
        if opens(text, from, start) && end > digits && text[end..].starts_with(']') {
            let index = text[digits..end].parse().unwrap_or(usize::MAX);
            found.push((start..end + 1, index));
            from = end + 1;
            look = from;
        } else {
            look = start + 1;
        }
    }
    found
}

fn digit_run(text: &str) -> usize {
    let end = text.find(|c: char| !c.is_ascii_digit());
    end.unwrap_or(text.len())
}

/// Every `.size(N)` and `->size(N)` with a plain number.
#[must_use]
pub fn numbered_sizes(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for open in [".size(", "->size("] {
        for start in memmem::find_iter(text.as_bytes(), open) {
            let inside = &text[start + open.len()..];
            let sign = usize::from(inside.starts_with('-'));
            let digits = digit_run(&inside[sign..]);
            if digits > 0 && inside[sign + digits..].starts_with(')') {
                found.push(start..start + open.len() + sign + digits + 1);
            }
        }
    }
    found.sort_by_key(|range| range.start);
    found
}

/// Every place of a call without arguments, such as `.sizes()` and `->sizes()`.
#[must_use]
pub fn bare_calls(text: &str, method: &str) -> Vec<Range<usize>> {
    let call = format!("{method}()");
    let found = memmem::find_iter(text.as_bytes(), &call).filter_map(|at| {
        let before = &text[..at];
        let arrow = if before.ends_with("->") {
            2
        } else if before.ends_with('.') {
            1
        } else {
            return None;
        };
        Some(at - arrow..at + call.len())
    });
    found.collect()
}

/// What Python's `strip` takes off: white space, and four control characters that only it counts.
#[must_use]
pub fn strip(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str, name: &str) -> usize {
        identifiers(text, name).count()
    }

    #[test]
    fn a_match_uses_up_the_character_behind_it() {
        assert_eq!(count("self * self", "self"), 2);
        assert_eq!(count("self*self", "self"), 1);
        assert_eq!(count("self*self*self", "self"), 2);
        assert_eq!(count("self", "self"), 1);
        assert_eq!(count("self\n", "self"), 1);
        assert_eq!(count("myself self_p selfish", "self"), 0);
        assert_eq!(count("éself + self", "self"), 1);
        assert_eq!(replace_identifier("a*a*a", "a", "b"), "b*a*b");
    }

    #[test]
    fn indices_of_gradients() {
        let indices = |text| -> Vec<usize> {
            let found = gradient_indices(text);
            found.into_iter().map(|(_, index)| index).collect()
        };
        assert_eq!(indices("foo(grads[0], grads[12])"), [0, 12]);
        assert_eq!(indices("grads[0]grads[1]"), [0]);
        assert_eq!(indices("mygrads[0] grads[] grads[x]"), [0usize; 0]);
        assert_eq!(indices("grads[99999999999999999999999]"), [usize::MAX]);
    }

    #[test]
    fn calls_that_are_refused() {
        assert_eq!(
            numbered_sizes("a.size(0) + b->size(-1) + c.size(i)").len(),
            2
        );
        assert_eq!(
            bare_calls("a.sizes() b->sizes() sizes() a.sym_sizes()", "sizes").len(),
            2
        );
    }

    #[test]
    fn words() {
        assert_eq!(
            replace_word("mode(mode, xmode)", "mode", "m"),
            "m(m, xmode)"
        );
    }
}
