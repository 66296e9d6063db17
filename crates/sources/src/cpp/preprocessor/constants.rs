//! Constants that name a dispatch key, a namespace or an operator:
//! `constexpr auto kKey = c10::DispatchKey::XPU;`.

use std::ops::Range;

use super::super::source::Source;
use super::super::tokens::{Kind, lex};
use super::definition::Definition;
use super::pieces::pieces;

/// The most tokens of a declaration before the name, and of a value.
const LONGEST: usize = 16;

pub(super) struct Constant<'s> {
    pub name: &'s str,
    /// The name and its value.
    pub value: Range<u32>,
}

/// The constants of a text whose values are literals or paths.
pub(super) fn of<'s>(source: &Source<'s>) -> Vec<Constant<'s>> {
    let mut found = Vec::new();
    for index in 0..source.tokens.len() {
        if matches!(source.word(index), Some("const" | "constexpr")) {
            found.extend(declared(source, index));
        }
    }
    found.dedup_by_key(|constant| constant.value.start);
    found
}

/// The constant whose declaration has `const` at a token.
fn declared<'s>(source: &Source<'s>, at: usize) -> Option<Constant<'s>> {
    let is_type = |index: &usize| {
        source.word(*index).is_some()
            || [b':', b'*', b'&', b'[', b']', b'<', b'>']
                .iter()
                .any(|punct| source.is(*index, *punct))
    };
    let end = (at..at + LONGEST).find(|index| !is_type(index))?;
    let is_list = source.is(end, b'{');
    if !is_list && !source.is(end, b'=') {
        return None;
    }
    let mut name = end.checked_sub(1)?;
    if source.is(name, b']') {
        name = source.partner(name)?.checked_sub(1)?;
    }
    let word = source.word(name).filter(|_| name > at)?;
    let mut from = end + 1;
    let mut to = if is_list {
        source.partner(end)?
    } else {
        (from..=from + LONGEST).find(|index| source.is(*index, b';'))?
    };
    if !is_list && source.is(from, b'{') {
        to = source.partner(from)?;
        from += 1;
    }
    let is_value = |index: usize| match source.tokens.get(index).map(|token| token.kind) {
        Some(Kind::Word) => !starts_with_digit(source.word(index)),
        Some(kind) => kind == Kind::String || kind == Kind::Punct(b':'),
        None => false,
    };
    let is_known = from < to && to <= from + LONGEST && (from..to).all(is_value);
    is_known.then(|| Constant {
        name: word,
        value: source.tokens[name].start..source.tokens[to - 1].end,
    })
}

fn starts_with_digit(word: Option<&str>) -> bool {
    word.is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()))
}

/// Reads `kKey = c10::DispatchKey::XPU`, or the same with brackets or a brace between.
pub(super) fn read(text: &str) -> Option<Definition> {
    let tokens = lex(text).tokens;
    let all = pieces(text, &tokens);
    let is_between = |piece: &&super::pieces::Piece| {
        [b'[', b']', b'=', b'{']
            .iter()
            .any(|punct| piece.is(*punct))
    };
    let between = all.iter().skip(1).take_while(is_between).count();
    let (name, rest) = all.split_first()?;
    Some(Definition::constant(
        name.word()?,
        rest.get(between..)?.to_vec(),
    ))
}
