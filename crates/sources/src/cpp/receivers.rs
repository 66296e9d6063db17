//! Variables that hold a library outside blocks: parameters, objects, members and pointers.

use rustc_hash::{FxHashMap, FxHashSet};

use super::blocks::Block;
use super::helpers::Helper;
use super::libraries::{self, Library};
use super::opening::{Opens, is_opener};
use super::source::Source;
use crate::Macros;

/// What registers through an object of the type `torch::Library`.
pub(super) const OBJECT: &str = "torch::Library";

/// How far a declaration is searched backwards, in tokens.
const FARTHEST: usize = 64;

/// The libraries of a file.
#[derive(Default)]
pub(super) struct Receivers<'s> {
    /// Functions and lambdas with a library as a parameter.
    pub helpers: Vec<Helper<'s>>,
    /// Where objects are in scope.
    pub blocks: Vec<Block<'s>>,
    /// Functions that get a library of their own, such as those of `TorchLibraryInit`.
    pub passed: Vec<(&'s str, Block<'s>)>,
    /// Temporary libraries, and the token after them.
    pub temporaries: Vec<(Block<'s>, usize)>,
    /// Where a variable means something else than around.
    pub claims: Vec<Claim<'s>>,
}

/// The scope of a variable.
pub(super) struct Claim<'s> {
    pub variable: &'s str,
    pub body: (usize, usize),
}

/// A library that an expression makes.
struct Made<'s> {
    /// The token of the variable that it is assigned to.
    variable: Option<usize>,
    /// The token of its arguments' bracket.
    open: usize,
    library: Library,
    /// The function that fills it.
    function: Option<&'s str>,
    /// The braces of the lambda that fills it.
    is_lambda: bool,
}

struct Finder<'r, 's> {
    source: &'r Source<'s>,
    /// Names of the type.
    types: FxHashSet<&'s str>,
    /// Whether the file has a class of its own with the name.
    has_own_class: bool,
    made: Vec<Made<'s>>,
    /// Declared variables: tokens of their names.
    declared: Vec<usize>,
    found: Receivers<'s>,
}

/// Finds the libraries of a file.
pub(super) fn find<'s>(source: &Source<'s>, macros: &Macros) -> Receivers<'s> {
    let mut finder = Finder {
        source,
        types: FxHashSet::from_iter(["Library", "StableLibrary"]),
        has_own_class: false,
        made: Vec::new(),
        declared: Vec::new(),
        found: Receivers::default(),
    };
    finder.name_types();
    for index in 0..source.tokens.len() {
        let Some(word) = source.word(index) else {
            continue;
        };
        if finder.is_type(index) {
            finder.mention(index);
        } else if word.contains("MAKE_TORCH_LIBRARY") || word.contains("MAKE_STABLE_TORCH_LIBRARY")
        {
            finder.make(index);
        }
    }
    finder.place();
    finder.claim_blocks(macros);
    finder.found
}

impl<'s> Finder<'_, 's> {
    /// Adds aliases: `using Lib = torch::Library;` and `typedef torch::Library Lib;`.
    fn name_types(&mut self) {
        let source = self.source;
        for index in 0..source.tokens.len() {
            let word = source.word(index);
            if matches!(word, Some("class" | "struct")) && source.word(index + 1) == Some("Library")
            {
                self.has_own_class |= source.is(index + 2, b'{') || source.is(index + 2, b':');
            }
            let end = (index..source.tokens.len().min(index + FARTHEST))
                .find(|end| source.is(*end, b';'));
            let Some(end) = end.filter(|_| matches!(word, Some("using" | "typedef"))) else {
                continue;
            };
            let is_library = (index + 2..end)
                .any(|at| self.is_type(at) && !source.is(at + 1, b':') && !source.is(at + 1, b'('));
            let is_function = (index..end).any(|at| source.is(at, b'('));
            let name = match word {
                Some("using") if source.is(index + 2, b'=') => source.word(index + 1),
                Some("typedef") => source.word(end - 1),
                _ => None,
            };
            self.types
                .extend(name.filter(|_| is_library && !is_function));
        }
    }

    /// Whether PyTorch's class is named at a token.
    fn is_type(&self, index: usize) -> bool {
        let source = self.source;
        let Some(word) = source.word(index).filter(|word| self.types.contains(word)) else {
            return false;
        };
        let qualifier = self.qualifier(index);
        match qualifier {
            Some(qualifier) => word != "Library" || self.means_torch(qualifier),
            None => word != "Library" || !self.has_own_class,
        }
    }

    fn qualifier(&self, index: usize) -> Option<&'s str> {
        let source = self.source;
        let is_path = index > 2 && source.is(index - 1, b':') && source.is(index - 2, b':');
        is_path.then(|| source.word(index - 3)).flatten()
    }

    /// Whether a namespace is `torch`, or `namespace t = torch`.
    fn means_torch(&self, name: &str) -> bool {
        let source = self.source;
        name == "torch"
            || (0..source.tokens.len()).any(|at| {
                source.word(at) == Some("namespace")
                    && source.word(at + 1) == Some(name)
                    && source.is(at + 2, b'=')
                    && source.word(at + 3) == Some("torch")
            })
    }

    /// The first token of a qualified name that ends at `index`.
    fn name_start(&self, index: usize) -> usize {
        let source = self.source;
        let mut start = index;
        while start > 2
            && source.is(start - 1, b':')
            && source.is(start - 2, b':')
            && source.word(start - 3).is_some()
        {
            start -= 3;
        }
        start
    }

    fn mention(&mut self, index: usize) {
        let source = self.source;
        if source.is(index + 1, b':') && source.is(index + 2, b':') {
            let kind = source.word(index + 3);
            if matches!(kind, Some("IMPL" | "DEF" | "FRAGMENT")) {
                self.construct(index);
            }
            return;
        }
        if let Some(variable) = self.variable_after(index) {
            match Helper::of_parameter(source, index, variable) {
                Some(helper) => self.found.helpers.push(helper),
                None if self.is_object(index, variable) => self.declared.push(variable),
                None => {}
            }
        }
    }

    /// The variable of a declaration whose type ends at a token.
    fn variable_after(&self, index: usize) -> Option<usize> {
        let source = self.source;
        let mut at = index + 1;
        while source.is(at, b'>')
            || source.is(at, b'&')
            || source.is(at, b'*')
            || source.word(at) == Some("const")
        {
            at += 1;
        }
        let is_wrapped = source.is(at, b'(') && source.is(at + 2, b')') && at > index + 1;
        at += usize::from(is_wrapped);
        source.word(at).map(|_| at)
    }

    /// Whether a declaration outside parameters declares an object, not a function.
    fn is_object(&self, index: usize, variable: usize) -> bool {
        let source = self.source;
        let after = variable + 1;
        let is_statement = [b';', b'=', b'{', b':', b',']
            .iter()
            .any(|b| source.is(after, *b))
            && !(source.is(after, b':') && source.is(after + 1, b':'));
        if is_statement {
            return !self.is_in_using(index);
        }
        let close = source
            .is(after, b'(')
            .then(|| source.partner(after))
            .flatten();
        close.is_some_and(|close| {
            (after..close).any(|at| {
                matches!(
                    source.word(at),
                    Some("IMPL" | "DEF" | "FRAGMENT" | "new" | "make_unique")
                ) || source.word(at).is_some_and(|word| word.contains("MAKE_"))
            })
        })
    }

    fn is_in_using(&self, index: usize) -> bool {
        let source = self.source;
        let from = index.saturating_sub(FARTHEST);
        let statement = (from..index)
            .rev()
            .take_while(|at| ![b';', b'{', b'}'].iter().any(|b| source.is(*at, *b)));
        statement
            .filter_map(|at| source.word(at))
            .any(|word| matches!(word, "using" | "typedef" | "friend"))
    }

    /// `(torch::Library::IMPL, "aten", key, file, line)`, with the kind at a token.
    fn construct(&mut self, index: usize) {
        let source = self.source;
        let Some(open) = self.name_start(index).checked_sub(1) else {
            return;
        };
        let is_bracket = source.is(open, b'(') || source.is(open, b'{');
        let Some(close) = is_bracket.then(|| source.partner(open)).flatten() else {
            return;
        };
        let arguments = source.expression(open + 1..close).arguments();
        // `TorchLibraryInit` also has the function that fills the library.
        let is_init = arguments.len() > 3
            && arguments[1].literal().is_none()
            && arguments[2].literal().is_some();
        let first = 1 + usize::from(is_init);
        let library = libraries::constructed(source, arguments.get(first..).unwrap_or_default());
        let function = arguments.get(1).filter(|_| is_init);
        let function_name = function.and_then(|function| function.function_name());
        let function_name = function_name.map(|name| name.text(source.text));
        self.made.push(Made {
            variable: if is_init {
                None
            } else {
                self.assigned(open, 0)
            },
            open,
            library,
            function: function_name,
            is_lambda: is_init && function_name.is_none(),
        });
    }

    /// `MAKE_TORCH_LIBRARY(ns)` at a token.
    fn make(&mut self, index: usize) {
        let source = self.source;
        let open = index + 1;
        let Some(close) = source
            .is(open, b'(')
            .then(|| source.partner(open))
            .flatten()
        else {
            return;
        };
        let arguments = source.expression(open + 1..close).arguments();
        let library = libraries::named(source, &arguments);
        self.made.push(Made {
            variable: self.before(index, 0),
            open,
            library,
            function: None,
            is_lambda: false,
        });
    }

    /// The variable that is made with the bracket at `open`.
    fn assigned(&self, open: usize, depth: usize) -> Option<usize> {
        let source = self.source;
        let last = open.checked_sub(1).filter(|_| depth < 8)?;
        if source.is(last, b'>') {
            let from = last.saturating_sub(FARTHEST);
            let angle = (from..last).rev().find(|at| {
                source.is(*at, b'<') && source.template_end(*at, FARTHEST) == Some(last)
            })?;
            return self.before(self.name_start(angle.checked_sub(1)?), depth + 1);
        }
        let word = source.word(last)?;
        if matches!(
            word,
            "emplace" | "reset" | "push_back" | "emplace_back" | "swap"
        ) {
            let access = if source.is(last - 1, b'>') { 3 } else { 2 };
            return source
                .word(last.checked_sub(access)?)
                .map(|_| last - access);
        }
        let start = self.name_start(last);
        let is_expression = self.is_type(last)
            || matches!(
                word,
                "move" | "make_optional" | "make_unique" | "make_shared"
            )
            || start
                .checked_sub(1)
                .is_some_and(|before| source.is(before, b'='));
        if is_expression {
            return self.before(start, depth + 1);
        }
        Some(last)
    }

    /// The variable that gets the value of an expression that begins at a token.
    fn before(&self, start: usize, depth: usize) -> Option<usize> {
        let source = self.source;
        let last = start.checked_sub(1).filter(|_| depth < 8)?;
        if source.word(last) == Some("new") {
            return self.before(last, depth + 1);
        }
        if source.is(last, b'=') {
            return source.word(last.checked_sub(1)?).map(|_| last - 1);
        }
        let is_bracket = source.is(last, b'(') || source.is(last, b'{');
        is_bracket.then(|| self.assigned(last, depth + 1)).flatten()
    }

    /// Whether a variable is declared at a token, rather than assigned.
    fn is_declaration(&self, variable: usize) -> bool {
        let source = self.source;
        let Some(before) = variable.checked_sub(1) else {
            return false;
        };
        let is_member = source.is(before, b'>') && source.is(before.saturating_sub(1), b'-');
        let ends_type = [b'>', b'&', b'*'].iter().any(|b| source.is(before, *b));
        let is_word = source
            .word(before)
            .is_some_and(|word| !matches!(word, "return" | "else" | "do" | "new"));
        !is_member && (ends_type || is_word)
    }

    /// Finds where the variables are in scope.
    fn place(&mut self) {
        let made = std::mem::take(&mut self.made);
        if made.is_empty() && self.declared.is_empty() && self.found.helpers.is_empty() {
            return;
        }
        let regions = Regions::of(self.source);
        for helper in &self.found.helpers {
            self.found.claims.push(Claim {
                variable: helper.variable,
                body: helper.body,
            });
        }
        let mut shared: FxHashMap<&'s str, Vec<Library>> = FxHashMap::default();
        let declared = std::mem::take(&mut self.declared);
        for made in &made {
            self.place_made(made, &declared, &regions, &mut shared);
        }
        for variable in declared {
            let name = self.source.word(variable).unwrap_or_default();
            let end = self.source.end_of_scope(variable);
            if regions.is_shared(self.source, end) {
                shared.entry(name).or_default();
                continue;
            }
            let within = made.iter().filter(|made| {
                let at = made.variable.unwrap_or_default();
                at >= variable && at < end && self.source.word(at) == Some(name)
            });
            let libraries: Vec<_> = within.map(|made| made.library.clone()).collect();
            self.add_local(variable, end, libraries::common(name, &libraries));
        }
        self.place_shared(shared, &regions);
    }

    fn place_made(
        &mut self,
        made: &Made<'s>,
        declared: &[usize],
        regions: &Regions,
        shared: &mut FxHashMap<&'s str, Vec<Library>>,
    ) {
        let source = self.source;
        let close = source.partner(made.open).unwrap_or(made.open);
        let block = self.block(made.open, "", (close, close), made.library.clone());
        if let Some(function) = made.function {
            return self.found.passed.push((function, block));
        }
        if made.is_lambda {
            let helpers = self.found.helpers.iter();
            let inside = helpers.filter(|helper| (made.open..close).contains(&helper.body.0));
            let blocks = inside.map(|helper| Block {
                variable: helper.variable,
                body: helper.body,
                ..block.clone()
            });
            self.found.blocks.extend(blocks);
            return;
        }
        let Some(variable) = made.variable else {
            return self.found.temporaries.push((block, close + 1));
        };
        let name = source.word(variable).unwrap_or_default();
        let end = source.end_of_scope(variable);
        let is_call = source.is(variable + 1, b'(') && !self.is_declaration(variable);
        if is_call && !declared.iter().any(|at| source.word(*at) == Some(name)) {
            self.found.passed.push((name, block));
        }
        if regions.is_shared(source, end) || !self.is_declaration(variable) {
            let is_local = declared.iter().any(|at| {
                *at <= variable
                    && source.word(*at) == Some(name)
                    && !regions.is_shared(source, source.end_of_scope(*at))
                    && variable < source.end_of_scope(*at)
            });
            if !is_local {
                shared.entry(name).or_default().push(made.library.clone());
            }
        } else if !declared.contains(&variable) {
            self.add_local(variable, end, made.library.clone());
        }
    }

    /// Claims the variables of macros that open blocks, or modules of pybind11.
    fn claim_blocks(&mut self, macros: &Macros) {
        let source = self.source;
        if self.found.blocks.is_empty() && self.found.helpers.is_empty() {
            return;
        }
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
            self.found
                .claims
                .extend(body.map(|body| Claim { variable, body }));
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

    fn add_local(&mut self, variable: usize, end: usize, library: Library) {
        let source = self.source;
        let name = source.word(variable).unwrap_or_default();
        let body = (source.end_of_statement(variable, end), end);
        let block = self.block(variable, name, body, library);
        self.found.claims.push(Claim {
            variable: name,
            body,
        });
        self.found.blocks.push(block);
    }

    /// Adds a block for each part of the file that uses a variable of the whole file.
    fn place_shared(&mut self, shared: FxHashMap<&'s str, Vec<Library>>, regions: &Regions) {
        let mut shared: Vec<_> = shared.into_iter().collect();
        shared.sort_by_key(|(name, _)| *name);
        for (name, libraries) in shared {
            let library = libraries::common(name, &libraries);
            for body in &regions.all {
                let uses = (body.0..body.1).any(|at| self.source.word(at) == Some(name));
                if uses {
                    let block = self.block(body.0, name, *body, library.clone());
                    self.found.blocks.push(block);
                }
            }
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
            if source.is(index, b';') || source.is(index, b'}') {
                found.all.push((start, index));
                start = index + 1;
            } else if source.is(index, b'{') {
                match source.opens(start, index) {
                    Opens::Scope(_) => {
                        found.scopes.insert(index);
                        found.all.push((start, index));
                        start = index + 1;
                    }
                    Opens::Body(_) => {
                        index = source.partner(index).unwrap_or(index);
                        found.all.push((start, index));
                        start = index + 1;
                    }
                    Opens::Other => index = source.partner(index).unwrap_or(index),
                }
            } else if source.is(index, b'(') || source.is(index, b'[') {
                index = source.partner(index).unwrap_or(index);
            }
            index += 1;
        }
        found
    }

    /// Whether a scope that ends at a token is a namespace, a class or the file.
    fn is_shared(&self, source: &Source<'_>, end: usize) -> bool {
        match source.partner(end) {
            Some(open) => self.scopes.contains(&open),
            None => true,
        }
    }
}
