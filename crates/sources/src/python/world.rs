//! All Python files of a scan, and how they refer to each other.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::Parsed;
use super::calls::NAMES;
use super::facts::{Facts, Scope, ScopeKind, Site, last_word};
use super::imports;
use super::syntax::Arguments;
use super::value::{Caller, Choice, Environment, ScopeId, Value};
use crate::Macros;
use crate::parse::text;

/// A step evaluates one expression.
const BASE_STEPS: usize = 1_000_000;
const STEPS_OF_CALL: usize = 500_000;
const BYTES_PER_STEP: usize = 4;

/// Files that are needed to resolve something, and were not read.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    /// Functions and classes whose calls are needed.
    pub called: FxHashSet<String>,
    /// Classes whose objects or derived classes are needed.
    pub classes: FxHashSet<String>,
    /// The ends of module paths: `a/b`.
    pub modules: FxHashSet<String>,
}

pub(super) struct World<'t> {
    pub files: Vec<Source<'t>>,
    /// By the name of the module: `b` for `a/b.py` and `a/b/__init__.py`.
    modules: FxHashMap<&'t str, Vec<u32>>,
    /// Other names of functions and classes.
    aliases: FxHashMap<&'t str, FxHashSet<&'t str>>,
    /// Other names of functions that register something.
    registering: FxHashSet<&'t str>,
    /// Classes by the last names of their bases.
    pub derived: FxHashMap<&'t str, Vec<ScopeId>>,
    /// Names of module scopes that are a library or an operator in exactly one way.
    pub shared: RefCell<FxHashMap<&'t str, Option<Value<'t>>>>,
    /// The files whose module scope has a name.
    pub named: FxHashMap<&'t str, Vec<u32>>,
    pub ancestors: RefCell<FxHashMap<ScopeId, Rc<[ScopeId]>>>,
    pub below: RefCell<FxHashMap<ScopeId, Rc<[ScopeId]>>>,
    /// The values of names in modules; `None` for those that a module does not have.
    pub members: RefCell<FxHashMap<(u32, &'t str), Option<Value<'t>>>>,
    pub callers: RefCell<FxHashMap<ScopeId, Rc<[Caller<'t>]>>>,
    pub renamed: &'t FxHashSet<Box<str>>,
    pub wanted: RefCell<Wanted>,
    /// Files whose names were used.
    pub consulted: RefCell<FxHashSet<u32>>,
    pub steps: Cell<usize>,
    call_steps: Cell<usize>,
    /// The choices for the call that is read.
    pub base: RefCell<Environment<'t>>,
    pub depth: Cell<usize>,
    /// The first choice of an environment that the evaluation used.
    pub outermost: Cell<usize>,
    /// The values of expressions that do not depend on an environment.
    pub plain: RefCell<FxHashMap<(u32, usize), Value<'t>>>,
    /// Assignments that are being evaluated.
    pub active: RefCell<Vec<Node<'t>>>,
}

pub(super) struct Source<'t> {
    pub parsed: &'t Parsed,
    pub facts: Facts<'t>,
}

impl<'t> Source<'t> {
    pub(super) fn of(file: u32, parsed: &'t Parsed) -> Self {
        Self {
            parsed,
            facts: Facts::of(file, &parsed.tree, &parsed.text),
        }
    }
}

impl<'t> World<'t> {
    pub(super) fn of(files: Vec<Source<'t>>, renamed: &'t FxHashSet<Box<str>>) -> Self {
        let bytes: usize = files.iter().map(|source| source.parsed.text.len()).sum();
        let mut world = Self {
            files: Vec::new(),
            modules: FxHashMap::default(),
            aliases: FxHashMap::default(),
            registering: FxHashSet::default(),
            derived: FxHashMap::default(),
            shared: RefCell::default(),
            named: FxHashMap::default(),
            ancestors: RefCell::default(),
            below: RefCell::default(),
            members: RefCell::default(),
            callers: RefCell::default(),
            renamed,
            wanted: RefCell::default(),
            consulted: RefCell::default(),
            steps: Cell::new(BASE_STEPS + bytes / BYTES_PER_STEP),
            call_steps: Cell::new(0),
            base: RefCell::default(),
            depth: Cell::new(0),
            outermost: Cell::new(usize::MAX),
            plain: RefCell::default(),
            active: RefCell::default(),
        };
        for (source, file) in files.iter().zip(0..) {
            world.add(file, source);
        }
        world.files = files;
        world
    }

    fn add(&mut self, file: u32, source: &Source<'t>) {
        let Source { parsed, facts } = source;
        if let Some(name) = module_parts(&parsed.path).last() {
            self.modules.entry(name).or_default().push(file);
        }
        for (local, of) in &facts.aliases {
            self.aliases.entry(of).or_default().insert(local);
        }
        for (scope, name) in facts.bound.keys() {
            if *scope == 0 {
                self.named.entry(name).or_default().push(file);
            }
        }
        self.registering.extend(&facts.registering);
        self.bases(file, facts, &parsed.text);
    }

    fn bases(&mut self, file: u32, facts: &Facts<'t>, source: &'t str) {
        for (scope, index) in facts.scopes.iter().zip(0..) {
            if !matches!(scope.kind, ScopeKind::Class) {
                continue;
            }
            for base in bases_of(scope.node) {
                let id = ScopeId { file, index };
                self.derived
                    .entry(last_word(base, source))
                    .or_default()
                    .push(id);
            }
        }
    }

    pub(super) fn facts(&self, file: u32) -> Option<&Facts<'t>> {
        self.files.get(file as usize).map(|source| &source.facts)
    }

    pub(super) fn source(&self, file: u32) -> &'t str {
        self.files
            .get(file as usize)
            .map_or("", |source| &source.parsed.text)
    }

    pub(super) fn path(&self, file: u32) -> &'t str {
        self.files
            .get(file as usize)
            .map_or("", |source| &source.parsed.path)
    }

    pub(super) fn text(&self, node: Node<'t>, file: u32) -> &'t str {
        text(node, self.source(file))
    }

    pub(super) fn scope(&self, id: ScopeId) -> Option<&Scope<'t>> {
        self.facts(id.file)?.scope(id.index)
    }

    /// The name of a function or class.
    pub(super) fn name(&self, id: ScopeId) -> &'t str {
        let name = self
            .scope(id)
            .and_then(|s| s.node.child_by_field_name("name"));
        name.map_or("", |name| self.text(name, id.file))
    }

    /// Where a file calls something that may register, in order.
    pub(super) fn places(&self, file: u32, macros: &Macros) -> Vec<usize> {
        let sites = self.facts(file).map(|facts| facts.sites.iter());
        let named = sites.into_iter().flatten().filter(|(name, _)| {
            let is_computed = **name == "getattr";
            is_computed || self.registers(name) || macros.may_decorate(name)
        });
        let sites = named.flat_map(|(_, sites)| sites);
        let mut places: Vec<usize> = sites.map(|site| site.node.start_byte()).collect();
        let passed = self.facts(file).map(|facts| facts.passed.iter());
        places.extend(passed.into_iter().flatten());
        places.sort_unstable();
        places
    }

    /// Takes a step; false if none is left for the call or the scan.
    pub(super) fn step(&self) -> bool {
        let (left, of_call) = (self.steps.get(), self.call_steps.get());
        self.steps.set(left.saturating_sub(1));
        self.call_steps.set(of_call.saturating_sub(1));
        left > 0 && of_call > 0
    }

    /// The choice for a scope; of an expression whose evaluation was put off, possibly one that was
    /// made later.
    pub(super) fn choice(&self, environment: &Environment<'t>, id: ScopeId) -> Option<Choice<'t>> {
        if let Some((count, choice)) = environment.choice(id) {
            self.outermost.set(self.outermost.get().min(count));
            return Some(choice.clone());
        }
        self.outermost.set(0);
        let base = self.base.borrow();
        base.choice(id).map(|(_, choice)| choice.clone())
    }

    /// Gives the next call its steps.
    pub(super) fn begin_call(&self) {
        self.call_steps.set(STEPS_OF_CALL);
    }

    /// Whether the body of a function registers something for its caller.
    pub(super) fn body_registers(&self, id: ScopeId) -> bool {
        let body = self
            .scope(id)
            .and_then(|scope| scope.node.child_by_field_name("body"));
        let text = body.map_or("", |body| self.text(body, id.file));
        [".impl(", ".define(", "._register_fake("]
            .iter()
            .any(|call| text.contains(call))
    }

    /// The file of a module, as a file imports it.
    pub(super) fn module(&self, module: &str, from: u32) -> Option<u32> {
        let (parts, is_complete) = imports::parts(module, self.path(from));
        let mut best: Option<(usize, u32)> = None;
        let mut is_unique = true;
        for &file in self.modules.get(*parts.last()?)? {
            let own = module_parts(self.path(file));
            if !own.ends_with(&parts) || (is_complete && own.len() != parts.len()) {
                continue;
            }
            let near = common(self.path(file), self.path(from));
            match best {
                Some((known, _)) if known > near => {}
                Some((known, _)) if known == near => is_unique = false,
                _ => {
                    best = Some((near, file));
                    is_unique = true;
                }
            }
        }
        let found = best.filter(|_| is_unique).map(|(_, file)| file);
        if let Some(file) = found {
            self.consulted.borrow_mut().insert(file);
        }
        found
    }

    /// Asks for a module that was not read.
    pub(super) fn want_module(&self, module: &str, from: u32) {
        let (parts, _) = imports::parts(module, self.path(from));
        self.wanted.borrow_mut().modules.insert(parts.join("/"));
    }

    /// Whether a call of this name may register something.
    pub(super) fn registers(&self, name: &str) -> bool {
        NAMES.contains(&name) || self.registering.contains(name)
    }

    /// All names that a function or class may be called by.
    pub(super) fn names_of(&self, name: &'t str) -> Vec<&'t str> {
        let mut names = vec![name];
        names.extend(self.aliases.get(name).into_iter().flatten());
        names.sort_unstable();
        names.dedup();
        names
    }

    pub(super) fn sites(&self, name: &str) -> impl Iterator<Item = &Site<'t>> {
        let files = self.files.iter();
        files.flat_map(move |source| source.facts.sites.get(name).into_iter().flatten())
    }

    /// Whether a file is a part of `torch.library`, whose functions are known.
    pub(super) fn is_torch_library(&self, file: u32) -> bool {
        let path = self.path(file);
        path.ends_with("torch/library.py")
            || path.contains("torch/_library/")
            || path.contains("torch/_custom_op/")
            || path.ends_with("torch/_custom_ops.py")
            || path.ends_with("torch/_ops.py")
    }

    /// The decorators of a function or class.
    pub(super) fn decorators(&self, definition: ScopeId) -> &[Node<'t>] {
        let facts = self.facts(definition.file);
        let node = self.scope(definition).map(|scope| scope.node.id());
        let found = facts
            .zip(node)
            .and_then(|(facts, id)| facts.decorators.get(&id));
        found.map_or(&[], |found| found)
    }

    /// Whether any argument of a call can differ from those of another one.
    pub(super) fn is_bare(&self, site: &Site<'t>) -> bool {
        let arguments = Arguments::of(site.node);
        arguments.positional.is_empty() && arguments.keywords.is_empty() && !arguments.has_rest
    }
}

pub(super) fn bases_of(class: Node<'_>) -> Vec<Node<'_>> {
    let list = class.child_by_field_name("superclasses");
    let bases = list.map(crate::parse::children).unwrap_or_default();
    let is_base = |node: &Node<'_>| matches!(node.kind(), "identifier" | "attribute");
    bases.into_iter().filter(is_base).collect()
}

/// `a/b/__init__.py` and `a/b.py` are `a`, `b`.
pub(super) fn module_parts(path: &str) -> Vec<&str> {
    let (path, _) = path.rsplit_once(".py").unwrap_or((path, ""));
    let path = path.strip_suffix("/__init__").unwrap_or(path);
    path.split('/').collect()
}

/// How many folders two paths share.
fn common(a: &str, b: &str) -> usize {
    let pairs = a.split('/').zip(b.split('/'));
    pairs.take_while(|(a, b)| a == b).count()
}
