//! `precomputed` (torchgen `Precompute.parse`).

use opatlas_schema::function::Argument;
use opatlas_schema::parse::parse_argument;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Span, message};
use opatlas_yaml::{Kind, NodeId, ScalarType};
use rustc_hash::FxHashMap;

use super::Lowering;
use crate::entry::{Field, Placed, Precompute};

const RULE: RuleId = RuleId::Precomputed;

impl<'t> Lowering<'t> {
    pub(super) fn precomputed(&mut self, value: Option<NodeId>) {
        let Some(node) = value.filter(|&node| !self.is_null(node)) else {
            return;
        };
        let mut precompute = Precompute {
            replace: Vec::new(),
            add: Vec::new(),
        };
        let Kind::Sequence(items) = self.tree.kind(node) else {
            if !self.is_nothing(node) {
                self.wrong_type(Field::Precomputed, node);
            }
            self.entry.precomputed = Some(precompute);
            return;
        };
        let mut seen = FxHashMap::default();
        for (i, &item) in items.iter().enumerate() {
            let Some(text) = self.tree.str_value(item) else {
                self.report(
                    Diagnostic::new(RULE, self.tree.span(item), "this item is not a string")
                        .with_help("write `argument -> Type name`"),
                );
                continue;
            };
            match text.find(" -> ") {
                Some(arrow) => self.replacement(item, text, arrow, &mut precompute, &mut seen),
                None if i + 1 == items.len() => {
                    precompute.add = self.arguments(item, text, 0);
                }
                None => self.report(
                    Diagnostic::new(
                        RULE,
                        self.tree.span(item),
                        "only the last item can add parameters that replace no argument",
                    )
                    .with_help("write `argument -> Type name`, or move it to the end"),
                ),
            }
        }
        self.entry.precomputed = Some(precompute);
    }

    /// False in Python, which torchgen treats as missing.
    fn is_nothing(&self, node: NodeId) -> bool {
        let Kind::Scalar(scalar) = self.tree.kind(node) else {
            return false;
        };
        match scalar.ty {
            ScalarType::Str => scalar.value.is_empty(),
            ScalarType::Bool(value) => !value,
            ScalarType::Int | ScalarType::Float => scalar
                .value
                .bytes()
                .all(|b| matches!(b, b'0' | b'.' | b'-' | b'+')),
            _ => false,
        }
    }

    fn replacement(
        &mut self,
        item: NodeId,
        text: &'t str,
        arrow: usize,
        precompute: &mut Precompute,
        seen: &mut FxHashMap<&'t str, Span>,
    ) {
        let left = &text[..arrow];
        let right = &text[arrow + 4..];
        if let Some(second) = right.find(" -> ") {
            let from = arrow + 4 + second;
            self.report(
                Diagnostic::new(
                    RULE,
                    self.place(item, from..from + 4),
                    "second ` -> `: an item replaces one argument",
                )
                .with_help("write one item per argument"),
            );
            return;
        }
        let at = self.place(item, 0..left.len());
        if let Some(earlier) = seen.insert(left, at) {
            self.report(
                Diagnostic::new(RULE, at, message!("duplicate replacement of `{}`", left))
                    .with_help("list all replacements after one arrow")
                    .with_related("first replaced here", earlier),
            );
            return;
        }
        let arguments = self.arguments(item, right, arrow + 4);
        let printed: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        let printed = printed.join(", ");
        if !arguments.is_empty() && printed != right {
            self.report(
                Diagnostic::new(
                    RULE,
                    self.place(item, arrow + 4..text.len()),
                    "separate replacements by exactly a comma and one space",
                )
                .with_help(message!("write `{} -> {}`", left, printed)),
            );
        }
        precompute.replace.push((
            Placed {
                value: left.into(),
                at,
            },
            arguments,
        ));
    }

    /// Empty if an argument is invalid.
    fn arguments(&mut self, item: NodeId, text: &'t str, from: usize) -> Vec<Argument> {
        let mut arguments = Vec::new();
        let mut complete = true;
        let mut start = from;
        for piece in text.split(',') {
            let trimmed = piece.trim();
            let begin = start + (piece.len() - piece.trim_start().len());
            start += piece.len() + 1;
            let at = self.place(item, begin..begin + trimmed.len());
            match parse_argument(trimmed, at.start) {
                Ok(argument) => {
                    self.template_name(&argument, at);
                    arguments.push(argument);
                }
                Err(cause) => {
                    complete = false;
                    self.report(
                        Diagnostic::new(
                            RULE,
                            at,
                            message!("`{}` is not a parameter: {}", trimmed, cause.message),
                        )
                        .with_help("write `Type name`"),
                    );
                }
            }
        }
        if complete { arguments } else { Vec::new() }
    }

    /// The template parameter is the name in upper case, so the two must differ.
    fn template_name(&mut self, argument: &Argument, at: Span) {
        if argument.name.to_uppercase() == *argument.name {
            self.report(
                Diagnostic::new(
                    RULE,
                    at,
                    message!(
                        "`{}` equals its own upper case, the name of its template parameter",
                        argument.name
                    ),
                )
                .with_help("use lower-case letters in the name"),
            );
        }
    }
}
