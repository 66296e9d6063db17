//! Python expressions in registrations: strings, operators, dispatch keys, functions.

use tree_sitter::Node;

use super::facts::{Names, Value, value_of};
use crate::name;
use crate::name::{canonical_key, device_key};
use crate::parse::{children, text};

#[derive(Debug, Default)]
pub(super) struct Arguments<'t> {
    pub positional: Vec<Node<'t>>,
    keywords: Vec<(Node<'t>, Node<'t>)>,
}

impl<'t> Arguments<'t> {
    pub(super) fn get(&self, index: usize, name: &str, source: &str) -> Option<Node<'t>> {
        let named = self
            .keywords
            .iter()
            .find(|(key, _)| text(*key, source) == name);
        self.positional
            .get(index)
            .copied()
            .or(named.map(|(_, value)| *value))
    }
}

pub(super) fn arguments(call: Node<'_>) -> Arguments<'_> {
    let mut arguments = Arguments::default();
    let list = call.child_by_field_name("arguments");
    for argument in list.map(children).unwrap_or_default() {
        if argument.kind() != "keyword_argument" {
            arguments.positional.push(argument);
            continue;
        }
        let field = |name| argument.child_by_field_name(name);
        if let (Some(name), Some(value)) = (field("name"), field("value")) {
            arguments.keywords.push((name, value));
        }
    }
    arguments
}

pub(super) fn last_name<'s>(call: Node<'_>, source: &'s str) -> &'s str {
    let function = call.child_by_field_name("function");
    let name = function.map_or("", |function| text(function, source));
    name.rsplit('.').next().unwrap_or_default().trim()
}

/// A string without interpolations, possibly concatenated.
pub(super) fn literal(node: Node<'_>, source: &str) -> Option<Box<str>> {
    joined(node, source, DEEPEST)
}

/// Maximum nesting of concatenated strings and lists of operators.
const DEEPEST: usize = 100;

fn joined(node: Node<'_>, source: &str, depth: usize) -> Option<Box<str>> {
    let depth = depth.checked_sub(1)?;
    match node.kind() {
        "string" => {
            let mut content = String::new();
            for part in children(node) {
                match part.kind() {
                    "string_content" => content.push_str(text(part, source)),
                    "interpolation" => return None,
                    _ => {}
                }
            }
            Some(unescaped(&content))
        }
        "concatenated_string" | "parenthesized_expression" => {
            let parts = children(node);
            let parts: Option<Vec<_>> = parts
                .into_iter()
                .map(|p| joined(p, source, depth))
                .collect();
            parts
                .filter(|parts| !parts.is_empty())
                .map(|parts| parts.concat().into())
        }
        "binary_operator" => {
            let field = |name| node.child_by_field_name(name);
            let is_sum = field("operator").is_some_and(|plus| text(plus, source) == "+");
            let (left, right) = (field("left")?, field("right").filter(|_| is_sum)?);
            let (left, right) = (joined(left, source, depth)?, joined(right, source, depth)?);
            Some([left, right].concat().into())
        }
        _ => None,
    }
}

fn unescaped(text: &str) -> Box<str> {
    if text.contains('\\') {
        text.replace("\\\n", "")
            .replace("\\n", "\n")
            .replace("\\\"", "\"")
            .into()
    } else {
        text.into()
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Operator {
    pub namespace: Option<Box<str>>,
    pub name: Option<Box<str>>,
    pub unresolved: Option<Box<str>>,
}

impl Operator {
    fn named(text: &str) -> Self {
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

    fn unknown(why: &str) -> Self {
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

/// One operator, those of a list, or those of a loop variable.
pub(super) fn operators(names: &Names<'_>, node: Node<'_>, path: &[Node<'_>]) -> Vec<Operator> {
    if let Some(text) = literal(node, names.text) {
        return vec![Operator::named(&text)];
    }
    match node.kind() {
        "list" | "tuple" | "set" => {
            let items = children(node).into_iter();
            items.flat_map(|item| one(names, item)).collect()
        }
        "identifier" => match looped(names, node, path) {
            Some(items) => {
                let items = items.into_iter();
                items.flat_map(|item| one(names, item)).collect()
            }
            None => vec![variable(names, node)],
        },
        _ => one(names, node),
    }
}

/// Nested lists have none.
fn one(names: &Names<'_>, node: Node<'_>) -> Vec<Operator> {
    vec![match (literal(node, names.text), node.kind()) {
        (Some(text), _) => Operator::named(&text),
        (None, "identifier") => variable(names, node),
        (None, "attribute") => attribute(names, node),
        _ => {
            let shown = shortened(text(node, names.text));
            Operator::unknown(&format!("the operator is computed: `{shown}`"))
        }
    }]
}

fn variable(names: &Names<'_>, node: Node<'_>) -> Operator {
    let name = text(node, names.text);
    match names.value(name, node.start_byte()) {
        Some(Value::Text(text) | Value::Operator(text)) => Operator::named(text),
        Some(Value::Operators(path)) => Operator::of_path(path),
        _ => Operator::unknown(&format!("the operator's name is the variable `{name}`")),
    }
}

fn attribute(names: &Names<'_>, node: Node<'_>) -> Operator {
    let path = text(node, names.text);
    if let Value::Operators(path) = value_of(node, names.text) {
        return Operator::of_path(&path);
    }
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    match names.value(first, node.start_byte()) {
        Some(Value::Operators(base)) if base.is_empty() => Operator::of_path(rest),
        Some(Value::Operators(base)) => Operator::of_path(&format!("{base}.{rest}")),
        _ => Operator::unknown(&format!("the operator is `{}`", shortened(path))),
    }
}

fn looped<'t>(names: &Names<'_>, node: Node<'t>, path: &[Node<'t>]) -> Option<Vec<Node<'t>>> {
    let name = text(node, names.text);
    let around = path.iter().rev().find(|around| {
        let left = around.child_by_field_name("left");
        around.kind() == "for_statement" && left.is_some_and(|l| text(l, names.text) == name)
    })?;
    let list = around.child_by_field_name("right")?;
    let list = match list.kind() {
        "list" | "tuple" | "set" => list,
        "identifier" => {
            let Some(Value::List(start, end)) =
                names.value(text(list, names.text), list.start_byte())
            else {
                return None;
            };
            path.first()?.descendant_for_byte_range(*start, *end)?
        }
        _ => return None,
    };
    Some(children(list))
}

pub(super) fn keys(names: &Names<'_>, node: Node<'_>) -> Vec<Result<Box<str>, Box<str>>> {
    let source = names.text;
    if let Some(text) = literal(node, source) {
        return vec![key(&text)];
    }
    match node.kind() {
        "list" | "tuple" | "set" => {
            let items = children(node).into_iter();
            items.map(|item| one_key(names, item)).collect()
        }
        "attribute" if text(node, source).contains("DispatchKey.") => {
            let name = text(node, source).rsplit('.').next().unwrap_or_default();
            vec![Ok(canonical_key(name).into())]
        }
        "none" => vec![Ok("CompositeExplicitAutograd".into())],
        _ => vec![one_key(names, node)],
    }
}

fn one_key(names: &Names<'_>, node: Node<'_>) -> Result<Box<str>, Box<str>> {
    if let Some(text) = literal(node, names.text) {
        return key(&text);
    }
    let shown = text(node, names.text);
    match names.value(shown, node.start_byte()) {
        Some(Value::Text(text)) => key(text),
        _ => Err(format!("the dispatch key is `{}`", shortened(shown)).into()),
    }
}

/// A dispatch key, which begins with a capital letter, or a device.
fn key(name: &str) -> Result<Box<str>, Box<str>> {
    if name == "default" {
        return Ok("CompositeExplicitAutograd".into());
    }
    if name.starts_with(|c: char| c.is_ascii_uppercase()) {
        return Ok(canonical_key(name).into());
    }
    let unknown = || format!("a process decides the dispatch key of device `{name}`").into();
    device_key(name).map(Into::into).ok_or_else(unknown)
}

/// On one line, with at most 60 characters.
pub(super) fn shortened(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > 60 {
            line.truncate(line.floor_char_boundary(57));
            line.push_str("...");
            break;
        }
    }
    line
}
