//! Operators and dispatch keys of evaluated expressions.

use tree_sitter::Node;

use super::syntax::shortened;
use super::value::{Environment, Needs, ScopeId, Value};
use super::world::World;
use crate::name;
use crate::name::{canonical_key, device_key};

/// A dispatch key, or why it is not known.
pub(super) type Key = Result<Box<str>, Box<str>>;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Operator {
    pub namespace: Option<Box<str>>,
    pub name: Option<Box<str>>,
    pub unresolved: Option<Box<str>>,
}

impl Operator {
    pub(super) fn named(text: &str) -> Self {
        let names = name::Names::of(text);
        if !names.is_valid() {
            return Self::unknown(&format!("`{}` is not an operator's name", shortened(text)));
        }
        Self {
            namespace: names.namespace.map(Into::into),
            name: Some(names.operator.into()),
            unresolved: None,
        }
    }

    pub(super) fn unknown(why: &str) -> Self {
        Self {
            unresolved: Some(why.into()),
            ..Self::default()
        }
    }

    /// `aten.add.Tensor`; without an overload, all overloads.
    fn of_path(path: &str) -> Self {
        let parts: Vec<&str> = path.split('.').collect();
        let (namespace, operator, overload) = match parts[..] {
            [namespace, operator] => (namespace, operator, None),
            [namespace, operator, overload] => (namespace, operator, Some(overload)),
            _ => return Self::unknown(&format!("`{}` is not an operator", shortened(path))),
        };
        let name = match overload {
            None | Some("default") => operator.to_owned(),
            Some(overload) => format!("{operator}.{overload}"),
        };
        let all = format!("`{namespace}::{operator}` stands for all of its overloads");
        Self {
            namespace: Some(namespace.into()),
            name: Some(name.into()),
            unresolved: overload.is_none().then(|| all.into()),
        }
    }
}

impl<'t> World<'t> {
    /// One operator, or those of a list.
    pub(super) fn operators(
        &self,
        node: Node<'t>,
        at: ScopeId,
        environment: &Environment<'t>,
    ) -> Result<Vec<Operator>, Needs> {
        let value = self.evaluate(node, at, environment)?;
        let Value::List(list) = &value else {
            return Ok(vec![self.operator_of(&value, node, at.file)]);
        };
        let mut found = Vec::new();
        for item in &list.items {
            let (shown, file) = match item {
                Value::Lazy(node, at, _) => (*node, at.file),
                _ => (node, at.file),
            };
            let value = self.forced(item.clone())?;
            found.push(self.operator_of(&value, shown, file));
        }
        if list.has_more || list.items.is_empty() {
            found.push(self.operator_of(&Value::Unknown(None), node, at.file));
        }
        Ok(found)
    }

    fn operator_of(&self, value: &Value<'t>, node: Node<'t>, file: u32) -> Operator {
        let shown = shortened(self.text(node, file));
        match value {
            Value::Text(text) | Value::Operator(text) => Operator::named(text),
            Value::Path(path) => match path.strip_prefix("torch.ops.") {
                Some(path) => Operator::of_path(path),
                None => Operator::unknown(&format!("the operator is `{shown}`")),
            },
            Value::Either(values) => {
                Operator::unknown(&format!("the operator is {}", alternatives(values)))
            }
            value => {
                let what = match node.kind() {
                    "identifier" => format!("the operator's name is the variable `{shown}`"),
                    "attribute" => format!("the operator is `{shown}`"),
                    _ => format!("the operator is computed: `{shown}`"),
                };
                Operator::unknown(&explained(what, value))
            }
        }
    }

    /// Dispatch keys or devices: one, or those of a list.
    pub(super) fn keys(
        &self,
        node: Node<'t>,
        at: ScopeId,
        environment: &Environment<'t>,
    ) -> Result<Vec<Key>, Needs> {
        let value = self.evaluate(node, at, environment)?;
        let Value::List(list) = &value else {
            return Ok(vec![self.key(&value, self.text(node, at.file))]);
        };
        let mut found = Vec::new();
        for item in &list.items {
            let shown = match item {
                Value::Lazy(node, at, _) => self.text(*node, at.file),
                _ => self.text(node, at.file),
            };
            found.push(self.key(&self.forced(item.clone())?, shown));
        }
        if list.has_more {
            found.push(self.key(&Value::Unknown(None), self.text(node, at.file)));
        }
        Ok(found)
    }

    /// A dispatch key, which begins with a capital letter, or a device.
    fn key(&self, value: &Value<'t>, shown: &str) -> Key {
        let Value::Text(name) = value else {
            return dispatch_key(value, shown);
        };
        if &**name == "default" {
            return Ok("CompositeExplicitAutograd".into());
        }
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_uppercase()) {
            return Ok(canonical_key(name).into());
        }
        let renamed = self.renamed.contains(&**name).then_some("PrivateUse1");
        let unknown = || {
            format!(
                "a process decides the dispatch key of device `{name}`: no scanned file gives \
                 PrivateUse1 this name"
            )
        };
        device_key(name)
            .or(renamed)
            .map(Into::into)
            .ok_or_else(|| unknown().into())
    }
}

/// The dispatch key of a value, which the text shows.
pub(super) fn dispatch_key(value: &Value<'_>, shown: &str) -> Key {
    match value {
        Value::Text(name) => Ok(canonical_key(name).into()),
        Value::None => Ok("CompositeExplicitAutograd".into()),
        Value::Path(path) => match path.split_once("DispatchKey.") {
            Some((_, name)) if !name.contains('.') => Ok(canonical_key(name).into()),
            _ => Err(format!("the dispatch key is `{}`", shortened(shown)).into()),
        },
        Value::Either(values) => {
            Err(format!("the dispatch key is {}", alternatives(values)).into())
        }
        value => {
            // `DispatchKey.XLA`, whose import is not followed.
            if let Some((_, name)) = shown.rsplit_once("DispatchKey.") {
                return Ok(canonical_key(name).into());
            }
            let what = format!("the dispatch key is `{}`", shortened(shown));
            Err(explained(what, value).into())
        }
    }
}

fn explained(what: String, value: &Value<'_>) -> String {
    match value {
        Value::Unknown(Some(why)) => format!("{what}: {why}"),
        _ => what,
    }
}

/// `"a" or "b"`
fn alternatives(values: &[Value<'_>]) -> String {
    let shown = values.iter().map(|value| match value {
        Value::Text(text) | Value::Path(text) | Value::Operator(text) => {
            format!("`{}`", shortened(text))
        }
        _ => "something else".to_owned(),
    });
    shown.collect::<Vec<_>>().join(" or ")
}
