//! Splits a line of Python into tokens.

use super::super::arguments::Unreadable;

/// A token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Token<'t> {
    /// A name or a keyword.
    Name(&'t str),
    /// A number.
    Number(&'t str),
    /// The text between quotes, as written.
    Text(&'t str),
    /// `b'text'`.
    Bytes,
    /// An operator or a bracket.
    Mark(&'static str),
}

/// The longest come first.
const MARKS: [&str; 50] = [
    "**=", "//=", ">>=", "<<=", "...", "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "+=", "-=",
    "*=", "/=", "@=", "%=", "&=", "|=", "^=", ":=", "->", "+", "-", "*", "/", "@", "%", "&", "|",
    "^", "~", "<", ">", "=", "(", ")", "[", "]", "{", "}", ",", ":", ".", ";", "!", "?", "$",
];

/// The tokens of a text, up to a comment, each with its place.
pub(super) fn tokens(text: &str) -> Result<Vec<(usize, Token<'_>)>, Unreadable> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if first == '#' {
            break;
        }
        if first.is_whitespace() || first == '\\' {
            at += first.len_utf8();
            continue;
        }
        let (token, length) = token(&text[at..], first).ok_or_else(|| Unreadable {
            rest: text[at..].to_owned(),
            problem: "expected Python".to_owned(),
        })?;
        found.push((at, token));
        at += length;
    }
    Ok(found)
}

fn token(rest: &str, first: char) -> Option<(Token<'_>, usize)> {
    if first == '\'' || first == '"' {
        return text(rest);
    }
    let second = rest[first.len_utf8()..].chars().next();
    if first.is_ascii_digit() || first == '.' && second.is_some_and(|c| c.is_ascii_digit()) {
        let end = number_end(rest);
        return Some((Token::Number(&rest[..end]), end));
    }
    if first.is_alphabetic() || first == '_' {
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        let end = end.unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        if matches!(name, "b" | "r" | "f" | "rb" | "br") && after.starts_with(['\'', '"']) {
            let (token, length) = text(after)?;
            let token = if name.contains('b') {
                Token::Bytes
            } else {
                token
            };
            return Some((token, end + length));
        }
        return Some((Token::Name(name), end));
    }
    let mark = MARKS.into_iter().find(|mark| rest.starts_with(mark))?;
    Some((Token::Mark(mark), mark.len()))
}

fn text(rest: &str) -> Option<(Token<'_>, usize)> {
    let quote = rest.chars().next()?;
    let mut characters = rest.char_indices().skip(1);
    while let Some((at, c)) = characters.next() {
        if c == '\\' {
            characters.next();
        } else if c == quote {
            return Some((Token::Text(&rest[1..at]), at + 1));
        }
    }
    None
}

fn number_end(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut end = 0;
    while let Some(&byte) = bytes.get(end) {
        let follows_e = end > 0 && matches!(bytes[end - 1], b'e' | b'E') && !rest.starts_with("0x");
        let is_part = byte.is_ascii_alphanumeric()
            || matches!(byte, b'.' | b'_')
            || (follows_e && matches!(byte, b'+' | b'-'));
        if !is_part {
            break;
        }
        end += 1;
    }
    end
}
