//! What a file says about libraries outside blocks: parameters, objects, members and pointers of the
//! type, and expressions that make one.

use rustc_hash::FxHashSet;

use super::helpers::{Helper, body_after};
use super::libraries::{self, Library};
use super::source::Source;

/// What registers through an object of the type `torch::Library`.
pub(super) const OBJECT: &str = "torch::Library";

/// Maximum number of libraries in a file.
const MOST: usize = 256;

/// How far a declaration is searched backwards, in tokens.
const FARTHEST: usize = 64;

/// A library that an expression makes.
pub(super) struct Made<'s> {
    /// The token of the variable that it is assigned to, and whether it is declared there.
    pub variable: Option<(usize, bool)>,
    /// The token of its arguments' bracket.
    pub open: usize,
    pub library: Library,
    pub filler: Filler<'s>,
    /// What makes it.
    pub through: &'s str,
}

/// What registers with a library.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Filler<'s> {
    /// Calls on its variable, or on the expression.
    Calls,
    /// A function that gets it.
    Function(&'s str),
    /// A lambda in its arguments.
    Lambda,
}

/// What a file says about libraries.
#[derive(Default)]
pub(super) struct Mentions<'s> {
    /// Functions and lambdas with a library as a parameter.
    pub helpers: Vec<Helper<'s>>,
    pub made: Vec<Made<'s>>,
    /// Declared variables: tokens of their names.
    pub declared: Vec<usize>,
    /// The token after which there are too many libraries.
    pub cut: Option<usize>,
}

/// A function that returns a library.
struct Factory {
    /// The token of its name.
    name: usize,
    /// The tokens of its braces, if the file defines it.
    body: Option<(usize, usize)>,
}

struct Finder<'r, 's> {
    source: &'r Source<'s>,
    /// Names of the type.
    types: FxHashSet<&'s str>,
    /// Whether the file has a class of its own with the name.
    has_own_class: bool,
    /// `torch`, and names for it.
    namespaces: FxHashSet<&'s str>,
    factories: Vec<Factory>,
    found: Mentions<'s>,
}

/// Finds what a file says about libraries.
pub(super) fn find<'s>(source: &Source<'s>) -> Mentions<'s> {
    let mut finder = Finder {
        source,
        types: FxHashSet::from_iter(["Library", "StableLibrary"]),
        has_own_class: false,
        namespaces: FxHashSet::from_iter(["torch"]),
        factories: Vec::new(),
        found: Mentions::default(),
    };
    finder.name_types();
    for index in 0..source.tokens.len() {
        let Some(word) = source.word(index) else {
            continue;
        };
        let made = finder.found.made.len() + finder.found.declared.len();
        if made + finder.factories.len() > MOST {
            finder.found.cut = Some(index);
            break;
        }
        if finder.is_type(index) {
            finder.mention(index);
        } else if word.starts_with("MAKE_") && word.contains("TORCH_LIBRARY") {
            finder.make(index);
        }
    }
    finder.call_factories();
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
            if !matches!(word, Some("using" | "typedef" | "namespace")) {
                continue;
            }
            let mut statement = index..source.tokens.len().min(index + FARTHEST);
            let Some(end) = statement.find(|end| source.is(*end, b';')) else {
                continue;
            };
            if word == Some("namespace") {
                let is_torch = source.is(index + 2, b'=') && source.word(end - 1) == Some("torch");
                self.namespaces
                    .extend(source.word(index + 1).filter(|_| is_torch));
                continue;
            }
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
            Some(qualifier) => word != "Library" || self.namespaces.contains(qualifier),
            None => word != "Library" || !self.has_own_class,
        }
    }

    fn qualifier(&self, index: usize) -> Option<&'s str> {
        let source = self.source;
        let is_path = index > 2 && source.is(index - 1, b':') && source.is(index - 2, b':');
        is_path.then(|| source.word(index - 3)).flatten()
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
                None if self.is_object(index, variable) => self.found.declared.push(variable),
                None => self.factory(variable),
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
            let others = ["using", "typedef", "friend"];
            return !others.iter().any(|word| source.statement_has(index, word));
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

    /// `(torch::Library::IMPL, "aten", key, file, line)`, with the kind at a token.
    fn construct(&mut self, index: usize) {
        let source = self.source;
        let Some(open) = source.name_start(index).checked_sub(1) else {
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
        let filler = match function.map(|function| function.function_name()) {
            None => Filler::Calls,
            Some(Some(name)) => Filler::Function(name.text(source.text)),
            Some(None) => Filler::Lambda,
        };
        let variable = self.assigned(open, 0).filter(|_| filler == Filler::Calls);
        self.found.made.push(Made {
            variable: variable.map(|token| (token, self.is_declaration(token))),
            open,
            library,
            filler,
            through: OBJECT,
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
        let library = libraries::named(&arguments);
        self.add_made(index, open, library, source.word(index).unwrap_or(OBJECT));
    }

    /// Adds a library that an expression from `start` on gives.
    fn add_made(&mut self, start: usize, open: usize, library: Library, through: &'s str) {
        let variable = self.before(start, 0);
        self.found.made.push(Made {
            variable: variable.map(|token| (token, self.is_declaration(token))),
            open,
            library,
            filler: Filler::Calls,
            through,
        });
    }

    /// Adds a function that returns a library, if a declaration is one: `torch::Library& get() {`.
    fn factory(&mut self, name: usize) {
        let source = self.source;
        let close = source
            .is(name + 1, b'(')
            .then(|| source.partner(name + 1))
            .flatten();
        let Some(close) = close else {
            return;
        };
        let brace = body_after(source, close);
        let body = brace.and_then(|brace| Some((brace, source.partner(brace)?)));
        self.factories.push(Factory { name, body });
    }

    /// Adds the libraries that calls of such functions give.
    fn call_factories(&mut self) {
        let source = self.source;
        for factory in std::mem::take(&mut self.factories) {
            let name = source.word(factory.name).unwrap_or_default();
            let (from, to) = factory.body.unwrap_or_default();
            let made = self.found.made.iter();
            let made = made.filter(|made| (from..to).contains(&made.open));
            let libraries: Vec<_> = made.map(|made| made.library.clone()).collect();
            let library = libraries::common(name, &libraries);
            for at in 0..source.tokens.len() {
                if self.found.made.len() > 2 * MOST {
                    break;
                }
                let is_call = source.word(at) == Some(name) && source.is(at + 1, b'(');
                if is_call && at != factory.name && !self.is_type(at.saturating_sub(1)) {
                    self.add_made(source.chain_start(at), at + 1, library.clone(), OBJECT);
                }
            }
        }
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
            return self.before(source.name_start(angle.checked_sub(1)?), depth + 1);
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
        let start = source.name_start(last);
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
}
