//! Decodes files: what PyTorch's `open()` and the YAML reader refuse, and unresolved merges.

use std::borrow::Cow;
use std::sync::Arc;

use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Content, Span, message};

use super::conflict::first_side;
use super::scanner::offset;

/// Diagnostics per file about single bytes.
const MOST: usize = 50;

/// Decodes a file as UTF-8. Each byte that is not UTF-8 or that YAML forbids becomes `?`, so
/// offsets stay the same, and each run of them has a diagnostic (`yaml-encoding`). A file with
/// unresolved merge conflicts is read as their first side (`merge-conflict`).
///
/// A byte order mark at the start stays in the text; the parser skips it. Source:
/// `docs/spec/files.md`, section 2, libyaml reader.c (yaml_parser_update_buffer).
#[must_use]
pub fn decode(bytes: &[u8]) -> (Cow<'_, str>, Vec<Diagnostic>) {
    let (text, mut diagnostics) = characters(bytes);
    let (text, conflicts) = first_side(text);
    diagnostics.extend(conflicts);
    (text, diagnostics)
}

fn characters(bytes: &[u8]) -> (Cow<'_, str>, Vec<Diagnostic>) {
    match std::str::from_utf8(bytes) {
        Ok(text) if !has_forbidden(text) => (Cow::Borrowed(text), Vec::new()),
        _ => replace(bytes),
    }
}

/// The text to show, with the markers and all sides of conflicts. Offsets are those of [`decode`].
#[must_use]
pub fn decode_whole(file: &Content) -> Arc<str> {
    match (characters(file.bytes()).0, file.text()) {
        (Cow::Borrowed(_), Some(shared)) => Arc::clone(shared),
        (text, _) => text.into(),
    }
}

/// Like [`decode`], but shares the memory of a valid file.
#[must_use]
pub fn decode_shared(file: &Content) -> (Arc<str>, Vec<Diagnostic>) {
    let (text, found) = decode(file.bytes());
    let text = match (text, file.text()) {
        (Cow::Borrowed(_), Some(shared)) => Arc::clone(shared),
        (text, _) => text.into(),
    };
    (text, found)
}

fn has_forbidden(text: &str) -> bool {
    let suspicious = |byte: u8| {
        byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r') || matches!(byte, 0x7F | 0xC2 | 0xEF)
    };
    // A first pass without branches is fast; wide characters are rare.
    text.bytes()
        .fold(false, |found, byte| found | suspicious(byte))
        && !text.chars().all(is_allowed)
}

fn replace(bytes: &[u8]) -> (Cow<'_, str>, Vec<Diagnostic>) {
    if let Some(diagnostic) = other_encoding(bytes) {
        return (Cow::Owned("?".repeat(bytes.len())), vec![diagnostic]);
    }
    let mut bad = BadRuns::default();
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for char in chunk.valid().chars() {
            let start = text.len();
            if is_allowed(char) {
                text.push(char);
            } else {
                text.extend(std::iter::repeat_n('?', char.len_utf8()));
                bad.add(start, text.len(), Bad::Forbidden(char));
            }
        }
        let start = text.len();
        text.extend(std::iter::repeat_n('?', chunk.invalid().len()));
        if text.len() > start {
            bad.add(start, text.len(), Bad::NotUtf8);
        }
    }
    (Cow::Owned(text), bad.diagnostics())
}

/// libyaml reader.c.
fn is_allowed(char: char) -> bool {
    matches!(
        char,
        '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{A0}'..='\u{FFFD}' | '\u{10000}'..
    )
}

/// A file in UTF-16 or UTF-32 gets one diagnostic instead of one for each character.
fn other_encoding(bytes: &[u8]) -> Option<Diagnostic> {
    let name = match bytes {
        [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => "UTF-32",
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => "UTF-16",
        _ => return None,
    };
    let span = Span::new(0, offset(bytes.len().min(4)));
    let diagnostic = Diagnostic::new(
        RuleId::YamlEncoding,
        span,
        message!("the file is encoded in {}", name),
    );
    Some(diagnostic.with_help("save it as UTF-8"))
}

#[derive(Clone, Copy, PartialEq)]
enum Bad {
    NotUtf8,
    Forbidden(char),
}

#[derive(Default)]
struct BadRuns {
    runs: Vec<(usize, usize, Bad)>,
    left_out: usize,
}

impl BadRuns {
    fn add(&mut self, start: usize, end: usize, bad: Bad) {
        let full = self.runs.len() >= MOST;
        match self.runs.last_mut() {
            Some(last) if last.1 == start && last.2 == bad && self.left_out == 0 => last.1 = end,
            _ if full => self.left_out += 1,
            _ => self.runs.push((start, end, bad)),
        }
    }

    fn diagnostics(self) -> Vec<Diagnostic> {
        let left_out = self.left_out;
        let last = self.runs.len().saturating_sub(1);
        let diagnostic = |(number, (start, end, bad)): (usize, (usize, usize, Bad))| {
            let span = Span::new(offset(start), offset(end));
            let mut message = match bad {
                Bad::NotUtf8 => "these bytes are not UTF-8".into(),
                Bad::Forbidden('\u{FEFF}') => "byte order mark inside the file".into(),
                Bad::Forbidden(char) => {
                    let number = format!("{:04X}", char as u32);
                    message!("YAML does not allow the character U+{}", number)
                }
            };
            if number == last && left_out > 0 {
                message.push(&message!(", here and at {} more places", left_out));
            }
            let help = match bad {
                Bad::NotUtf8 => "save the file as UTF-8",
                Bad::Forbidden(_) => "remove it, or write it as an escape inside double quotes",
            };
            Diagnostic::new(RuleId::YamlEncoding, span, message).with_help(help)
        };
        self.runs.into_iter().enumerate().map(diagnostic).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_places_are_found_and_lengths_kept() {
        type Case<'t> = (&'t [u8], &'t str, &'t [(u32, u32)]);
        let cases: [Case<'_>; 7] = [
            (b"- a", "- a", &[]),
            (
                b"\xEF\xBB\xBF- \xC2\x85\xE2\x80\xA8\t\r\n",
                "\u{FEFF}- \u{85}\u{2028}\t\r\n",
                &[],
            ),
            (b"a\0b\x1B\x7F", "a?b??", &[(1, 2), (3, 4), (4, 5)]),
            (b"a\xFF\xFEb", "a??b", &[(1, 3)]),
            (b"\xED\xA0\x80", "???", &[(0, 3)]),
            ("\u{80}\u{FFFF}é".as_bytes(), "?????é", &[(0, 2), (2, 5)]),
            (b"\xFF\xFE-\0", "????", &[(0, 4)]),
        ];
        for (bytes, text, places) in cases {
            let (decoded, found) = decode(bytes);
            let spans: Vec<_> = found
                .iter()
                .map(|found| (found.span.start, found.span.end))
                .collect();
            assert_eq!((&*decoded, &spans[..]), (text, places));
        }
    }

    #[test]
    fn a_binary_file_gives_few_findings() {
        let bytes: Vec<u8> = (0..100_000u32).map(|at| (at * 7 % 251) as u8).collect();
        let (text, found) = decode(&bytes);
        assert_eq!(text.len(), bytes.len());
        assert_eq!(found.len(), MOST);
    }
}
