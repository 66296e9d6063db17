//! Reads a JSON body as it arrives, and keeps the texts of files apart from the rest.

use text::Text;

use crate::service::{Limits, Refusal};
use crate::wire::problem::{Kind, Problem};

mod text;

/// How much of a body may be anything but texts of files, in bytes.
pub const LARGEST_REST: usize = 1 << 20;

/// A body without the texts of its files. Each stands as its number, written as a string.
#[derive(Debug, Default)]
pub struct Lifted {
    /// The JSON that is left.
    pub rest: Vec<u8>,
    /// The texts.
    pub texts: Vec<Vec<u8>>,
    cuts: Vec<Cut>,
}

/// A place of the rest where a text stood.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    line: usize,
    /// The column in the rest behind it, from 1.
    column: usize,
    /// How many bytes more the text had than its number.
    bytes: isize,
}

/// Reads a body piece by piece.
pub struct Lifter<'l> {
    /// The keys that lead to objects of files.
    paths: &'static [&'static [&'static str]],
    limits: &'l Limits,
    lifted: Lifted,
    levels: Vec<Level>,
    /// The last key of each of the outer levels.
    keys: Vec<String>,
    string: Option<Within>,
    line: usize,
    line_start: usize,
    /// All texts so far, in bytes.
    bytes: usize,
}

/// An object or a list that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    /// An object before a key.
    Key,
    /// An object before a value.
    Value,
    /// A list.
    List,
}

/// A string that is open.
pub(crate) enum Within {
    /// One that stays, and where it begins in the rest.
    Rest {
        start: usize,
        escaped: bool,
        is_key: bool,
    },
    /// One that is taken out.
    Text(Text),
}

impl<'l> Lifter<'l> {
    /// A reader that takes out the strings in the objects at these paths.
    pub fn new(paths: &'static [&'static [&'static str]], limits: &'l Limits) -> Self {
        Self {
            paths,
            limits,
            lifted: Lifted::default(),
            levels: Vec::new(),
            keys: Vec::new(),
            string: None,
            line: 1,
            line_start: 0,
            bytes: 0,
        }
    }

    /// What it has in memory, in bytes.
    pub fn held(&self) -> usize {
        let open = match &self.string {
            Some(Within::Text(text)) => text.bytes.len(),
            _ => 0,
        };
        self.bytes + open + self.lifted.rest.len()
    }

    /// Reads the next piece.
    ///
    /// # Errors
    /// When a limit is passed, or a text is not written as JSON has it.
    pub fn feed(&mut self, mut piece: &[u8]) -> Result<(), Problem> {
        while !piece.is_empty() {
            let used = match self.string.take() {
                None => self.outside(piece)?,
                Some(Within::Rest {
                    start,
                    escaped,
                    is_key,
                }) => self.in_rest(piece, start, escaped, is_key)?,
                Some(Within::Text(text)) => self.in_text(piece, text)?,
            };
            piece = &piece[used..];
        }
        Ok(())
    }

    /// The whole body, once its end is reached.
    pub fn finish(self) -> Lifted {
        self.lifted
    }

    /// Up to the next string, and with its quotation mark.
    fn outside(&mut self, piece: &[u8]) -> Result<usize, Problem> {
        for (i, &byte) in piece.iter().enumerate() {
            match byte {
                b'{' => self.open(Level::Key),
                b'[' => self.open(Level::List),
                b'}' | b']' => self.close(),
                b':' => self.expect(Level::Value),
                b',' => self.expect(Level::Key),
                b'\n' => {
                    self.line += 1;
                    self.line_start = self.lifted.rest.len() + i + 1;
                }
                b'"' => {
                    self.keep(&piece[..=i])?;
                    self.begin_string();
                    return Ok(i + 1);
                }
                _ => {}
            }
        }
        self.keep(piece)?;
        Ok(piece.len())
    }

    fn in_rest(
        &mut self,
        piece: &[u8],
        start: usize,
        mut escaped: bool,
        is_key: bool,
    ) -> Result<usize, Problem> {
        for (i, &byte) in piece.iter().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => {
                    self.keep(&piece[..=i])?;
                    if is_key {
                        self.end_key(start);
                    }
                    return Ok(i + 1);
                }
                _ => {}
            }
        }
        self.keep(piece)?;
        self.string = Some(Within::Rest {
            start,
            escaped,
            is_key,
        });
        Ok(piece.len())
    }

    fn in_text(&mut self, piece: &[u8], mut text: Text) -> Result<usize, Problem> {
        let used = text.feed(piece);
        self.expect_room(text.bytes.len())?;
        let (used, ended) = used.map_err(|fault| self.malformed(fault))?;
        match ended {
            true => self.end_text(text)?,
            false => self.string = Some(Within::Text(text)),
        }
        Ok(used)
    }

    fn open(&mut self, level: Level) {
        self.levels.push(level);
    }

    fn close(&mut self) {
        self.levels.pop();
        self.keys.truncate(self.levels.len());
        self.expect(Level::Value);
    }

    /// What stands next in an object.
    fn expect(&mut self, next: Level) {
        if let Some(level) = self
            .levels
            .last_mut()
            .filter(|level| **level != Level::List)
        {
            *level = next;
        }
    }

    fn begin_string(&mut self) {
        let is_key = self.levels.last() == Some(&Level::Key);
        self.string = Some(match !is_key && self.is_file() {
            true => {
                let number = self.lifted.texts.len().to_string();
                self.lifted.rest.extend_from_slice(number.as_bytes());
                Within::Text(Text::default())
            }
            false => Within::Rest {
                start: self.lifted.rest.len() - 1,
                escaped: false,
                is_key,
            },
        });
    }

    /// Whether the string that begins is the text of a file.
    fn is_file(&self) -> bool {
        let depth = self.levels.len();
        let mut paths = self.paths.iter();
        paths.any(|path| {
            path.len() + 1 == depth
                && self.keys.len() == depth
                && self.keys[..path.len()] == **path
                && !self.levels.contains(&Level::List)
        })
    }

    fn end_key(&mut self, start: usize) {
        self.expect(Level::Value);
        let depth = self.levels.len();
        let deepest = self.paths.iter().map(|path| path.len() + 1).max();
        if Some(depth) > deepest {
            return;
        }
        // A key that is none is refused when the rest is read.
        let key = serde_json::from_slice(&self.lifted.rest[start..]).unwrap_or_default();
        self.keys.truncate(depth - 1);
        // Outer lists have no keys.
        self.keys.resize(depth - 1, String::new());
        self.keys.push(key);
    }

    fn end_text(&mut self, text: Text) -> Result<(), Problem> {
        if std::str::from_utf8(&text.bytes).is_err() {
            return Err(self.malformed("the text is not UTF-8"));
        }
        let number = self.lifted.texts.len().to_string().len();
        self.lifted.rest.push(b'"');
        self.lifted.cuts.push(Cut {
            line: self.line,
            column: self.lifted.rest.len() - self.line_start,
            bytes: text.read.cast_signed() - (number + 1).cast_signed(),
        });
        self.bytes += text.bytes.len();
        self.lifted.texts.push(text.bytes);
        Ok(())
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        if self.lifted.rest.len() + bytes.len() > LARGEST_REST {
            return Err(Problem::new(
                Kind::TooLarge,
                format!("the body has more than {LARGEST_REST} bytes besides the texts of files"),
            ));
        }
        self.lifted.rest.extend_from_slice(bytes);
        Ok(())
    }

    fn expect_room(&self, bytes: usize) -> Result<(), Refusal> {
        let limits = self.limits;
        if self.lifted.texts.len() >= limits.files {
            return Err(Refusal::Files {
                limit: limits.files,
            });
        }
        if bytes > limits.file_bytes {
            let name = self.keys.last().map_or("", String::as_str);
            return Err(Refusal::FileSize {
                name: name.chars().take(128).collect(),
                limit: limits.file_bytes,
            });
        }
        match self.bytes + bytes > limits.bundle_bytes {
            true => Err(Refusal::BundleSize {
                limit: limits.bundle_bytes,
            }),
            false => Ok(()),
        }
    }

    fn malformed(&self, why: &str) -> Problem {
        let name = self.keys.last().map_or("", String::as_str);
        let name: String = name.chars().take(128).collect();
        let line = self.line;
        Problem::new(
            Kind::MalformedBody,
            format!("the body is not JSON: in the text of `{name}` on line {line}: {why}"),
        )
    }
}

impl Lifted {
    /// The column of the body that a column of the rest is.
    pub fn column(&self, line: usize, column: usize) -> usize {
        let before = self.cuts.iter();
        let before = before.filter(|cut| cut.line == line && cut.column <= column);
        column.saturating_add_signed(before.map(|cut| cut.bytes).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUNDLE: &[&[&str]] = &[&["files"]];

    fn lift(body: &[u8], size: usize, limits: &Limits) -> Result<Lifted, Problem> {
        let mut lifter = Lifter::new(BUNDLE, limits);
        for piece in body.chunks(size) {
            lifter.feed(piece)?;
        }
        Ok(lifter.finish())
    }

    #[test]
    fn texts_come_out_and_the_rest_stays() {
        let body = r#"{"x": ["files", {"files": {"a": "stays"}}], "fil\u0065s":
            {"a": "\u00e4\ud83d\ude00\n\"\\\/", "b\"": "", "c": 3, "d": ["e"], "f": {"g": "h"}}, "files2": {"a": "z"}}"#;
        for size in [1, 2, 3, 7, 1000] {
            let lifted = lift(body.as_bytes(), size, &Limits::default()).unwrap();
            let texts = [&b"\xc3\xa4\xf0\x9f\x98\x80\n\"\\/"[..], b""];
            assert_eq!(lifted.texts, texts);
            let rest = body.replace(r#""\u00e4\ud83d\ude00\n\"\\\/""#, "\"0\"");
            let rest = rest.replace(r#""b\"": """#, r#""b\"": "1""#);
            assert_eq!(String::from_utf8_lossy(&lifted.rest), rest);
        }
    }

    #[test]
    fn places_are_those_of_the_body() {
        let body = "{\n \"files\": {\"a\": \"0123456789\", \"b\": !}}";
        let lifted = lift(body.as_bytes(), 5, &Limits::default()).unwrap();
        let error = serde_json::from_slice::<serde::de::IgnoredAny>(&lifted.rest).unwrap_err();
        let expected = serde_json::from_str::<serde::de::IgnoredAny>(body).unwrap_err();
        assert_eq!(error.line(), expected.line());
        let column = lifted.column(error.line(), error.column());
        assert_eq!(column, expected.column());
    }

    #[test]
    fn limits_hold_while_it_is_read() {
        let limits = Limits {
            files: 3,
            file_bytes: 10,
            bundle_bytes: 15,
            ..Limits::default()
        };
        let check = |files: &str, kind: Option<Kind>| {
            let body = format!("{{\"files\": {{{files}");
            let refused = lift(body.as_bytes(), 4, &limits).err();
            assert_eq!(refused.map(|problem| problem.kind), kind, "{files}");
        };
        check(r#""a": "0123456789", "b": "01234""#, None);
        check(r#""a": "0123456789a"#, Some(Kind::TooLarge));
        check(r#""a": "0123456789", "b": "012345"#, Some(Kind::TooLarge));
        check(
            r#""a": "", "b": "", "c": "", "d": "x"#,
            Some(Kind::MalformedBundle),
        );
        check(r#""a": "\x"#, Some(Kind::MalformedBody));
        check(r#""a": "\ud800a"#, Some(Kind::MalformedBody));
        let rest = format!("{{\"policy\": \"{}", "x".repeat(LARGEST_REST));
        let refused = lift(rest.as_bytes(), 1 << 16, &limits).unwrap_err();
        assert_eq!(refused.kind, Kind::TooLarge);
    }
}
