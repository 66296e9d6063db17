//! Libraries that one file passes to functions of another, or that are in scope where it includes
//! another.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::blocks::Block;
use super::helpers::{Calls, Helper, Leftover};
use super::libraries::{self, Library};
use super::preprocessor::Rewritten;
use super::scopes::{self, Receivers};
use super::source::Source;
use super::{Collector, New, body, helpers, plausible};
use crate::parse::Reader;
use crate::{Macros, Scan};

/// How many files may pass a library on, one to the next.
const MOST_STEPS: usize = 4;

/// A library that a file passes on.
struct Given {
    file: u32,
    /// The function, or the path of an included file.
    name: Box<str>,
    variable: Box<str>,
    namespace: Option<Box<str>>,
    key: Option<Box<str>>,
    unresolved: Option<Box<str>>,
    through: Box<str>,
}

/// The text of a file as it is read.
#[derive(Clone, Copy)]
pub(super) struct Text<'t> {
    pub file: u32,
    pub path: &'t str,
    pub text: &'t Arc<str>,
    /// How the text came from the original one, if macros were expanded.
    pub rewritten: Option<&'t Arc<Rewritten>>,
}

/// A file whose registrations other files may decide.
struct Waiting {
    file: u32,
    path: Box<str>,
    text: Arc<str>,
    rewritten: Option<Arc<Rewritten>>,
    /// The names of functions that the file does not call itself.
    helpers: FxHashSet<Box<str>>,
    /// The places of calls that no block of the file explains.
    candidates: FxHashSet<u32>,
}

/// A variable that several files may use.
#[derive(Default)]
struct Variable {
    /// The libraries that it may hold.
    libraries: Vec<Library>,
    /// How many files declare it, other than with `extern`.
    declarations: usize,
}

/// What files leave to each other.
#[derive(Default)]
pub(super) struct Across {
    given: Vec<Given>,
    waiting: Vec<Waiting>,
    /// Variables outside functions.
    variables: FxHashMap<Box<str>, Variable>,
    /// The functions that were read, by file and place.
    read: FxHashSet<(u32, u32)>,
}

impl Across {
    /// Adds what a file left.
    pub(super) fn add(&mut self, of: Text<'_>, left: &Leftover<'_>, candidates: FxHashSet<u32>) {
        let Text { file, path, .. } = of;
        self.given.extend(given(file, left));
        // No other file sees a variable that is `static` in a file which is not included.
        let is_compiled = [".cpp", ".cc", ".cxx", ".cu", ".mu", ".mm", ".hip"]
            .iter()
            .any(|ending| path.ends_with(ending));
        let shared = left.shared.iter();
        for (name, variable) in shared.filter(|(_, variable)| !(is_compiled && variable.is_static))
        {
            let all = self.variables.entry((*name).into()).or_default();
            all.libraries.extend(variable.libraries.iter().cloned());
            all.declarations += usize::from(variable.is_declared);
        }
        if left.helpers.is_empty() && !left.has_open && candidates.is_empty() {
            return;
        }
        let helpers = left.helpers.iter();
        self.waiting.push(Waiting {
            file,
            path: path.into(),
            text: Arc::clone(of.text),
            rewritten: of.rewritten.map(Arc::clone),
            helpers: helpers
                .map(|helper| helper.name.unwrap_or_default().into())
                .collect(),
            candidates,
        });
    }

    /// The files whose libraries other files need.
    pub(super) fn givers(&self) -> FxHashSet<u32> {
        let given = self.given.iter();
        let given = given.filter(|given| self.waiting.iter().any(|waiting| waiting.takes(given)));
        given.map(|given| given.file).collect()
    }

    /// Reads what was left, now that all files are known.
    pub(super) fn finish(&mut self, macros: &Macros, reader: &mut Reader, scan: &mut Scan) {
        let mut from = 0;
        for _ in 0..MOST_STEPS {
            let new = from..self.given.len();
            if new.is_empty() {
                break;
            }
            from = new.end;
            let more = self.step(new, macros, reader, scan);
            self.given.extend(more);
        }
        let names = self.names();
        for waiting in &self.waiting {
            let new = New::of(scan);
            let source = Source::new(&waiting.text, 0);
            let mut found = waiting.collector(&source, macros, scan);
            let receivers = found.receivers();
            for block in receivers.open {
                let block = self.with_library(block);
                body::read(&mut found, reader, &block, &mut Calls::default());
            }
            for helper in receivers.helpers {
                let name = helper.name.unwrap_or_default();
                let is_left = waiting.helpers.contains(name);
                if is_left && !self.read.contains(&(waiting.file, helper.at.start)) {
                    let several = names.get(name).is_some_and(|count| *count > 1);
                    let why = several.then_some(", which several scanned files define");
                    helpers::read_alone(&mut found, reader, &helper, why);
                }
            }
            let left = &waiting.candidates;
            plausible::read(&mut found, left, |block| self.with_library(block));
            new.place(waiting.rewritten.as_deref(), scan);
        }
    }

    /// A block whose variable may hold a library that another file makes.
    fn with_library<'s>(&self, block: Block<'s>) -> Block<'s> {
        let variable = self.variables.get(block.variable);
        let variable = variable
            .filter(|variable| variable.declarations <= 1 && !variable.libraries.is_empty());
        let Some(variable) = variable else {
            return block;
        };
        let library = libraries::common(block.variable, &variable.libraries);
        Block {
            namespace: library.namespace,
            key: library.key,
            unresolved: library.unresolved,
            ..block
        }
    }

    /// How many files define each function.
    fn names(&self) -> FxHashMap<Box<str>, usize> {
        let mut names: FxHashMap<Box<str>, usize> = FxHashMap::default();
        let all = self.waiting.iter().flat_map(|waiting| &waiting.helpers);
        for name in all.filter(|name| !name.is_empty()) {
            *names.entry(name.clone()).or_default() += 1;
        }
        names
    }

    /// Reads the functions and files to which new libraries are passed; returns those that they pass
    /// on.
    fn step(
        &mut self,
        new: Range<usize>,
        macros: &Macros,
        reader: &mut Reader,
        scan: &mut Scan,
    ) -> Vec<Given> {
        let names = self.names();
        let (mut more, mut candidates) = (Vec::new(), Vec::new());
        for (index, waiting) in self.waiting.iter().enumerate() {
            let new = self.given.get(new.clone()).unwrap_or_default().iter();
            let is_clear = |given: &&Given| names.get(&given.name).is_none_or(|count| *count == 1);
            let new: Vec<_> = new
                .filter(|given| waiting.takes(given))
                .filter(is_clear)
                .collect();
            if new.is_empty() {
                continue;
            }
            let first = New::of(scan);
            let source = Source::new(&waiting.text, 0);
            let mut found = waiting.collector(&source, macros, scan);
            let (given, left) = waiting.read(&new, &mut found, reader, &mut self.read);
            more.extend(given);
            candidates.push((index, left));
            first.place(waiting.rewritten.as_deref(), scan);
        }
        for (index, left) in candidates {
            self.waiting[index].candidates = left;
        }
        more
    }
}

/// Where a passed library is in scope.
struct Place<'s> {
    variable: &'s str,
    at: opatlas_source::Span,
    body: (usize, usize),
}

impl<'s> Place<'s> {
    fn of_helper(helper: &Helper<'s>) -> Self {
        Self {
            variable: helper.variable,
            at: helper.at,
            body: helper.body,
        }
    }

    fn of_file(source: &Source<'s>, variable: &'s str) -> Self {
        Self {
            variable,
            at: opatlas_source::Span::at(0),
            body: (0, source.tokens.len().saturating_sub(1)),
        }
    }

    fn block(&self, given: &'s Given) -> Block<'s> {
        Block {
            namespace: given.namespace.clone(),
            key: given.key.clone(),
            variable: self.variable,
            through: &given.through,
            at: self.at,
            body: self.body,
            unresolved: given.unresolved.clone(),
        }
    }
}

fn given(file: u32, left: &Leftover<'_>) -> Vec<Given> {
    let calls = left.calls.iter();
    let given = calls.map(|(name, block)| Given {
        file,
        name: (*name).into(),
        variable: block.variable.into(),
        namespace: block.namespace.clone(),
        key: block.key.clone(),
        unresolved: block.unresolved.clone(),
        through: block.through.into(),
    });
    given.collect()
}

impl Waiting {
    fn takes(&self, given: &Given) -> bool {
        given.file != self.file && (self.includes(given) || self.helpers.contains(&given.name))
    }

    /// Reads the functions to which libraries are given; returns what they pass on, and the calls that
    /// are left.
    fn read<'s>(
        &self,
        new: &[&'s Given],
        found: &mut Collector<'_, 's>,
        reader: &mut Reader,
        read: &mut FxHashSet<(u32, u32)>,
    ) -> (Vec<Given>, FxHashSet<u32>) {
        let source = found.source;
        let receivers = found.receivers();
        let mut calls = Calls::default();
        let first = found.scan.registrations.len();
        for given in new {
            let helpers = receivers.helpers.iter();
            let called = helpers.filter(|helper| helper.name == Some(&*given.name));
            let mut places: Vec<_> = called.map(Place::of_helper).collect();
            if self.includes(given) {
                places.push(Place::of_file(source, &given.variable));
            }
            for place in places {
                read.insert((self.file, place.at.start));
                body::read(found, reader, &place.block(given), &mut calls);
            }
        }
        let passed = helpers::read(found, reader, receivers.helpers, calls);
        let rest = plausible::find(found, first);
        let rest: FxHashSet<u32> = rest.iter().map(|call| call.at(source)).collect();
        let left = self.candidates.iter().copied();
        let left = left.filter(|at| rest.contains(at)).collect();
        (given(self.file, &passed), left)
    }

    /// Whether this file is included where the library is in scope.
    fn includes(&self, given: &Given) -> bool {
        let path = given
            .name
            .trim_start_matches("./")
            .trim_start_matches("../");
        let rest = self.path.strip_suffix(path);
        !self.candidates.is_empty()
            && path.contains('.')
            && rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    }

    fn collector<'r, 's>(
        &self,
        source: &'r Source<'s>,
        macros: &'r Macros,
        scan: &'r mut Scan,
    ) -> Collector<'r, 's> {
        Collector::of(source, macros, self.file, scan)
    }
}

impl<'s> Collector<'_, 's> {
    /// Finds the libraries of the file.
    pub(super) fn receivers(&mut self) -> Receivers<'s> {
        let mut found = scopes::find(self.source, self.macros);
        self.claims = std::mem::take(&mut found.claims);
        self.claims.sort_by_key(|claim| claim.body);
        found
    }
}
