//! What names mean at a place of a file, and which uses of macros are left to their descriptions.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::super::expression::Expression;
use super::super::opening::is_opener;
use super::super::tokens::{Kind, lex};
use super::definition::Definition;
use super::definitions::{Alternative, Definitions};
use super::described::Described;
use super::expander::{Known, Overflow, expand};
use super::pieces::{Piece, text_of};
use crate::Macros;

/// Macros of PyTorch that the reader of blocks knows.
const LIBRARIES: [&str; 12] = [
    "TORCH_LIBRARY",
    "TORCH_LIBRARY_IMPL",
    "TORCH_LIBRARY_FRAGMENT",
    "MAKE_TORCH_LIBRARY",
    "MAKE_TORCH_LIBRARY_IMPL",
    "MAKE_TORCH_LIBRARY_FRAGMENT",
    "STABLE_TORCH_LIBRARY",
    "STABLE_TORCH_LIBRARY_IMPL",
    "STABLE_TORCH_LIBRARY_FRAGMENT",
    "TORCH_LIBRARY_EXPAND",
    "TORCH_LIBRARY_IMPL_EXPAND",
    "TORCH_LIBRARY_FRAGMENT_EXPAND",
];

/// Macros around a name or a kernel, which the reader takes off.
const WRAPPERS: [&str; 6] = [
    "TORCH_FN",
    "TORCH_BOX",
    "TORCH_SELECTIVE_NAME",
    "TORCH_SELECTIVE_SCHEMA",
    "ATEN_FN",
    "ATEN_FN2",
];

/// The most macros that are searched for a word.
const MOST_SEARCHED: usize = 256;

/// The most ways to expand one use.
const MOST_VARIANTS: usize = 8;

/// What a use of a macro stands for, with the condition under which it does.
#[derive(Default)]
pub(super) struct Variant {
    pub text: String,
    pub condition: Option<Box<str>>,
}

/// What becomes of constants.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Constants {
    Left,
    Replaced,
}

pub(super) struct Environment<'e> {
    pub definitions: &'e Definitions,
    pub macros: &'e Macros,
    pub file: u32,
    /// The place of the use.
    pub at: u32,
    pub constants: Constants,
    /// How many tokens may still be made.
    pub left: usize,
    /// The definition that was chosen of several, and how many there are.
    choices: Vec<(Box<str>, usize, usize)>,
    conditions: Vec<Box<str>>,
    /// A name with several definitions of which nothing decides.
    ambiguous: Option<Box<str>>,
    /// Macros that are being compared with their descriptions.
    settling: Vec<Arc<str>>,
}

impl<'e> Environment<'e> {
    pub(super) fn new(
        definitions: &'e Definitions,
        macros: &'e Macros,
        file: u32,
        left: usize,
    ) -> Self {
        Self {
            definitions,
            macros,
            file,
            at: 0,
            constants: Constants::Left,
            left,
            choices: Vec::new(),
            conditions: Vec::new(),
            ambiguous: None,
            settling: Vec::new(),
        }
    }

    /// Whether a file that this one includes was scanned.
    pub(super) fn has_file(&self, written: &str) -> bool {
        self.definitions.has_file(self.file, written)
    }

    /// Whether a name may mean something.
    pub(super) fn is_defined(&self, name: &str) -> bool {
        self.definitions.has(name) || self.macros.defined(name).is_some()
    }

    /// What a name means here.
    pub(super) fn alternatives(&self, name: &str) -> Vec<Alternative> {
        if self.is_left_alone(name) {
            return Vec::new();
        }
        if self.definitions.has(name) {
            return self.definitions.in_force(name, self.file, self.at);
        }
        let listed = self.macros.defined(name).map(|definition| Alternative {
            definition: Arc::clone(definition),
            file: None,
            condition: None,
        });
        listed.into_iter().collect()
    }

    fn is_left_alone(&self, name: &str) -> bool {
        is_library(name) || WRAPPERS.contains(&name) || self.macros.is_nothing(name)
    }

    /// Whether a macro may register something.
    pub(super) fn registers(&mut self, name: &str) -> bool {
        if !self.is_defined(name) {
            return false;
        }
        if let Some(known) = self.definitions.known_to_register(name) {
            return known;
        }
        // A macro that uses itself is not expanded again.
        self.definitions.note_registering(name, false);
        let definitions = match self.definitions.has(name) {
            _ if self.is_left_alone(name) => Vec::new(),
            true => self.definitions.all_of(name),
            false => self.macros.defined(name).cloned().into_iter().collect(),
        };
        let found = definitions.iter().any(|found| self.body_registers(found));
        self.definitions.note_registering(name, found);
        found
    }

    fn body_registers(&mut self, definition: &Definition) -> bool {
        let pieces: Vec<&Piece> = definition.pieces().collect();
        pieces.iter().enumerate().any(|(index, piece)| {
            let Some(word) = piece.word() else {
                return false;
            };
            let before = index.checked_sub(1).and_then(|index| pieces.get(index));
            let is_method = before.is_some_and(|before| before.is(b'.') || before.is(b'>'));
            (is_method && matches!(word, "impl" | "impl_UNBOXED" | "def" | "fallback"))
                || is_opener(word)
                || word.contains("MAKE_TORCH_LIBRARY")
                || word == "RegisterOperators"
                || self.macros.is_known(word)
                || self.registers(word)
        })
    }

    /// All that a use may stand for. The error says why it cannot be expanded.
    pub(super) fn variants(&mut self, call: &[Piece]) -> Result<Vec<Variant>, String> {
        let name = call.first().map(|first| Arc::clone(&first.text));
        let name = name.unwrap_or_default();
        let mut variants: Vec<Variant> = Vec::new();
        let mut open: Vec<Vec<(Box<str>, usize, usize)>> = vec![Vec::new()];
        while let Some(choices) = open.pop() {
            if variants.len() == MOST_VARIANTS {
                return Err(format!("macro `{name}` has too many definitions"));
            }
            let given = choices.len();
            self.choices = choices;
            self.conditions.clear();
            self.ambiguous = None;
            let mut left = self.left;
            let made = expand(call.to_vec(), self, &mut left);
            self.left = left;
            let made = made.map_err(|overflow| match overflow {
                Overflow::Long => format!("macro `{name}` expands to too much text"),
                Overflow::Deep => format!("the arguments of macro `{name}` are nested too deeply"),
            })?;
            if let Some(name) = &self.ambiguous {
                return Err(several(name));
            }
            for new in given..self.choices.len() {
                let count = self.choices[new].2;
                open.extend((1..count).rev().map(|choice| {
                    let mut other = self.choices[..=new].to_vec();
                    other[new].1 = choice;
                    other
                }));
            }
            let condition = self.conditions.join(", within ");
            variants.push(Variant {
                text: text_of(&made),
                condition: (!condition.is_empty()).then(|| condition.into()),
            });
        }
        Ok(variants)
    }

    /// Chooses one of several definitions: one under a condition that was chosen before, or the
    /// first.
    fn chosen(&mut self, name: &str, found: &[Alternative]) -> usize {
        let known = self.choices.iter().find(|(of, ..)| **of == *name);
        if let Some((_, choice, _)) = known {
            let choice = *choice;
            self.note(found, choice);
            return choice;
        }
        let agrees = |found: &Alternative| {
            let condition = found.condition.as_ref();
            condition.is_some_and(|condition| self.conditions.contains(condition))
        };
        if let Some(choice) = found.iter().position(agrees) {
            return choice;
        }
        // The preprocessor decides between definitions under conditions only.
        if found
            .iter()
            .filter(|found| found.condition.is_none())
            .count()
            > 1
        {
            self.ambiguous.get_or_insert_with(|| name.into());
            return 0;
        }
        self.choices.push((name.into(), 0, found.len()));
        self.note(found, 0);
        0
    }

    fn note(&mut self, found: &[Alternative], choice: usize) {
        let condition = found.get(choice).and_then(|found| found.condition.clone());
        let condition = condition.filter(|condition| !self.conditions.contains(condition));
        self.conditions.extend(condition);
    }

    /// Whether the description of a macro says what its definition does.
    fn is_described(&mut self, definition: &Definition, arguments: &[Vec<Piece>]) -> bool {
        let texts: Vec<String> = arguments.iter().map(|part| text_of(part)).collect();
        let list = texts.join(",");
        let tokens = lex(&list).tokens;
        let list = Expression {
            source: &list,
            tokens: &tokens,
        };
        let Some(described) = Described::of(&definition.name, list, self.macros) else {
            return false;
        };
        self.settling.push(Arc::clone(&definition.name));
        let mut left = self.left;
        let made = expand(call(&definition.name, arguments), self, &mut left);
        self.left = left;
        self.settling.pop();
        made.is_ok_and(|made| described.agrees(&text_of(&made), self.macros))
    }
}

impl Known for Environment<'_> {
    fn definition(&mut self, name: &str) -> Option<Arc<Definition>> {
        let mut found = self.alternatives(name);
        if self.constants == Constants::Left {
            found.retain(|found| !found.definition.is_constant);
        }
        let choice = match found.len() {
            0 | 1 => 0,
            _ => self.chosen(name, &found),
        };
        (choice < found.len()).then(|| found.swap_remove(choice).definition)
    }

    fn keeps(&mut self, definition: &Definition, arguments: Option<&[Vec<Piece>]>) -> bool {
        let Some(arguments) = arguments else {
            return false;
        };
        let name = &definition.name;
        if self.settling.contains(name) {
            return false;
        }
        if is_opener(name) && !self.uses(name, &is_library, &mut FxHashSet::default()) {
            return true;
        }
        self.macros.is_known(name) && self.is_described(definition, arguments)
    }
}

impl Environment<'_> {
    /// Whether a macro registers something outside a block.
    pub(super) fn opens_block(&self, name: &str) -> bool {
        let is_other = |word: &str| matches!(word, "RegisterOperators" | "TorchLibraryInit");
        let is_wanted = |word: &str| is_library(word) || is_other(word);
        !self.is_left_alone(name) && self.uses(name, &is_wanted, &mut FxHashSet::default())
    }

    /// Whether a macro expands to one of some words. `seen` has the macros that were searched.
    fn uses(
        &self,
        name: &str,
        is_wanted: &dyn Fn(&str) -> bool,
        seen: &mut FxHashSet<Box<str>>,
    ) -> bool {
        if seen.len() == MOST_SEARCHED || !seen.insert(name.into()) {
            return false;
        }
        self.alternatives(name).iter().any(|found| {
            let mut words = found.definition.pieces().filter_map(Piece::word);
            words.any(|word| {
                let is_macro = self.definitions.has(word);
                is_wanted(word) || (is_macro && self.uses(word, is_wanted, seen))
            })
        })
    }
}

fn is_library(name: &str) -> bool {
    LIBRARIES.contains(&name)
}

/// Why a name is not certain.
pub(super) fn several(name: &str) -> String {
    format!("`{name}` has several definitions in the sources")
}

fn call(name: &Arc<str>, arguments: &[Vec<Piece>]) -> Vec<Piece> {
    let punct = |byte: u8, text: &str| Piece::new(Kind::Punct(byte), text, false);
    let mut call = vec![Piece::new(Kind::Word, name, false), punct(b'(', "(")];
    for (index, argument) in arguments.iter().enumerate() {
        if index > 0 {
            call.push(punct(b',', ","));
        }
        call.extend(argument.iter().cloned());
    }
    call.push(punct(b')', ")"));
    call
}
