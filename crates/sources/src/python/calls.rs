//! Calls and decorators that register something.

mod complete;
mod described;
mod receivers;
mod torch_library;

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::facts::{PASSED_IN, last_word};
use super::keys::{Key, Operator};
use super::syntax::{self, Arguments};
use super::value::{Environment, Library, Needs, ScopeId, Value};
use super::world::World;
use crate::parse::text;
use crate::{Macros, Registration, RegistrationKind, Scan};

/// Names of functions and methods that register something.
pub(super) const NAMES: [&str; 20] = [
    "impl",
    "define",
    "fallback",
    "_register_fake",
    "_impl_with_aoti_compile",
    "py_impl",
    "register_decomposition",
    "register_meta",
    "custom_op",
    "triton_op",
    "register_fake",
    "register_abstract",
    "impl_abstract",
    "impl_backward",
    "impl_save_for_backward",
    "register_kernel",
    "register_autograd",
    "register_vmap",
    "register_autocast",
    "impl_factory",
];

/// Maximum number of environments that a call is read in.
const MOST_ENVIRONMENTS: usize = 20_000;

struct Call<'c, 't> {
    world: &'c World<'t>,
    macros: &'c Macros,
    path: &'c [Node<'t>],
    at: ScopeId,
    /// The call, or the attribute that decorates a function.
    node: Node<'t>,
    arguments: Arguments<'t>,
    /// The function that it decorates or is applied to.
    applied: Option<Node<'t>>,
    environment: Environment<'t>,
}

struct Draft {
    kind: RegistrationKind,
    operator: Operator,
    /// The namespace of the library.
    library: Option<Box<str>>,
    key: Option<Key>,
    schema: Option<Box<str>>,
    through: String,
}

/// Registrations, unless they depend on the choice for a scope.
type Drafts = Result<Vec<Draft>, Needs>;

pub(super) fn read<'t>(
    world: &World<'t>,
    macros: &Macros,
    path: &[Node<'t>],
    file: u32,
    scan: &mut Scan,
) {
    let Some((node, function)) = callee(path) else {
        return;
    };
    let source = world.source(file);
    let name = attribute_name(function, source).unwrap_or_else(|| last_word(function, source));
    if !(world.registers(name) || macros.may_decorate(name)) {
        return;
    }
    let index = world
        .facts(file)
        .map_or(0, |facts| facts.scope_at(node.start_byte()));
    let mut call = Call {
        world,
        macros,
        path,
        at: ScopeId { file, index },
        node,
        arguments: Arguments::of(node),
        applied: syntax::applied(path),
        environment: Environment::default(),
    };
    let found = call.registrations(function, name);
    scan.registrations.extend(found);
}

fn callee<'t>(path: &[Node<'t>]) -> Option<(Node<'t>, Node<'t>)> {
    let node = path.last().copied()?;
    let parent = path.len().checked_sub(2).and_then(|index| path.get(index));
    let is_decorator = parent.is_some_and(|parent| parent.kind() == "decorator");
    let function = match node.kind() {
        "call" => node.child_by_field_name("function"),
        "attribute" | "identifier" if is_decorator => Some(node),
        // A method that is passed on instead of called.
        "attribute" if parent.is_some_and(|parent| PASSED_IN.contains(&parent.kind())) => {
            Some(node)
        }
        _ => None,
    };
    Some((node, function?))
}

/// The name in `getattr(object, "name")`.
fn attribute_name<'s>(function: Node<'_>, source: &'s str) -> Option<&'s str> {
    let inner = function.child_by_field_name("function")?;
    let name = Arguments::of(function).positional.get(1).copied()?;
    let is_literal = name.kind() == "string" && last_word(inner, source) == "getattr";
    is_literal.then(|| text(name, source).trim_matches(['"', '\'']))
}

impl<'t> Call<'_, 't> {
    /// Reads the call for each value of the variables that it depends on.
    fn registrations(&mut self, function: Node<'t>, name: &'t str) -> Vec<Registration> {
        self.world.begin_call();
        let mut open = vec![Environment::default()];
        let mut known = FxHashSet::default();
        let mut found: Vec<Registration> = Vec::new();
        let mut count = 0;
        while let Some(environment) = open.pop() {
            count += 1;
            self.environment = environment;
            self.world.base.replace(self.environment.clone());
            match self.drafts(function, name) {
                Ok(drafts) => {
                    for draft in drafts {
                        let row = self.complete(draft);
                        if known.insert(identity(&row)) {
                            found.push(row);
                        }
                    }
                }
                Err(needs) => {
                    let more = self.world.expanded(needs, &self.environment);
                    let room = MOST_ENVIRONMENTS.saturating_sub(count + open.len());
                    let is_cut = more.len() > room;
                    open.extend(more.into_iter().take(room).rev());
                    if is_cut {
                        let why = "it is called in too many ways to follow";
                        let draft = Draft::of(RegistrationKind::Impl, Operator::unknown(why), name);
                        let row = self.complete(draft);
                        found.extend(known.insert(identity(&row)).then_some(row));
                    }
                }
            }
        }
        self.world.base.take();
        found
    }

    fn drafts(&self, function: Node<'t>, name: &'t str) -> Drafts {
        if let Some(drafts) = self.described(function, name)? {
            return Ok(drafts);
        }
        match function.kind() {
            "attribute" if self.is_passed_on() => self.of_passed(function, name),
            "attribute" => self.of_attribute(function),
            "identifier" | "call" => match self.evaluated(function)? {
                Value::Path(path) => self.of_path(&path),
                Value::Method(object, method) => match &*object {
                    Value::Library(library) => self.of_library(method, library),
                    Value::Operator(operator) => self.of_operator(method, operator),
                    _ => Ok(Vec::new()),
                },
                // The registration in the project's own function counts.
                Value::Function(id, _) if self.world.body_registers(id) => Ok(Vec::new()),
                _ => self.of_table(name),
            },
            _ => Ok(Vec::new()),
        }
    }

    fn evaluated(&self, node: Node<'t>) -> Result<Value<'t>, Needs> {
        self.world.evaluate(node, self.at, &self.environment)
    }

    fn text(&self, node: Node<'t>) -> &'t str {
        self.world.text(node, self.at.file)
    }

    fn argument(&self, index: usize, name: &str) -> Option<Node<'t>> {
        let source = self.world.source(self.at.file);
        self.arguments.get(index, name, source)
    }

    fn operators(&self, node: Node<'t>) -> Result<Vec<Operator>, Needs> {
        self.world.operators(node, self.at, &self.environment)
    }

    fn keys(&self, node: Node<'t>) -> Result<Vec<Key>, Needs> {
        self.world.keys(node, self.at, &self.environment)
    }

    /// `a.b.c(...)`: a function of `torch.library`, or a method of a library or operator.
    fn of_attribute(&self, function: Node<'t>) -> Drafts {
        let field = |name| function.child_by_field_name(name);
        let (Some(object), Some(method)) = (field("object"), field("attribute")) else {
            return Ok(Vec::new());
        };
        let method = self.text(method);
        match method {
            "py_impl" => return self.python_kernel(object),
            "register_decomposition" | "register_meta" => return self.of_table(method),
            _ => {}
        }
        match self.evaluated(object)? {
            Value::Path(path) if super::names::is_symbolic(&path) => {
                self.of_path(&format!("{path}.{method}"))
            }
            Value::Library(library) => self.of_library(method, &library),
            Value::Operator(name) => self.of_operator(method, &name),
            value => self.of_receiver(method, object, &value),
        }
    }

    fn is_passed_on(&self) -> bool {
        self.node.kind() == "attribute" && self.applied.is_none()
    }

    /// `map(lib.impl, names, kernels)`
    fn of_passed(&self, method: Node<'t>, name: &str) -> Drafts {
        let Value::Method(object, _) = self.evaluated(method)? else {
            return Ok(Vec::new());
        };
        let Value::Library(library) = &*object else {
            return Ok(Vec::new());
        };
        let shown = syntax::shortened(self.text(method));
        let why = format!("`{shown}` is passed on; calls of it are not followed");
        let through = format!("Library.{name}");
        let draft = Draft::of(RegistrationKind::Impl, Operator::unknown(&why), &through);
        Ok(vec![draft.within(library)])
    }

    /// A function by its path.
    fn of_path(&self, path: &str) -> Drafts {
        let (module, function) = path.rsplit_once('.').unwrap_or(("", path));
        match module {
            "torch.library"
            | "torch._library"
            | "torch._library.triton"
            | "torch._library.custom_ops" => self.of_module(function),
            "torch._custom_ops" | "torch._custom_op.impl" | "torch._custom_op" => {
                self.of_old_module(function)
            }
            _ => self.of_table(function),
        }
    }

    /// Functions with their own registration tables.
    fn of_table(&self, function: &str) -> Drafts {
        let key = match function {
            "register_decomposition" => None,
            "register_meta" => Some(Ok("Meta".into())),
            _ => return Ok(Vec::new()),
        };
        let Some(first) = self.arguments.positional.first() else {
            return Ok(Vec::new());
        };
        let found = self.operators(*first)?.into_iter();
        let drafts = found.map(|operator| Draft {
            key: key.clone(),
            ..Draft::of(RegistrationKind::Impl, operator, function)
        });
        Ok(drafts.collect())
    }

    /// `@op.py_impl(key)`: a kernel in the table of the Python dispatcher.
    fn python_kernel(&self, object: Node<'t>) -> Drafts {
        let found = self.operators(object)?;
        let key = self.argument(0, "k").map(|node| self.keys(node));
        let keys = key.transpose()?.unwrap_or_default();
        let mut drafts = Vec::new();
        for operator in found {
            drafts.extend(keys.iter().map(|key| Draft {
                key: Some(key.clone()),
                ..Draft::of(RegistrationKind::Impl, operator.clone(), "py_impl")
            }));
        }
        Ok(drafts)
    }
}

impl Draft {
    fn of(kind: RegistrationKind, operator: Operator, through: &str) -> Self {
        Self {
            kind,
            operator,
            library: None,
            key: None,
            schema: None,
            through: through.to_owned(),
        }
    }

    /// Adds the library's namespace if the operator has none.
    fn within(mut self, library: &Library) -> Self {
        let own = self.operator.namespace.take();
        self.operator.namespace = own.or_else(|| library.namespace.clone());
        self.library.clone_from(&library.namespace);
        self
    }
}

/// What tells two registrations of one call apart.
fn identity(row: &Registration) -> [Option<Box<str>>; 6] {
    [
        Some(row.kind.as_str().into()),
        row.namespace.clone(),
        row.operator.clone(),
        row.key.clone(),
        row.schema.clone(),
        row.unresolved.clone(),
    ]
}
