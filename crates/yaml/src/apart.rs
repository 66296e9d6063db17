//! Whether an entry can be left out: whether all that it says ends with it. A quote or a list that is not
//! closed, an anchor or a mistake would have a say in what follows.

use memchr::memchr;

use super::simple::{is_letter, key_length, may_be_simple, plain_length};

/// The column of an entry's keys, and that of the keys in a mapping that is the value of one.
const COLUMNS: [usize; 2] = [2, 4];

/// Whether a look at the lines of a piece of [`super::split`] tells that [`super::parse_chunk`] reads it, as
/// of nearly all entries; it takes a quarter of the time. `false` where only reading tells.
#[must_use]
pub fn stands_alone(chunk: &str) -> bool {
    let bytes = chunk.as_bytes();
    let [column, inner] = COLUMNS;
    if !may_be_simple(bytes) {
        return false;
    }
    let (mut at, mut indent) = (column, column);
    // Whether a mapping may follow.
    let mut is_open = false;
    loop {
        let end = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length);
        let line = &bytes[at..end];
        if line.first().is_some_and(|first| *first != b'#') {
            let is_inner = indent == inner && is_open;
            let Some(has_value) = key_and_value(line) else {
                return false;
            };
            if indent == column {
                is_open = !has_value;
            } else if !is_inner || !has_value {
                return false;
            }
        }
        if end + 1 >= bytes.len() {
            return true;
        }
        let blanks = bytes[end + 1..].iter().take_while(|byte| **byte == b' ');
        indent = blanks.count();
        at = end + 1 + indent;
    }
}

/// Whether a line `key: value` or `key:` has a value. `None` for any other line.
fn key_and_value(line: &[u8]) -> Option<bool> {
    let rest = line[key_length(line)? + 1..].trim_ascii_start();
    match rest.first() {
        None | Some(b'#') => Some(false),
        Some(b'[') => is_list(&rest[1..]).then_some(true),
        Some(first) if is_word(*first) => plain_length(rest).map(|_| true),
        Some(_) => None,
    }
}

/// Whether a line goes on as a list of words that ends there.
fn is_list(rest: &[u8]) -> bool {
    let Some(end) = memchr(b']', rest) else {
        return false;
    };
    let is_item = |item: &[u8]| {
        let item = item.trim_ascii();
        item.first().is_some_and(|first| is_word(*first)) && item.iter().all(|b| is_letter(*b))
    };
    let behind = &rest[end + 1..];
    let comment = behind.trim_ascii_start();
    rest[..end].split(|byte| *byte == b',').all(is_item)
        && (comment.is_empty() || comment[0] == b'#' && behind[0] == b' ')
}

/// Whether a plain scalar that begins so is neither a number nor a date, some of which are refused.
fn is_word(first: u8) -> bool {
    first.is_ascii_alphabetic() || first == b'_'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::stands_alone;
    use crate::{entries, parse_any_chunk};

    /// What is said to be whole is read.
    fn is_whole(chunk: &str) -> bool {
        let is_whole = stands_alone(chunk);
        assert!(!is_whole || parse_any_chunk(chunk).is_some(), "{chunk:?}");
        is_whole
    }

    #[test]
    fn most_entries_are_seen_to_be_whole() {
        for entry in [
            "- func: add.Tensor(Tensor self, *, Scalar alpha=1) -> Tensor\n  variants: function\n",
            "- func: f() -> ()\n  dispatch:\n    CPU, CUDA: at::native::f  # both\n    MPS: g\n  tags: [a, b]\n",
            "- func: f() -> ()\n\n  # a comment\n  structured: True\n  dispatch:  # empty\n# more\n\n",
            "- func: f\n  tags: [ a , b ] # c\n  autogen: f.out, g.out",
        ] {
            assert!(is_whole(entry), "{entry:?}");
        }
    }

    #[test]
    fn others_are_read() {
        for (entry, stands) in [
            ("- a: 'b'\n", true),
            ("- a: b\n  c: 1\n", true),
            ("- a: b\n   c\n", true),
            ("- a:\n    b:\n      c: d\n", true),
            ("- a: 'b\n", false),
            ("- a: [b\n", false),
            ("- a: &b c\n", false),
            ("- a: *b\n", false),
            ("- a: b: c\n", false),
            ("- a: b\n    c: d\n", false),
            ("- a: b\n c: d\n", false),
            ("- a: b\nc: d\n", false),
            ("- a: b\n...\n", false),
            ("- a: b\tc: d\n", false),
        ] {
            assert!(!is_whole(entry), "{entry:?}");
            assert_eq!(parse_any_chunk(entry).is_some(), stands, "{entry:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8_000))]

        #[test]
        fn edited_entries(entry in entries::edited()) {
            is_whole(&entry);
        }

        #[test]
        fn lines_in_any_order(entry in entries::of_lines()) {
            is_whole(&entry);
        }
    }
}
