//! What a brace outside of functions opens.

use super::source::Source;

pub(super) enum Opens {
    /// A namespace or class, with its name.
    Scope(Option<String>),
    /// The body of a function, with the token of its name.
    Body(usize),
    Other,
}

/// Keywords before parentheses.
const NO_NAMES: [&str; 14] = [
    "alignas",
    "catch",
    "constexpr",
    "decltype",
    "defined",
    "for",
    "if",
    "noexcept",
    "operator",
    "requires",
    "return",
    "sizeof",
    "switch",
    "while",
];

/// Whether a macro's name says that it opens a block of registrations.
pub(super) fn is_opener(word: &str) -> bool {
    if word.contains("MAKE_") || word.contains("PYBIND") {
        return false;
    }
    let is_capital = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    word.contains("TORCH_LIBRARY")
        || word.ends_with("LIBRARY_IMPL")
        || word.ends_with("LIBRARY_FRAGMENT")
        || (word.ends_with("_LIBRARY") && word.bytes().all(is_capital))
}

/// Whether a macro has as many names before its library as the macro of PyTorch with the same ending:
/// a namespace, and a key for `IMPL`.
pub(super) fn is_pattern(word: &str, names: usize) -> bool {
    let expected = if word.ends_with("_IMPL") { 2 } else { 1 };
    word.contains("TORCH_LIBRARY") || names == expected
}

impl Source<'_> {
    /// Tokens from `start` on precede the brace.
    pub(super) fn opens(&self, start: usize, brace: usize) -> Opens {
        let mut index = start;
        let mut parameters = None;
        while index < brace {
            match self.word(index) {
                Some("namespace") => return Opens::Scope(self.qualified(index + 1, brace)),
                Some("extern") if index + 2 == brace => return Opens::Scope(None),
                Some("class" | "struct" | "union") if parameters.is_none() => {
                    let name = (index + 1..brace).find_map(|at| self.word(at));
                    return Opens::Scope(name.map(str::to_owned));
                }
                Some("enum") => return Opens::Other,
                Some("template") => index = self.template_end(index + 1, 256).unwrap_or(index),
                _ => {}
            }
            if self.is(index, b'=') && parameters.is_none() {
                return Opens::Other;
            }
            if self.is(index, b'(') {
                let name = index.checked_sub(1).filter(|name| *name >= start);
                let word = name.and_then(|name| self.word(name));
                let is_name = word.is_some_and(|word| !NO_NAMES.contains(&word));
                if parameters.is_none() && is_name {
                    parameters = name;
                }
                index = self.partner(index).unwrap_or(index);
                if self.declares_more(index + 1, brace) {
                    parameters = None;
                }
            }
            index += 1;
        }
        parameters.map_or(Opens::Other, Opens::Body)
    }

    /// Whether another declaration follows: what precedes it is a macro, such as `ACME_OP(add)`.
    fn declares_more(&self, start: usize, brace: usize) -> bool {
        let is_type = self.word(start).is_some_and(|word| {
            !matches!(
                word,
                "const"
                    | "noexcept"
                    | "override"
                    | "final"
                    | "mutable"
                    | "volatile"
                    | "try"
                    | "requires"
            )
        });
        is_type && (start + 1..brace).any(|index| self.is(index, b'('))
    }

    pub(super) fn qualified(&self, start: usize, end: usize) -> Option<String> {
        let words: Vec<_> = (start..end).filter_map(|at| self.word(at)).collect();
        (!words.is_empty()).then(|| words.join("::"))
    }

    pub(super) fn template_end(&self, open: usize, longest: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for index in open..self.tokens.len().min(open + longest) {
            if self.is(index, b'<') {
                depth += 1;
            } else if self.is(index, b'>') {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(index);
                }
            }
        }
        None
    }
}
