//! The values of names in a Python file.

use rustc_hash::FxHashMap;
use tree_sitter::{Node, Tree};

use super::values;
use crate::parse::{Walk, children, text};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Library {
    pub namespace: Option<Box<str>>,
    pub key: Option<Box<str>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// `Library("ns", "IMPL", "XLA")`
    Library(Library),
    /// `torch.ops.aten`, without `torch.ops`.
    Operators(Box<str>),
    /// `"name"`
    Text(Box<str>),
    /// `["a", "b"]`, as a byte range.
    List(usize, usize),
    /// A function with `@custom_op("ns::name")`.
    Operator(Box<str>),
    Other,
}

#[derive(Debug, Default)]
pub(super) struct Facts {
    /// The assignments of each name, with their positions, in order.
    values: FxHashMap<Box<str>, Vec<(usize, Value)>>,
    /// Names imported from `torch.library`, by local name.
    imported: FxHashMap<Box<str>, Box<str>>,
}

/// Names with the same value in all files.
#[derive(Debug, Default)]
pub(super) struct Shared {
    values: FxHashMap<Box<str>, Option<Value>>,
}

pub(super) struct Names<'f> {
    pub text: &'f str,
    pub facts: &'f Facts,
    pub shared: &'f Shared,
}

impl Facts {
    /// Also returns whether the tree is nested too deeply.
    pub(super) fn of(tree: &Tree, source: &str) -> (Self, bool) {
        let mut facts = Self::default();
        let mut walk = Walk::new(tree.root_node());
        while let Some(node) = walk.next(true) {
            match node.kind() {
                "assignment" => facts.assignment(node, source),
                "as_pattern" => facts.with(node, source),
                "import_from_statement" => facts.import(node, source),
                "decorated_definition" => facts.decorated(node, source),
                _ => {}
            }
        }
        (facts, walk.is_cut)
    }

    fn add(&mut self, name: &str, at: usize, value: Value) {
        self.values
            .entry(name.into())
            .or_default()
            .push((at, value));
    }

    fn assignment(&mut self, node: Node<'_>, source: &str) {
        let field = |name| node.child_by_field_name(name);
        let (Some(left), Some(right)) = (field("left"), field("right")) else {
            return;
        };
        if matches!(left.kind(), "identifier" | "attribute") {
            let value = value_of(right, source);
            self.add(text(left, source), node.start_byte(), value);
        }
    }

    /// `with torch.library._scoped_library("ns", "IMPL") as lib:`
    fn with(&mut self, node: Node<'_>, source: &str) {
        if let [value, target] = children(node)[..] {
            self.add(
                text(target, source),
                node.start_byte(),
                value_of(value, source),
            );
        }
    }

    fn import(&mut self, node: Node<'_>, source: &str) {
        let module = node.child_by_field_name("module_name");
        let module = module.map_or("", |module| text(module, source));
        let mut cursor = node.walk();
        for name in node.children_by_field_name("name", &mut cursor) {
            let field = |field| {
                name.child_by_field_name(field)
                    .map(|node| text(node, source))
            };
            let original = field("name").unwrap_or_else(|| text(name, source));
            let local = field("alias").unwrap_or(original);
            if module == "torch.library" {
                self.imported.insert(local.into(), original.into());
            } else if (module, original) == ("torch", "library") {
                self.imported.insert(local.into(), "library".into());
            } else if module == "torch" && original == "ops" {
                self.add(local, 0, Value::Operators("".into()));
            }
        }
    }

    /// A function with `@custom_op("ns::name", ...)` stands for the operator.
    fn decorated(&mut self, node: Node<'_>, source: &str) {
        let definition = node.child_by_field_name("definition");
        let Some(name) = definition.and_then(|d| d.child_by_field_name("name")) else {
            return;
        };
        for decorator in children(node) {
            let call = decorator
                .named_child(0)
                .filter(|call| call.kind() == "call");
            let Some(call) = call.filter(|_| decorator.kind() == "decorator") else {
                continue;
            };
            let function = values::last_name(call, source);
            if matches!(function, "custom_op" | "triton_op")
                && let Some(first) = values::arguments(call).positional.first()
                && let Some(operator) = values::literal(*first, source)
            {
                self.add(
                    text(name, source),
                    node.start_byte(),
                    Value::Operator(operator),
                );
            }
        }
    }
}

impl Shared {
    /// A name with two values has none.
    pub(super) fn add(&mut self, facts: &Facts) {
        for (name, values) in &facts.values {
            for (_, value) in values {
                let value = match value {
                    Value::Library(_) | Value::Operator(_) | Value::Operators(_) => value,
                    Value::Text(_) | Value::List(..) | Value::Other => continue,
                };
                let known = self.values.entry(name.clone());
                let known = known.or_insert_with(|| Some(value.clone()));
                if known.as_ref() != Some(value) {
                    *known = None;
                }
            }
        }
    }
}

impl Names<'_> {
    /// The last assignment before `at`, or the value in the file that it is imported from.
    pub(super) fn value(&self, name: &str, at: usize) -> Option<&Value> {
        match self.facts.values.get(name) {
            Some(values) => {
                let before = values.partition_point(|(place, _)| *place <= at);
                // A function may use a later assignment of its file.
                let found = values.get(before.saturating_sub(1))?;
                Some(&found.1)
            }
            None => self.shared.values.get(name)?.as_ref(),
        }
    }

    pub(super) fn imported(&self, name: &str) -> Option<&str> {
        self.facts.imported.get(name).map(|name| &**name)
    }
}

pub(super) fn value_of(node: Node<'_>, source: &str) -> Value {
    if let Some(text) = values::literal(node, source) {
        return Value::Text(text);
    }
    match node.kind() {
        "call" => library(node, source).map_or(Value::Other, Value::Library),
        "list" | "tuple" | "set" => Value::List(node.start_byte(), node.end_byte()),
        "attribute" => match text(node, source).strip_prefix("torch.ops.") {
            Some(rest) => Value::Operators(rest.into()),
            None if text(node, source) == "torch.ops" => Value::Operators("".into()),
            None => Value::Other,
        },
        _ => Value::Other,
    }
}

fn library(call: Node<'_>, source: &str) -> Option<Library> {
    let name = values::last_name(call, source);
    if !matches!(name, "Library" | "_scoped_library") {
        return None;
    }
    let arguments = values::arguments(call);
    let text = |index: usize, name: &str| {
        let node = arguments.get(index, name, source)?;
        values::literal(node, source)
    };
    Some(Library {
        namespace: text(0, "ns"),
        key: text(2, "dispatch_key").filter(|key| !key.is_empty()),
    })
}
