//! Reads a block of registrations: macros by tokens, library calls from a syntax tree.

use tree_sitter::Node;

use super::blocks::{Block, unresolved};
use super::conditions::shortened;
use super::expression::Expression;
use super::helpers::Calls;
use super::method::is_called_on;
use super::scopes::is_object;
use super::{Collector, Draft, placeholders};
use crate::name::canonical_key;
use crate::parse::{Reader, Walk, children};
use crate::{FaultKind, RegistrationKind};

/// Maximum number of scopes before a call in which its variable may be another one.
const MOST_CLAIMS: usize = 256;

/// Calls that pass the library to other functions go to `calls`.
pub(super) fn read<'s>(
    found: &mut Collector<'_, 's>,
    reader: &mut Reader,
    block: &Block<'s>,
    calls: &mut Calls<'s>,
) {
    let source = found.source;
    let (open, close) = block.body;
    let (Some(first), Some(last)) = (
        source.tokens.get(open),
        source
            .tokens
            .get(close.min(source.tokens.len().wrapping_sub(1))),
    ) else {
        return;
    };
    let (start, end) = (first.start as usize, last.end as usize);
    let Some(bytes) = source.text.as_bytes().get(start..end) else {
        return;
    };
    let Some(left) = found.left.checked_sub(bytes.len()) else {
        return found.fault(FaultKind::TooComplex, block.at);
    };
    found.left = left;
    let mut bytes = bytes.to_vec();
    blank_left_out(found, start, &mut bytes);
    for (from, to) in placeholders::read(found, block) {
        blank(&mut bytes, from - start, to - start);
    }
    macros(found, block, start, &mut bytes);
    let Some(tree) = reader.parse(&bytes) else {
        return found.fault(FaultKind::TooComplex, block.at);
    };
    let mut walk = Walk::new(tree.root_node());
    while let Some(node) = walk.next(true) {
        if node.kind() == "call_expression" {
            call(found, block, start, &walk.path, calls);
        }
    }
    if walk.is_cut {
        found.fault(FaultKind::TooDeep, block.at);
    }
}

/// Keeps line breaks.
fn blank(bytes: &mut [u8], start: usize, end: usize) {
    let end = end.min(bytes.len());
    for byte in bytes.get_mut(start.min(end)..end).unwrap_or_default() {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}

/// The block begins at `start`.
fn blank_left_out(found: &Collector<'_, '_>, start: usize, bytes: &mut [u8]) {
    let source = found.source;
    let end = start + bytes.len();
    let off = source.conditions.off();
    let directives = &source.directives;
    let first = directives.partition_point(|d| d.end as usize <= start);
    let first_off = off.partition_point(|(_, to)| *to as usize <= start);
    let directives = directives[first..].iter().map(|d| (d.start, d.end));
    for ranges in [
        &mut directives.into_iter() as &mut dyn Iterator<Item = (u32, u32)>,
        &mut off[first_off..].iter().copied(),
    ] {
        for (from, to) in ranges.take_while(|(from, _)| (*from as usize) < end) {
            blank(
                bytes,
                (from as usize).saturating_sub(start),
                to as usize - start,
            );
        }
    }
}

/// Reads and blanks macros, which need not be valid C++: no semicolon, types as arguments.
fn macros(found: &mut Collector<'_, '_>, block: &Block<'_>, start: usize, bytes: &mut [u8]) {
    let source = found.source;
    let mut index = block.body.0;
    let mut is_statement = true;
    while index < block.body.1 {
        let token = source.tokens[index];
        let call = source
            .word(index)
            .filter(|_| source.is(index + 1, b'('))
            .and_then(|word| Some((word, source.partner(index + 1)?)));
        let starts_statement = is_statement;
        is_statement = [b'{', b'}', b';'].iter().any(|punct| token.is(*punct));
        let Some((word, close)) = call.filter(|(_, close)| *close < block.body.1) else {
            index += 1;
            continue;
        };
        let is_read = if found.macros.is_known(word) {
            if !is_claimed(found, block, index) {
                known_macro(found, block, index, close);
            }
            true
        } else if starts_statement && is_macro_name(word) {
            // Around an object there is ordinary code.
            if !found.macros.is_nothing(word) && !is_object(block) {
                unknown_macro(found, block, index, close, word);
            }
            true
        } else {
            false
        };
        if is_read {
            let end = source.tokens[close].end as usize;
            blank(bytes, token.start as usize - start, end - start);
            is_statement = true;
            index = close;
        }
        index += 1;
    }
}

fn is_macro_name(word: &str) -> bool {
    word.len() > 1
        && word.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        && word
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

fn unknown_macro(
    found: &mut Collector<'_, '_>,
    block: &Block<'_>,
    at: usize,
    close: usize,
    word: &str,
) {
    let source = found.source;
    let span = source.span(source.tokens[at].start, source.tokens[close].end);
    let why = format!("macro `{word}` is unknown");
    unresolved(found, block, span, word, why);
}

/// The macro's name is at `at`, and its arguments end at `close`.
pub(super) fn known_macro(
    found: &mut Collector<'_, '_>,
    block: &Block<'_>,
    at: usize,
    close: usize,
) {
    let source = found.source;
    let word = source.word(at).unwrap_or_default();
    let span = source.span(source.tokens[at].start, source.tokens[close].end);
    let arguments = source.expression(at + 2..close).arguments();
    let Some(known) = found.macros.find(word, arguments.len()) else {
        let why = format!(
            "macro `{word}` is not known with {} arguments",
            arguments.len()
        );
        return unresolved(found, block, span, word, why);
    };
    let texts: Vec<_> = arguments.iter().map(|a| a.macro_argument()).collect();
    let fill = |text: &Option<Box<str>>| text.as_deref().and_then(|t| known.fill(t, &texts));
    let key = fill(&known.key).map(|key| {
        let last = key.rsplit("::").next().unwrap_or_default();
        let device = last.starts_with('k').then(|| crate::device_key(last));
        device.flatten().unwrap_or(canonical_key(last)).into()
    });
    let function = fill(&known.kernel);
    let condition = source.conditions.at(source.tokens[at].start);
    let parts = [
        (RegistrationKind::Def, &known.def),
        (RegistrationKind::Impl, &known.imp),
    ];
    for (kind, name) in parts.into_iter().filter(|(_, name)| name.is_some()) {
        let mut draft = Draft::new(kind, span, word);
        draft.name = fill(name);
        draft.condition.clone_from(&condition);
        if kind == RegistrationKind::Impl {
            draft.key.clone_from(&key);
            draft.kernel.function.clone_from(&function);
        }
        if known.key.is_some() && key.is_none() {
            draft.unresolved = Some("the dispatch key is not a name".into());
        }
        found.add(block, draft);
    }
}

/// `true` if the variable at a token is not the library of the block.
fn is_claimed(found: &Collector<'_, '_>, block: &Block<'_>, at: usize) -> bool {
    let (open, close) = block.body;
    // They are in the order of their places.
    let before = found.claims.partition_point(|claim| claim.body.0 <= at);
    let around = found.claims[..before].iter().rev();
    let mut around = around
        .take_while(|claim| claim.body.0 >= open)
        .filter(|claim| claim.variable == block.variable && claim.body != block.body)
        .take(MOST_CLAIMS);
    around.any(|claim| claim.body.0 <= close && at <= claim.body.1)
}

struct Call<'c, 's, 't> {
    block: &'c Block<'s>,
    /// The offset of the tree's text in the source.
    start: usize,
    /// The call and its ancestors.
    path: &'c [Node<'t>],
    node: Node<'t>,
    arguments: Vec<Node<'t>>,
}

fn call<'s>(
    found: &mut Collector<'_, 's>,
    block: &Block<'s>,
    start: usize,
    path: &[Node<'_>],
    calls: &mut Calls<'s>,
) {
    let Some(node) = path.last().copied() else {
        return;
    };
    let field = |name| node.child_by_field_name(name);
    let (Some(function), Some(arguments)) = (field("function"), field("arguments")) else {
        return;
    };
    let call = Call {
        block,
        start,
        path,
        node,
        arguments: children(arguments),
    };
    if function.kind() == "field_expression" && call.of_library(found, function) {
        return;
    }
    let is_library = |argument: &Node<'_>| passed(call.text(found, *argument)) == block.variable;
    if let Some(position) = call.arguments.iter().position(is_library) {
        let name = match function.child_by_field_name("field") {
            Some(method) => call.text(found, method),
            None => call.text(found, function),
        };
        let name = name.split('<').next().unwrap_or_default();
        calls.add(
            name.rsplit("::").next().unwrap_or_default(),
            position,
            block,
        );
    }
}

/// The variable in `*m`, `&m`, `std::ref(m)`, `std::move(m)` and `m.get()`.
fn passed(argument: &str) -> &str {
    let argument = argument.trim_start_matches(['*', '&', ' ']);
    let inner = ["std::ref(", "std::move("]
        .iter()
        .find_map(|start| argument.strip_prefix(start));
    let inner = inner.map_or(argument, |inner| inner.trim_end_matches(')'));
    inner.strip_suffix(".get()").unwrap_or(inner)
}

impl<'s> Call<'_, 's, '_> {
    fn text(&self, found: &Collector<'_, 's>, node: Node<'_>) -> &'s str {
        let range = node.start_byte() + self.start..node.end_byte() + self.start;
        found.source.text.get(range).unwrap_or_default()
    }

    fn expression<'r>(&self, found: &Collector<'r, 's>, node: Node<'_>) -> Expression<'r> {
        let range = node.start_byte() + self.start..node.end_byte() + self.start;
        found.source.expression(found.source.within(range))
    }

    /// Falls back to brackets and commas if the tree has errors, such as macros between literals.
    fn expressions<'r>(&self, found: &Collector<'r, 's>) -> Vec<Expression<'r>> {
        let list = self.node.child_by_field_name("arguments");
        if let Some(list) = list.filter(Node::has_error) {
            let range = list.start_byte() + self.start + 1..list.end_byte() + self.start - 1;
            return found
                .source
                .expression(found.source.within(range))
                .arguments();
        }
        let nodes = self.arguments.iter();
        nodes.map(|node| self.expression(found, *node)).collect()
    }

    /// Returns whether this calls a method of the library.
    fn of_library(&self, found: &mut Collector<'_, 's>, function: Node<'_>) -> bool {
        let is_class = |field: Node<'_>| self.text(found, field).starts_with("class_");
        let is_variable = |name: Node<'_>| {
            let name = self.text(found, name);
            name.rsplit("::").next() == Some(self.block.variable)
        };
        if !is_called_on(function, is_class, is_variable) {
            return false;
        }
        let range = self.node.start_byte() + self.start..self.node.end_byte() + self.start;
        let at = found.source.within(range).start;
        if is_claimed(found, self.block, at) {
            return false;
        }
        let method = function.child_by_field_name("field");
        let method = method.map_or("", |field| self.text(found, field));
        let arguments = self.expressions(found);
        let kind = match method {
            "impl" | "impl_UNBOXED" => RegistrationKind::Impl,
            "fallback" => RegistrationKind::Fallback,
            "def" => RegistrationKind::Def,
            _ => return false,
        };
        let (start, end) = (self.node.start_byte(), self.node.end_byte());
        let place = |at: usize| u32::try_from(at + self.start).unwrap_or(u32::MAX);
        let span = found.source.span(place(start), place(end));
        let names = match (kind, arguments.first()) {
            (RegistrationKind::Fallback, _) | (_, None) => vec![None],
            (_, Some(first)) => self.names(found, *first),
        };
        for name in names {
            let mut draft = Draft::new(kind, span, self.block.through);
            draft.condition = self.condition(found);
            match name {
                Some(Ok(name)) => draft.name = Some(name),
                Some(Err(why)) => {
                    draft.unresolved = Some(why);
                    // `"name(Tensor x, int y=" DEFAULT ")"` still names the operator.
                    draft.name = arguments.first().and_then(|first| first.beginning());
                }
                None => {}
            }
            complete(&mut draft, &arguments);
            found.add(self.block, draft);
        }
        true
    }

    fn names(
        &self,
        found: &Collector<'_, 's>,
        first: Expression<'_>,
    ) -> Vec<Option<Result<Box<str>, Box<str>>>> {
        if let Some(name) = first.literal() {
            return vec![Some(Ok(name))];
        }
        let listed = first.variable().and_then(|name| self.listed(found, name));
        if let Some(names) = listed {
            return names.into_iter().map(|name| Some(Ok(name))).collect();
        }
        let shown = shortened(&first.shown().unwrap_or_default());
        let why = format!("the operator's name is `{shown}`, not a literal");
        vec![Some(Err(why.into()))]
    }

    /// The literals of a loop variable around the call.
    fn listed(&self, found: &Collector<'_, 's>, variable: &str) -> Option<Vec<Box<str>>> {
        let source = found.source;
        let mut loops = self.path.iter().rev();
        let (_, list) = loops.find_map(|node| {
            let field = |name| node.child_by_field_name(name);
            let declared = field("declarator").filter(|_| node.kind() == "for_range_loop")?;
            let name = self.text(found, declared);
            let is_it = name.trim_start_matches(['&', '*', ' ']) == variable;
            Some((is_it.then_some(())?, field("right")?))
        })?;
        let right = self.expression(found, list);
        let range = list.start_byte() + self.start..list.end_byte() + self.start;
        let items = match right.variable() {
            Some(name) => source.list(name)?,
            None => {
                let mut tokens = source.within(range);
                let open = tokens.find(|index| source.is(*index, b'{'))?;
                source.literals(open)?
            }
        };
        let items = source.expression(items).arguments().into_iter();
        Some(items.filter_map(Expression::literal).collect())
    }

    /// Preprocessor conditions and `if` statements in the block.
    fn condition(&self, found: &Collector<'_, 's>) -> Option<Box<str>> {
        let of_text = u32::try_from(self.node.start_byte() + self.start).ok();
        let mut conditions: Vec<String> = Vec::new();
        let mut is_else = false;
        for node in self.path.iter().rev() {
            is_else |= node.kind() == "else_clause";
            if node.kind() == "if_statement" && conditions.len() < 4 {
                let condition = node.child_by_field_name("condition");
                let text = condition.map_or("", |condition| self.text(found, condition));
                let prefix = if is_else { "else of if" } else { "if" };
                conditions.push(format!("{prefix} {}", shortened(text)));
                is_else = false;
            }
        }
        let directive = of_text.and_then(|at| found.source.conditions.at(at));
        conditions.extend(directive.map(String::from));
        (!conditions.is_empty()).then(|| conditions.join(", within ").into())
    }
}

pub(super) fn complete(draft: &mut Draft<'_>, arguments: &[Expression<'_>]) {
    match draft.kind {
        RegistrationKind::Fallback => {
            draft.kernel = arguments
                .first()
                .map(|first| first.kernel())
                .unwrap_or_default();
        }
        RegistrationKind::Impl => match arguments {
            [_, key, kernel, ..] if key.key().is_some() => {
                draft.key = key.key().map(Into::into);
                draft.kernel = kernel.kernel();
            }
            [_, kernel, ..] => draft.kernel = kernel.kernel(),
            _ => {}
        },
        RegistrationKind::Def => {
            let is_kernel = |argument: &&Expression<'_>| !argument.is_tags();
            let kernel = arguments.iter().skip(1).find(is_kernel);
            draft.kernel = kernel.map(|kernel| kernel.kernel()).unwrap_or_default();
        }
    }
}
