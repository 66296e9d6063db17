//! Searches for names in formulas like torchgen's regular expressions (`IDENT_REGEX`): verdicts
//! depend on word characters and on the characters that a match consumes.

use std::ops::Range;

use memchr::memmem;

/// A whole-word name in a formula (torchgen `IDENT_REGEX`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    /// First byte of the name.
    pub start: usize,
    /// One past the last byte of the name.
    pub end: usize,
    /// Where the search continues. A match consumes the character after the name, so of two names
    /// separated by one character, only the first is found.
    next: usize,
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn char_at(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

pub(super) fn find_from(text: &str, from: usize, name: &str) -> Option<usize> {
    let rest = text.as_bytes().get(from..)?;
    memmem::find(rest, name.as_bytes()).map(|at| from + at)
}

fn find_all(text: &str, name: &'static str) -> impl Iterator<Item = usize> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = find_from(text, from, name)?;
        from = at + name.len();
        Some(at)
    })
}

/// Whether a match may start at `at`; everything before `from` is consumed.
fn opens(text: &str, from: usize, at: usize) -> bool {
    if at == 0 {
        return true;
    }
    let before = text.get(from..at).and_then(|t| t.chars().next_back());
    before.is_some_and(|c| !is_word(c))
}

/// Where a match that ends at `end` continues; `None` before a word character.
fn closes(text: &str, end: usize) -> Option<usize> {
    match char_at(text, end) {
        None => Some(end),
        // `$` also matches before a final line break.
        Some('\n') if end + 1 == text.len() => Some(end),
        Some(c) if !is_word(c) => Some(end + c.len_utf8()),
        Some(_) => None,
    }
}

/// Whole-word occurrences of `name`, without overlaps.
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

/// Replaces every [`identifiers`] occurrence of `name`.
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

/// Replaces every `name` between word boundaries (`\b`).
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

/// Every `grads[N]` with its position and N, which saturates (torchgen `used_gradient_indices`).
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

/// Every `.size(N)` and `->size(N)` with a literal number.
#[must_use]
pub fn numbered_sizes(text: &str) -> Vec<Range<usize>> {
    const OPEN: &str = "size(";
    let found = find_all(text, OPEN).filter_map(|at| {
        let start = at - arrow(&text[..at])?;
        let digits_at = at + OPEN.len();
        let inside = &text[digits_at..];
        let sign = usize::from(inside.starts_with('-'));
        let digits = digit_run(&inside[sign..]);
        let is_closed = digits > 0 && inside[sign + digits..].starts_with(')');
        is_closed.then(|| start..digits_at + sign + digits + 1)
    });
    found.collect()
}

/// Positions of calls without arguments: `sizes()` finds `.sizes()` and `->sizes()`.
#[must_use]
pub fn bare_calls(text: &str, call: &'static str) -> Vec<Range<usize>> {
    let found =
        find_all(text, call).filter_map(|at| Some(at - arrow(&text[..at])?..at + call.len()));
    found.collect()
}

fn arrow(before: &str) -> Option<usize> {
    if before.ends_with("->") {
        Some(2)
    } else {
        before.ends_with('.').then_some(1)
    }
}

/// Removes white space and control characters like Python's `strip`.
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
            bare_calls("a.sizes() b->sizes() sizes() a.sym_sizes()", "sizes()").len(),
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
