//! What the arguments of a library's constructor say.

use super::blocks;
use super::expression::Expression;
use super::source::Source;
use super::tokens::{Kind, Token};
use crate::name::canonical_key;

/// The namespace and key of a library.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Library {
    pub namespace: Option<Box<str>>,
    pub key: Option<Box<str>>,
    pub unresolved: Option<Box<str>>,
}

/// From `"aten", c10::DispatchKey::CPU, file, line`.
pub(super) fn constructed(source: &Source<'_>, arguments: &[Expression<'_>]) -> Library {
    let shown = |argument: Option<&Expression<'_>>| {
        argument
            .and_then(|argument| argument.shown())
            .unwrap_or_default()
    };
    let first = arguments.first();
    let namespace = first.and_then(|first| first.literal());
    let namespace = namespace.or_else(|| source.text_constant(&shown(first)));
    let key = arguments.get(1).and_then(|key| key.optional_key());
    let unresolved = match (&namespace, &key) {
        (None, _) => Some(format!("`{}` decides the namespace", shown(first))),
        (_, None) => Some(format!(
            "`{}` decides the dispatch key",
            shown(arguments.get(1))
        )),
        _ => None,
    };
    Library {
        namespace,
        key: key.flatten().map(Into::into),
        unresolved: unresolved.map(Into::into),
    }
}

/// From the arguments of a macro: `aten`, or `aten, CPU`.
pub(super) fn named(arguments: &[Expression<'_>]) -> Library {
    let name = |index: usize| arguments.get(index).map(|first| blocks::name_of(*first));
    let (namespace, key) = (name(0), name(1));
    let unresolved = match (&namespace, &key) {
        (None, _) => Some("the macro has no arguments".to_owned()),
        (Some(Err(text)), _) => Some(decides(text, "namespace")),
        (_, Some(Err(text))) => Some(decides(text, "dispatch key")),
        _ => None,
    };
    let key = key.and_then(Result::ok);
    Library {
        namespace: namespace.and_then(Result::ok),
        key: key.map(|key| canonical_key(&key).into()),
        unresolved: unresolved.map(Into::into),
    }
}

/// Why a text that is no name leaves a namespace or a key open.
pub(super) fn decides(text: &str, what: &str) -> String {
    match crate::template::is_placeholder(text) {
        true => format!("the {what} `{text}` is a placeholder of a template"),
        false => format!("`{text}` decides the {what}"),
    }
}

/// The library that a variable holds, from all that it may hold.
pub(super) fn common(name: &str, libraries: &[Library]) -> Library {
    let Some((first, others)) = libraries.split_first() else {
        return Library {
            unresolved: Some(format!("the file does not show how `{name}` is made").into()),
            ..Library::default()
        };
    };
    if others.iter().all(|other| other == first) {
        return first.clone();
    }
    Library {
        unresolved: Some(format!("`{name}` may be one of several libraries").into()),
        ..Library::default()
    }
}

impl<'s> Expression<'s> {
    /// A key, wrapped in an optional or not; `Some(None)` for none.
    fn optional_key(self) -> Option<Option<&'s str>> {
        let is_empty = self
            .tokens
            .iter()
            .all(|token| token.is(b'{') || token.is(b'}'));
        let last = self.last_word();
        if is_empty || last.is_some_and(|last| last.text(self.source) == "nullopt") {
            return Some(None);
        }
        let bracket = |token: &Token| token.is(b'(') || token.is(b'{');
        let open = self.tokens.iter().rposition(bracket);
        let inner = open.map_or(self, |open| {
            let end = self.tokens.len().saturating_sub(1);
            Self {
                source: self.source,
                tokens: self.tokens.get(open + 1..end).unwrap_or_default(),
            }
        });
        inner.key().map(Some)
    }

    /// The last identifier.
    pub(super) fn last_word(self) -> Option<Token> {
        let mut tokens = self.tokens.iter().rev();
        tokens.find(|token| token.kind == Kind::Word).copied()
    }

    /// The name of a function without its namespace, if this is one: `&acme::fill`.
    pub(super) fn function_name(self) -> Option<Token> {
        let is_name = |token: &Token| token.kind == Kind::Word || token.is(b':') || token.is(b'&');
        self.last_word().filter(|_| self.tokens.iter().all(is_name))
    }

    /// Whether a kernel is wrapped as only registrations wrap it: `TORCH_FN(f)`,
    /// `torch::CppFunction::makeFallthrough()`.
    pub(super) fn is_wrapped_kernel(self) -> bool {
        let mut words = self.tokens.iter().filter(|token| token.kind == Kind::Word);
        words.any(|token| {
            let word = token.text(self.source);
            matches!(word, "CppFunction" | "TORCH_FN" | "TORCH_BOX") || word.starts_with("makeF")
        })
    }
}

impl<'s> Source<'s> {
    /// The text that a constant has: `constexpr const char* kName = "aten";`.
    fn text_constant(&self, name: &str) -> Option<Box<str>> {
        let mut found: Option<Box<str>> = None;
        for at in 0..self.tokens.len() {
            let array = if self.is(at + 1, b'[') {
                self.partner(at + 1)?
            } else {
                at
            };
            if self.word(at) != Some(name)
                || !(self.is(array + 1, b'=') || self.is(array + 1, b'{'))
            {
                continue;
            }
            let text = self.expression(array + 2..array + 3).literal()?;
            if found.as_ref().is_some_and(|found| *found != text) {
                return None;
            }
            found = Some(text);
        }
        found
    }

    /// Whether a method of registrations is called on a variable.
    pub(super) fn has_method(&self, body: (usize, usize), variable: &str) -> bool {
        (body.0..body.1).any(|at| self.word(at) == Some(variable) && self.method(at).is_some())
    }

    /// The first variable on which a method of registrations is called.
    pub(super) fn receiver(&self, body: (usize, usize)) -> Option<&'s str> {
        let method = (body.0..body.1).find(|at| self.method(*at).is_some())?;
        self.word(method)
    }

    /// The method of registrations that is called on the variable at a token.
    fn method(&self, at: usize) -> Option<&'s str> {
        self.word(at)?;
        let access = match self.is(at + 1, b'.') {
            true => 2,
            false if self.is(at + 1, b'-') && self.is(at + 2, b'>') => 3,
            false => return None,
        };
        let method = self
            .word(at + access)
            .filter(|_| self.is(at + access + 1, b'('));
        method.filter(|method| matches!(*method, "impl" | "def" | "fallback"))
    }

    /// The token before `.` or `->` before `index`.
    pub(super) fn access(&self, index: usize) -> Option<usize> {
        let last = index.checked_sub(1)?;
        if self.is(last, b'.') {
            return last.checked_sub(1);
        }
        let is_arrow = self.is(last, b'>') && self.is(last.checked_sub(1)?, b'-');
        is_arrow.then(|| last.checked_sub(2)).flatten()
    }

    /// The first token of a qualified name that ends at `index`.
    pub(super) fn name_start(&self, index: usize) -> usize {
        let mut start = index;
        while start > 2
            && self.is(start - 1, b':')
            && self.is(start - 2, b':')
            && self.word(start - 3).is_some()
        {
            start -= 3;
        }
        start
    }

    /// The first token of an expression such as `registry->library` that ends at a name.
    pub(super) fn chain_start(&self, name: usize) -> usize {
        let mut start = self.name_start(name);
        while let Some(mut before) = self.access(start) {
            if self.is(before, b')') {
                let Some(open) = self.partner(before) else {
                    break;
                };
                before = open.saturating_sub(1);
            }
            start = self.name_start(before);
        }
        start
    }

    /// Whether a word precedes a token in its statement.
    pub(super) fn statement_has(&self, before: usize, word: &str) -> bool {
        let statement = (before.saturating_sub(64)..before)
            .rev()
            .take_while(|at| ![b';', b'{', b'}'].iter().any(|byte| self.is(*at, *byte)));
        let mut words = statement.filter_map(|at| self.word(at));
        words.any(|found| found == word)
    }

    /// The bracket that ends the scope of a token, or the end of the file.
    pub(super) fn end_of_scope(&self, from: usize) -> usize {
        let mut index = from;
        while index < self.tokens.len() {
            if self.is(index, b'}') {
                return index;
            }
            let opens = [b'(', b'[', b'{'].iter().any(|byte| self.is(index, *byte));
            let skipped = opens.then(|| self.partner(index)).flatten();
            index = skipped.unwrap_or(index) + 1;
        }
        index
    }
}
