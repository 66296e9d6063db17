//! Placeholders of templates that stand for registrations: `${registrations}` in a block.

use super::Collector;
use super::blocks::{Block, unresolved};
use super::scopes::is_object;
use super::source::Source;

/// Lists the placeholders that are statements of a block as unresolved, and returns their places in the
/// text.
pub(super) fn read(found: &mut Collector<'_, '_>, block: &Block<'_>) -> Vec<(usize, usize)> {
    let source = found.source;
    let mut places = Vec::new();
    let mut index = block.body.0 + 1;
    let mut is_statement = true;
    while index < block.body.1 && !is_object(block) {
        let end = is_statement
            .then(|| placeholder_end(source, index))
            .flatten();
        let Some(end) = end.filter(|end| *end < block.body.1) else {
            is_statement = starts_statement(source, index);
            index += 1;
            continue;
        };
        let (from, to) = (source.tokens[index].start, source.tokens[end].end);
        let shown = source
            .expression(index..end + 1)
            .shown()
            .unwrap_or_default();
        let why = format!("`{shown}` is a placeholder of a template");
        unresolved(found, block, source.span(from, to), block.through, why);
        places.push((from as usize, to as usize));
        index = end + 1;
    }
    places
}

/// Whether a statement begins after a token.
fn starts_statement(source: &Source<'_>, at: usize) -> bool {
    if source.is(at, b'{') {
        let before = at.checked_sub(1);
        return before.is_some_and(|at| source.is(at, b')') || source.word(at) == Some("else"));
    }
    // `}}` may end a placeholder within a name.
    let ends_pair = source.partner(at).is_some_and(|open| {
        source
            .partner(open + 1)
            .is_some_and(|inner| inner + 1 == at)
    });
    source.is(at, b';') || (source.is(at, b'}') && !ends_pair)
}

/// The end of a placeholder that begins at a token: `${x}`, `$x`, `@X@`, `{{ x }}`, `{x}`.
fn placeholder_end(source: &Source<'_>, at: usize) -> Option<usize> {
    let is_name = |at: usize| source.word(at).is_some();
    if source.is(at, b'@') {
        return (is_name(at + 1) && source.is(at + 2, b'@')).then_some(at + 2);
    }
    if source.is(at, b'$') {
        return match is_name(at + 1) {
            true => Some(at + 1),
            false => source.partner(at + 1),
        };
    }
    let end = source.is(at, b'{').then(|| source.partner(at)).flatten()?;
    let inner = at + 1 + usize::from(source.is(at + 1, b'{'));
    let is_part = |at: usize| is_name(at) || source.is(at, b'.') || source.is(at, b'}');
    (is_name(inner) && (inner + 1..end).all(is_part)).then_some(end)
}
