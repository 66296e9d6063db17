//! Functions and lambdas that register with a library of their caller.

use opatlas_source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use super::blocks::Block;
use super::scopes::Shared;
use super::source::Source;
use super::{Collector, body};
use crate::parse::Reader;

/// Maximum number of blocks for which a function is read.
const MOST_CALLERS: usize = 8;

/// Maximum number of pairs of function and caller in a file.
const MOST_HELPERS: usize = 256;

/// How far the parts of a declaration may be apart, in tokens.
const FARTHEST: usize = 64;

/// A function with a library as a parameter.
#[derive(Debug, Clone)]
pub(super) struct Helper<'s> {
    /// `None` for a lambda without a name.
    pub name: Option<&'s str>,
    pub variable: &'s str,
    pub at: Span,
    /// The tokens of its braces.
    pub body: (usize, usize),
}

/// The blocks whose library is passed to a function, by function name, and those in which another
/// file is included, by its path.
#[derive(Default)]
pub(super) struct Calls<'s> {
    by_function: FxHashMap<&'s str, Vec<(usize, Block<'s>)>>,
}

/// What other files may decide.
#[derive(Default)]
pub(super) struct Leftover<'s> {
    /// Calls of functions that the file does not define.
    pub calls: Vec<(&'s str, Block<'s>)>,
    /// Functions that the file does not call.
    pub helpers: Vec<Helper<'s>>,
    /// Variables outside functions.
    pub shared: FxHashMap<&'s str, Shared>,
    /// Whether the file uses variables that it does not make.
    pub has_open: bool,
}

impl<'s> Calls<'s> {
    /// The library is the argument at `position`.
    pub(super) fn add(&mut self, function: &'s str, position: usize, block: &Block<'s>) {
        let callers = self.by_function.entry(function).or_default();
        if callers.len() < MOST_CALLERS {
            callers.push((position, block.clone()));
        }
    }

    /// Adds the files that are included in a block.
    pub(super) fn add_included(&mut self, source: &Source<'s>, block: &Block<'s>) {
        let place = |token: usize| {
            source
                .tokens
                .get(token)
                .map_or(u32::MAX, |token| token.start)
        };
        let (from, to) = (place(block.body.0), place(block.body.1));
        let first = source.directives.partition_point(|line| line.start < from);
        for line in source.directives.iter().skip(first) {
            if line.start > to {
                break;
            }
            let text = source.text.get(line.start as usize..line.end as usize);
            let path = text
                .filter(|text| super::conditions::split(text).0 == "include")
                .and_then(|text| text.split(['"', '<', '>']).nth(1));
            if let Some(path) = path.filter(|path| path.contains('.')) {
                self.add(path, 0, block);
            }
        }
    }
}

impl<'s> Helper<'s> {
    /// The function whose parameter has the type at `index` and the name at `variable`.
    pub(super) fn of_parameter(source: &Source<'s>, index: usize, variable: usize) -> Option<Self> {
        let is_last = [b',', b')', b'=']
            .iter()
            .any(|b| source.is(variable + 1, *b));
        let from = index.saturating_sub(FARTHEST);
        let open = (from..index).rev().find(|at| {
            source.is(*at, b'(') && source.partner(*at).is_some_and(|close| close > index)
        });
        Self::of_function(source, open.filter(|_| is_last)?, source.word(variable)?)
    }

    /// The function whose parameters begin at `open`.
    fn of_function(source: &Source<'s>, open: usize, variable: &'s str) -> Option<Self> {
        let close = source.partner(open)?;
        let brace = body_after(source, close)?;
        let end = source.partner(brace)?;
        let before = open.checked_sub(1)?;
        let name = if source.is(before, b']') {
            lambda_name(source, source.partner(before)?)
        } else if source.is(before, b'>') {
            let from = before.saturating_sub(FARTHEST);
            let angle = (from..before).rev().find(|at| {
                source.is(*at, b'<') && source.template_end(*at, FARTHEST) == Some(before)
            });
            angle.and_then(|angle| source.word(angle.checked_sub(1)?))
        } else {
            source.word(before)
        };
        Some(Self {
            name,
            variable,
            at: source.span(source.tokens[before].start, source.tokens[close].end),
            body: (brace, end),
        })
    }

    /// The only function of a name, whatever the type of its parameter at `position` is, as in a
    /// template.
    fn of_name(source: &Source<'s>, name: &str, position: usize) -> Option<Self> {
        let mut found = None;
        for at in 0..source.tokens.len() {
            if source.word(at) != Some(name) {
                continue;
            }
            let open = match source.is(at + 1, b'=') && source.is(at + 2, b'[') {
                true => source.partner(at + 2).map(|end| end + 1),
                false => Some(at + 1),
            };
            let Some(open) = open.filter(|open| source.is(*open, b'(')) else {
                continue;
            };
            let close = source.partner(open)?;
            let parameters = source.expression(open + 1..close).arguments();
            let variable = parameters
                .get(position)
                .and_then(|parameter| parameter.last_word());
            let variable = variable.map(|variable| variable.text(source.text));
            let Some(helper) = variable.and_then(|name| Self::of_function(source, open, name))
            else {
                continue;
            };
            if found.is_some() {
                return None;
            }
            found = Some(helper);
        }
        found
    }
}

/// The name that a lambda is bound to: `auto fill = [](...) {`.
fn lambda_name<'s>(source: &Source<'s>, bracket: usize) -> Option<&'s str> {
    let before = bracket.checked_sub(1)?;
    let is_bound = source.is(before, b'=') || source.is(before, b'{');
    source.word(before.checked_sub(1).filter(|_| is_bound)?)
}

/// The brace of a function's body, after qualifiers, a return type or initializers of members.
pub(super) fn body_after(source: &Source<'_>, close: usize) -> Option<usize> {
    let mut has_initializers = false;
    let mut index = close + 1;
    while index < close + FARTHEST {
        if source.is(index, b'{') {
            let end = source.partner(index)?;
            let is_initializer = has_initializers
                && source.word(index - 1).is_some()
                && (source.is(end + 1, b',') || source.is(end + 1, b'{'));
            if !is_initializer {
                return Some(index);
            }
            index = end;
        } else if source.is(index, b'(') {
            index = source.partner(index)?;
        } else if source.is(index, b':') {
            has_initializers = true;
        } else if [b';', b')', b'}', b'=']
            .iter()
            .any(|b| source.is(index, *b))
            || (source.is(index, b',') && !has_initializers)
        {
            return None;
        }
        index += 1;
    }
    None
}

/// Reads the functions that the file's blocks call.
pub(super) fn read<'s>(
    found: &mut Collector<'_, 's>,
    reader: &mut Reader,
    mut helpers: Vec<Helper<'s>>,
    mut calls: Calls<'s>,
) -> Leftover<'s> {
    let mut read = vec![0_usize; helpers.len()];
    let mut left = MOST_HELPERS;
    let mut sought: FxHashSet<&'s str> = FxHashSet::default();
    // A helper may call another, so repeat until there are no new calls.
    loop {
        add_templates(found.source, &mut helpers, &calls, &mut sought);
        read.resize(helpers.len(), 0);
        let called = helpers.iter().enumerate().find_map(|(index, helper)| {
            let (_, block) = calls.by_function.get(helper.name?)?.get(read[index])?;
            Some((index, block.clone()))
        });
        let Some((index, block)) = called.filter(|_| left > 0) else {
            break;
        };
        read[index] += 1;
        left -= 1;
        let helper = &helpers[index];
        let block = Block {
            variable: helper.variable,
            body: helper.body,
            ..block
        };
        body::read(found, reader, &block, &mut calls);
    }
    Leftover::of(helpers, &read, calls)
}

impl<'s> Leftover<'s> {
    /// The functions that were not read, and the calls of others.
    fn of(helpers: Vec<Helper<'s>>, read: &[usize], calls: Calls<'s>) -> Self {
        let defined: FxHashSet<_> = helpers.iter().filter_map(|helper| helper.name).collect();
        let others = calls.by_function.into_iter();
        let others = others.filter(|(name, _)| !defined.contains(name));
        let others = others.flat_map(|(name, blocks)| {
            let blocks = blocks.into_iter();
            blocks.map(move |(_, block)| (name, block))
        });
        let mut calls: Vec<_> = others.collect();
        calls.sort_by_key(|(name, block)| (*name, block.at.start));
        let unread = helpers
            .into_iter()
            .zip(read)
            .filter(|(_, read)| **read == 0);
        Self {
            calls,
            helpers: unread.map(|(helper, _)| helper).collect(),
            ..Self::default()
        }
    }
}

/// Adds called functions whose parameter names no type of PyTorch.
fn add_templates<'s>(
    source: &Source<'s>,
    helpers: &mut Vec<Helper<'s>>,
    calls: &Calls<'s>,
    sought: &mut FxHashSet<&'s str>,
) {
    let mut names: Vec<_> = calls.by_function.iter().collect();
    names.sort_by_key(|(name, _)| **name);
    for (name, blocks) in names {
        if sought.len() >= MOST_HELPERS
            || !sought.insert(name)
            || helpers.iter().any(|helper| helper.name == Some(name))
        {
            continue;
        }
        let position = blocks.first().map_or(0, |(position, _)| *position);
        helpers.extend(Helper::of_name(source, name, position));
    }
}

/// Reads a function for no caller; its registrations are unresolved.
pub(super) fn read_alone<'s>(
    found: &mut Collector<'_, 's>,
    reader: &mut Reader,
    helper: &Helper<'s>,
    ambiguity: Option<&str>,
) {
    let name = helper.name.map_or_else(
        || "a lambda without a name".to_owned(),
        |name| format!("`{name}`"),
    );
    let why = match ambiguity {
        Some(why) => format!("the library is a parameter of {name}{why}"),
        None if helper.name.is_none() => format!("the library is a parameter of {name}"),
        None => {
            format!("the library is a parameter of {name}, which no scanned file calls with one")
        }
    };
    let block = Block {
        namespace: None,
        key: None,
        variable: helper.variable,
        through: "torch::Library&",
        at: helper.at,
        body: helper.body,
        unresolved: Some(why.into()),
    };
    body::read(found, reader, &block, &mut Calls::default());
}
