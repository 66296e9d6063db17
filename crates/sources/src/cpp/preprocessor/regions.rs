//! Where in a file macros and constants matter: blocks of registrations, and arguments that name
//! operators and keys.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::super::opening::is_opener;
use super::super::source::Source;

/// Tokens between a parameter of the type `Library&` and the body of its function.
const LONGEST: usize = 64;

#[derive(Debug)]
pub(super) struct Regions<'s> {
    /// The bodies of blocks, without those in other blocks.
    blocks: Vec<Range<usize>>,
    /// Arguments in which every name is expanded.
    arguments: Vec<Range<usize>>,
    /// Where names are variables of loops over lists.
    loops: FxHashMap<&'s str, Vec<usize>>,
}

impl<'s> Regions<'s> {
    pub(super) fn of(source: &Source<'s>) -> Self {
        let mut loops: FxHashMap<&'s str, Vec<usize>> = FxHashMap::default();
        for index in 0..source.tokens.len() {
            let is_variable = source.is(index + 1, b':')
                && !source.is(index + 2, b':')
                && !source.is(index.wrapping_sub(1), b':');
            if let Some(word) = source.word(index).filter(|_| is_variable) {
                loops.entry(word).or_default().push(index);
            }
        }
        Self {
            blocks: Vec::new(),
            arguments: Vec::new(),
            loops,
        }
    }

    pub(super) fn add_block(&mut self, block: Range<usize>) {
        self.blocks.retain(|known| known.end > block.start);
        let mut known = self.blocks.iter();
        if !known.any(|known| known.start <= block.start && block.end <= known.end) {
            self.blocks.push(block);
        }
    }

    pub(super) fn is_block(&self, at: usize) -> bool {
        self.blocks.iter().any(|block| block.contains(&at))
    }

    /// Whether a name is in an argument that must be known. Names of loops over lists are not
    /// constants.
    pub(super) fn is_argument(&self, at: usize, word: &str) -> bool {
        let mut arguments = self.arguments.iter();
        arguments.any(|argument| argument.contains(&at)) && !self.is_loop_variable(at, word)
    }

    fn is_loop_variable(&self, at: usize, word: &str) -> bool {
        let Some(variables) = self.loops.get(word) else {
            return false;
        };
        let last = variables.partition_point(|variable| *variable < at);
        let Some(last) = last.checked_sub(1).map(|last| variables[last]) else {
            return false;
        };
        let mut blocks = self.blocks.iter().filter(|block| block.contains(&at));
        blocks.any(|block| block.start <= last)
    }

    /// Enters what begins at a word.
    pub(super) fn enter(&mut self, source: &Source<'_>, at: usize, word: &str) {
        self.arguments.retain(|argument| argument.end > at);
        if word == "Library" && source.is(at + 1, b'&') {
            self.enter_function(source, at);
            return;
        }
        let named = at + usize::from(word == "Library" && source.word(at + 1).is_some());
        let Some(close) = source
            .is(named + 1, b'(')
            .then(|| source.partner(named + 1))
            .flatten()
        else {
            return;
        };
        let before = at.checked_sub(1);
        let is_method = before.is_some_and(|at| source.is(at, b'.') || source.is(at, b'>'));
        let arguments = ranges(source, named + 2, close);
        let last = arguments.len().saturating_sub(1);
        let known = match word {
            "Library" => last + 1,
            "impl" | "impl_UNBOXED" if is_method => {
                1 + usize::from(last > 1 && is_path(source, &arguments[1]))
            }
            "def" if is_method => 1,
            "dispatch" => 1,
            _ if word.contains("MAKE_TORCH_LIBRARY") => last + 1,
            _ if is_opener(word) => last,
            _ => return,
        };
        self.arguments.extend(arguments.into_iter().take(known));
        let body = source.partner(close + 1);
        if is_opener(word) && source.is(close + 1, b'{') {
            self.add_block(close + 1..body.unwrap_or(close + 1));
        } else if word.contains("MAKE_TORCH_LIBRARY") && !self.is_block(close + 1) {
            self.add_block(close + 1..end_of_scope(source, close + 1));
        }
    }

    /// Enters the body of a function that takes a library.
    fn enter_function(&mut self, source: &Source<'_>, at: usize) {
        let mut next = at + 2..at + LONGEST;
        let ends = |index: &usize| source.is(*index, b'{') || source.is(*index, b';');
        let brace = next.find(ends).filter(|index| source.is(*index, b'{'));
        if let Some((open, close)) = brace.and_then(|open| Some((open, source.partner(open)?))) {
            self.add_block(open..close);
        }
    }
}

fn end_of_scope(source: &Source<'_>, from: usize) -> usize {
    let mut index = from;
    while index < source.tokens.len() && !source.is(index, b'}') {
        index = source
            .partner(index)
            .filter(|close| *close > index)
            .unwrap_or(index)
            + 1;
    }
    index
}

/// Whether an argument may be a dispatch key, and not a part of a template.
fn is_path(source: &Source<'_>, argument: &Range<usize>) -> bool {
    let mut tokens = argument.clone();
    tokens.all(|index| source.word(index).is_some() || source.is(index, b':'))
}

/// The arguments between parentheses.
fn ranges(source: &Source<'_>, from: usize, close: usize) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = from;
    let mut index = from;
    while index < close {
        let opens = [b'(', b'[', b'{']
            .iter()
            .any(|punct| source.is(index, *punct));
        if source.is(index, b',') {
            ranges.push(start..index);
            start = index + 1;
        }
        let skipped = opens.then(|| source.partner(index)).flatten();
        index = skipped.unwrap_or(index) + 1;
    }
    ranges.push(start..close);
    ranges
}
