//! `#define` directives, and constants that stand for a value as a macro does.

use std::sync::Arc;

use super::super::tokens::{Kind, lex};
use super::pieces::{Piece, pieces};

/// A macro as its file defines it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Definition {
    pub(super) name: Arc<str>,
    /// `None` for a macro that is used without arguments.
    pub(super) parameters: Option<Parameters>,
    pub(super) body: Vec<Part>,
    /// Whether it is a constant, which the preprocessor does not replace.
    pub(super) is_constant: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Parameters {
    pub names: Vec<Arc<str>>,
    /// Whether the last parameter takes all arguments that are left.
    pub is_variadic: bool,
}

/// A part of a macro's body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Piece(Piece),
    /// A parameter, and whether white space precedes it.
    Parameter(usize, bool),
    /// `#parameter`.
    Stringified(usize, bool),
    /// `##`.
    Paste,
    /// `__VA_OPT__(...)`.
    IfVariadic(Vec<Part>),
}

impl Definition {
    /// Reads `#define NAME(a, b) body`.
    pub(crate) fn of_directive(line: &str) -> Option<Self> {
        let line = line.trim_start().strip_prefix('#')?;
        let tokens = lex(line).tokens;
        let all = pieces(line, &tokens);
        if all.first()?.word() != Some("define") {
            return None;
        }
        let name = all.get(1).filter(|name| is_name(name))?;
        let takes_arguments = all.get(2).is_some_and(|next| next.is(b'(') && !next.spaced);
        let (parameters, from) = if takes_arguments {
            let close = all.iter().position(|piece| piece.is(b')'))?;
            (Some(Parameters::read(all.get(3..close)?)), close + 1)
        } else {
            (None, 2)
        };
        let body = parts(all.get(from..)?, parameters.as_ref());
        Some(Self {
            name: Arc::clone(&name.text),
            parameters,
            body,
            is_constant: false,
        })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// A name that stands for some tokens.
    pub(super) fn constant(name: &str, value: Vec<Piece>) -> Self {
        Self {
            name: name.into(),
            parameters: None,
            body: value.into_iter().map(Part::Piece).collect(),
            is_constant: true,
        }
    }

    /// Whether a parameter takes all arguments that are left.
    pub(super) fn is_rest(&self, parameter: usize) -> bool {
        let parameters = self.parameters.as_ref().filter(|all| all.is_variadic);
        parameters.is_some_and(|all| all.names.len() == parameter + 1)
    }

    /// The tokens of the body that are not parameters.
    pub(super) fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.body.iter().filter_map(|part| match part {
            Part::Piece(piece) => Some(piece),
            _ => None,
        })
    }
}

impl Parameters {
    fn read(list: &[Piece]) -> Self {
        let mut read = Self::default();
        for piece in list {
            if piece.word().is_some() {
                read.names.push(Arc::clone(&piece.text));
            } else if piece.is(b'.') {
                read.is_variadic = true;
            }
        }
        // `...` has a name of its own unless one precedes it.
        let commas = list.iter().filter(|piece| piece.is(b',')).count();
        if read.is_variadic && read.names.len() == commas {
            read.names.push("__VA_ARGS__".into());
        }
        read
    }

    fn find(&self, piece: &Piece) -> Option<usize> {
        let word = piece.word()?;
        self.names.iter().position(|name| **name == *word)
    }
}

fn parts(body: &[Piece], parameters: Option<&Parameters>) -> Vec<Part> {
    let mut parts = Vec::with_capacity(body.len());
    let mut index = 0;
    let find = |at: usize| parameters.zip(body.get(at)).and_then(|(p, at)| p.find(at));
    while let Some(piece) = body.get(index) {
        let next = body.get(index + 1);
        let is_hash = piece.is(b'#');
        if is_hash && next.is_some_and(|next| next.is(b'#') && !next.spaced) {
            parts.push(Part::Paste);
            index += 1;
        } else if let Some(at) = is_hash.then(|| find(index + 1)).flatten() {
            parts.push(Part::Stringified(at, piece.spaced));
            index += 1;
        } else if piece.word() == Some("__VA_OPT__") && next.is_some_and(|next| next.is(b'(')) {
            let close = closing(body, index + 1);
            let inside = body.get(index + 2..close).unwrap_or_default();
            parts.push(Part::IfVariadic(parts_within(inside, parameters)));
            index = close;
        } else {
            parts.push(match find(index) {
                Some(at) => Part::Parameter(at, piece.spaced),
                None => Part::Piece(piece.clone()),
            });
        }
        index += 1;
    }
    parts
}

/// `__VA_OPT__` does not nest.
fn parts_within(inside: &[Piece], parameters: Option<&Parameters>) -> Vec<Part> {
    let is_nested = |piece: &Piece| piece.word() == Some("__VA_OPT__");
    if inside.iter().any(is_nested) {
        return Vec::new();
    }
    parts(inside, parameters)
}

/// The parenthesis that closes the one at `open`, or the end.
pub(super) fn closing(pieces: &[Piece], open: usize) -> usize {
    let mut depth = 0_usize;
    for (index, piece) in pieces.iter().enumerate().skip(open) {
        if piece.is(b'(') {
            depth += 1;
        } else if piece.is(b')') {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return index;
            }
        }
    }
    pieces.len()
}

/// A word of the kind that the preprocessor replaces.
pub(super) fn is_name(piece: &Piece) -> bool {
    piece.kind == Kind::Word && !piece.text.starts_with(|c: char| c.is_ascii_digit())
}
