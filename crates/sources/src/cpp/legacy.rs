//! `RegisterOperators`, of the dispatcher before `TORCH_LIBRARY` and of TorchScript.

use super::blocks::{Block, unresolved};
use super::expression::Expression;
use super::{Collector, Draft};
use crate::RegistrationKind;
use crate::name::CATCH_ALL;

const NAME: &str = "RegisterOperators";

/// Reads a statement; returns the token after it.
pub(super) fn read(found: &mut Collector<'_, '_>, at: usize) -> usize {
    let source = found.source;
    let end = end_of_statement(found, at);
    let token = source.tokens[at];
    let mut block = Block {
        namespace: None,
        key: None,
        variable: "",
        through: NAME,
        at: source.span(token.start, token.end),
        body: (at, end),
        unresolved: Some("the operator's name has no namespace".into()),
    };
    let mut is_any = false;
    let mut index = at + 1;
    while index < end {
        let word = source.word(index);
        let close = source
            .is(index + 1, b'(')
            .then(|| source.partner(index + 1))
            .flatten();
        match (word, close) {
            (Some("op"), Some(close)) if source.is(index - 1, b'.') => {
                operator(found, &block, index, close);
                is_any = true;
                index = close;
            }
            (Some("Operator"), Some(close)) => {
                block.unresolved = None;
                script_operator(found, &block, index, close);
                is_any = true;
                index = close;
            }
            _ => {}
        }
        index += 1;
    }
    let registers = source.is(at + 1, b'(') || source.is(at + 2, b'(');
    if !is_any && registers && end > at + 4 {
        let span = source.span(
            token.start,
            source.tokens[end.min(source.tokens.len() - 1)].end,
        );
        let why = "functions make the operators that are registered".to_owned();
        unresolved(found, &block, span, NAME, why);
    }
    end
}

fn end_of_statement(found: &Collector<'_, '_>, from: usize) -> usize {
    let source = found.source;
    let mut index = from;
    while index < source.tokens.len() {
        if source.is(index, b';') || source.is(index, b'}') || source.is(index, b')') {
            return index;
        }
        let opens = [b'(', b'[', b'{']
            .iter()
            .any(|byte| source.is(index, *byte));
        let skipped = opens.then(|| source.partner(index)).flatten();
        index = skipped.unwrap_or(index) + 1;
    }
    index
}

/// `.op("ns::name", &f)` and `.op("ns::name(...) -> ...", options().kernel<...>(key))`.
fn operator(found: &mut Collector<'_, '_>, block: &Block<'_>, at: usize, close: usize) {
    let source = found.source;
    let span = source.span(source.tokens[at].start, source.tokens[close].end);
    let arguments = source.expression(at + 2..close).arguments();
    let mut draft = Draft::new(RegistrationKind::Def, span, NAME);
    draft.condition = source.conditions.at(source.tokens[at].start);
    draft.name = arguments.first().and_then(|first| first.literal());
    let options = arguments.get(1).filter(|second| second.is_options());
    match options {
        Some(_) => {
            let all = source.expression(at + 2..close);
            let named = all.options();
            draft.name = draft.name.or(named.schema);
            draft.kernel.function = named.kernel;
            draft.key = named.key.or(Some(CATCH_ALL.into()));
        }
        None => {
            let kernel = arguments.get(1).map(|second| second.kernel());
            draft.kernel = kernel.unwrap_or_default();
            draft.key = Some(CATCH_ALL.into());
        }
    }
    found.add(block, draft);
}

/// TorchScript's `Operator("ns::name(...) -> ...", function)`, which the dispatcher does not know.
fn script_operator(found: &mut Collector<'_, '_>, block: &Block<'_>, at: usize, close: usize) {
    let source = found.source;
    let span = source.span(source.tokens[at].start, source.tokens[close].end);
    let first = source
        .expression(at + 2..close)
        .arguments()
        .into_iter()
        .next();
    let mut draft = Draft::new(RegistrationKind::Def, span, "torch::jit::RegisterOperators");
    draft.name = first.and_then(Expression::literal);
    found.add(block, draft);
}
