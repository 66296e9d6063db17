//! Preprocessing tokens that own their text, and the text that they make.

use std::sync::Arc;

use super::super::tokens::{Kind, Token};

/// A token of a macro's body or of an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cpp) struct Piece {
    pub kind: Kind,
    /// Empty for a placemarker, which stands for an empty argument beside `##`.
    pub text: Arc<str>,
    /// Whether white space precedes it.
    pub spaced: bool,
    /// The macros that made it: it is not expanded to them again.
    pub hidden: Hidden,
}

/// A set of macro names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::cpp) struct Hidden(Option<Arc<[Arc<str>]>>);

impl Hidden {
    pub(super) fn has(&self, name: &str) -> bool {
        self.names().iter().any(|hidden| **hidden == *name)
    }

    fn names(&self) -> &[Arc<str>] {
        self.0.as_deref().unwrap_or_default()
    }

    pub(super) fn with(&self, name: &Arc<str>) -> Self {
        self.and(&Self(Some(Arc::from([Arc::clone(name)]))))
    }

    pub(super) fn and(&self, other: &Self) -> Self {
        let mut names = self.names().to_vec();
        let more = other.names().iter().filter(|name| !self.has(name));
        names.extend(more.cloned());
        Self((!names.is_empty()).then(|| names.into()))
    }
}

impl Piece {
    pub(super) fn new(kind: Kind, text: &str, spaced: bool) -> Self {
        Self {
            kind,
            text: text.into(),
            spaced,
            hidden: Hidden::default(),
        }
    }

    pub(super) fn placemarker() -> Self {
        Self::new(Kind::Punct(b' '), "", false)
    }

    pub(super) fn is(&self, punct: u8) -> bool {
        self.kind == Kind::Punct(punct) && self.text.len() == 1
    }

    pub(super) fn word(&self) -> Option<&str> {
        (self.kind == Kind::Word).then_some(&*self.text)
    }

    /// Joins two tokens as `##` does.
    pub(super) fn pasted(&self, right: &Self) -> Self {
        let kind = match (self.kind, right.kind) {
            (kind, _) if right.text.is_empty() => kind,
            (_, kind) if self.text.is_empty() => kind,
            // `L ## "text"`
            (Kind::Word, Kind::String) => Kind::String,
            (kind, _) => kind,
        };
        Self {
            kind,
            text: format!("{}{}", self.text, right.text).into(),
            spaced: self.spaced,
            hidden: self.hidden.and(&right.hidden),
        }
    }
}

/// The tokens of a text.
pub(in crate::cpp) fn pieces(text: &str, tokens: &[Token]) -> Vec<Piece> {
    let mut end = tokens.first().map_or(0, |first| first.start);
    let mut pieces = Vec::with_capacity(tokens.len());
    for token in tokens {
        let piece = Piece::new(token.kind, token.text(text), token.start > end);
        pieces.push(piece);
        end = token.end;
    }
    pieces
}

/// Writes tokens so that they read as the same tokens again.
pub(super) fn text_of(pieces: &[Piece]) -> String {
    let mut text = String::new();
    let is_solid = |kind| !matches!(kind, Kind::Punct(_));
    let mut last = None;
    for piece in pieces.iter().filter(|piece| !piece.text.is_empty()) {
        let glues = last.is_some_and(is_solid) && is_solid(piece.kind);
        // Two slashes would begin a comment.
        let comments = text.ends_with('/') && piece.text.starts_with(['/', '*']);
        if (piece.spaced && last.is_some()) || glues || comments {
            text.push(' ');
        }
        text.push_str(&piece.text);
        last = Some(piece.kind);
    }
    text
}

/// The string literal that `#` makes of an argument.
pub(super) fn stringified(argument: &[Piece], spaced: bool) -> Piece {
    let mut text = String::from('"');
    for (index, piece) in argument.iter().enumerate() {
        if piece.spaced && index > 0 {
            text.push(' ');
        }
        let is_literal = matches!(piece.kind, Kind::String | Kind::Char);
        for char in piece.text.chars() {
            if is_literal && matches!(char, '"' | '\\') {
                text.push('\\');
            }
            text.push(char);
        }
    }
    text.push('"');
    Piece::new(Kind::String, &text, spaced)
}
