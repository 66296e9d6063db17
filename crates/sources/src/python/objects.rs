//! What calls give: libraries, operators, objects and returned values.

use std::rc::Rc;

use tree_sitter::Node;

use super::facts::Site;
use super::syntax::Arguments;
use super::value::{Choice, Environment, Evaluated, Library, Needs, Receiver, ScopeId, Value};
use super::world::World;

impl<'t> World<'t> {
    /// The value of a function with the arguments of a call.
    pub(super) fn returned(&self, id: ScopeId, environment: &Environment<'t>) -> Evaluated<'t> {
        let returns = self
            .facts(id.file)
            .and_then(|facts| facts.returns.get(&id.index));
        let returns = returns.map_or(&[][..], |returns| returns);
        if returns.is_empty() || returns.len() > MOST_RETURNS {
            return Ok(Value::Unknown(None));
        }
        let mut values = Vec::new();
        for node in returns {
            let index = self
                .facts(id.file)
                .map_or(0, |facts| facts.scope_at(node.start_byte()));
            values.push(self.evaluate(*node, ScopeId { index, ..id }, environment)?);
        }
        Ok(Value::either(values))
    }

    /// What a call of a value gives; `None` if it is not known.
    pub(super) fn called(
        &self,
        callee: &Value<'t>,
        node: Node<'t>,
        at: ScopeId,
        environment: &Environment<'t>,
    ) -> Result<Option<Value<'t>>, Needs> {
        let site = || {
            Rc::new(Site {
                file: at.file,
                scope: at.index,
                node,
                applied: None,
            })
        };
        Ok(match callee {
            Value::Path(path) => {
                let name = path.rsplit('.').next().unwrap_or_default();
                match name {
                    "Library" | "_scoped_library" if path.starts_with("torch.") => {
                        Some(self.library(node, at, environment)?)
                    }
                    "custom_op" | "triton_op" if path.starts_with("torch.") => {
                        self.custom_operator(node, at, environment)?
                    }
                    _ => None,
                }
            }
            Value::Function(id, _) if !self.is_torch_library(id.file) => {
                let object = self.class_of_method(*id).is_some();
                let receiver = if object {
                    Receiver::Object
                } else {
                    Receiver::Argument
                };
                let inner = environment.with(*id, Choice::site(site(), receiver));
                Some(self.returned(*id, &inner)?)
            }
            Value::Class(class)
                if self.is_named_library(*class) && self.method(*class, "__init__").is_none() =>
            {
                Some(self.library(node, at, environment)?)
            }
            Value::Class(class) => Some(Value::Instance(*class, Some(site()))),
            Value::Operator(_) => Some(callee.clone()),
            _ => None,
        })
    }

    pub(super) fn custom_operator(
        &self,
        node: Node<'t>,
        at: ScopeId,
        environment: &Environment<'t>,
    ) -> Result<Option<Value<'t>>, Needs> {
        let arguments = Arguments::of(node);
        let name = arguments.get(0, "name", self.source(at.file));
        let name = name
            .map(|name| self.evaluate(name, at, environment))
            .transpose()?;
        Ok(match name {
            Some(Value::Text(name)) => Some(Value::Operator(name)),
            _ => None,
        })
    }

    pub(super) fn library(
        &self,
        node: Node<'t>,
        at: ScopeId,
        environment: &Environment<'t>,
    ) -> Evaluated<'t> {
        let arguments = Arguments::of(node);
        let source = self.source(at.file);
        let value = |index, name| match arguments.get(index, name, source) {
            Some(node) => self.evaluate(node, at, environment).map(Some),
            None => Ok(None),
        };
        let namespace = match value(0, "ns")? {
            Some(Value::Text(text)) => Some((*text).into()),
            _ => None,
        };
        let key = match value(2, "dispatch_key")? {
            None | Some(Value::None) => None,
            Some(Value::Text(text)) if text.is_empty() => None,
            Some(value) => {
                let shown = arguments.get(2, "dispatch_key", source);
                let shown = shown.map_or("", |node| self.text(node, at.file));
                Some(super::keys::dispatch_key(&value, shown))
            }
        };
        Ok(Value::Library(Rc::new(Library { namespace, key })))
    }
}

/// Maximum number of `return` statements of a function that are followed.
const MOST_RETURNS: usize = 4;
