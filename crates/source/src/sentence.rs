//! Sentences in which code is marked by type.

use std::borrow::Cow;
use std::fmt::{Display, Write as _};
use std::ops::Deref;

/// A sentence of prose and code.
///
/// Renderings escape each of its [pieces](Message::pieces) once. Its text puts code between
/// backticks.
///
/// [`message!`](crate::message!) makes one from a template.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Message(Box<Sentence>);

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Sentence {
    text: Cow<'static, str>,
    code: Vec<Code>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Code {
    start: usize,
    end: usize,
    edge: usize,
}

/// A piece of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'m> {
    /// Text to read.
    Text(&'m str),
    /// A name, a value, or other code.
    Code(&'m str),
}

impl Message {
    /// Prose alone; backticks in it stay as they are.
    #[must_use]
    pub fn prose(text: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Sentence {
            text: text.into(),
            code: Vec::new(),
        }))
    }

    /// Code alone, such as a name or a value.
    #[must_use]
    pub fn code(code: &str) -> Self {
        let mut message = Self::default();
        message.push_code(code);
        message
    }

    /// Appends prose.
    pub fn push_str(&mut self, text: &str) {
        self.0.text.to_mut().push_str(text);
    }

    /// Appends code as a Markdown code span, even if it contains backticks.
    pub fn push_code(&mut self, code: &str) {
        let runs = code.split(|char| char != '`').map(str::len);
        let fence = 1 + runs.max().unwrap_or_default();
        let space = if fence > 1 { " " } else { "" };
        let text = self.0.text.to_mut();
        let push_fence = |text: &mut String| text.extend(std::iter::repeat_n('`', fence));
        push_fence(text);
        text.push_str(space);
        let start = text.len();
        text.push_str(code);
        let end = text.len();
        text.push_str(space);
        push_fence(text);
        let edge = fence + space.len();
        self.0.code.push(Code { start, end, edge });
    }

    /// Appends another sentence.
    pub fn push(&mut self, other: &Self) {
        let by = self.0.text.len();
        self.push_str(&other.0.text);
        self.0.code.extend(other.0.code.iter().map(|code| Code {
            start: code.start + by,
            end: code.end + by,
            ..*code
        }));
    }

    /// Joins sentences with a separator.
    #[must_use]
    pub fn join(messages: impl IntoIterator<Item = Self>, between: &str) -> Self {
        let mut joined = Self::default();
        for (at, message) in messages.into_iter().enumerate() {
            joined.push_str(if at > 0 { between } else { "" });
            joined.push(&message);
        }
        joined
    }

    /// The text: prose, and code between backticks.
    #[must_use]
    pub fn into_text(self) -> Cow<'static, str> {
        self.0.text
    }

    /// The pieces in order; prose is never empty.
    pub fn pieces(&self) -> impl Iterator<Item = Piece<'_>> {
        let ends = self.0.code.iter().map(|code| code.end + code.edge);
        let starts = std::iter::once(0).chain(ends);
        let code = self.0.code.iter().map(Some).chain(std::iter::once(None));
        starts.zip(code).flat_map(|(start, code)| {
            let end = code.map_or(self.0.text.len(), |code| code.start - code.edge);
            let text = Some(&self.0.text[start..end]).filter(|text| !text.is_empty());
            let code = code.map(|code| Piece::Code(&self.0.text[code.start..code.end]));
            text.map(Piece::Text).into_iter().chain(code)
        })
    }

    /// At most `most` bytes of the sentence, followed by `...` if it was cut.
    #[must_use]
    pub fn cut(&self, most: usize) -> Self {
        let mut cut = Self::default();
        for piece in self.pieces() {
            let room = most.saturating_sub(cut.0.text.len());
            let (text, push): (&str, fn(&mut Self, &str)) = match piece {
                Piece::Text(text) => (text, Self::push_str),
                Piece::Code(code) => (code, Self::push_code),
            };
            if text.len() > room {
                let shown = &text[..text.floor_char_boundary(room)];
                if !shown.is_empty() {
                    push(&mut cut, shown);
                }
                cut.push_str("...");
                return cut;
            }
            push(&mut cut, text);
        }
        cut
    }

    /// Fills in a template with `{}` for each part; use [`message!`](crate::message!).
    #[doc(hidden)]
    #[must_use]
    pub fn compose(template: &'static str, parts: &[&dyn Part]) -> Self {
        let mut message = Self::default();
        let mut parts = parts.iter();
        for (at, stretch) in template.split('`').enumerate() {
            let mut code = String::new();
            for (i, literal) in stretch.split("{}").enumerate() {
                let part = if i > 0 { parts.next() } else { None };
                match at % 2 {
                    0 => {
                        part.into_iter().for_each(|part| part.add(&mut message));
                        message.push_str(literal);
                    }
                    _ => {
                        part.into_iter().for_each(|part| part.add_plain(&mut code));
                        code.push_str(literal);
                    }
                }
            }
            if at % 2 == 1 {
                message.push_code(&code);
            }
        }
        message
    }
}

impl Deref for Message {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0.text
    }
}

impl From<&'static str> for Message {
    fn from(text: &'static str) -> Self {
        let mut code = Vec::new();
        let mut ticks = text.match_indices('`').map(|(at, _)| at);
        while let (Some(start), Some(end)) = (ticks.next(), ticks.next()) {
            let (start, edge) = (start + 1, 1);
            code.push(Code { start, end, edge });
        }
        let text = Cow::Borrowed(text);
        Self(Box::new(Sentence { text, code }))
    }
}

impl<'m> FromIterator<Piece<'m>> for Message {
    fn from_iter<T: IntoIterator<Item = Piece<'m>>>(pieces: T) -> Self {
        let mut message = Self::default();
        for piece in pieces {
            match piece {
                Piece::Text(text) => message.push_str(text),
                Piece::Code(code) => message.push_code(code),
            }
        }
        message
    }
}

impl PartialEq<str> for Message {
    fn eq(&self, other: &str) -> bool {
        self.0.text == other
    }
}

impl PartialEq<&str> for Message {
    fn eq(&self, other: &&str) -> bool {
        self.0.text == *other
    }
}

/// An argument of [`message!`](crate::message!): a sentence or anything that can be displayed.
#[doc(hidden)]
pub trait Part {
    /// Appends it to a sentence.
    fn add(&self, message: &mut Message);
    /// Appends it to code.
    fn add_plain(&self, code: &mut String);
}

impl<T: Display + ?Sized> Part for T {
    fn add(&self, message: &mut Message) {
        let _ = write!(message.0.text.to_mut(), "{self}");
    }

    fn add_plain(&self, code: &mut String) {
        let _ = write!(code, "{self}");
    }
}

impl Part for Message {
    fn add(&self, message: &mut Message) {
        message.push(self);
    }

    fn add_plain(&self, code: &mut String) {
        for piece in self.pieces() {
            let (Piece::Text(text) | Piece::Code(text)) = piece;
            code.push_str(text);
        }
    }
}

/// Names as code, separated by commas.
#[must_use]
pub fn codes<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Message {
    let names = names.into_iter().map(|name| Message::code(name.as_ref()));
    Message::join(names, ", ")
}

/// Checks a template at compile time: `parts` placeholders, and balanced backticks.
#[doc(hidden)]
pub const fn check(template: &str, parts: usize) {
    let bytes = template.as_bytes();
    let (mut at, mut ticks, mut places) = (0, 0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'`' => ticks += 1,
            b'{' => {
                assert!(
                    at + 1 < bytes.len() && bytes[at + 1] == b'}',
                    "a placeholder is an empty pair of braces"
                );
                places += 1;
                at += 1;
            }
            b'}' => panic!("a brace without its other one"),
            _ => {}
        }
        at += 1;
    }
    assert!(ticks % 2 == 0, "code that does not end");
    assert!(places == parts, "as many arguments as placeholders");
}

/// A [`Message`] from a template: text between backticks is code, and `{}` stands for the next
/// argument, which may be a message itself. Backticks in arguments have no meaning.
///
/// ```
/// use opatlas_source::message;
/// use opatlas_source::sentence::Piece::{Code, Text};
///
/// let said = message!("unknown field `{}`", "a` b");
/// assert_eq!(&*said, "unknown field `` a` b ``");
/// assert!(said.pieces().eq([Text("unknown field "), Code("a` b")]));
/// ```
#[macro_export]
macro_rules! message {
    ($template:literal $(, $part:expr)* $(,)?) => {{
        const { $crate::sentence::check($template, 0 $(+ { let _ = stringify!($part); 1 })*) }
        $crate::sentence::Message::compose($template, &[$(&$part),*])
    }};
}

#[cfg(test)]
mod tests {
    use super::Piece::{Code, Text};
    use super::*;

    #[test]
    fn only_the_template_decides_what_is_code() {
        let names = codes(["a", "b`c"]);
        let said = message!("`{}::{}` has {} of {}: `x`", "n`s", 1, "`y` z", names);
        let pieces = [
            Code("n`s::1"),
            Text(" has `y` z of "),
            Code("a"),
            Text(", "),
            Code("b`c"),
            Text(": "),
            Code("x"),
        ];
        assert!(said.pieces().eq(pieces));
        assert_eq!(said, "`` n`s::1 `` has `y` z of `a`, `` b`c ``: `x`");
        assert_eq!(said.pieces().collect::<Message>(), said);
    }

    #[test]
    fn a_text_of_the_program_has_code_between_backticks() {
        let said = Message::from("write `a` or `b`");
        assert!(
            said.pieces()
                .eq([Text("write "), Code("a"), Text(" or "), Code("b")])
        );
        assert!(Message::prose("`a`").pieces().eq([Text("`a`")]));
    }

    #[test]
    fn a_cut_leaves_code_closed() {
        let said = message!("unknown `{}` here", "abcdef");
        assert_eq!(said.cut(100), said);
        assert_eq!(said.cut(12), "unknown `abcd`...");
        assert_eq!(said.cut(8), "unknown ...");
        assert_eq!(said.cut(3), "unk...");
    }
}
