//! Calls and decorators that register something.

mod complete;

use tree_sitter::Node;

use super::facts::{Library, Names, Value, value_of};
use super::values::{self, Arguments, Operator, keys, operators, shortened};
use crate::name::CATCH_ALL;
use crate::parse::text;
use crate::{RegistrationKind, Scan};

struct Call<'c, 't> {
    names: &'c Names<'c>,
    path: &'c [Node<'t>],
    /// The call, or the attribute that decorates a function.
    node: Node<'t>,
    arguments: Arguments<'t>,
    /// The function that it decorates or is applied to.
    applied: Option<Node<'t>>,
    file: u32,
}

struct Draft {
    kind: RegistrationKind,
    operator: Operator,
    /// The namespace of the library.
    library: Option<Box<str>>,
    key: Option<Result<Box<str>, Box<str>>>,
    schema: Option<Box<str>>,
    through: String,
}

pub(super) fn read(names: &Names<'_>, path: &[Node<'_>], file: u32, scan: &mut Scan) {
    let Some(node) = path.last().copied() else {
        return;
    };
    let parent = path.len().checked_sub(2).and_then(|index| path.get(index));
    let is_decorator = parent.is_some_and(|parent| parent.kind() == "decorator");
    let function = match node.kind() {
        "call" => node.child_by_field_name("function"),
        "attribute" if is_decorator => Some(node),
        _ => None,
    };
    let Some(function) = function else {
        return;
    };
    let call = Call {
        names,
        path,
        node,
        arguments: match node.kind() {
            "call" => values::arguments(node),
            _ => Arguments::default(),
        },
        applied: applied(path),
        file,
    };
    let drafts = match function.kind() {
        "attribute" => call.of_attribute(function),
        "identifier" => call.of_name(text(function, names.text)),
        _ => Vec::new(),
    };
    for draft in drafts {
        scan.registrations.push(call.complete(draft));
    }
}

/// The decorated function, or the argument of `register(...)(function)`.
fn applied<'t>(path: &[Node<'t>]) -> Option<Node<'t>> {
    let [.., around, parent, node] = path else {
        return None;
    };
    if parent.kind() == "decorator" {
        let definition = around.child_by_field_name("definition")?;
        return definition.child_by_field_name("name");
    }
    let is_called =
        parent.kind() == "call" && parent.child_by_field_name("function") == Some(*node);
    is_called.then(|| values::arguments(*parent).positional.first().copied())?
}

impl<'t> Call<'_, 't> {
    fn argument(&self, index: usize, name: &str) -> Option<Node<'t>> {
        self.arguments.get(index, name, self.names.text)
    }

    /// `a.b.c(...)`: a function of `torch.library`, or a method of a library or operator.
    fn of_attribute(&self, function: Node<'t>) -> Vec<Draft> {
        let field = |name| function.child_by_field_name(name);
        let (Some(object), Some(method)) = (field("object"), field("attribute")) else {
            return Vec::new();
        };
        let source = self.names.text;
        let method = text(method, source);
        let owner = text(object, source);
        let is_module = owner == "torch.library"
            || owner == "torch._library"
            || self.names.imported(owner) == Some("library");
        if is_module {
            return self.of_module(method);
        }
        match method {
            "py_impl" => return self.python_kernel(object),
            "register_decomposition" | "register_meta" => return self.of_table(method),
            _ => {}
        }
        let library = match value_of(object, source) {
            Value::Library(library) => Some(library),
            _ => match self.names.value(owner, self.node.start_byte()) {
                Some(Value::Library(library)) => Some(library.clone()),
                Some(Value::Operator(name)) => return self.of_operator(method, &name.clone()),
                _ => None,
            },
        };
        match library {
            Some(library) => self.of_library(method, &library),
            None => self.of_unknown(method, owner),
        }
    }

    /// `impl(...)`, imported from `torch.library`.
    fn of_name(&self, name: &str) -> Vec<Draft> {
        match self.names.imported(name) {
            Some(function) => self.of_module(function),
            None => self.of_table(name),
        }
    }

    /// Functions with their own registration tables.
    fn of_table(&self, function: &str) -> Vec<Draft> {
        let key = match function {
            "register_decomposition" => None,
            "register_meta" => Some(Ok("Meta".into())),
            _ => return Vec::new(),
        };
        let Some(first) = self.arguments.positional.first() else {
            return Vec::new();
        };
        let found = operators(self.names, *first, self.path).into_iter();
        found
            .map(|operator| Draft {
                key: key.clone(),
                ..Draft::of(RegistrationKind::Impl, operator, function)
            })
            .collect()
    }

    fn of_module(&self, function: &str) -> Vec<Draft> {
        let through = format!("torch.library.{function}");
        let first = self.arguments.positional.first().copied();
        let library = first.and_then(|first| {
            let name = text(first, self.names.text);
            match value_of(first, self.names.text) {
                Value::Library(library) => Some(library),
                _ => match self.names.value(name, first.start_byte()) {
                    Some(Value::Library(library)) => Some(library.clone()),
                    _ => None,
                },
            }
        });
        match (function, library) {
            ("impl", Some(library)) => self.kernels(1, 2, Some(&library), &through),
            ("define", Some(library)) => self.definition(1, &library, &through),
            ("impl" | "register_kernel", None) => self.kernels(0, 1, None, &through),
            ("define", None) => self.qualified_definition(&through),
            ("custom_op" | "triton_op", _) => self.custom_operator(&through),
            ("register_fake" | "impl_abstract", _) => self.with_key(Ok("Meta".into()), &through),
            ("register_autograd", _) => self.with_key(Ok("Autograd".into()), &through),
            ("register_vmap", _) => self.with_key(Ok("FuncTorchBatched".into()), &through),
            ("register_autocast", _) => self.autocast(&through),
            _ => Vec::new(),
        }
    }

    fn of_library(&self, method: &str, library: &Library) -> Vec<Draft> {
        let through = format!("Library.{method}");
        match method {
            "impl" => self.kernels(0, 2, Some(library), &through),
            "define" => self.definition(0, library, &through),
            "_register_fake" => {
                let drafts = self.with_key(Ok("Meta".into()), &through);
                drafts
                    .into_iter()
                    .map(|draft| draft.within(library))
                    .collect()
            }
            "fallback" => {
                let key = self.argument(1, "dispatch_key");
                let key = key.and_then(|key| keys(self.names, key).into_iter().next());
                let draft = Draft {
                    key: key.or_else(|| library.key.clone().map(Ok)),
                    ..Draft::of(RegistrationKind::Fallback, Operator::default(), &through)
                };
                vec![draft.within(library)]
            }
            _ => Vec::new(),
        }
    }

    /// A method of an operator from `custom_op`.
    fn of_operator(&self, method: &str, name: &str) -> Vec<Draft> {
        let through = format!("CustomOpDef.{method}");
        let key = match method {
            "register_fake" | "register_abstract" => Ok("Meta".into()),
            "register_autograd" => Ok("Autograd".into()),
            "register_vmap" => Ok("FuncTorchBatched".into()),
            "register_kernel" => {
                let devices = self.argument(0, "device_types");
                let devices = devices
                    .map(|node| keys(self.names, node))
                    .unwrap_or_default();
                let draft = |key| self.named(name, Some(key), &through);
                return devices.into_iter().map(draft).collect();
            }
            _ => return Vec::new(),
        };
        vec![self.named(name, Some(key), &through)]
    }

    /// A method of something that may be a library.
    fn of_unknown(&self, method: &str, owner: &str) -> Vec<Draft> {
        let (name, last) = match method {
            "impl" => (
                self.argument(0, "op_name"),
                self.argument(2, "dispatch_key"),
            ),
            "define" => (self.argument(0, "schema"), self.argument(0, "schema")),
            _ => return Vec::new(),
        };
        let Some((name, last)) = name.zip(last) else {
            return Vec::new();
        };
        let last = values::literal(last, self.names.text);
        let looks_right = match method {
            "define" => last.is_some_and(|schema| schema.contains("->")),
            _ => last.is_some_and(|key| key.starts_with(|c: char| c.is_ascii_uppercase())),
        };
        if !looks_right {
            return Vec::new();
        }
        let library = Library {
            namespace: None,
            key: None,
        };
        let why = format!(
            "`{}` is not a library that this file makes",
            shortened(owner)
        );
        let drafts = match method {
            "define" => self.definition(0, &library, "Library.define"),
            _ => {
                let found = operators(self.names, name, self.path).into_iter();
                let draft = |operator| Draft::of(RegistrationKind::Impl, operator, "Library.impl");
                found.map(draft).collect()
            }
        };
        let unresolved = |mut draft: Draft| {
            draft.operator.unresolved = Some(why.as_str().into());
            draft
        };
        drafts.into_iter().map(unresolved).collect()
    }

    /// `@op.py_impl(key)`: a kernel in the table of the Python dispatcher.
    fn python_kernel(&self, object: Node<'t>) -> Vec<Draft> {
        let found = operators(self.names, object, self.path);
        let key = self.argument(0, "k").map(|node| keys(self.names, node));
        let keys = key.unwrap_or_default();
        let mut drafts = Vec::new();
        for operator in found {
            drafts.extend(keys.iter().map(|key| Draft {
                key: Some(key.clone()),
                ..Draft::of(RegistrationKind::Impl, operator.clone(), "py_impl")
            }));
        }
        drafts
    }

    fn kernels(
        &self,
        name: usize,
        key: usize,
        library: Option<&Library>,
        through: &str,
    ) -> Vec<Draft> {
        let Some(named) = self
            .argument(name, "op_name")
            .or_else(|| self.argument(name, "op"))
        else {
            return Vec::new();
        };
        let key_names = ["dispatch_key", "types", "device_types"];
        let given = key_names.iter().find_map(|name| self.argument(key, name));
        // `lib.impl(name, dispatch_key)` cannot be told from a kernel by position alone.
        let keys = match given.map(|node| keys(self.names, node)) {
            Some(keys) if keys != [Ok("".into())] => keys,
            _ => {
                let own = library.and_then(|library| library.key.clone());
                vec![Ok(own.unwrap_or_else(|| CATCH_ALL.into()))]
            }
        };
        let mut drafts = Vec::new();
        for operator in operators(self.names, named, self.path) {
            for key in &keys {
                let draft = Draft {
                    key: Some(key.clone()),
                    ..Draft::of(RegistrationKind::Impl, operator.clone(), through)
                };
                drafts.push(match library {
                    Some(library) => draft.within(library),
                    None => draft,
                });
            }
        }
        drafts
    }

    /// `lib.define(schema)`.
    fn definition(&self, index: usize, library: &Library, through: &str) -> Vec<Draft> {
        let Some(schema) = self.argument(index, "schema") else {
            return Vec::new();
        };
        let found = operators(self.names, schema, self.path).into_iter();
        let schema = values::literal(schema, self.names.text).or_else(|| {
            match self
                .names
                .value(text(schema, self.names.text), schema.start_byte())
            {
                Some(Value::Text(text)) => Some(text.clone()),
                _ => None,
            }
        });
        let draft = |operator| Draft {
            schema: schema.clone(),
            ..Draft::of(RegistrationKind::Def, operator, through)
        };
        found
            .map(|operator| draft(operator).within(library))
            .collect()
    }

    /// `torch.library.define("ns::name", "(Tensor x) -> Tensor")`.
    fn qualified_definition(&self, through: &str) -> Vec<Draft> {
        let Some(name) = self.argument(0, "qualname") else {
            return Vec::new();
        };
        let rest = self.argument(1, "schema");
        let rest = rest.and_then(|node| values::literal(node, self.names.text));
        let found = operators(self.names, name, self.path).into_iter();
        found
            .map(|operator| {
                let schema = rest.as_deref().zip(operator.name.as_deref());
                let schema = schema.map(|(rest, name)| format!("{name}{rest}").into());
                Draft {
                    schema,
                    ..Draft::of(RegistrationKind::Def, operator, through)
                }
            })
            .collect()
    }

    /// `@custom_op("ns::name", mutates_args=(), device_types="cuda")` defines an operator, with a
    /// kernel for each device.
    fn custom_operator(&self, through: &str) -> Vec<Draft> {
        let Some(name) = self.argument(0, "name") else {
            return Vec::new();
        };
        let devices = self.argument(3, "device_types");
        let keys = match devices {
            Some(devices) => keys(self.names, devices),
            None => vec![Ok("CompositeExplicitAutograd".into())],
        };
        let schema = self.argument(4, "schema");
        let schema = schema.and_then(|node| values::literal(node, self.names.text));
        let mut drafts = Vec::new();
        for operator in operators(self.names, name, self.path) {
            let named = schema.as_deref().zip(operator.name.as_deref());
            let mut kind = RegistrationKind::Def;
            for key in &keys {
                let schema = named.filter(|_| kind == RegistrationKind::Def);
                drafts.push(Draft {
                    key: Some(key.clone()),
                    schema: schema.map(|(schema, name)| {
                        if schema.starts_with('(') {
                            format!("{name}{schema}").into()
                        } else {
                            schema.into()
                        }
                    }),
                    ..Draft::of(kind, operator.clone(), through)
                });
                kind = RegistrationKind::Impl;
            }
        }
        drafts
    }

    fn with_key(&self, key: Result<Box<str>, Box<str>>, through: &str) -> Vec<Draft> {
        let Some(name) = self.arguments.positional.first() else {
            return Vec::new();
        };
        let found = operators(self.names, *name, self.path).into_iter();
        found
            .map(|operator| Draft {
                key: Some(key.clone()),
                ..Draft::of(RegistrationKind::Impl, operator, through)
            })
            .collect()
    }

    /// `register_autocast("ns::name", "cuda", torch.float16)`.
    fn autocast(&self, through: &str) -> Vec<Draft> {
        let device = self.argument(1, "device_type");
        let device = device.and_then(|node| keys(self.names, node).into_iter().next());
        let key = device.map(|key| key.map(|key| format!("Autocast{key}").into()));
        key.map(|key| self.with_key(key, through))
            .unwrap_or_default()
    }

    fn named(&self, name: &str, key: Option<Result<Box<str>, Box<str>>>, through: &str) -> Draft {
        let names = crate::Names::of(name);
        let operator = Operator {
            namespace: names.namespace.map(Into::into),
            name: Some(names.operator.into()),
            unresolved: None,
        };
        Draft {
            key,
            ..Draft::of(RegistrationKind::Impl, operator, through)
        }
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
