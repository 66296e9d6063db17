//! Patterns of names: `*` matches any text, `?` one character.

use rustc_hash::FxHashMap;

/// The most characters of a pattern with wildcards.
pub const LENGTH: usize = 127;

/// A compiled pattern. Matching takes one step per character of the name.
#[derive(Debug, Clone)]
pub struct Pattern(Kind);

#[derive(Debug, Clone)]
enum Kind {
    /// A name without wildcards.
    Literal(Box<str>),
    /// A pattern with wildcards.
    Wild(Box<Wild>),
    TooLong,
}

/// A pattern as a bit set of states: in state `i`, the first `i` letters are matched.
#[derive(Debug, Clone, Default)]
struct Wild {
    /// The states that a letter advances.
    letters: FxHashMap<char, u128>,
    /// The states that any letter advances.
    any: u128,
    /// The states that any letter keeps.
    stays: u128,
    /// The final state.
    last: u32,
}

pub(super) fn is_wild(text: &str) -> bool {
    text.contains(['*', '?'])
}

impl Pattern {
    /// Compiles a pattern. One with wildcards that is longer than [`LENGTH`] matches nothing.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(Kind::new(text))
    }

    /// Matches a name.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        match &self.0 {
            Kind::Literal(text) => **text == *name,
            Kind::Wild(wild) => wild.matches(name),
            Kind::TooLong => false,
        }
    }
}

impl Kind {
    fn new(text: &str) -> Self {
        if !is_wild(text) {
            return Self::Literal(text.into());
        }
        let mut wild = Wild::default();
        for letter in text.chars() {
            let state = 1_u128 << wild.last;
            match letter {
                '*' => wild.stays |= state,
                _ if wild.last == LENGTH as u32 => return Self::TooLong,
                '?' => {
                    wild.any |= state;
                    wild.last += 1;
                }
                letter => {
                    *wild.letters.entry(letter).or_default() |= state;
                    wild.last += 1;
                }
            }
        }
        Self::Wild(Box::new(wild))
    }
}

impl Wild {
    fn matches(&self, name: &str) -> bool {
        let mut states = 1_u128;
        for letter in name.chars() {
            let advanced = self.any | self.letters.get(&letter).copied().unwrap_or(0);
            states = ((states & advanced) << 1) | (states & self.stays);
            if states == 0 {
                return false;
            }
        }
        states & (1 << self.last) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Matches by trying all possibilities.
    fn naive(pattern: &[char], name: &[char]) -> bool {
        match (pattern, name) {
            ([], []) => true,
            (['*', rest @ ..], _) => {
                naive(rest, name) || (!name.is_empty() && naive(pattern, &name[1..]))
            }
            (['?', rest @ ..], [_, name @ ..]) => naive(rest, name),
            ([letter, rest @ ..], [other, name @ ..]) => letter == other && naive(rest, name),
            _ => false,
        }
    }

    /// All texts of these letters up to a length.
    fn texts(letters: &[char], most: usize) -> Vec<String> {
        let mut texts = vec![String::new()];
        let mut from = 0;
        for _ in 0..most {
            let until = texts.len();
            for at in from..until {
                let longer = letters
                    .iter()
                    .map(|letter| format!("{}{letter}", texts[at]));
                let longer: Vec<String> = longer.collect();
                texts.extend(longer);
            }
            from = until;
        }
        texts
    }

    #[test]
    fn patterns_mean_what_they_say() {
        let letters = |text: &str| text.chars().collect::<Vec<_>>();
        let names = texts(&['a', 'b', 'é'], 4);
        for pattern in texts(&['a', 'é', '*', '?'], 4) {
            let compiled = Pattern::new(&pattern);
            for name in &names {
                let expected = naive(&letters(&pattern), &letters(name));
                assert_eq!(compiled.matches(name), expected, "{pattern} {name}");
            }
        }
    }

    #[test]
    fn long_patterns_match_nothing() {
        let longest = format!("*{}", "a".repeat(LENGTH));
        assert!(Pattern::new(&longest).matches(&"a".repeat(LENGTH)));
        let longer = format!("{longest}a");
        assert!(!Pattern::new(&longer).matches(&"a".repeat(LENGTH + 1)));
        let name = "a".repeat(1000);
        assert!(Pattern::new(&name).matches(&name));
    }

    /// Backtracking would take exponential time.
    #[test]
    fn a_hostile_pattern_costs_no_more_than_another() {
        let pattern = Pattern::new(&format!("{}b", "*a".repeat(60)));
        assert!(!pattern.matches(&"a".repeat(8 << 20)));
    }
}
