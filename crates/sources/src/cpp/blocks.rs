//! Finds blocks and other registrations in C++.

use opatlas_source::Span;

use super::expression::Expression;
use super::helpers::{Calls, Leftover};
use super::{Collector, Draft, body, helpers, legacy, libraries, method, opening};
use crate::name::{CATCH_ALL, canonical_key};
use crate::parse::Reader;
use crate::{FaultKind, RegistrationKind};

#[derive(Debug, Clone)]
pub(super) struct Block<'s> {
    /// The namespace of its operators, `_` for all; `None` if it comes from a macro.
    pub namespace: Option<Box<str>>,
    pub key: Option<Box<str>>,
    pub variable: &'s str,
    /// The macro that opens it, and its position.
    pub through: &'s str,
    pub at: Span,
    /// The tokens of its body: between braces, or after a declaration.
    pub body: (usize, usize),
    pub unresolved: Option<Box<str>>,
}

impl<'s> Block<'s> {
    /// The use of a macro, which may be a block.
    pub(super) fn of_macro(name: &'s str, at: Span) -> Self {
        Self {
            namespace: None,
            key: None,
            variable: "m",
            through: name,
            at,
            body: (0, 0),
            unresolved: None,
        }
    }

    /// The default key of its kernels.
    pub(super) fn key(&self) -> Option<Box<str>> {
        match (&self.key, &self.unresolved) {
            (None, None) => Some(CATCH_ALL.into()),
            (key, _) => key.clone(),
        }
    }
}

/// Reads all blocks, and returns what other files may decide.
pub(super) fn read<'s>(found: &mut Collector<'_, 's>, reader: &mut Reader) -> Leftover<'s> {
    let source = found.source;
    let mut calls = Calls::default();
    let receivers = found.receivers();
    if let Some(cut) = receivers.cut {
        let token = source.tokens[cut];
        found.fault(FaultKind::TooComplex, source.span(token.start, token.end));
    }
    let mut index = 0;
    while let Some(word) = next_word(found, &mut index) {
        let at = index - 1;
        if opening::is_opener(word) && !found.macros.is_known(word) {
            if let Some(block) = library(found, at, word) {
                body::read(found, reader, &block, &mut calls);
                calls.add_included(source, &block);
                index = block.body.1.max(index);
            }
        } else if word == "RegisterOperators" {
            index = legacy::read(found, at).max(index);
        } else if found.macros.is_known(word) && source.is(at + 1, b'(') {
            index = known_macro(found, reader, at, word, &mut calls).max(index);
        }
    }
    for block in &receivers.blocks {
        body::read(found, reader, block, &mut calls);
    }
    for (block, after) in &receivers.temporaries {
        method::read_chain(found, block, *after);
    }
    for (function, block) in &receivers.passed {
        calls.add(function, 0, block);
    }
    Leftover {
        shared: receivers.shared,
        has_open: !receivers.open.is_empty(),
        ..helpers::read(found, reader, receivers.helpers, calls)
    }
}

/// The next word; moves `index` past it.
fn next_word<'s>(found: &Collector<'_, 's>, index: &mut usize) -> Option<&'s str> {
    while *index < found.source.tokens.len() {
        *index += 1;
        if let Some(word) = found.source.word(*index - 1) {
            return Some(word);
        }
    }
    None
}

/// Parses `TORCH_LIBRARY_IMPL(ns, Key, m) {`.
fn library<'s>(found: &Collector<'_, 's>, at: usize, word: &'s str) -> Option<Block<'s>> {
    let source = found.source;
    let open = at + 1;
    let close = source.is(open, b'(').then(|| source.partner(open))??;
    let brace = close + 1;
    let end = source.is(brace, b'{').then(|| source.partner(brace))??;
    let mut arguments = source.expression(open + 1..close).arguments();
    let last = arguments.last().and_then(|last| last.last_word());
    let last = last.map(|last| last.text(source.text));
    let body = (brace, end);
    let own = last.filter(|last| word.contains("TORCH_LIBRARY") || source.has_method(body, last));
    let variable = match own {
        Some(variable) => {
            arguments.pop();
            variable
        }
        None => source.receiver(body)?,
    };
    let mut library = libraries::named(&arguments);
    let is_pattern = own.is_some() && opening::is_pattern(word, arguments.len());
    if library.unresolved.is_none() && !is_pattern {
        let why = format!("no scanned file shows what the arguments of `{word}` mean");
        library.unresolved = Some(why.into());
    }
    Some(Block {
        namespace: library.namespace,
        key: library.key,
        variable,
        through: word,
        at: source.span(source.tokens[at].start, source.tokens[close].end),
        body,
        unresolved: library.unresolved,
    })
}

/// Reads an identifier. Uppercase names with an underscore, such as `TORCH_EXTENSION_NAME`, count as
/// macros, which were not expanded.
pub(super) fn name_of(argument: Expression<'_>) -> Result<Box<str>, Box<str>> {
    let shown = argument.shown().unwrap_or_default();
    let is_word = shown
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let is_macro = shown.len() > 1
        && shown.contains('_')
        && !shown.bytes().any(|byte| byte.is_ascii_lowercase())
        && shown.bytes().any(|byte| byte.is_ascii_uppercase());
    if is_word && !is_macro && !shown.is_empty() {
        Ok(shown)
    } else {
        Err(shown)
    }
}

/// A known macro outside blocks opens one, or registers an operator.
fn known_macro<'s>(
    found: &mut Collector<'_, 's>,
    reader: &mut Reader,
    at: usize,
    word: &'s str,
    calls: &mut Calls<'s>,
) -> usize {
    let source = found.source;
    let Some(close) = source.partner(at + 1) else {
        return at;
    };
    let arguments = source.expression(at + 2..close).arguments();
    let Some(known) = found.macros.find(word, arguments.len()) else {
        return at;
    };
    let texts: Vec<_> = arguments.iter().map(|a| a.macro_argument()).collect();
    let fill = |text: &Option<Box<str>>| text.as_deref().and_then(|t| known.fill(t, &texts));
    let mut block = Block {
        namespace: fill(&known.library),
        key: fill(&known.key).map(|key| canonical_key(&key).into()),
        variable: "m",
        through: word,
        at: source.span(source.tokens[at].start, source.tokens[close].end),
        body: (close + 1, close + 1),
        unresolved: None,
    };
    if known.library.is_none() {
        if known.is_complete() {
            body::known_macro(found, &block, at, close);
        }
        return close;
    }
    let Some(end) = source
        .partner(close + 1)
        .filter(|_| source.is(close + 1, b'{'))
    else {
        return close;
    };
    block.body = (close + 1, end);
    let variable = known.variable.as_deref().unwrap_or("m");
    let library = (block.body.0..end).find_map(|i| source.word(i).filter(|w| *w == variable));
    block.variable = library.unwrap_or("m");
    body::read(found, reader, &block, calls);
    calls.add_included(source, &block);
    end
}

pub(super) fn unresolved(
    found: &mut Collector<'_, '_>,
    block: &Block<'_>,
    at: Span,
    through: &str,
    why: String,
) {
    let mut draft = Draft::new(RegistrationKind::Impl, at, through);
    draft.unresolved = Some(why.into());
    found.add(block, draft);
}
