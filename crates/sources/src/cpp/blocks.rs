//! Finds blocks and other registrations in C++.

use opatlas_source::Span;
use rustc_hash::FxHashMap;

use super::expression::Expression;
use super::{Collector, Draft, body, legacy};
use crate::RegistrationKind;
use crate::name::{CATCH_ALL, canonical_key};
use crate::parse::Reader;

/// Maximum number of blocks for which a function is read.
const MOST_CALLERS: usize = 8;

/// Maximum number of pairs of function and caller in a file.
const MOST_HELPERS: usize = 256;

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

struct Helper<'s> {
    name: &'s str,
    variable: &'s str,
    at: Span,
    body: (usize, usize),
}

pub(super) fn read(found: &mut Collector<'_, '_>, reader: &mut Reader) {
    let source = found.source;
    let mut helpers: Vec<Helper<'_>> = Vec::new();
    let mut calls = Calls::default();
    let mut index = 0;
    while let Some(word) = next_word(found, &mut index) {
        let at = index - 1;
        if word.contains("TORCH_LIBRARY") {
            if let Some(block) = library(found, at, word) {
                body::read(found, reader, &block, &mut calls);
                if found.source.is(block.body.0, b'{') {
                    index = block.body.1.max(index);
                }
            }
        } else if word == "RegisterOperators" {
            index = legacy::read(found, at).max(index);
        } else if word == "Library" {
            helpers.extend(helper(found, at));
        } else if found.macros.is_known(word) && source.is(at + 1, b'(') {
            index = known_macro(found, reader, at, word, &mut calls).max(index);
        }
    }
    read_helpers(found, reader, &helpers, calls);
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

/// The blocks whose library is passed to a function, by function name.
#[derive(Default)]
pub(super) struct Calls<'s> {
    by_function: FxHashMap<&'s str, Vec<Block<'s>>>,
}

impl<'s> Calls<'s> {
    pub(super) fn add(&mut self, function: &'s str, block: &Block<'s>) {
        let callers = self.by_function.entry(function).or_default();
        if callers.len() < MOST_CALLERS {
            callers.push(block.clone());
        }
    }
}

/// Parses `TORCH_LIBRARY_IMPL(ns, Key, m) {`, or `MAKE_TORCH_LIBRARY_IMPL(ns, Key)`, whose library
/// serves the rest of a function.
fn library<'s>(found: &Collector<'_, 's>, at: usize, word: &'s str) -> Option<Block<'s>> {
    let source = found.source;
    let open = at + 1;
    let close = source.is(open, b'(').then(|| source.partner(open))??;
    let arguments = source.expression(open + 1..close).arguments();
    let makes = word.contains("MAKE_TORCH_LIBRARY");
    let (variable, body) = if makes {
        let assigned = at
            .checked_sub(1)
            .filter(|before| source.is(*before, b'='))?;
        let variable = source.word(assigned.checked_sub(1)?)?;
        (variable, (close, end_of_scope(found, close)))
    } else {
        let brace = close + 1;
        let end = source.is(brace, b'{').then(|| source.partner(brace))??;
        let last = source.expression(close - 1..close);
        let variable = last.tokens.first()?.text(source.text);
        (variable, (brace, end))
    };
    let named = arguments.len() - usize::from(!makes && !arguments.is_empty());
    let namespace = name_of(*arguments.first()?);
    let key = match named {
        0 | 1 => Ok(None),
        _ => name_of(arguments[1]).map(Some),
    };
    let unresolved = match (&namespace, &key) {
        (Err(text), _) => Some(format!("`{text}` decides the namespace")),
        (_, Err(text)) => Some(format!("`{text}` decides the dispatch key")),
        _ => None,
    };
    Some(Block {
        namespace: namespace.ok(),
        key: key.ok().flatten().map(|key| canonical_key(&key).into()),
        variable,
        through: word,
        at: source.span(source.tokens[at].start, source.tokens[close].end),
        body,
        unresolved: unresolved.map(Into::into),
    })
}

/// Reads an identifier. Uppercase names with an underscore, such as `TORCH_EXTENSION_NAME`, count as
/// macros, which were not expanded.
fn name_of(argument: Expression<'_>) -> Result<Box<str>, Box<str>> {
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

fn end_of_scope(found: &Collector<'_, '_>, from: usize) -> usize {
    let source = found.source;
    let mut index = from;
    while index < source.tokens.len() {
        if source.is(index, b'}') {
            return index;
        }
        let opens = [b'(', b'[', b'{'].iter().any(|b| source.is(index, *b));
        let skipped = opens.then(|| source.partner(index)).flatten();
        index = skipped.unwrap_or(index) + 1;
    }
    index
}

/// The function whose parameter `Library& m` is at a token.
fn helper<'s>(found: &Collector<'_, 's>, at: usize) -> Option<Helper<'s>> {
    let source = found.source;
    let variable = source.is(at + 1, b'&').then(|| source.word(at + 2))??;
    // Only a few parameters can precede this one.
    let from = at.saturating_sub(64);
    let open = (from..at)
        .rev()
        .find(|index| source.is(*index, b'(') && source.partner(*index).is_some_and(|c| c > at))?;
    let close = source.partner(open)?;
    let brace = close + 1;
    let end = source.is(brace, b'{').then(|| source.partner(brace))??;
    let name = source.word(open.checked_sub(1)?)?;
    Some(Helper {
        name,
        variable,
        at: source.span(source.tokens[open - 1].start, source.tokens[close].end),
        body: (brace, end),
    })
}

fn read_helpers<'s>(
    found: &mut Collector<'_, 's>,
    reader: &mut Reader,
    helpers: &[Helper<'s>],
    mut calls: Calls<'s>,
) {
    let mut read = vec![0_usize; helpers.len()];
    let mut left = MOST_HELPERS;
    // A helper may call another, so repeat until there are no new calls.
    loop {
        let called = helpers.iter().enumerate().find_map(|(index, helper)| {
            let block = calls.by_function.get(helper.name)?.get(read[index])?;
            Some((index, block.clone()))
        });
        let Some((index, block)) = called.filter(|_| left > 0) else {
            break;
        };
        read[index] += 1;
        left -= 1;
        let helper = &helpers[index];
        let block = Block {
            variable: helper.variable,
            body: helper.body,
            ..block
        };
        body::read(found, reader, &block, &mut calls);
    }
    for (helper, _) in helpers.iter().zip(&read).filter(|(_, read)| **read == 0) {
        let why = format!("the library is a parameter of `{}`", helper.name);
        let block = Block {
            namespace: None,
            key: None,
            variable: helper.variable,
            through: "torch::Library&",
            at: helper.at,
            body: helper.body,
            unresolved: Some(why.into()),
        };
        body::read(found, reader, &block, &mut Calls::default());
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
