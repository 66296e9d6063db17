//! Escapes text for Markdown, XML, workflow commands, URIs, shells and terminals.
//!
//! Names and messages come from untrusted files. Each format has one function, which escapes a piece of
//! text once. Control characters are shown by their numbers ([`opatlas_source::visible`]).

use std::borrow::Cow;

use opatlas_source::visible::is_acting;
use opatlas_source::{Message, Piece};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

pub(super) use opatlas_source::visible::{line, lines};

/// Text as a Markdown code span.
#[must_use]
pub fn code(text: &str) -> String {
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
    // Markdown removes one space on both sides.
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

pub(super) fn code_cell(text: &str) -> String {
    // A backslash before a bar would escape the bar's own backslash.
    let text = text.replace("\\|", "\\\u{2060}|");
    code(&text).replace('|', "\\|")
}

/// Lines as an indented, fenced code block of Markdown. The fence is longer than any run of backticks.
#[must_use]
pub fn code_block(language: &str, lines: &[String], indent: &str) -> String {
    let ticks = lines.iter().flat_map(|line| line.split(|c| c != '`'));
    let fence = "`".repeat(ticks.map(str::len).max().unwrap_or(0).max(2) + 1);
    let mut text = format!("{indent}{fence}{language}\n");
    for text_line in lines {
        text.push_str(indent);
        text.push_str(line(text_line).trim_end());
        text.push('\n');
    }
    text + indent + &fence + "\n"
}

/// A message in Markdown, its code as code.
#[must_use]
pub fn markdown(message: &Message) -> String {
    let mut out = String::with_capacity(message.len() + 16);
    for piece in message.pieces() {
        match piece {
            Piece::Text(text) if out.is_empty() => push_start(&mut out, text),
            Piece::Text(text) => push_prose(&mut out, text),
            Piece::Code(text) => push_code(&mut out, text),
        }
    }
    out
}

/// Prose in the middle of a Markdown block, without markup, HTML, links, mentions or references.
#[must_use]
pub fn prose(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    push_prose(&mut out, text);
    out
}

/// Prevents hosting sites from processing text after Markdown, where a backslash does not help.
const WORD_JOINER: char = '\u{2060}';

fn push_prose(out: &mut String, text: &str) {
    let text = line(text);
    let mut before = None;
    for (at, char) in text.char_indices() {
        let rest = &text[at + char.len_utf8()..];
        if matches!(
            char,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '!' | '&' | '$'
        ) {
            out.push('\\');
        }
        out.push(char);
        let is_joined = match char {
            // Mentions, addresses of mail, references to issues.
            '@' | '#' => true,
            // References to merge requests, snippets, epics and milestones.
            '!' | '$' | '&' | '%' => rest.starts_with(|c: char| c.is_ascii_digit()),
            // Labels.
            '~' => rest.starts_with(|c: char| !c.is_whitespace()),
            // Schemes of addresses, and names of emoji.
            ':' => rest.starts_with("//") || is_emoji(rest),
            // Addresses without a scheme.
            'w' | 'W' => rest.starts_with('.') && before.is_some_and(|b| matches!(b, 'w' | 'W')),
            // `GH-1`
            '-' => {
                rest.starts_with(|c: char| c.is_ascii_digit()) && matches!(before, Some('H' | 'h'))
            }
            _ => false,
        };
        if is_joined {
            out.push(WORD_JOINER);
        }
        before = Some(char);
    }
}

pub(super) fn paragraph(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    push_start(&mut out, line(text).trim_start());
    out
}

fn push_start(out: &mut String, text: &str) {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = text.split_at(digits);
    let marks: &[char] = if digits > 0 {
        &['.', ')']
    } else {
        &['-', '+', '=']
    };
    match rest.chars().next().filter(|char| marks.contains(char)) {
        Some(mark) => {
            out.push_str(number);
            out.push('\\');
            out.push(mark);
            push_prose(out, &rest[mark.len_utf8()..]);
        }
        None => push_prose(out, text),
    }
}

/// Whether a name and a colon are next, as in `:tada:`.
fn is_emoji(rest: &str) -> bool {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '-');
    let end = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
    end > 0 && rest[end..].starts_with(':')
}

/// Text in an XML element. Line breaks stay.
pub(super) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in lines(text).chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            // XML cannot contain these characters.
            '\u{fffe}' | '\u{ffff}' => out.extend(char.escape_unicode()),
            other => out.push(other),
        }
    }
    out
}

/// Text in an attribute of XML or HTML. Line breaks become character references.
#[must_use]
pub fn xml_attribute(text: &str) -> String {
    xml(text).replace('\n', "&#10;").replace('\t', "&#9;")
}

pub(super) fn command_data(text: &str) -> String {
    lines(text).replace('%', "%25").replace('\n', "%0A")
}

pub(super) fn sarif(text: &str) -> Cow<'_, str> {
    match text.contains("](") {
        true => Cow::Owned(lines(text).replace("](", "]\u{2060}(")),
        false => lines(text),
    }
}

pub(super) fn command_property(text: &str) -> String {
    command_data(text).replace(':', "%3A").replace(',', "%2C")
}

pub(super) fn address(url: &str) -> String {
    let mut out = String::with_capacity(url.len());
    for char in url.chars() {
        match char {
            '(' => out.push_str("%28"),
            ')' => out.push_str("%29"),
            '|' => out.push_str("%7C"),
            '`' => out.push_str("%60"),
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            '\\' => out.push_str("%5C"),
            c if c.is_whitespace() || is_acting(c) => out.push_str("%20"),
            c => out.push(c),
        }
    }
    out
}

/// All characters except unreserved ones and slashes.
const OF_PATHS: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

pub(super) fn uri(path: &str) -> String {
    utf8_percent_encode(path, OF_PATHS).to_string()
}

pub(super) fn shell(word: &str) -> String {
    let is_plain = |byte: u8| {
        let sign = matches!(byte, b'_' | b'-' | b'.' | b':' | b'/' | b'+' | b'=' | b',');
        sign || byte.is_ascii_alphanumeric()
    };
    if !word.is_empty() && !word.starts_with('-') && word.bytes().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", line(word).replace('\'', r"'\''"))
}

/// At most `most` characters of a text. If it is cut, the last one is `…`.
pub(super) fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut out: String = text.chars().take(most.saturating_sub(1)).collect();
    out.push('…');
    out
}

#[cfg(test)]
mod tests;
