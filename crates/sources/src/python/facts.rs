//! What each name of a Python file may be: assignments, imports, loops, functions and calls.

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::{Node, Tree};

use super::calls::NAMES;
use super::imports;
use super::syntax::{self, Arguments, Branch, Target};
use crate::parse::{Walk, children, text};

/// A part of a file with its own names. Its range leaves out parameters, decorators and lists to
/// loop through, which belong to the scope around it.
#[derive(Debug)]
pub(super) struct Scope<'t> {
    pub kind: ScopeKind<'t>,
    /// The definition, loop or comprehension.
    pub node: Node<'t>,
    pub parent: u32,
    pub start: usize,
    pub end: usize,
}

#[derive(Debug)]
pub(super) enum ScopeKind<'t> {
    Module,
    Class,
    Function(Vec<Parameter<'t>>),
    Loop(Vec<Target<'t>>),
    /// The targets of each `for`.
    Comprehension(Vec<Vec<Target<'t>>>),
}

#[derive(Debug)]
pub(super) struct Parameter<'t> {
    pub name: &'t str,
    pub default: Option<Node<'t>>,
    pub annotation: Option<Node<'t>>,
    /// `*args` or `**kwargs`.
    pub is_rest: bool,
    pub is_keyword_only: bool,
}

#[derive(Debug, Clone)]
pub(super) enum Binding<'t> {
    /// A part of an expression; `[1]` is the second item.
    Assigned(Node<'t>, Vec<usize>),
    /// `x += more`, `x.append(more)`.
    Extended(Node<'t>, Extension),
    Defined(Node<'t>),
    /// A module, or a name of one.
    Imported(imports::Import<'t>),
    /// Something else, such as a loop variable after its loop.
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extension {
    /// With all items of the expression.
    Items,
    /// With the expression.
    Item,
    /// In a way that is not followed.
    Unknown,
}

#[derive(Debug, Clone)]
pub(super) struct Bound<'t> {
    pub binding: Binding<'t>,
    /// Where the statement ends.
    pub at: usize,
    /// The branch of a condition or loop that contains it.
    pub branch: Branch<'t>,
}

/// A call, or a decorator without arguments.
#[derive(Debug, Clone)]
pub(super) struct Site<'t> {
    pub file: u32,
    pub scope: u32,
    /// The call, or the decorator's expression.
    pub node: Node<'t>,
    /// The function that it decorates, or the argument of `register(...)(function)`.
    pub applied: Option<Node<'t>>,
}

#[derive(Debug, Default)]
pub(super) struct Facts<'t> {
    pub scopes: Vec<Scope<'t>>,
    pub bound: FxHashMap<(u32, &'t str), Vec<Bound<'t>>>,
    /// The values of `self.name` in a class, and of attributes of other names by their full text.
    pub attributes: FxHashMap<(u32, &'t str), Vec<Bound<'t>>>,
    /// `from module import *`
    pub stars: Vec<&'t str>,
    /// By the last name of what is called.
    pub sites: FxHashMap<&'t str, Vec<Site<'t>>>,
    /// Where `lib.impl` is passed on instead of called.
    pub passed: Vec<usize>,
    /// Other names of functions that register something.
    pub registering: Vec<&'t str>,
    /// Names that may be another name for a function or class, by its last name.
    pub aliases: Vec<(&'t str, &'t str)>,
    pub returns: FxHashMap<u32, Vec<Node<'t>>>,
    /// The decorators of a definition, by its node.
    pub decorators: FxHashMap<usize, Vec<Node<'t>>>,
    /// Names after `global` in a function.
    globals: FxHashSet<(u32, &'t str)>,
    /// Whether deeply nested code was skipped.
    pub is_cut: bool,
}

impl<'t> Facts<'t> {
    pub(super) fn of(file: u32, tree: &'t Tree, source: &'t str) -> Self {
        let mut facts = Self::default();
        facts.scopes.push(Scope {
            kind: ScopeKind::Module,
            node: tree.root_node(),
            parent: 0,
            start: 0,
            end: source.len(),
        });
        let mut walk = Walk::new(tree.root_node());
        while walk.next(true).is_some() {
            facts.open(&walk.path, source);
            facts.visit(file, &walk.path, source);
        }
        facts.is_cut = walk.is_cut;
        for bound in facts.bound.values_mut() {
            bound.sort_by_key(|bound| bound.at);
        }
        facts
    }

    /// The innermost scope at a place.
    pub(super) fn scope_at(&self, at: usize) -> u32 {
        let mut index = self.scopes.partition_point(|scope| scope.start <= at);
        index = index.saturating_sub(1);
        loop {
            match self.scopes.get(index) {
                Some(scope) if at >= scope.end && index > 0 => index = scope.parent as usize,
                _ => return u32::try_from(index).unwrap_or(0),
            }
        }
    }

    pub(super) fn scope(&self, index: u32) -> Option<&Scope<'t>> {
        self.scopes.get(index as usize)
    }

    /// The scope of a comprehension.
    pub(super) fn scope_of(&self, comprehension: Node<'t>) -> Option<u32> {
        self.scope_from(comprehension, comprehension)
    }

    /// The scope of a function's or class's body.
    pub(super) fn body_of(&self, definition: Node<'t>) -> Option<u32> {
        self.scope_from(definition.child_by_field_name("body")?, definition)
    }

    fn scope_from(&self, start: Node<'t>, node: Node<'t>) -> Option<u32> {
        let mut index = self.scope_at(start.start_byte());
        while self.scope(index)?.node != node {
            if index == 0 {
                return None;
            }
            index = self.scope(index)?.parent;
        }
        Some(index)
    }

    /// The module, class or function around a scope: where assignments go.
    pub(super) fn owner(&self, mut index: u32) -> u32 {
        while let Some(scope) = self.scope(index) {
            if !matches!(scope.kind, ScopeKind::Loop(_) | ScopeKind::Comprehension(_)) {
                break;
            }
            index = scope.parent;
        }
        index
    }

    /// The class whose method contains a scope.
    pub(super) fn class_around(&self, mut index: u32) -> Option<u32> {
        while index > 0 {
            let scope = self.scope(index)?;
            if matches!(scope.kind, ScopeKind::Class) {
                return Some(index);
            }
            index = scope.parent;
        }
        None
    }

    fn open(&mut self, path: &[Node<'t>], source: &'t str) {
        let Some(node) = path.last().copied() else {
            return;
        };
        let around = path.len().checked_sub(2).and_then(|index| path.get(index));
        let body = around.filter(|around| around.child_by_field_name("body") == Some(node));
        let (kind, of) = match (node.kind(), body) {
            (
                "list_comprehension"
                | "set_comprehension"
                | "generator_expression"
                | "dictionary_comprehension",
                _,
            ) => (
                ScopeKind::Comprehension(syntax::clauses(node, source)),
                node,
            ),
            (_, Some(around)) => match around.kind() {
                "function_definition" | "lambda" => (
                    ScopeKind::Function(syntax::parameters(*around, source)),
                    *around,
                ),
                "class_definition" => (ScopeKind::Class, *around),
                "for_statement" => {
                    let left = around.child_by_field_name("left");
                    let targets = left.map(|left| syntax::targets(left, source));
                    (ScopeKind::Loop(targets.unwrap_or_default()), *around)
                }
                _ => return,
            },
            _ => return,
        };
        let parent = self.scope_at(node.start_byte());
        self.scopes.push(Scope {
            kind,
            node: of,
            parent,
            start: node.start_byte(),
            end: node.end_byte(),
        });
    }

    fn visit(&mut self, file: u32, path: &[Node<'t>], source: &'t str) {
        let Some(node) = path.last().copied() else {
            return;
        };
        match node.kind() {
            "assignment" => self.assignment(path, source),
            "augmented_assignment" => self.augmented(path, source),
            "named_expression" => {
                let field = |name| node.child_by_field_name(name);
                if let (Some(name), Some(value)) = (field("name"), field("value")) {
                    self.bind(path, text(name, source), Binding::Assigned(value, vec![]));
                }
            }
            "as_pattern" => {
                if let [value, target] = children(node)[..] {
                    self.bind(path, text(target, source), Binding::Assigned(value, vec![]));
                }
            }
            "for_statement" => {
                let left = node.child_by_field_name("left");
                for target in left.map(|l| syntax::targets(l, source)).unwrap_or_default() {
                    self.bind(path, target.name, Binding::Other);
                }
            }
            "function_definition" | "class_definition" => self.defined(path, source),
            "import_statement" | "import_from_statement" => self.import(path, source),
            "return_statement" => {
                let owner = self.owner(self.scope_at(node.start_byte()));
                if let Some(value) = node.named_child(0) {
                    self.returns.entry(owner).or_default().push(value);
                }
            }
            "global_statement" => {
                let scope = self.owner(self.scope_at(node.start_byte()));
                let names = children(node).into_iter();
                self.globals
                    .extend(names.map(|name| (scope, text(name, source))));
            }
            "call" => self.call(file, path, source),
            "attribute"
                if PASSED_IN.iter().any(|kind| is_in(path, kind))
                    && matches!(last_word(node, source), "impl" | "define" | "fallback") =>
            {
                self.passed.push(node.start_byte());
            }
            "identifier" | "attribute" if is_in(path, "decorator") => {
                self.site(file, path, last_word(node, source));
            }
            _ => {}
        }
    }

    fn defined(&mut self, path: &[Node<'t>], source: &'t str) {
        let Some(node) = path.last().copied() else {
            return;
        };
        if let Some(name) = node.child_by_field_name("name") {
            self.bind(path, text(name, source), Binding::Defined(node));
        }
        self.decorated(path);
        for parameter in syntax::parameters(node, source) {
            let default = parameter.default.map(|default| last_word(default, source));
            self.aliases.extend(default.map(|of| (parameter.name, of)));
        }
    }

    fn decorated(&mut self, path: &[Node<'t>]) {
        let [.., around, node] = path else {
            return;
        };
        if around.kind() == "decorated_definition" {
            let decorators = children(*around).into_iter();
            let decorators = decorators.filter(|child| child.kind() == "decorator");
            let found = decorators.filter_map(|decorator| decorator.named_child(0));
            self.decorators.insert(node.id(), found.collect());
        }
    }

    fn bind(&mut self, path: &[Node<'t>], name: &'t str, binding: Binding<'t>) {
        let Some(node) = path.last() else {
            return;
        };
        let own = self.owner(self.scope_at(node.start_byte()));
        let is_global = self.globals.contains(&(own, name));
        let scope = if is_global { 0 } else { own };
        let bound = self.bound_at(path, scope, binding);
        self.bound.entry((scope, name)).or_default().push(bound);
    }

    fn bound_at(&self, path: &[Node<'t>], scope: u32, binding: Binding<'t>) -> Bound<'t> {
        let start = self.scope(scope).map_or(0, |scope| scope.start);
        let at = path.last().map_or(0, Node::end_byte);
        Bound {
            binding,
            at,
            branch: syntax::branch(path, start),
        }
    }

    fn assignment(&mut self, path: &[Node<'t>], source: &'t str) {
        let Some(node) = path.last().copied() else {
            return;
        };
        let field = |name| node.child_by_field_name(name);
        let (Some(left), Some(mut right)) = (field("left"), field("right")) else {
            return;
        };
        // `a = b = value` assigns the value to both.
        while right.kind() == "assignment" {
            let Some(inner) = right.child_by_field_name("right") else {
                return;
            };
            right = inner;
        }
        if matches!(right.kind(), "identifier" | "attribute") && left.kind() != "subscript" {
            let names = (last_word(left, source), last_word(right, source));
            self.aliases.push(names);
            let is_method = left.kind() == "identifier" && right.kind() == "attribute";
            let is_registering = is_method && NAMES.contains(&names.1);
            self.registering.extend(is_registering.then_some(names.0));
        }
        match left.kind() {
            "attribute" => self.attribute(path, left, right, source),
            "subscript" => {
                let value = left.child_by_field_name("value");
                let value = value.filter(|value| value.kind() == "identifier");
                if let Some(value) = value {
                    let how = Binding::Extended(node, Extension::Item);
                    self.extend(path, text(value, source), how);
                }
            }
            _ => {
                for target in syntax::targets(left, source) {
                    let binding = match target.path {
                        Some(path) => Binding::Assigned(right, path),
                        None => Binding::Other,
                    };
                    self.bind(path, target.name, binding);
                }
            }
        }
    }

    /// `self.lib = value`
    fn attribute(&mut self, path: &[Node<'t>], left: Node<'t>, right: Node<'t>, source: &'t str) {
        let scope = self.scope_at(left.start_byte());
        let object = left.child_by_field_name("object");
        let is_own = object.is_some_and(|o| matches!(text(o, source), "self" | "cls"));
        let bound = self.bound_at(path, self.owner(scope), Binding::Assigned(right, vec![]));
        let key = match self.class_around(scope).filter(|_| is_own) {
            Some(class) => (class, last_word(left, source)),
            None => (0, text(left, source)),
        };
        self.attributes.entry(key).or_default().push(bound);
    }

    fn augmented(&mut self, path: &[Node<'t>], source: &'t str) {
        let field = |name| path.last()?.child_by_field_name(name);
        if let (Some(left), Some(right)) = (field("left"), field("right"))
            && left.kind() == "identifier"
        {
            let binding = Binding::Extended(right, Extension::Items);
            self.extend(path, text(left, source), binding);
        }
    }

    /// Changes a list, in the scope that has it.
    fn extend(&mut self, path: &[Node<'t>], name: &'t str, binding: Binding<'t>) {
        let Some(node) = path.last() else {
            return;
        };
        let own = self.owner(self.scope_at(node.start_byte()));
        let mut scope = own;
        while scope > 0 && !self.bound.contains_key(&(scope, name)) {
            scope = self
                .scope(scope)
                .map_or(0, |scope| self.owner(scope.parent));
        }
        let binding = match binding {
            Binding::Extended(node, _) if scope != own => {
                Binding::Extended(node, Extension::Unknown)
            }
            binding => binding,
        };
        let bound = self.bound_at(path, scope, binding);
        self.bound.entry((scope, name)).or_default().push(bound);
    }

    fn import(&mut self, path: &[Node<'t>], source: &'t str) {
        let Some(node) = path.last().copied() else {
            return;
        };
        let found = imports::of(node, source);
        self.stars.extend(found.star);
        for (local, import) in found.names {
            if let Some(name) = import.name.filter(|name| *name != local) {
                self.aliases.push((local, name));
                self.registering
                    .extend(NAMES.contains(&name).then_some(local));
            }
            self.bind(path, local, Binding::Imported(import));
        }
    }

    fn call(&mut self, file: u32, path: &[Node<'t>], source: &'t str) {
        let Some(node) = path.last().copied() else {
            return;
        };
        let Some(function) = node.child_by_field_name("function") else {
            return;
        };
        self.site(file, path, last_word(function, source));
        let object = function.child_by_field_name("object");
        let Some(object) = object.filter(|object| object.kind() == "identifier") else {
            return;
        };
        let first = Arguments::of(node).positional.first().copied();
        let how = match (last_word(function, source), first) {
            ("append" | "add", Some(item)) => Binding::Extended(item, Extension::Item),
            ("extend" | "update", Some(items)) => Binding::Extended(items, Extension::Items),
            ("insert" | "remove" | "pop" | "clear" | "setdefault" | "discard", _) => {
                Binding::Extended(node, Extension::Unknown)
            }
            _ => return,
        };
        self.extend(path, text(object, source), how);
    }

    fn site(&mut self, file: u32, path: &[Node<'t>], name: &'t str) {
        if let Some(node) = path.last().copied() {
            let scope = self.scope_at(node.start_byte());
            let applied = syntax::applied(path);
            self.sites.entry(name).or_default().push(Site {
                file,
                scope,
                node,
                applied,
            });
        }
    }
}

/// What contains a method that is passed on.
pub(super) const PASSED_IN: [&str; 6] = [
    "argument_list",
    "keyword_argument",
    "list",
    "tuple",
    "pair",
    "return_statement",
];

fn is_in(path: &[Node<'_>], kind: &str) -> bool {
    let around = path.len().checked_sub(2).and_then(|index| path.get(index));
    around.is_some_and(|around| around.kind() == kind)
}

/// `c` of `a.b.c`.
pub(super) fn last_word<'s>(node: Node<'_>, source: &'s str) -> &'s str {
    let all = text(node, source);
    all.rsplit('.').next().unwrap_or_default().trim()
}
