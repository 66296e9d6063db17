//! A pasted text as the patterns read it.

use opatlas_source::Span;

/// A text with single blanks, plain quotes and no escape sequences. It knows the place of each byte in
/// the original.
#[derive(Debug)]
pub(crate) struct Text {
    /// A line break is `\n`; other white space is one blank.
    plain: String,
    /// `plain` in lower case, with blanks for line breaks: equally long.
    folded: String,
    /// The place in the original of each byte of `plain`.
    places: Vec<Span>,
}

impl Text {
    /// Reads a text of at most [`crate::MOST_BYTES`] bytes.
    pub(crate) fn new(original: &str) -> Self {
        let mut reader = Reader {
            original,
            at: 0,
            plain: String::with_capacity(original.len()),
            places: Vec::with_capacity(original.len()),
        };
        while reader.step().is_some() {}
        let folded = reader.plain.to_ascii_lowercase().replace('\n', " ");
        Self {
            folded,
            plain: reader.plain,
            places: reader.places,
        }
    }

    /// The text.
    pub(crate) fn plain(&self) -> &str {
        &self.plain
    }

    /// The text in lower case, with blanks for line breaks.
    pub(crate) fn folded(&self) -> &str {
        &self.folded
    }

    /// Whether the text has a word, in any case.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.folded.contains(word)
    }

    /// The place of a part in the original.
    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        let at = |index: usize| self.places.get(index).copied().unwrap_or_default();
        at(start).to(at(end.saturating_sub(1).max(start)))
    }
}

fn place(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

struct Reader<'t> {
    original: &'t str,
    at: usize,
    plain: String,
    places: Vec<Span>,
}

impl Reader<'_> {
    /// Reads one character or escape; `None` at the end.
    fn step(&mut self) -> Option<()> {
        let rest = self.original.get(self.at..)?;
        let char = rest.chars().next()?;
        if let Some(length) = terminal_escape(rest) {
            self.at += length;
        } else if let Some((length, written)) = escape(rest) {
            self.push(written, length);
        } else {
            self.push(plain_char(char), char.len_utf8());
        }
        Some(())
    }

    fn push(&mut self, char: char, length: usize) {
        let span = Span::new(place(self.at), place(self.at + length));
        let blank = char.is_whitespace();
        self.at += length;
        match self.plain.as_bytes().last() {
            Some(b' ') if char == '\n' => {
                self.plain.pop();
                self.plain.push('\n');
            }
            None | Some(b' ' | b'\n') if blank => {}
            _ => {
                let char = if blank && char != '\n' { ' ' } else { char };
                self.plain.push(char);
                let bytes = std::iter::repeat_n(span, char.len_utf8());
                self.places.extend(bytes);
            }
        }
    }
}

/// The length of a terminal's escape sequence, such as a color.
fn terminal_escape(rest: &str) -> Option<usize> {
    let sequence = rest.strip_prefix("\u{1b}[")?;
    let end = sequence.find(|char: char| char.is_ascii_alphabetic());
    Some(end.map_or(2, |end| end + 3))
}

/// An escape of a Python string or of HTML: its length and the character.
fn escape(rest: &str) -> Option<(usize, char)> {
    const ESCAPES: [(&str, char); 11] = [
        ("\\n", '\n'),
        ("\\t", ' '),
        ("\\'", '\''),
        ("\\\"", '"'),
        ("&quot;", '"'),
        ("&#39;", '\''),
        ("&#x27;", '\''),
        ("&lt;", '<'),
        ("&gt;", '>'),
        ("&amp;", '&'),
        ("&nbsp;", ' '),
    ];
    let (written, char) = ESCAPES.iter().find(|(text, _)| rest.starts_with(text))?;
    Some((written.len(), *char))
}

fn plain_char(char: char) -> char {
    match char {
        '‘' | '’' | '`' | '´' => '\'',
        '“' | '”' => '"',
        '\r' | '│' | '┃' => ' ',
        _ => char,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_made_plain_and_knows_its_places() {
        let original = "\u{1b}[31mNo\u{1b}[0m  ‘x’\r\n  of &lt;b&gt; \\'y\\'";
        let text = Text::new(original);
        assert_eq!(text.plain(), "No 'x'\nof <b> 'y'");
        assert_eq!(text.folded(), "no 'x' of <b> 'y'");
        let start = text.plain().find("of").unwrap();
        let span = text.span(start, start + 2);
        assert_eq!(span.slice(original), "of");
    }

    #[test]
    fn any_text_is_read() {
        for original in ["", "\u{1b}", "\u{1b}[", "\u{1b}[31", "\\", "é`é", "\n \n"] {
            let text = Text::new(original);
            assert_eq!(text.plain().len(), text.folded().len());
            let _ = text.span(0, text.plain().len());
        }
    }
}
