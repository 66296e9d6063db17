//! Splits a file into its entries.

use opatlas_source::Span;

use super::scanner::offset;

/// Cuts a text at the lines that begin with `- ` in column 0. The spans of its entries together
/// reach from the first one to the end.
///
/// `None` if anything but comments and empty lines precedes the first entry, or there is no entry.
/// It does not check that the text is well formed; [`super::parse_chunk`] does.
#[must_use]
pub fn split(text: &str) -> Option<Vec<Span>> {
    let mut start = first_entry(text)?;
    let mut spans = Vec::with_capacity(text.len() / 200 + 1);
    let from = start;
    for found in memchr::memmem::find_iter(&text.as_bytes()[from..], b"\n-") {
        let at = from + found + 1;
        if begins_entry(&text[at..]) {
            spans.push(Span::new(offset(start), offset(at)));
            start = at;
        }
    }
    spans.push(Span::new(offset(start), offset(text.len())));
    Some(spans)
}

fn first_entry(text: &str) -> Option<usize> {
    let mut at = if text.starts_with('\u{FEFF}') { 3 } else { 0 };
    loop {
        let rest = text.get(at..)?;
        if begins_entry(rest) {
            return Some(at);
        }
        let end = rest.find('\n')? + 1;
        let line = rest[..end].trim_end_matches(['\r', '\n']);
        let body = line.trim_start_matches(' ');
        // Other line breaks would end a comment.
        let comment =
            body.starts_with('#') && !line.contains(['\r', '\u{85}', '\u{2028}', '\u{2029}']);
        if !(body.is_empty() || comment) {
            return None;
        }
        at += end;
    }
}

fn begins_entry(line: &str) -> bool {
    matches!(
        line.as_bytes(),
        [b'-', b' ' | b'\n' | b'\r' | b'\t', ..] | [b'-']
    )
}

/// `from` must be the start of a line.
pub(super) fn entry_lines(text: &str, from: usize, column: usize) -> impl Iterator<Item = usize> {
    let mut next = Some(from);
    std::iter::from_fn(move || {
        while let Some(at) = next {
            let rest = text.get(at..).unwrap_or("");
            next = rest.find('\n').map(|end| at + end + 1);
            let indent = rest
                .bytes()
                .take(column)
                .take_while(|&byte| byte == b' ')
                .count();
            if indent == column && begins_entry(&rest[column..]) {
                return Some(at);
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&[&str]>) {
        let spans = split(text);
        let pieces = spans.map(|spans| {
            spans
                .iter()
                .map(|span| span.slice(text))
                .collect::<Vec<_>>()
        });
        assert_eq!(pieces.as_deref(), expected, "{text:?}");
    }

    #[test]
    fn entries_begin_in_column_0() {
        check(
            "- a\n  b: c\n\n# d\n- e\n-\n",
            Some(&["- a\n  b: c\n\n# d\n", "- e\n", "-\n"]),
        );
        check(
            "\u{FEFF}# c\r\n\n  # d\n- a\r\n- b",
            Some(&["- a\r\n", "- b"]),
        );
        check("- a\n -b\n-c\n- d", Some(&["- a\n -b\n-c\n", "- d"]));
    }

    #[test]
    fn what_is_not_that_simple_is_not_cut() {
        for text in [
            "",
            "# c\n",
            "a: b\n- c\n",
            "---\n- a\n",
            "%YAML 1.1\n---\n- a\n",
            "\t# c\n- a\n",
            " - a\n",
            "[]\n",
        ] {
            check(text, None);
        }
        check("# c\u{2028}- a\n- b\n", None);
    }
}
