//! Where the libraries of a file are in scope.

use rustc_hash::{FxHashMap, FxHashSet};

use super::blocks::Block;
use super::helpers::Helper;
use super::libraries::{self, Library};
use super::opening::{Opens, is_opener};
use super::receivers::{self, Filler, Made, OBJECT};
use super::source::Source;
use crate::Macros;

/// The libraries of a file.
#[derive(Default)]
pub(super) struct Receivers<'s> {
    /// Functions and lambdas with a library as a parameter.
    pub helpers: Vec<Helper<'s>>,
    /// Where objects are in scope.
    pub blocks: Vec<Block<'s>>,
    /// Where objects are in scope that the file declares but does not make.
    pub open: Vec<Block<'s>>,
    /// Variables of the whole file.
    pub shared: FxHashMap<&'s str, Shared>,
    /// Functions that get a library of their own, such as those of `TorchLibraryInit`.
    pub passed: Vec<(&'s str, Block<'s>)>,
    /// Temporary libraries, and the token after them.
    pub temporaries: Vec<(Block<'s>, usize)>,
    /// Where a variable means something else than around.
    pub claims: Vec<Claim<'s>>,
    /// The token after which there are too many libraries.
    pub cut: Option<usize>,
}

/// A variable outside functions.
#[derive(Default)]
pub(super) struct Shared {
    /// The libraries that it may hold.
    pub libraries: Vec<Library>,
    /// Whether the file declares it, other than with `extern`.
    pub is_declared: bool,
    /// Whether it is `static`.
    pub is_static: bool,
}

/// The scope of a variable.
pub(super) struct Claim<'s> {
    pub variable: &'s str,
    pub body: (usize, usize),
}

/// Whether ordinary code is around the registrations of a block.
pub(super) fn is_object(block: &Block<'_>) -> bool {
    block.through == OBJECT || block.through.starts_with("MAKE_")
}

/// Finds the libraries of a file.
pub(super) fn find<'s>(source: &Source<'s>, macros: &Macros) -> Receivers<'s> {
    let mentions = receivers::find(source);
    let mut found = Receivers {
        helpers: mentions.helpers,
        cut: mentions.cut,
        ..Receivers::default()
    };
    if mentions.made.is_empty() && mentions.declared.is_empty() && found.helpers.is_empty() {
        return found;
    }
    let scopes = mentions.declared.into_iter();
    let declared = scopes.map(|variable| (variable, source.end_of_scope(variable)));
    let helpers = found.helpers.iter();
    found.claims = helpers
        .map(|helper| Claim {
            variable: helper.variable,
            body: helper.body,
        })
        .collect();
    let mut placer = Placer {
        source,
        regions: Regions::of(source),
        declared: declared.collect(),
        found,
    };
    for made in &mentions.made {
        placer.place_made(made);
    }
    placer.place_declared(&mentions.made);
    placer.place_shared();
    placer.claim_blocks(macros);
    placer.found
}

struct Placer<'r, 's> {
    source: &'r Source<'s>,
    regions: Regions,
    /// Declared variables, and the ends of their scopes.
    declared: Vec<(usize, usize)>,
    found: Receivers<'s>,
}

impl<'s> Placer<'_, 's> {
    fn place_made(&mut self, made: &Made<'s>) {
        let source = self.source;
        let close = source.partner(made.open).unwrap_or(made.open);
        let block = Block {
            through: made.through,
            ..self.block(made.open, "", (close, close), made.library.clone())
        };
        if let Filler::Function(function) = made.filler {
            return self.found.passed.push((function, block));
        }
        if made.filler == Filler::Lambda {
            return self.place_lambda((made.open, close), &block);
        }
        let Some((variable, is_declared)) = made.variable else {
            return self.found.temporaries.push((block, close + 1));
        };
        let name = source.word(variable).unwrap_or_default();
        let is_call =
            source.is(variable + 1, b'(') && !is_declared && !self.is_initializer(variable);
        let mut declared = self.declared.iter();
        if is_call && !declared.any(|(at, _)| source.word(*at) == Some(name)) {
            return self.found.passed.push((name, block));
        }
        let end = source.end_of_scope(variable);
        if is_declared && !self.regions.is_shared(source, end) {
            if !self.declared.iter().any(|(at, _)| *at == variable) {
                self.add_local(variable, end, block);
            }
        } else if !self.is_local(variable) {
            let shared = self.found.shared.entry(name).or_default();
            shared.libraries.push(made.library.clone());
            shared.is_declared |= is_declared;
            shared.is_static |= source.statement_has(variable, "static");
        }
    }

    /// Whether a constructor initializes a member at a token: `R() : lib_(...)`.
    fn is_initializer(&self, variable: usize) -> bool {
        let is = |back: usize, byte: u8| {
            let at = variable.checked_sub(back);
            at.is_some_and(|at| self.source.is(at, byte))
        };
        (is(1, b':') && !is(2, b':')) || (is(1, b',') && (is(2, b')') || is(2, b'}')))
    }

    /// Reads the lambda in brackets for the library that it gets.
    fn place_lambda(&mut self, (open, close): (usize, usize), block: &Block<'s>) {
        let is_inside = |helper: &Helper<'s>| (open..close).contains(&helper.body.0);
        let inside = self.found.helpers.iter().filter(|helper| is_inside(helper));
        let blocks = inside.map(|helper| Block {
            variable: helper.variable,
            body: helper.body,
            ..block.clone()
        });
        self.found.blocks.extend(blocks);
        self.found.helpers.retain(|helper| !is_inside(helper));
    }

    /// Whether an assigned variable is declared in a function around it.
    fn is_local(&self, variable: usize) -> bool {
        let source = self.source;
        self.declared.iter().any(|(at, end)| {
            (*at..*end).contains(&variable)
                && source.word(*at) == source.word(variable)
                && !self.regions.is_shared(source, *end)
        })
    }

    fn place_declared(&mut self, made: &[Made<'s>]) {
        let source = self.source;
        for (variable, end) in std::mem::take(&mut self.declared) {
            let name = source.word(variable).unwrap_or_default();
            if self.regions.is_shared(source, end) {
                let shared = self.found.shared.entry(name).or_default();
                shared.is_declared |= !source.statement_has(variable, "extern");
                shared.is_static |= source.statement_has(variable, "static");
                continue;
            }
            let within = made.iter().filter(|made| {
                let at = made.variable.map_or(0, |(at, _)| at);
                (variable..end).contains(&at) && source.word(at) == Some(name)
            });
            let libraries: Vec<_> = within.map(|made| made.library.clone()).collect();
            let library = libraries::common(name, &libraries);
            let block = self.block(variable, name, (variable, end), library);
            self.add_local(variable, end, block);
        }
    }

    fn add_local(&mut self, variable: usize, end: usize, block: Block<'s>) {
        let variable_name = self.source.word(variable).unwrap_or_default();
        let body = (variable, end);
        self.found.claims.push(Claim {
            variable: variable_name,
            body,
        });
        self.found.blocks.push(Block {
            variable: variable_name,
            body,
            ..block
        });
    }

    /// Adds a block for each part of the file that uses a variable of the whole file.
    fn place_shared(&mut self) {
        let mut shared: Vec<_> = self.found.shared.iter().collect();
        shared.sort_by_key(|(name, _)| **name);
        let (mut blocks, mut open) = (Vec::new(), Vec::new());
        for (name, variable) in shared {
            let library = libraries::common(name, &variable.libraries);
            let uses = |body: &&(usize, usize)| {
                (body.0..body.1).any(|at| self.source.word(at) == Some(name))
            };
            for body in self.regions.all.iter().filter(uses) {
                let block = self.block(body.0, name, *body, library.clone());
                if variable.libraries.is_empty() {
                    open.push(block);
                } else {
                    blocks.push(block);
                }
            }
        }
        self.found.blocks.extend(blocks);
        self.found.open.extend(open);
    }

    /// Claims the variables of macros that open blocks, or modules of pybind11.
    fn claim_blocks(&mut self, macros: &Macros) {
        let source = self.source;
        for at in 0..source.tokens.len() {
            let is_block = source.word(at).is_some_and(|word| {
                is_opener(word) || macros.is_known(word) || word.starts_with("PYBIND")
            });
            let close = (is_block && source.is(at + 1, b'(')).then(|| source.partner(at + 1));
            let Some(close) = close.flatten().filter(|close| source.is(close + 1, b'{')) else {
                continue;
            };
            let end = source.partner(close + 1);
            let variable = source.expression(at + 2..close).last_word();
            let variable = variable.map_or("m", |variable| variable.text(source.text));
            let body = end.map(|end| (close + 1, end));
            let claims = body.map(|body| Claim { variable, body });
            self.found.claims.extend(claims);
        }
    }

    fn block(
        &self,
        at: usize,
        variable: &'s str,
        body: (usize, usize),
        library: Library,
    ) -> Block<'s> {
        let source = self.source;
        let token = source.tokens[at];
        Block {
            namespace: library.namespace,
            key: library.key,
            variable,
            through: OBJECT,
            at: source.span(token.start, token.end),
            body,
            unresolved: library.unresolved,
        }
    }
}

/// The functions and other declarations of a file.
struct Regions {
    all: Vec<(usize, usize)>,
    /// The braces of namespaces and classes.
    scopes: FxHashSet<usize>,
}

impl Regions {
    fn of(source: &Source<'_>) -> Self {
        let mut found = Self {
            all: Vec::new(),
            scopes: FxHashSet::default(),
        };
        let (mut start, mut index) = (0, 0);
        while index < source.tokens.len() {
            let mut is_end = source.is(index, b';') || source.is(index, b'}');
            let close = source.partner(index);
            if source.is(index, b'{') {
                match source.opens(start, index) {
                    Opens::Scope(_) => is_end = found.scopes.insert(index),
                    Opens::Body(_) => {
                        index = close.unwrap_or(index);
                        is_end = true;
                    }
                    Opens::Other => index = close.unwrap_or(index),
                }
            } else if source.is(index, b'(') || source.is(index, b'[') {
                index = close.unwrap_or(index);
            }
            if is_end {
                found.all.push((start, index));
                start = index + 1;
            }
            index += 1;
        }
        found
    }

    /// Whether a scope that ends at a token is a namespace, a class or the file.
    fn is_shared(&self, source: &Source<'_>, end: usize) -> bool {
        source
            .partner(end)
            .is_none_or(|open| self.scopes.contains(&open))
    }
}
