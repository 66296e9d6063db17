//! Whether the description of a macro agrees with its definition.

use super::super::expression::Expression;
use super::super::opening::is_opener;
use super::super::tokens::lex;
use crate::Macros;
use crate::name::Names;

/// What a description says of a use: its operators and its key.
pub(super) struct Described {
    names: Vec<Box<str>>,
    key: Option<Box<str>>,
    opens: bool,
}

/// What a text registers.
#[derive(Default)]
struct Registered {
    /// The operators; `None` for one that is not a literal, and for a fallback.
    names: Vec<Option<Box<str>>>,
    /// Whether it names keys of its own.
    has_key: bool,
}

impl Described {
    /// `None` if no description fits the arguments.
    pub(super) fn of(name: &str, list: Expression<'_>, macros: &Macros) -> Option<Self> {
        let arguments = list.arguments();
        let known = macros.find(name, arguments.len())?;
        let texts: Vec<_> = arguments.iter().map(|a| a.macro_argument()).collect();
        let mut names = Vec::new();
        for name in [&known.def, &known.imp].into_iter().flatten() {
            names.push(known.fill(name, &texts)?);
        }
        let key = match &known.key {
            Some(key) => Some(known.fill(key, &texts)?),
            None => None,
        };
        Some(Self {
            names,
            key,
            opens: known.library.is_some(),
        })
    }

    /// Whether a text registers these operators and no others. It may leave the registration to a
    /// function.
    pub(super) fn agrees(&self, text: &str, macros: &Macros) -> bool {
        let tokens = lex(text).tokens;
        let all = Expression {
            source: text,
            tokens: &tokens,
        };
        let found = Registered::of(all, macros);
        let has_key = match &self.key {
            Some(key) => {
                let key = key.rsplit("::").next().unwrap_or_default();
                (0..tokens.len()).any(|index| all.word(index) == Some(key))
            }
            None => self.opens || !found.has_key,
        };
        has_key && (self.opens || found.names.iter().all(|name| self.names(name.as_deref())))
    }

    fn names(&self, name: Option<&str>) -> bool {
        let Some(name) = name.map(Names::of) else {
            return false;
        };
        let differ = |a: Option<&str>, b: Option<&str>| a.zip(b).is_some_and(|(a, b)| a != b);
        let mut own = self.names.iter().map(|own| Names::of(own));
        own.any(|own| own.operator == name.operator && !differ(own.namespace, name.namespace))
    }
}

impl Registered {
    fn of(all: Expression<'_>, macros: &Macros) -> Self {
        let mut found = Self::default();
        for index in 0..all.tokens.len() {
            let Some((word, arguments)) = all.word(index).zip(all.arguments_at(index + 1)) else {
                continue;
            };
            let is_method = index > 0 && (all.is(index - 1, b'.') || all.is(index - 1, b'>'));
            match word {
                "impl" | "impl_UNBOXED" | "def" if is_method => {
                    let name = arguments.first().and_then(|first| first.literal());
                    found.names.push(name);
                    let second = arguments.get(1).filter(|_| arguments.len() > 2);
                    found.has_key |= second.is_some_and(|second| second.key().is_some());
                }
                "fallback" if is_method => found.names.push(None),
                "dispatch" => found.has_key = true,
                _ if is_opener(word) => found.has_key = true,
                _ => found.add_known(word, &arguments, macros),
            }
        }
        found
    }

    fn add_known(&mut self, word: &str, arguments: &[Expression<'_>], macros: &Macros) {
        let Some(known) = macros.find(word, arguments.len()) else {
            return;
        };
        let texts: Vec<_> = arguments.iter().map(|a| a.macro_argument()).collect();
        for name in [&known.def, &known.imp].into_iter().flatten() {
            self.names.push(known.fill(name, &texts));
        }
        self.has_key |= known.key.is_some();
    }
}
