//! The names that files use where macros matter, and those of them that no file defines.

use rustc_hash::FxHashSet;

use super::super::source::Source;
use super::definitions::{Definitions, NO_FILE};
use super::environment::Environment;
use super::pieces::Piece;
use super::regions::Regions;
use crate::Macros;

/// The names that a set of files uses.
#[derive(Debug, Default)]
pub(super) struct Mentions {
    /// Names in arguments that must be known, and of statements in blocks.
    names: FxHashSet<Box<str>>,
    /// Names of statements outside blocks, with a name that is an argument: `FOR_ALL(REGISTER)`.
    passed: FxHashSet<[Box<str>; 2]>,
}

impl Mentions {
    pub(super) fn add(&mut self, source: &Source<'_>) {
        let mut regions = Regions::of(source);
        let mut is_statement = true;
        for (index, token) in source.tokens.iter().enumerate() {
            let starts_statement = is_statement;
            is_statement = [b'{', b'}', b';', b')']
                .iter()
                .any(|punct| token.is(*punct));
            let Some(word) = source.word(index) else {
                continue;
            };
            regions.enter(source, index, word);
            let is_call = starts_statement && source.is(index + 1, b'(');
            if regions.is_argument(index, word) || (is_call && regions.is_block(index)) {
                self.add_name(word);
            }
            let argument = source.word(index + 2).filter(|_| is_call);
            if let Some(argument) = argument.filter(|_| source.is(index + 3, b')')) {
                self.passed.insert([word.into(), argument.into()]);
            }
        }
    }

    fn add_name(&mut self, word: &str) {
        if !self.names.contains(word) {
            self.names.insert(word.into());
        }
    }
}

impl Definitions {
    /// The names that other files must define for these files to be read.
    pub(crate) fn missing(&self, macros: &Macros) -> FxHashSet<Box<str>> {
        let mut environment = Environment::new(self, macros, NO_FILE, 0);
        let mut open: Vec<&str> = self.mentions.names.iter().map(|name| &**name).collect();
        open.extend(self.names().filter(|name| environment.registers(name)));
        for [name, argument] in &self.mentions.passed {
            if environment.registers(argument) {
                open.push(name);
            }
        }
        let mut needs = Needs::default();
        for name in open {
            needs.need(name);
        }
        while let Some(name) = needs.open.pop() {
            let definitions = self.all_of(&name);
            if definitions.is_empty() {
                needs.missing.insert(name);
            }
            for definition in definitions {
                needs.pieces(&definition.pieces().collect::<Vec<_>>());
            }
        }
        needs.missing
    }
}

#[derive(Default)]
struct Needs {
    open: Vec<Box<str>>,
    seen: FxHashSet<Box<str>>,
    missing: FxHashSet<Box<str>>,
}

impl Needs {
    fn need(&mut self, word: &str) {
        if !self.seen.contains(word) {
            self.seen.insert(word.into());
            self.open.push(word.into());
        }
    }

    /// The body of a macro.
    fn pieces(&mut self, pieces: &[&Piece]) {
        for (index, piece) in pieces.iter().enumerate() {
            let next = pieces.get(index + 1);
            let is_call = next.is_some_and(|next| next.is(b'('));
            let is_needed = |word: &&str| is_call || is_macro_or_constant(word);
            if let Some(word) = piece.word().filter(is_needed) {
                self.need(word);
            }
        }
    }
}

/// Whether a name looks like `ACME_KEY` or `kKey`.
fn is_macro_or_constant(word: &str) -> bool {
    let is_macro = !word.bytes().any(|byte| byte.is_ascii_lowercase());
    let rest = word.strip_prefix('k').unwrap_or_default();
    is_macro || rest.starts_with(|first: char| first.is_ascii_uppercase())
}
