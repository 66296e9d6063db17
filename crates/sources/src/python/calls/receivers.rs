//! Methods of objects that may be libraries, or operators from `custom_op`.

use tree_sitter::Node;

use super::{Call, Draft, Drafts, Library, Value};
use crate::RegistrationKind;
use crate::name::{Names, device_key};
use crate::python::facts::ScopeKind;
use crate::python::keys::Operator;
use crate::python::syntax::shortened;

impl<'t> Call<'_, 't> {
    /// A method of something that may be a library. An object of the project's own classes is not
    /// one.
    pub(super) fn of_receiver(
        &self,
        method: &'t str,
        object: Node<'t>,
        value: &Value<'t>,
    ) -> Drafts {
        if let Value::Instance(class, _) | Value::Class(class) = value
            && self.world.is_named_library(*class)
        {
            return self.of_library(method, &Library::default());
        }
        if self.is_own(method, value) || !self.may_register(method, object)? {
            return Ok(Vec::new());
        }
        let shown = shortened(self.text(object));
        let why = match value {
            Value::Either(_) => format!("`{shown}` may be one of several libraries"),
            Value::Unknown(Some(why)) => format!("`{shown}` may be any library: {why}"),
            _ => format!("`{shown}` is not a library that this file makes"),
        };
        let drafts = match method {
            "impl" | "define" | "fallback" | "_register_fake" | "_impl_with_aoti_compile" => {
                self.of_library(method, &Library::default())?
            }
            _ => vec![Draft::of(
                RegistrationKind::Impl,
                Operator::default(),
                &format!("CustomOpDef.{method}"),
            )],
        };
        let drafts = drafts.into_iter().map(|mut draft| {
            draft.operator.unresolved = Some(why.as_str().into());
            draft
        });
        Ok(drafts.collect())
    }

    /// Whether a method is one of the project's own classes, or of a value that has no
    /// registrations.
    fn is_own(&self, method: &'t str, value: &Value<'t>) -> bool {
        match value {
            Value::Instance(class, _) | Value::Class(class) => {
                let classes = self.world.ancestry(*class);
                let mut classes = classes.iter();
                classes.any(|class| self.world.has_attribute(*class, method))
            }
            Value::Unknown(_) | Value::None | Value::Path(_) => false,
            Value::Either(values) => !values.iter().any(|value| {
                matches!(
                    value,
                    Value::Library(_) | Value::Operator(_) | Value::Unknown(_)
                )
            }),
            _ => true,
        }
    }

    /// Whether a method of an unknown object is likely to be one of a library or an operator.
    fn may_register(&self, method: &str, object: Node<'t>) -> Result<bool, super::Needs> {
        let is_library = self.looks_like_library(object);
        let count = self.arguments.positional.len() + self.arguments.keywords.len();
        let value = |index, name| match self.argument(index, name) {
            Some(node) => self.evaluated(node).map(|value| Some((node, value))),
            None => Ok(None),
        };
        Ok(match method {
            "impl" => {
                let has_key = value(2, "dispatch_key")?.is_some_and(|(_, key)| is_key(&key));
                let has_name = value(0, "op_name")?.is_some_and(|(_, name)| is_name(&name));
                (is_library && (count >= 2 || self.arguments.has_rest))
                    || has_key
                    || (count >= 3 && has_name)
            }
            "define" => match value(0, "schema")? {
                Some((_, Value::Text(schema))) => is_schema(&schema),
                Some(_) => is_library,
                None => is_library && self.arguments.has_rest,
            },
            "fallback" => {
                let has_key = value(1, "dispatch_key")?.is_some_and(|(_, key)| is_key(&key));
                has_key || (is_library && count >= 1)
            }
            "_register_fake" | "_impl_with_aoti_compile" => true,
            "register_kernel" => match value(0, "device_types")? {
                Some((_, Value::Text(device))) => device_key(&device).is_some(),
                _ => false,
            },
            "register_autograd" | "register_vmap" | "register_fake" | "impl_abstract"
            | "register_autocast" => self.applied.is_some() || count >= 1,
            _ => false,
        })
    }

    /// Whether an object has the name or the annotation of a library.
    pub(super) fn looks_like_library(&self, object: Node<'t>) -> bool {
        let text = self.text(object);
        let name = text.split(['(', '[']).next().unwrap_or_default();
        let name = name.rsplit('.').next().unwrap_or_default().trim();
        let name = name.trim_matches('_').to_ascii_lowercase();
        let ends = ["lib", "libs", "library", "libraries"];
        ends.iter().any(|end| name.ends_with(end))
            || name.starts_with("lib_")
            || name.contains("_lib_")
            || self
                .annotation(text)
                .is_some_and(|text| text.contains("Library"))
    }

    /// The annotation of a parameter.
    fn annotation(&self, name: &str) -> Option<&'t str> {
        let mut id = self.at;
        while id.index > 0 {
            let scope = self.world.scope(id)?;
            if let ScopeKind::Function(parameters) = &scope.kind
                && let Some(found) = parameters.iter().find(|parameter| parameter.name == name)
            {
                return found.annotation.map(|node| self.text(node));
            }
            id.index = scope.parent;
        }
        None
    }
}

fn is_key(value: &Value<'_>) -> bool {
    matches!(value, Value::Text(text) if text.starts_with(|c: char| c.is_ascii_uppercase()))
}

fn is_name(value: &Value<'_>) -> bool {
    matches!(value, Value::Text(text) if Names::of(text).is_valid())
}

/// A schema; `def f(x) -> y: ...` is TorchScript.
fn is_schema(text: &str) -> bool {
    text.contains("->") && text.contains('(') && Names::of(text).is_valid()
}
