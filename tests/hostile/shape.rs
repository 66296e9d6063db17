//! How a hostile input is described: a head, a piece that is repeated until the size is reached, and a
//! tail. So an input of any size costs one line, and none is in the repository.

use std::fmt::Write as _;

/// A text of any size.
#[derive(Debug, Clone, Copy)]
pub struct Text {
    pub head: &'static str,
    /// Repeated. `{i}` is the number of the repetition, `{p}` the one before, `{n}` the one after, and
    /// `{x}` is a word that depends on the number and begins differently for each.
    pub piece: &'static str,
    pub tail: &'static str,
}

/// A text of this head, piece and tail.
pub const fn text(head: &'static str, piece: &'static str, tail: &'static str) -> Text {
    Text { head, piece, tail }
}

impl Text {
    /// The text, of about this many bytes.
    pub fn of(self, size: usize) -> String {
        let mut made = String::with_capacity(size + self.piece.len() + self.tail.len());
        made.push_str(self.head);
        let room = size.saturating_sub(self.tail.len());
        let pieces = Piece::of(self.piece);
        let mut at = 0_usize;
        while made.len() < room {
            for piece in &pieces {
                piece.write(at, &mut made);
            }
            at += 1;
        }
        made.push_str(self.tail);
        made
    }
}

/// A part of a repeated piece.
enum Piece {
    Text(&'static str),
    Number(usize, usize),
    Word,
}

impl Piece {
    fn of(mut text: &'static str) -> Vec<Self> {
        let mut pieces = Vec::new();
        while !text.is_empty() {
            let marks = [
                ("{i}", Self::Number(0, 0)),
                ("{p}", Self::Number(0, 1)),
                ("{n}", Self::Number(1, 0)),
                ("{x}", Self::Word),
            ];
            let found = marks
                .into_iter()
                .filter_map(|(mark, piece)| Some((text.find(mark)?, piece)))
                .min_by_key(|(at, _)| *at);
            let Some((at, piece)) = found else { break };
            pieces.extend((at > 0).then(|| Self::Text(&text[..at])));
            pieces.push(piece);
            text = &text[at + 3..];
        }
        pieces.extend((!text.is_empty()).then_some(Self::Text(text)));
        pieces
    }

    fn write(&self, at: usize, made: &mut String) {
        let _ = match self {
            Self::Text(text) => {
                made.push_str(text);
                Ok(())
            }
            Self::Number(plus, minus) => write!(made, "{}", (at + plus).saturating_sub(*minus)),
            Self::Word => write!(made, "{:08x}", (at as u32).wrapping_mul(0x9E37_79B1)),
        };
    }
}

/// A request.
#[derive(Debug, Clone)]
pub struct Asked {
    pub method: &'static str,
    pub path: String,
    /// The media type of the body; empty where there is none.
    pub media: String,
    pub accept: &'static str,
    pub body: Vec<u8>,
}

impl Asked {
    pub fn get(path: impl Into<String>) -> Self {
        Self {
            method: "GET",
            path: path.into(),
            media: String::new(),
            accept: "application/json",
            body: Vec::new(),
        }
    }

    pub fn post(path: impl Into<String>, media: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            method: "POST",
            path: path.into(),
            media: media.to_owned(),
            accept: "application/json",
            body: body.into(),
        }
    }

    pub fn yaml(path: impl Into<String>, body: impl Into<Vec<u8>>) -> Self {
        Self::post(path, "application/yaml", body)
    }

    pub fn json(path: impl Into<String>, body: impl Into<Vec<u8>>) -> Self {
        Self::post(path, "application/json", body)
    }

    pub fn accept(mut self, accept: &'static str) -> Self {
        self.accept = accept;
        self
    }

    /// A bundle in parts.
    pub fn bundle(path: impl Into<String>, files: &[(&str, String)]) -> Self {
        let mut body = String::new();
        for (name, text) in files {
            let _ = write!(
                body,
                "--border\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n"
            );
        }
        body.push_str("--border--\r\n");
        Self::post(path, "multipart/form-data; boundary=border", body)
    }
}

/// A hostile input: what has to be stored before, and the request that is judged.
#[derive(Debug, Clone)]
pub struct Attack {
    pub before: Vec<Asked>,
    pub asked: Asked,
}

impl From<Asked> for Attack {
    fn from(asked: Asked) -> Self {
        Self {
            before: Vec::new(),
            asked,
        }
    }
}

/// An input of any size, with a name by which a failure tells it.
pub struct Shape {
    pub name: String,
    pub make: Box<dyn Fn(usize) -> Attack + Send + Sync>,
}

impl Shape {
    pub fn new<A: Into<Attack>>(
        name: impl Into<String>,
        make: impl Fn(usize) -> A + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            make: Box::new(move |size| make(size).into()),
        }
    }

    /// The input, of about this many bytes.
    pub fn of(&self, size: usize) -> Attack {
        (self.make)(size)
    }
}
