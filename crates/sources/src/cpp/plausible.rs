//! Calls of `impl`, `def` and `fallback` on what may be a library.
//!
//! A call counts if it has the arguments of a registration, nothing else in the file explains it, and
//! the file does not declare its receiver with another type.

use rustc_hash::FxHashSet;

use super::Collector;
use super::blocks::Block;
use super::method;
use super::source::Source;
use crate::RegistrationKind;

pub(super) struct Candidate<'s> {
    pub kind: RegistrationKind,
    /// The first token, and the bracket of the arguments.
    pub start: usize,
    pub open: usize,
    pub close: usize,
    pub receiver: &'s str,
}

impl Candidate<'_> {
    /// Its place in the text.
    pub(super) fn at(&self, source: &Source<'_>) -> u32 {
        source
            .tokens
            .get(self.open)
            .map_or(u32::MAX, |token| token.start)
    }
}

/// The calls that none of the registrations from `first` on covers.
pub(super) fn find<'s>(found: &Collector<'_, 's>, first: usize) -> Vec<Candidate<'s>> {
    let source = found.source;
    let own = found.scan.registrations.get(first..).unwrap_or_default();
    let mut covered: Vec<_> = own.iter().map(|row| (row.at.start, row.at.end)).collect();
    covered.sort_unstable();
    let mut last = 0;
    for (_, end) in &mut covered {
        last = last.max(*end);
        *end = last;
    }
    let is_covered = |at: u32| {
        let before = covered.partition_point(|(start, _)| *start <= at);
        before > 0 && covered[before - 1].1 > at
    };
    let calls = (0..source.tokens.len()).filter_map(|index| candidate(source, index));
    let calls: Vec<_> = calls.filter(|call| !is_covered(call.at(source))).collect();
    if calls.is_empty() {
        return calls;
    }
    let types = OtherTypes::of(source);
    calls
        .into_iter()
        .filter(|call| !types.explain(call))
        .collect()
}

fn candidate<'s>(source: &Source<'s>, index: usize) -> Option<Candidate<'s>> {
    let kind = match source.word(index)? {
        "impl" => RegistrationKind::Impl,
        "def" => RegistrationKind::Def,
        "fallback" => RegistrationKind::Fallback,
        _ => return None,
    };
    let open = index + 1;
    let close = source.is(open, b'(').then(|| source.partner(open))??;
    let (start, receiver) = receiver(source, index)?;
    let arguments = source.expression(open + 1..close).arguments();
    let first = arguments.first()?;
    let is_registration = match kind {
        RegistrationKind::Impl => first.literal().is_some() && arguments.len() > 1,
        RegistrationKind::Def => {
            let schema = first.literal();
            schema.is_some_and(|schema| schema.contains('(') && schema.contains("->"))
        }
        RegistrationKind::Fallback => first.is_wrapped_kernel(),
    };
    is_registration.then_some(Candidate {
        kind,
        start,
        open,
        close,
        receiver,
    })
}

/// The first token and name of what a method at `index` is called on.
fn receiver<'s>(source: &Source<'s>, index: usize) -> Option<(usize, &'s str)> {
    let mut at = source.access(index)?;
    for _ in 0..64 {
        if source.is(at, b')') || source.is(at, b']') {
            at = source.partner(at)?.checked_sub(1)?;
        }
        let name = source.word(at)?;
        match source.access(at) {
            Some(before) if source.word(before) == Some("this") => return Some((before, name)),
            Some(before) => at = before,
            None => return Some((at, name)),
        }
    }
    None
}

/// Words before a name that are no type.
const KEYWORDS: [&str; 9] = [
    "auto",
    "return",
    "const",
    "else",
    "new",
    "delete",
    "case",
    "throw",
    "co_return",
];

/// What a file declares with types that are no libraries.
#[derive(Default)]
struct OtherTypes<'s> {
    /// Variables and functions: `Plan plan;`, `Plan& plan()`.
    names: FxHashSet<&'s str>,
    /// Methods of its classes that are named like those of libraries.
    methods: FxHashSet<&'s str>,
}

impl<'s> OtherTypes<'s> {
    fn of(source: &Source<'s>) -> Self {
        let words = (1..source.tokens.len()).filter_map(|at| Some((at, source.word(at)?)));
        let is_parameter = |at: usize| matches!(source.word(at - 1), Some("typename" | "class"));
        let parameters = words.clone().filter(|(at, _)| is_parameter(*at));
        let parameters: FxHashSet<&str> = parameters.map(|(_, word)| word).collect();
        let mut found = Self::default();
        for (at, word) in words {
            let mut before = at - 1;
            while before > 0 && (source.is(before, b'&') || source.is(before, b'*')) {
                before -= 1;
            }
            let is_type = |word: &str| !KEYWORDS.contains(&word) && !parameters.contains(word);
            let is_declared = match source.word(before) {
                Some(word) => is_type(word),
                None => source.is(before, b'>') && !(before > 0 && source.is(before - 1, b'-')),
            };
            if is_declared {
                found.names.insert(word);
                let is_method = matches!(word, "impl" | "def" | "fallback");
                found
                    .methods
                    .extend((is_method && source.is(at + 1, b'(')).then_some(word));
            }
        }
        found
    }

    /// Whether a call is not one of a library.
    fn explain(&self, call: &Candidate<'_>) -> bool {
        self.names.contains(call.receiver) || self.methods.contains(call.kind.as_str())
    }
}

/// Lists the calls at some places. They are unresolved, unless another file makes their library.
pub(super) fn read<'s>(
    found: &mut Collector<'_, 's>,
    left: &FxHashSet<u32>,
    with_library: impl Fn(Block<'s>) -> Block<'s>,
) {
    let source = found.source;
    let calls = (0..source.tokens.len()).filter_map(|index| candidate(source, index));
    for call in calls.filter(|call| left.contains(&call.at(source))) {
        let why = format!("no scanned file shows which library `{}` is", call.receiver);
        let block = Block {
            namespace: None,
            key: None,
            variable: call.receiver,
            through: super::receivers::OBJECT,
            at: source.span(
                source.tokens[call.start].start,
                source.tokens[call.close].end,
            ),
            body: (call.open, call.close),
            unresolved: Some(why.into()),
        };
        method::read_call(
            found,
            &with_library(block),
            call.kind,
            (call.start, call.open, call.close),
        );
    }
}
