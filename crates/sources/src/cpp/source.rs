//! A tokenized C++ text with brackets, conditions and lists of literals.

use std::cell::OnceCell;
use std::ops::Range;

use opatlas_source::Span;
use rustc_hash::FxHashMap;

use super::conditions::Conditions;
use super::expression::Expression;
use super::tokens::{Directive, Kind, Token, lex, partners};

pub(super) struct Source<'s> {
    pub text: &'s str,
    pub tokens: Vec<Token>,
    pub directives: Vec<Directive>,
    pub conditions: Conditions,
    /// The offset of the text in its file.
    base: u32,
    partners: Vec<u32>,
    lists: OnceCell<FxHashMap<&'s str, Option<Range<usize>>>>,
}

impl<'s> Source<'s> {
    pub(super) fn new(text: &'s str, base: u32) -> Self {
        let lexed = lex(text);
        let conditions = Conditions::new(text, &lexed.directives, &lexed.tokens);
        let mut tokens = lexed.tokens;
        if !conditions.off().is_empty() {
            tokens.retain(|token| !conditions.is_off(token.start));
        }
        Self {
            text,
            partners: partners(&tokens),
            tokens,
            directives: lexed.directives,
            conditions,
            base,
            lists: OnceCell::new(),
        }
    }

    pub(super) fn span(&self, start: u32, end: u32) -> Span {
        Span::new(start, end).shifted(self.base)
    }

    pub(super) fn word(&self, index: usize) -> Option<&'s str> {
        let token = self.tokens.get(index)?;
        (token.kind == Kind::Word).then(|| token.text(self.text))
    }

    pub(super) fn is(&self, index: usize, punct: u8) -> bool {
        self.tokens.get(index).is_some_and(|token| token.is(punct))
    }

    pub(super) fn partner(&self, index: usize) -> Option<usize> {
        let partner = *self.partners.get(index)? as usize;
        (partner < self.tokens.len()).then_some(partner)
    }

    pub(super) fn expression(&self, range: Range<usize>) -> Expression<'_> {
        Expression {
            source: self.text,
            tokens: self.tokens.get(range).unwrap_or_default(),
        }
    }

    pub(super) fn within(&self, bytes: Range<usize>) -> Range<usize> {
        let at = |byte: usize| {
            let place = u32::try_from(byte).unwrap_or(u32::MAX);
            self.tokens.partition_point(|token| token.start < place)
        };
        at(bytes.start)..at(bytes.end)
    }

    /// The tokens of a named list of string literals; `None` if the name is ambiguous.
    pub(super) fn list(&self, name: &str) -> Option<Range<usize>> {
        let lists = self.lists.get_or_init(|| self.find_lists());
        lists.get(name).cloned().flatten()
    }

    fn find_lists(&self) -> FxHashMap<&'s str, Option<Range<usize>>> {
        let mut lists: FxHashMap<&'s str, Option<Range<usize>>> = FxHashMap::default();
        for open in 0..self.tokens.len() {
            let Some(items) = self.literals(open) else {
                continue;
            };
            let Some(name) = self.declared(open) else {
                continue;
            };
            let known = lists.entry(name).or_insert(Some(items.clone()));
            if *known != Some(items) {
                *known = None;
            }
        }
        lists
    }

    /// The first token of the path that ends at a token: `acme` of `acme::kKey`.
    pub(super) fn start_of_path(&self, at: usize) -> usize {
        let mut start = at;
        while let Some(before) = start.checked_sub(2)
            && self.is(before, b':')
            && self.is(before + 1, b':')
        {
            start = before;
            match before.checked_sub(1).filter(|at| self.word(*at).is_some()) {
                Some(scope) => start = scope,
                None => break,
            }
        }
        start
    }

    /// The tokens in the braces at `open` if they are string literals.
    pub(super) fn literals(&self, open: usize) -> Option<Range<usize>> {
        if !self.is(open, b'{') {
            return None;
        }
        let items = open + 1..self.partner(open)?;
        let is_item = |token: &Token| matches!(token.kind, Kind::String | Kind::Punct(b','));
        let is_list = self.tokens.get(items.clone())?.iter().all(is_item);
        (is_list && !items.is_empty()).then_some(items)
    }

    /// The name that the braces at `open` initialize: `x = {`, `x{`, `x[] = {`, `x({`.
    fn declared(&self, open: usize) -> Option<&'s str> {
        let mut before = open.checked_sub(1)?;
        if self.is(before, b'=') || self.is(before, b'(') {
            before = before.checked_sub(1)?;
        }
        if self.is(before, b']') {
            before = self.partner(before)?.checked_sub(1)?;
        }
        self.word(before)
    }
}
