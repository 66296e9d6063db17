//! Calls of methods on libraries.

use tree_sitter::Node;

use super::blocks::Block;
use super::body::complete;
use super::{Collector, Draft};
use crate::RegistrationKind;
use crate::parse::DEEPEST;

/// Whether a method is called on a variable, directly or as in `m.def(a).impl(b)`, `this->m.impl(b)`
/// and `m[0]->impl(b)`, and not on a class that it defines.
pub(super) fn is_called_on<'t>(
    function: Node<'t>,
    is_class: impl Fn(Node<'t>) -> bool,
    is_variable: impl Fn(Node<'t>) -> bool,
) -> bool {
    let mut node = function;
    // Bounds the chain like the walk.
    for depth in 0..DEEPEST {
        let inner = match node.kind() {
            "field_expression" => {
                let field = node.child_by_field_name("field");
                if field.is_some_and(&is_class) {
                    return false;
                }
                if depth > 0 && field.is_some_and(&is_variable) {
                    return true;
                }
                node.child_by_field_name("argument")
            }
            "call_expression" => node.child_by_field_name("function"),
            "subscript_expression" => node.child_by_field_name("argument"),
            "parenthesized_expression" | "pointer_expression" => node.named_child(0),
            _ => None,
        };
        match inner {
            Some(inner) => node = inner,
            None => return is_variable(node),
        }
    }
    false
}

/// Reads the calls on a temporary library, whose expression ends before a token.
pub(super) fn read_chain(found: &mut Collector<'_, '_>, block: &Block<'_>, after: usize) {
    let source = found.source;
    let mut at = after;
    // The brackets around `new` or a cast.
    while source.is(at, b')') {
        at += 1;
    }
    loop {
        let access = if source.is(at, b'-') && source.is(at + 1, b'>') {
            2
        } else {
            1
        };
        let open = at + access + 1;
        let is_call = (access == 2 || source.is(at, b'.')) && source.is(open, b'(');
        let Some(close) = is_call.then(|| source.partner(open)).flatten() else {
            return;
        };
        let kind = match source.word(at + access) {
            Some("impl") => RegistrationKind::Impl,
            Some("def") => RegistrationKind::Def,
            Some("fallback") => RegistrationKind::Fallback,
            _ => return,
        };
        read_call(found, block, kind, (at + access, open, close));
        at = close + 1;
    }
}

/// Reads a call by its tokens: where it begins, and its brackets.
pub(super) fn read_call(
    found: &mut Collector<'_, '_>,
    block: &Block<'_>,
    kind: RegistrationKind,
    (start, open, close): (usize, usize, usize),
) {
    let source = found.source;
    let span = source.span(source.tokens[start].start, source.tokens[close].end);
    let arguments = source.expression(open + 1..close).arguments();
    let mut draft = Draft::new(kind, span, block.through);
    draft.condition = source.conditions.at(source.tokens[start].start);
    if kind != RegistrationKind::Fallback {
        draft.name = arguments.first().and_then(|first| first.literal());
    }
    complete(&mut draft, &arguments);
    found.add(block, draft);
}
