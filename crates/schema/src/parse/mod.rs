//! Parses the schema language into a [`FunctionSchema`] or diagnostics with exact positions.
//!
//! It accepts and rejects the same texts as torchgen's `FunctionSchema.parse`, odd corners
//! included: arguments are split at every `, `, names are unchecked, and printing must return the
//! same text (`docs/spec/grammar.md`, section 5). Two things depend on the release and are left to
//! rules: the `Tensor!` shorthand and some base types. Invariants are rules, too.

mod argument;
mod shorthand;
mod slips;
mod ty;

use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Span, message};

use crate::function::{Argument, Arguments, At, FunctionSchema, Return};
use crate::name::{NameError, OperatorName};

pub use argument::parse_argument;
pub use ty::parse_type;

/// A parsed schema, or the reasons why it is not one.
#[derive(Debug, Clone)]
pub struct ParsedSchema {
    /// The text before the last `::`; `None` if it is missing or empty.
    pub namespace: Option<Box<str>>,
    /// The position of the namespace, without its `::`.
    pub namespace_at: Span,
    /// The operator's name, even when the rest is broken.
    pub name: Option<OperatorName>,
    /// The schema; `None` exactly if there are diagnostics.
    pub schema: Option<FunctionSchema>,
    /// The errors.
    pub diagnostics: Vec<Diagnostic>,
}

/// A piece of text with its position.
#[derive(Clone, Copy)]
pub(crate) struct Piece<'t> {
    text: &'t str,
    at: u32,
}

impl<'t> Piece<'t> {
    pub(crate) fn new(text: &'t str, at: u32) -> Self {
        Self { text, at }
    }

    fn span(self) -> Span {
        Span::new(self.at, self.at + offset(self.text.len()))
    }

    fn sub(self, range: std::ops::Range<usize>) -> Self {
        Self {
            at: self.at + offset(range.start),
            text: &self.text[range],
        }
    }

    fn from(self, start: usize) -> Self {
        self.sub(start..self.text.len())
    }

    fn to(self, end: usize) -> Self {
        self.sub(0..end)
    }

    fn split_comma(self) -> impl Iterator<Item = Self> {
        let mut next = Some(0);
        std::iter::from_fn(move || {
            let start = next?;
            let end = comma(&self.text.as_bytes()[start..]).map(|at| start + at);
            next = end.map(|end| end + 2);
            Some(self.sub(start..end.unwrap_or(self.text.len())))
        })
    }
}

/// Schemas are short, so a plain loop is faster than a searcher.
fn comma(text: &[u8]) -> Option<usize> {
    text.windows(2).position(|pair| pair == b", ")
}

fn last_arrow(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut end = bytes.len();
    loop {
        let at = bytes[..end].iter().rposition(|&byte| byte == b'>')?;
        let start = at.checked_sub(3)?;
        if bytes[start..].starts_with(b") -> ") {
            return Some(start);
        }
        end = at;
    }
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Reads `[namespace::]schema`. `at` is added to every position.
#[must_use]
pub fn parse_schema(text: &str, at: u32) -> ParsedSchema {
    let whole = Piece::new(text, at);
    let cut = last_separator(text);
    let namespace = cut.map(|cut| whole.to(cut));
    let schema = cut.map_or(whole, |cut| whole.from(cut + 2));
    let mut reader = Reader::default();
    let (name, read) = match too_long(schema) {
        Some(diagnostic) => {
            reader.diagnostics.push(diagnostic);
            (None, None)
        }
        None => reader.schema(schema),
    };
    let complete = reader.diagnostics.is_empty();
    if let Some(namespace) = namespace.filter(|n| !complete && n.text.contains('(')) {
        reader.diagnostics = vec![slips::colons(whole, namespace)];
    }
    ParsedSchema {
        namespace: namespace
            .filter(|n| !n.text.is_empty())
            .map(|n| n.text.into()),
        namespace_at: namespace.unwrap_or(whole.to(0)).span(),
        name,
        schema: read.filter(|_| complete),
        diagnostics: reader.diagnostics,
    }
}

/// The position of the last `::`. The third of three colons belongs to the next part.
#[must_use]
pub fn last_separator(text: &str) -> Option<usize> {
    // Fast path: most texts have no colon.
    if !text.as_bytes().contains(&b':') {
        return None;
    }
    let last = text.split("::").last()?;
    (text.len() - last.len()).checked_sub(2)
}

/// The maximum length of a schema in bytes; the longest in a release has 492.
pub const LONGEST: usize = 64 << 10;
/// The maximum number of commas in a schema; real schemas have at most 28.
pub const MOST_COMMAS: usize = 2_000;

/// The number of broken arguments per schema that are checked for a misplaced comma.
const MOST_CUTS: usize = 32;

/// Bounds checks that compare arguments with one another.
fn too_long(schema: Piece<'_>) -> Option<Diagnostic> {
    let text = schema.text;
    let commas = || text.matches(", ").take(MOST_COMMAS + 1).count();
    if text.len() <= LONGEST && (text.len() <= MOST_COMMAS || commas() <= MOST_COMMAS) {
        return None;
    }
    let message = "this schema is too long";
    Some(
        Diagnostic::new(RuleId::YamlLimit, schema.span(), message).with_help(message!(
            "a schema can have at most {} bytes and {} commas",
            LONGEST,
            MOST_COMMAS
        )),
    )
}

/// Parses an operator's name, as in `func`, `autogen` or `structured_delegate`.
pub fn parse_name(text: &str, at: u32) -> Result<OperatorName, Diagnostic> {
    OperatorName::parse(text).map_err(|error| name_diagnostic(Piece::new(text, at), &error))
}

fn name_diagnostic(name: Piece<'_>, error: &NameError) -> Diagnostic {
    let base_end = name.text.find('.').unwrap_or(name.text.len());
    let base = name.to(base_end);
    match error {
        NameError::Empty => {
            Diagnostic::new(RuleId::OpNameEmpty, base.span(), "the base name is empty")
                .with_help("write `name(...)` or `name.overload(...)`")
        }
        NameError::OutSuffix => Diagnostic::new(
            RuleId::OpNameOutSuffix,
            base.span(),
            message!(
                "base name `{}` ends in `_out`, which is reserved for out variants",
                base.text
            ),
        )
        .with_help(message!(
            "declare it as an overload: `{}.out`",
            base.text.trim_end_matches("_out")
        )),
        NameError::EmptyOverload => Diagnostic::new(
            RuleId::OverloadName,
            name.from(base_end).span(),
            message!("`{}` has a dot but no overload name", name.text),
        )
        .with_help(message!(
            "write `{}`, or add an overload name after the dot",
            base.text
        )),
        NameError::Dunder => Diagnostic::new(
            RuleId::DunderName,
            base.span(),
            message!(
                "`{}` looks like an augmented assignment, but Python has no such operation",
                base.text
            ),
        )
        .with_help(
            "PyTorch parses `__iNAME__` as an in-place operator; NAME is one of add, sub, mul, \
             div, mod, pow, lshift, rshift, and, xor, or. Other dunder names cannot start with `i`",
        ),
        NameError::FunctionalInplace => Diagnostic::new(
            RuleId::FunctionalSuffix,
            base.span(),
            message!(
                "`{}` has both the in-place suffix `_` and the suffix `_functional` of a \
                 functional variant",
                base.text
            ),
        )
        .with_help("remove one of the two suffixes"),
    }
}

#[derive(Default)]
struct Reader {
    diagnostics: Vec<Diagnostic>,
    /// Letters of `Tensor!` arguments, for the returns that repeat them.
    fresh: Vec<u8>,
    cuts: usize,
}

impl Reader {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn schema(&mut self, schema: Piece<'_>) -> (Option<OperatorName>, Option<FunctionSchema>) {
        let text = schema.text;
        let Some(open) = text.find('(') else {
            self.report(
                Diagnostic::new(
                    RuleId::SchemaShape,
                    schema.span(),
                    "not a schema: expected `(` before the arguments",
                )
                .with_help("write `name(Type argument, ...) -> ReturnType`"),
            );
            return (None, None);
        };
        let name = self.name(schema.to(open));
        let Some(close) = last_arrow(text).filter(|&close| close > open) else {
            self.report(slips::missing_arrow(schema, open));
            return (name, None);
        };
        if let Some(broken) = text[open..].find('\n') {
            self.report(
                Diagnostic::new(
                    RuleId::SchemaShape,
                    schema.sub(open + broken..open + broken + 1).span(),
                    "the schema spans two lines",
                )
                .with_help(
                    "write it on one line, or use a folded scalar (`>-`), which joins the lines",
                ),
            );
            return (name, None);
        }
        let arguments = self.arguments(schema.sub(open + 1..close));
        let returns = schema.from(close + 5);
        let values = self.returns(returns);
        let read = name.clone().map(|name| FunctionSchema {
            name,
            arguments,
            returns: values,
            name_at: At(schema.to(open).span()),
            returns_at: At(returns.span()),
        });
        (name, read)
    }

    fn name(&mut self, name: Piece<'_>) -> Option<OperatorName> {
        parse_name(name.text, name.at)
            .map_err(|diagnostic| self.report(diagnostic))
            .ok()
    }

    fn arguments(&mut self, text: Piece<'_>) -> Arguments {
        let mut list = Vec::with_capacity(text.text.len() / 16 + 1);
        let mut positional = None;
        let mut out = None;
        if text.text.is_empty() {
            return Arguments::new(list, 0, 0);
        }
        let pieces: Vec<Piece<'_>> = text.split_comma().collect();
        let mut next = 0;
        // A piece can only be part of one split.
        let mut floor = 0;
        while let Some(&piece) = pieces.get(next) {
            next += 1;
            if piece.text.is_empty() {
                self.report(argument::missing(piece, text));
                continue;
            }
            if piece.text == "*" {
                self.marker(piece, text, &mut positional, list.len());
                continue;
            }
            match parse_argument(piece.text, piece.at) {
                Ok(argument) => {
                    self.group(&argument, positional.is_some(), &mut out, list.len());
                    list.push(argument);
                }
                Err(cause) => match self.cut_within(text, &pieces, floor..next) {
                    Some((whole, end)) => {
                        // The text before the split is not an argument.
                        list.retain(|argument| argument.at.0.start < whole.at);
                        (floor, next) = (end, end);
                        self.report(slips::divided(whole, *cause));
                    }
                    None => self.report(slips::argument(piece, *cause)),
                },
            }
        }
        self.expand_shorthand(&mut list);
        let count = list.len();
        let arguments = Arguments::new(list, positional.unwrap_or(count), out.unwrap_or(count));
        self.options_once(&arguments);
        arguments
    }

    fn cut_within<'t>(
        &mut self,
        text: Piece<'t>,
        pieces: &[Piece<'t>],
        read: std::ops::Range<usize>,
    ) -> Option<(Piece<'t>, usize)> {
        self.cuts += 1;
        if self.cuts <= MOST_CUTS {
            slips::cut_within(text, pieces, read)
        } else {
            None
        }
    }

    fn marker(
        &mut self,
        star: Piece<'_>,
        arguments: Piece<'_>,
        positional: &mut Option<usize>,
        count: usize,
    ) {
        if positional.is_some() {
            self.report(
                Diagnostic::new(
                    RuleId::KwargMarker,
                    star.span(),
                    "second `*`: only one can separate positional from keyword-only arguments",
                )
                .with_help("remove it; everything after the first `*` is already keyword-only"),
            );
        } else if star.span().end == arguments.span().end {
            self.report(
                Diagnostic::new(
                    RuleId::KwargMarker,
                    star.span(),
                    "expected keyword-only arguments after `*`",
                )
                .with_help("remove the `*`, or add keyword-only arguments after it"),
            );
        }
        positional.get_or_insert(count);
    }

    /// Out arguments are keyword-only, written, and last.
    fn group(
        &mut self,
        argument: &Argument,
        keyword_only: bool,
        out: &mut Option<usize>,
        index: usize,
    ) {
        if argument.is_write() {
            if keyword_only {
                out.get_or_insert(index);
            }
        } else if out.is_some() {
            self.report(
                Diagnostic::new(
                    RuleId::OutArgsLast,
                    argument.at.0,
                    message!("argument `{}` follows an out argument", argument.name),
                )
                .with_help("move it before the first out argument, or annotate it as mutable"),
            );
        }
    }

    fn options_once(&mut self, arguments: &Arguments) {
        let Some(first) = arguments.tensor_options() else {
            return;
        };
        let keyword_only = arguments.keyword_only();
        let behind = keyword_only
            .iter()
            .position(|a| a.at.0 == first[3].at.0)
            .map_or(&[][..], |at| &keyword_only[at + 1..]);
        if let Some(second) = crate::function::tensor_options(behind) {
            self.report(
                Diagnostic::new(
                    RuleId::TensorOptionsTwice,
                    behind[second].at.0.to(behind[second + 3].at.0),
                    "duplicate dtype, layout, device and pin_memory",
                )
                .with_help("remove one of the two groups")
                .with_related("first declared here", first[0].at.0.to(first[3].at.0)),
            );
        }
    }

    fn returns(&mut self, text: Piece<'_>) -> Vec<Return> {
        if text.text == "()" {
            return Vec::new();
        }
        let inner = text
            .text
            .strip_prefix('(')
            .and_then(|rest| rest.strip_suffix(')'))
            .map(|inner| text.sub(1..1 + inner.len()));
        if inner.is_none() && text.text.starts_with('(') {
            self.report(slips::unclosed(text));
            return Vec::new();
        }
        if let Some(members) = ty::tuple(text.text) {
            self.report(slips::tuple(text, ty::returns_of_tuple(members)));
            return Vec::new();
        }
        let pieces = inner.unwrap_or(text);
        let count = pieces.split_comma().count();
        let mut returns = Vec::with_capacity(count);
        for piece in pieces.split_comma() {
            match argument::parse_return(piece, text) {
                Ok(ret) => returns.push(ret),
                Err(cause) => self.report(slips::returned(piece, *cause)),
            }
        }
        if returns.len() == count {
            self.parentheses(text, inner.is_some(), &returns);
        }
        self.expand_shorthand_returns(&mut returns);
        returns
    }

    /// Several returns need parentheses; a single one has none.
    fn parentheses(&mut self, text: Piece<'_>, has: bool, returns: &[Return]) {
        if has && returns.len() == 1 {
            self.report(
                Diagnostic::new(
                    RuleId::Returns,
                    text.span(),
                    "a single return cannot have parentheses",
                )
                .with_help(message!("write `-> {}`", returns[0]))
                .with_safe_fix(text.span(), returns[0].to_string()),
            );
        } else if !has && returns.len() > 1 {
            self.report(
                Diagnostic::new(
                    RuleId::Returns,
                    text.span(),
                    "several returns need parentheses",
                )
                .with_help(message!("write `-> ({})`", text.text))
                .with_safe_fix(text.span(), format!("({})", text.text)),
            );
        }
    }
}

#[cfg(test)]
mod tests;
