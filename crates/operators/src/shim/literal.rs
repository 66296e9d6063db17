//! Literals of Python: texts, lists, sets and dicts of them.

use std::fmt;

/// The deepest nesting that is read; PyTorch's lists have three levels.
const DEEPEST: usize = 8;

/// A literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Literal {
    Text(String),
    /// A list, a tuple or a set.
    List(Vec<Literal>),
    Dict(Vec<(String, Literal)>),
}

/// Why a Python file or a value in it is not a list of shims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiteralError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The fault.
    pub message: String,
}

impl fmt::Display for LiteralError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = (self.line, self.column);
        write!(f, "line {line}, column {column}: {}", self.message)
    }
}

#[derive(Debug)]
pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, at: usize) -> Self {
        Self { text, at }
    }

    /// Reads the literal here. What follows it is left alone.
    pub(super) fn literal(&mut self, depth: usize) -> Result<Literal, LiteralError> {
        if depth > DEEPEST {
            return Err(self.error("literals are nested too deeply"));
        }
        self.skip_blanks();
        match self.peek() {
            Some('"' | '\'') => Ok(Literal::Text(self.string()?)),
            Some('[') => self.items(']', depth),
            Some('(') => self.items(')', depth),
            Some('{') => self.braces(depth),
            Some(_) => Err(self.error("expected a string, a list, a set or a dict")),
            None => Err(self.error("the file ends within a literal")),
        }
    }

    pub(super) fn error(&self, message: impl Into<String>) -> LiteralError {
        let before = &self.text[..self.at];
        let begin = before.rfind('\n').map_or(0, |at| at + 1);
        LiteralError {
            line: before.matches('\n').count() + 1,
            column: before[begin..].chars().count() + 1,
            message: message.into(),
        }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, expected: char) -> bool {
        let found = self.peek() == Some(expected);
        self.at += if found { expected.len_utf8() } else { 0 };
        found
    }

    /// Skips white space and comments.
    fn skip_blanks(&mut self) {
        while let Some(next) = self.peek() {
            let rest = &self.text[self.at..];
            self.at += match next {
                '#' => rest.find('\n').unwrap_or(rest.len()),
                next if next.is_ascii_whitespace() => 1,
                _ => return,
            };
        }
    }

    /// The items up to the closing bracket.
    fn items(&mut self, close: char, depth: usize) -> Result<Literal, LiteralError> {
        self.at += 1;
        let mut items = Vec::new();
        while !self.closes(close) {
            items.push(self.literal(depth + 1)?);
            self.separator(close)?;
        }
        Ok(Literal::List(items))
    }

    /// A dict, or a set. Empty braces are a dict.
    fn braces(&mut self, depth: usize) -> Result<Literal, LiteralError> {
        self.at += 1;
        let (mut entries, mut items) = (Vec::new(), Vec::new());
        while !self.closes('}') {
            let item = self.literal(depth + 1)?;
            self.skip_blanks();
            let is_entry = self.peek() == Some(':');
            if is_entry != items.is_empty() && !(entries.is_empty() && items.is_empty()) {
                return Err(self.error("a dict and a set are mixed"));
            }
            match item {
                Literal::Text(key) if self.take(':') => {
                    entries.push((key, self.literal(depth + 1)?));
                }
                _ if is_entry => return Err(self.error("a key must be a string")),
                item => items.push(item),
            }
            self.separator('}')?;
        }
        Ok(if items.is_empty() {
            Literal::Dict(entries)
        } else {
            Literal::List(items)
        })
    }

    fn closes(&mut self, close: char) -> bool {
        self.skip_blanks();
        self.take(close)
    }

    /// A comma, unless the closing bracket follows.
    fn separator(&mut self, close: char) -> Result<(), LiteralError> {
        self.skip_blanks();
        if self.take(',') || self.peek() == Some(close) {
            return Ok(());
        }
        Err(self.error(format!("expected `,` or `{close}`")))
    }

    /// A string on one line, without escapes.
    fn string(&mut self) -> Result<String, LiteralError> {
        let quote = self.peek().unwrap_or('"');
        let rest = &self.text[self.at + 1..];
        match rest.find([quote, '\\', '\n']) {
            Some(end) if rest[end..].starts_with(quote) => {
                self.at += end + 2;
                Ok(rest[..end].to_owned())
            }
            _ => Err(self.error("expected a string that ends on its line, without escapes")),
        }
    }
}
