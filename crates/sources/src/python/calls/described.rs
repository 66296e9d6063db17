//! Decorators of a project, described as data.

use tree_sitter::Node;

use super::{Call, Draft, Value};
use crate::Macro;
use crate::RegistrationKind;
use crate::python::keys::{Operator, dispatch_key};
use crate::python::syntax::shortened;

/// The value of an argument; `None` if it is not a text.
type Argument = Option<Box<str>>;

impl<'t> Call<'_, 't> {
    /// The registrations of a decorator that the project describes; `None` for other calls.
    pub(super) fn described(
        &self,
        function: Node<'t>,
        name: &str,
    ) -> Result<Option<Vec<Draft>>, super::Needs> {
        if self.is_in_decorator() {
            return Ok(Some(Vec::new()));
        }
        let whole = self.text(function);
        let found = self.macros.find_decorator(whole);
        let found = found.or_else(|| self.macros.find_decorator(name));
        let Some(described) = found.filter(|_| self.applied.is_some()) else {
            return Ok(None);
        };
        let mut rows: Vec<Vec<Argument>> = vec![Vec::new()];
        for (index, parameter) in described.parameters.iter().enumerate() {
            let values = self.values(index, parameter)?;
            let mut next = Vec::new();
            for row in rows {
                for value in &values {
                    let mut row = row.clone();
                    row.push(value.clone());
                    next.push(row);
                }
            }
            next.truncate(MOST_ROWS);
            rows = next;
        }
        let rows = rows.iter().map(|row| self.draft(described, row, name));
        Ok(Some(rows.collect()))
    }

    /// Whether the call is a part of a described decorator's own definition.
    fn is_in_decorator(&self) -> bool {
        let mut around = self.path.iter();
        around.any(|node| {
            let name = node.child_by_field_name("name");
            let name = name.filter(|_| node.kind() == "function_definition");
            name.is_some_and(|name| self.macros.may_decorate(self.text(name)))
        })
    }

    fn values(&self, index: usize, parameter: &str) -> Result<Vec<Argument>, super::Needs> {
        let Some(node) = self.argument(index, parameter) else {
            return Ok(vec![None]);
        };
        let value = self.evaluated(node)?;
        let Value::List(list) = &value else {
            return Ok(vec![plain(&value)]);
        };
        let items = list
            .items
            .iter()
            .map(|item| self.world.forced(item.clone()));
        let mut values: Vec<Argument> = items
            .map(|item| item.map(|item| plain(&item)))
            .collect::<Result<_, _>>()?;
        values.extend(list.has_more.then_some(None));
        Ok(values)
    }

    fn draft(&self, described: &Macro, arguments: &[Argument], name: &str) -> Draft {
        let through = format!("@{name}");
        let (kind, text) = match (&described.imp, &described.def) {
            (None, Some(def)) => (RegistrationKind::Def, def),
            (Some(imp), _) => (RegistrationKind::Impl, imp),
            (None, None) => (RegistrationKind::Impl, &described.name),
        };
        let unknown = || {
            let shown = shortened(self.text(self.node));
            format!("an argument of `{shown}` is not a text")
        };
        let filled = described.fill(text, arguments);
        let mut operator = match &filled {
            Some(text) => Operator::named(text),
            None => Operator::unknown(&unknown()),
        };
        if operator.name.is_some() && operator.namespace.is_none() {
            operator.namespace = Some("aten".into());
        }
        let key = described.key.as_deref().map(|key| {
            let filled = described.fill(key, arguments);
            match filled {
                Some(key) => dispatch_key(&Value::text(&key), &key),
                None => Err(unknown().into()),
            }
        });
        let schema = filled.filter(|text| kind == RegistrationKind::Def && text.contains('('));
        let schema = schema.map(|schema| match schema.split_once("::") {
            Some((_, schema)) => schema.into(),
            None => schema,
        });
        Draft {
            key,
            schema,
            ..Draft::of(kind, operator, &through)
        }
    }
}

/// Maximum number of registrations of a decorator.
const MOST_ROWS: usize = 10_000;

fn plain(value: &Value<'_>) -> Argument {
    match value {
        Value::Text(text) | Value::Number(text) => Some((**text).into()),
        Value::Path(path) => {
            let (namespace, name) = path.strip_prefix("torch.ops.")?.split_once('.')?;
            let name = name.strip_suffix(".default").unwrap_or(name);
            Some(format!("{namespace}::{name}").into())
        }
        _ => None,
    }
}
