//! Whether an entry can be left out: whether all that it says ends with it. A quote or a list that is not
//! closed, an anchor or a mistake would have a say in what follows.

use memchr::memchr;

use super::simple::{is_letter, key_length, may_be_simple, plain_length};

/// The column of an entry's keys, and that of the keys in a mapping that is the value of one.
const COLUMNS: [usize; 2] = [2, 4];

/// Whether a look at the lines of a piece of [`super::split`] tells that [`super::parse_chunk`] reads it, as
/// of nearly all entries; it takes a tenth of the time. `false` where only reading tells.
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

/// Whether there is a value on a line `key: value` or `key:`. `None` where it is no such line.
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

/// Whether a word may begin so that is no number or date: of those some are refused.
fn is_word(first: u8) -> bool {
    first.is_ascii_alphabetic() || first == b'_'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::stands_alone;
    use crate::parse_any_chunk;

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

    const ENTRIES: [&str; 3] = [
        "- func: cat.out(Tensor[] tensors, int dim=0, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch:\n    CPU, CUDA: cat_out  # both\n    MPS: at::native::cat_out_mps\n\n# next\n",
        "- func: relu_(Tensor(a!) self) -> Tensor(a!)\n  variants: function, method\n  autogen: relu_.out\n  tags: [core, pointwise]  # tags\n",
        "- func: f(str s=\"a b\", float x=1e-05) -> ()\n\n  manual_cpp_binding: True\n  device_guard: False\n  dispatch:\n    CompositeExplicitAutograd: f\n  python_module: nn\n",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn edited_entries(
            entry in prop::sample::select(&ENTRIES[..]),
            edits in prop::collection::vec((any::<prop::sample::Index>(), "[-a:# \n,'\"&*!|>%@`?\\[\\]{}\t\ré\u{85}\u{feff}~<=0-9.]{0,3}", 0..4_usize), 0..4),
        ) {
            let mut chars: Vec<char> = entry.chars().collect();
            for (at, new, gone) in edits {
                let at = at.index(chars.len());
                let end = (at + gone).min(chars.len());
                chars.splice(at..end, new.chars());
                if chars.is_empty() {
                    break;
                }
            }
            is_whole(&chars.into_iter().collect::<String>());
        }

        #[test]
        fn lines_in_any_order(lines in prop::collection::vec(
            "( {0,5}(a|b|c_d|CPU, CUDA|on|1):( {0,2}(x|y z|T\\[\\] a, b -> c|[-0-9:._a-f]{1,6}|\\[a, b\\]|\\[on ,1 \\] ?(#c)?|\\[a b,c?\\]|'q'|n::m|a#b|a #b|#c|- a|k: v)?)?| {0,4}(#.{0,3})?| {0,5}- a| {0,3}[-a-c:# ]{0,6})",
            0..7,
        )) {
            let chunk = format!("- func: f\n{}", lines.join("\n"));
            is_whole(&chunk);
            is_whole(&format!("- {}\n", lines.join("\n  ")));
        }
    }
}
