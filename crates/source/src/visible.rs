//! Makes control characters visible.
//!
//! Names and messages come from untrusted files, and control characters in them can drive a
//! terminal or reorder text. Output shows such a character as its number, `\u{1b}`.

use std::borrow::Cow;

/// Whether a character acts on the display: C0 and C1 controls, DEL, line and paragraph separators,
/// bidirectional controls, and invisible tag and annotation characters.
#[must_use]
pub fn is_acting(char: char) -> bool {
    char.is_control()
        || matches!(
            char,
            '\u{61c}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{206f}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// Text on one line: line breaks and tabs become spaces, other acting characters numbers.
///
/// ```
/// use opatlas_source::visible;
///
/// assert_eq!(visible::line("a\nb\u{1b}[31m"), "a b\\u{1b}[31m");
/// ```
#[must_use]
pub fn line(text: &str) -> Cow<'_, str> {
    shown(text, |char| {
        matches!(char, '\n' | '\r' | '\t').then_some(' ')
    })
}

/// Text that keeps its line feeds and tabs. Other acting characters become numbers.
#[must_use]
pub fn lines(text: &str) -> Cow<'_, str> {
    shown(text, |char| matches!(char, '\n' | '\t').then_some(char))
}

fn shown(text: &str, instead: impl Fn(char) -> Option<char>) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) || !text.contains(is_acting) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        match instead(char) {
            Some(other) => out.push(other),
            None if is_acting(char) => out.extend(char.escape_unicode()),
            None => out.push(char),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acting_characters_are_numbers() {
        assert_eq!(line("a\r\n\tb"), "a   b");
        assert_eq!(lines("a\r\n\tb"), "a\\u{d}\n\tb");
        assert_eq!(
            line("\u{7f}\u{9b}\u{202e}\u{2028}"),
            "\\u{7f}\\u{9b}\\u{202e}\\u{2028}"
        );
        assert!(matches!(line("größe"), Cow::Borrowed("größe")));
    }
}
