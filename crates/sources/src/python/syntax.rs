//! Parts of Python's syntax tree.

use tree_sitter::Node;

use super::facts::Parameter;
use crate::parse::{children, text};

#[derive(Debug, Default)]
pub(super) struct Arguments<'t> {
    pub positional: Vec<Node<'t>>,
    pub keywords: Vec<(Node<'t>, Node<'t>)>,
    /// Whether it contains `*args` or `**kwargs`.
    pub has_rest: bool,
}

impl<'t> Arguments<'t> {
    /// The arguments of a call; none for other nodes.
    pub(super) fn of(call: Node<'t>) -> Self {
        let mut arguments = Self::default();
        if call.kind() != "call" {
            return arguments;
        }
        let list = call.child_by_field_name("arguments");
        if let Some(generator) = list.filter(|list| list.kind() == "generator_expression") {
            arguments.positional.push(generator);
            return arguments;
        }
        for argument in list.map(children).unwrap_or_default() {
            match argument.kind() {
                "keyword_argument" => {
                    let field = |name| argument.child_by_field_name(name);
                    if let (Some(name), Some(value)) = (field("name"), field("value")) {
                        arguments.keywords.push((name, value));
                    }
                }
                "list_splat" | "dictionary_splat" => arguments.has_rest = true,
                _ => arguments.positional.push(argument),
            }
        }
        arguments
    }

    pub(super) fn get(&self, index: usize, name: &str, source: &str) -> Option<Node<'t>> {
        let named = self.keyword(name, source);
        self.positional.get(index).copied().or(named)
    }

    pub(super) fn keyword(&self, name: &str, source: &str) -> Option<Node<'t>> {
        let mut keywords = self.keywords.iter();
        let found = keywords.find(|(key, _)| text(*key, source) == name);
        found.map(|(_, value)| *value)
    }
}

/// A name that an assignment or a loop gives a value.
#[derive(Debug, Clone)]
pub(super) struct Target<'t> {
    pub name: &'t str,
    /// Which part of the value; `None` for a name with `*`.
    pub path: Option<Vec<usize>>,
}

/// Maximum nesting of targets.
const DEEPEST_TARGET: usize = 8;

pub(super) fn targets<'t>(node: Node<'t>, source: &'t str) -> Vec<Target<'t>> {
    let mut found = Vec::new();
    let mut open = vec![(node, Some(Vec::new()))];
    while let Some((node, path)) = open.pop() {
        match node.kind() {
            "identifier" => found.push(Target {
                name: text(node, source),
                path,
            }),
            "pattern_list" | "tuple_pattern" | "list_pattern" => {
                let mut is_after_star = false;
                for (index, part) in children(node).into_iter().enumerate() {
                    is_after_star |= part.kind() == "list_splat_pattern";
                    let own = path.clone().filter(|path| path.len() < DEEPEST_TARGET);
                    let own = own.filter(|_| !is_after_star).map(|mut path| {
                        path.push(index);
                        path
                    });
                    open.push((part, own));
                }
            }
            "list_splat_pattern" => {
                open.extend(node.named_child(0).map(|inner| (inner, None)));
            }
            _ => {}
        }
    }
    found
}

/// The targets of each `for` of a comprehension.
pub(super) fn clauses<'t>(node: Node<'t>, source: &'t str) -> Vec<Vec<Target<'t>>> {
    let clauses = children(node).into_iter();
    let clauses = clauses.filter(|clause| clause.kind() == "for_in_clause");
    clauses
        .map(|clause| {
            let left = clause.child_by_field_name("left");
            left.map(|left| targets(left, source)).unwrap_or_default()
        })
        .collect()
}

pub(super) fn parameters<'t>(function: Node<'t>, source: &'t str) -> Vec<Parameter<'t>> {
    let list = function.child_by_field_name("parameters");
    let mut is_keyword_only = false;
    let mut found = Vec::new();
    for node in list.map(children).unwrap_or_default() {
        let is_rest = |node: Node<'_>| {
            matches!(
                node.kind(),
                "list_splat_pattern" | "dictionary_splat_pattern"
            )
        };
        let first = node.named_child(0);
        let name = match node.kind() {
            "identifier" => Some(node),
            "keyword_separator" => {
                is_keyword_only = true;
                None
            }
            "positional_separator" => None,
            _ => node.child_by_field_name("name").or(first),
        };
        let Some(name) = name else {
            continue;
        };
        let rest = is_rest(node) || is_rest(name);
        found.push(Parameter {
            name: text(name, source).trim_start_matches('*'),
            default: node.child_by_field_name("value"),
            annotation: node.child_by_field_name("type"),
            is_rest: rest,
            is_keyword_only,
        });
        is_keyword_only |= rest;
    }
    found
}

/// The decorated function, or the argument of `register(...)(function)`.
pub(super) fn applied<'t>(path: &[Node<'t>]) -> Option<Node<'t>> {
    let [.., around, parent, node] = path else {
        return None;
    };
    if parent.kind() == "decorator" {
        let definition = around.child_by_field_name("definition")?;
        return definition.child_by_field_name("name");
    }
    let is_called =
        parent.kind() == "call" && parent.child_by_field_name("function") == Some(*node);
    is_called.then(|| Arguments::of(*parent).positional.first().copied())?
}

/// A branch of a condition or loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Branch<'t> {
    pub start: usize,
    pub end: usize,
    /// The condition of an `if` around it, and whether it must be true.
    pub condition: Option<(Node<'t>, bool)>,
}

impl Branch<'_> {
    pub(super) fn covers(&self, place: usize) -> bool {
        self.start <= place && place <= self.end
    }
}

/// The branch around the last node of a path, within a scope that begins at `start`.
pub(super) fn branch<'t>(path: &[Node<'t>], start: usize) -> Branch<'t> {
    let mut inner = path.last();
    for (around, above) in path
        .iter()
        .rev()
        .skip(1)
        .zip(path.iter().rev().skip(2).map(Some).chain([None]))
    {
        let Some(node) = inner else {
            break;
        };
        if node.start_byte() <= start && node.kind() == "block" && start > 0 {
            break;
        }
        if is_conditional(around.kind()) && node.kind() == "block" {
            let is_else = around.kind() == "else_clause";
            let decides = if is_else { above } else { Some(around) };
            let decides = decides.filter(|node| match is_else {
                // With `elif`, several conditions decide.
                true => !children(**node)
                    .iter()
                    .any(|child| child.kind() == "elif_clause"),
                false => {
                    around.kind() == "if_statement"
                        && around.child_by_field_name("consequence") == inner.copied()
                }
            });
            let condition = decides.and_then(|node| node.child_by_field_name("condition"));
            return Branch {
                start: node.start_byte(),
                end: node.end_byte(),
                condition: condition.map(|condition| (condition, !is_else)),
            };
        }
        inner = Some(around);
    }
    Branch {
        start: 0,
        end: usize::MAX,
        condition: None,
    }
}

fn is_conditional(kind: &str) -> bool {
    matches!(
        kind,
        "if_statement"
            | "elif_clause"
            | "else_clause"
            | "try_statement"
            | "except_clause"
            | "while_statement"
            | "for_statement"
            | "case_clause"
    )
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

/// The content of a string without its escapes.
pub(super) fn unescaped(text: &str) -> String {
    if text.contains('\\') {
        text.replace("\\\n", "")
            .replace("\\n", "\n")
            .replace("\\\"", "\"")
    } else {
        text.to_owned()
    }
}
