//! Bodies of functions: [`statements`] and [`expressions`] read them from a syntax tree.

mod expressions;
mod statements;

use tree_sitter::Node;

use super::functions::Function;
use crate::LARGEST_FILE;
use crate::body::{Body, Parameter};
use crate::parse::{Budget, Reader, children, text};

/// How deeply statements and expressions may be nested.
const DEEPEST: usize = 150;

/// Reads bodies of functions within the steps that all of them may take together.
pub struct Bodies(Reader);

impl Default for Bodies {
    fn default() -> Self {
        Self(Reader::cpp(Budget::Limited))
    }
}

impl Bodies {
    /// Reads the body of a function that was found in a text ([`super::functions::Functions::text`]);
    /// `None` if it takes too many steps.
    pub fn read(&mut self, text: &[u8], function: &Function) -> Option<Body> {
        let (from, to) = (function.at.start as usize, function.end as usize);
        let bytes = text.get(from..to)?;
        if bytes.len() > LARGEST_FILE {
            return None;
        }
        // What precedes the name, such as attributes and macros, may not parse.
        let source = format!("auto {}", String::from_utf8_lossy(bytes));
        let tree = self.0.parse(source.as_bytes())?;
        let root = tree.root_node();
        let function = children(root)
            .into_iter()
            .find(|node| node.kind() == "function_definition")?;
        let mut reader = BodyReader {
            source: &source,
            is_broken: false,
        };
        let body = function.child_by_field_name("body")?;
        Some(Body {
            parameters: reader.parameters(function),
            statements: reader.block(body, 0),
            is_broken: reader.is_broken,
        })
    }
}

struct BodyReader<'s> {
    source: &'s str,
    is_broken: bool,
}

impl<'s> BodyReader<'s> {
    fn text(&self, node: Node<'_>) -> &'s str {
        text(node, self.source)
    }

    fn parameters(&mut self, function: Node<'_>) -> Vec<Parameter> {
        let mut declarator = function.child_by_field_name("declarator");
        while let Some(node) = declarator {
            if let Some(list) = node.child_by_field_name("parameters") {
                let list = children(list).into_iter();
                let list = list.filter(|node| node.kind().ends_with("parameter_declaration"));
                return list.map(|node| self.parameter(node)).collect();
            }
            declarator = node.child_by_field_name("declarator");
        }
        Vec::new()
    }

    fn parameter(&self, node: Node<'_>) -> Parameter {
        let name = node
            .child_by_field_name("declarator")
            .and_then(|declarator| self.declared(declarator).pop());
        let value = node.child_by_field_name("default_value");
        let end = value.map_or(node.end_byte(), |value| value.start_byte());
        let whole = self.source.get(node.start_byte()..end).unwrap_or_default();
        let name = name.unwrap_or_default();
        let ty = whole.trim_end_matches([' ', '=', '\n']);
        Parameter {
            ty: ty.strip_suffix(&*name).unwrap_or(ty).trim().into(),
            name,
        }
    }

    /// The names that a declarator declares.
    fn declared(&self, declarator: Node<'_>) -> Vec<Box<str>> {
        let mut node = declarator;
        loop {
            match node.kind() {
                "identifier" | "field_identifier" => return vec![self.text(node).into()],
                "structured_binding_declarator" => {
                    let names = children(node).into_iter();
                    return names.map(|name| self.text(name).into()).collect();
                }
                _ => {}
            }
            let inner = node.child_by_field_name("declarator");
            match inner.or_else(|| children(node).into_iter().next()) {
                Some(inner) => node = inner,
                None => return Vec::new(),
            }
        }
    }
}
