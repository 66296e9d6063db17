//! Text made safe for where it is shown: Markdown, XML, workflow commands, URIs, shells, terminals.
//!
//! Names and messages come from files that anybody may write. Characters that could act instead of
//! being read (control characters, and those that turn the direction of text) are shown as U+FFFD
//! everywhere.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Text as a Markdown code span, whatever backticks it holds.
pub(super) fn code(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_code(&mut out, text);
    out
}

fn push_code(out: &mut String, text: &str) {
    let text = line(text);
    let mut fence = 1;
    if text.contains('`') {
        let runs = text.split(|c| c != '`').map(str::len);
        fence += runs.max().unwrap_or_default();
    }
    // One space on both sides is taken off by the reader, so that one more keeps what is there.
    let is_spaced = text.starts_with(' ') && text.ends_with(' ') && !text.trim().is_empty();
    let is_padded = text.is_empty() || is_spaced || text.starts_with('`') || text.ends_with('`');
    let space = if is_padded { " " } else { "" };
    let push_fence = |out: &mut String| (0..fence).for_each(|_| out.push('`'));
    push_fence(out);
    out.push_str(space);
    out.push_str(&text);
    out.push_str(space);
    push_fence(out);
}

/// Prose for Markdown: code spans stay code, no other text is interpreted as Markdown or HTML, and
/// it mentions no user and refers to no issue.
pub(super) fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let is_paired = text.matches('`').count().is_multiple_of(2);
    for (i, part) in text.split('`').enumerate() {
        if i % 2 == 1 && is_paired {
            push_code(&mut out, part);
            continue;
        }
        if i > 0 && !is_paired {
            out.push_str("\\`");
        }
        push_prose(&mut out, &line(part));
    }
    out
}

fn push_prose(out: &mut String, text: &str) {
    let mut copied = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'\\' | b'*' | b'_' | b'[' | b']' | b'<' | b'>' | b'|' | b'~' | b'!' | b'&' => {
                out.push_str(&text[copied..at]);
                out.push('\\');
                copied = at;
            }
            // A backslash would not keep a hosting site from seeing a mention or a reference.
            b'@' | b'#' => {
                out.push_str(&text[copied..=at]);
                out.push('\u{2060}');
                copied = at + 1;
            }
            _ => {}
        }
    }
    out.push_str(&text[copied..]);
}

/// Text for XML, in elements and attributes. Characters that XML cannot hold are shown as U+FFFD.
pub(super) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\n' | '\t' => out.push(char),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            other => out.push(harmless(other)),
        }
    }
    out
}

/// The message of a workflow command.
pub(super) fn command_data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// A property of a workflow command.
pub(super) fn command_property(text: &str) -> String {
    command_data(text).replace(':', "%3A").replace(',', "%2C")
}

/// The characters of a path that a URI reference has as they are: the unreserved ones and slashes.
const OF_PATHS: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

/// A path as a URI reference: everything but unreserved characters and slashes is encoded.
pub(super) fn uri(path: &str) -> String {
    utf8_percent_encode(path, OF_PATHS).to_string()
}

/// Appends a word for a POSIX shell: as it is where nothing in it means anything to one, else quoted.
pub(super) fn push_shell(out: &mut String, word: &str) {
    let is_plain = |byte: u8| {
        let sign = matches!(byte, b'_' | b'-' | b'.' | b':' | b'/' | b'+' | b'=' | b',');
        sign || byte.is_ascii_alphanumeric()
    };
    if !word.is_empty() && !word.starts_with('-') && word.bytes().all(is_plain) {
        return out.push_str(word);
    }
    out.push('\'');
    out.push_str(&line(word).replace('\'', r"'\''"));
    out.push('\'');
}

/// Text on one line, for terminals and tables.
pub(super) fn line(text: &str) -> Cow<'_, str> {
    // Nearly all texts.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    let shown = text.chars().map(|char| match char {
        '\n' | '\r' | '\t' => ' ',
        other => harmless(other),
    });
    Cow::Owned(shown.collect())
}

/// At most `most` characters of a text, the last of them `…` where some are left off.
pub(super) fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut out: String = text.chars().take(most.saturating_sub(1)).collect();
    out.push('…');
    out
}

/// The character, or U+FFFD for one that acts instead of being read.
fn harmless(char: char) -> char {
    let turns_direction = matches!(
        char,
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    match char.is_control() || turns_direction {
        true => '\u{fffd}',
        false => char,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_acts_in_markdown() {
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code(" a "), "`  a  `");
        assert_eq!(
            markdown("`a_b` <b> @team #1"),
            "`a_b` \\<b\\> @\u{2060}team #\u{2060}1"
        );
        assert_eq!(markdown("it`s *x*\n# y"), "it\\`s \\*x\\* #\u{2060} y");
        assert_eq!(markdown("\u{1b}[31m\u{202e}"), "\u{fffd}\\[31m\u{fffd}");
    }

    #[test]
    fn words_stay_words_in_a_shell() {
        let shell = |word: &str| {
            let mut out = String::new();
            push_shell(&mut out, word);
            out
        };
        assert_eq!(shell(""), "''");
        assert_eq!(shell("add.Tensor"), "add.Tensor");
        assert_eq!(shell("a b;c'd$(e)"), r"'a b;c'\''d$(e)'");
        assert_eq!(shell("-x"), "'-x'");
    }

    #[test]
    fn a_cut_text_shows_that_it_is() {
        assert_eq!(cut("äöü", 3), "äöü");
        assert_eq!(cut("äöüß", 3), "äö…");
    }
}
