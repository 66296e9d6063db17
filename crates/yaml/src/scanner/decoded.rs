//! Decoded values, and the source position of each of their bytes.

use super::cursor::offset;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    pub value: u32,
    pub source: u32,
    /// 0: the bytes are copied from the text one by one. Otherwise, the whole stretch represents
    /// this many bytes of text (an escape, a folded line break).
    pub spelled: u32,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ValueRef {
    /// Byte offset in the text, or past its length in the decoded values.
    pub at: u32,
    pub len: u32,
    /// 1-based number of its list of pieces; 0 if the value is in the text unchanged.
    pub pieces: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Decoded {
    /// The values, concatenated.
    pub values: String,
    /// Their pieces, concatenated.
    pub pieces: Vec<Piece>,
    /// For each decoded value, the range of its pieces.
    pub ranges: Vec<(u32, u32)>,
}

#[derive(Clone, Copy)]
pub(super) struct Draft {
    value: usize,
    piece: usize,
}

impl Decoded {
    pub(super) fn begin(&self) -> Draft {
        Draft {
            value: self.values.len(),
            piece: self.pieces.len(),
        }
    }

    pub(super) fn copy(&mut self, draft: Draft, text: &str, from: usize, to: usize) {
        let Some(run) = text.get(from..to).filter(|run| !run.is_empty()) else {
            return;
        };
        let value = offset(self.values.len() - draft.value);
        self.values.push_str(run);
        if let Some(last) = self.pieces[draft.piece..].last() {
            let follows = last.source + (value - last.value) == offset(from);
            if last.spelled == 0 && follows {
                return;
            }
        }
        self.pieces.push(Piece {
            value,
            source: offset(from),
            spelled: 0,
        });
    }

    pub(super) fn put(&mut self, draft: Draft, value: &str, from: usize, to: usize) {
        if value.is_empty() {
            return;
        }
        self.pieces.push(Piece {
            value: offset(self.values.len() - draft.value),
            source: offset(from),
            spelled: offset(to.saturating_sub(from)),
        });
        self.values.push_str(value);
    }

    fn put_break(&mut self, draft: Draft, text: &str, from: usize, to: usize) {
        match text.get(from..to) {
            Some("\n" | "\u{2028}" | "\u{2029}") => self.copy(draft, text, from, to),
            _ => self.put(draft, "\n", from, to),
        }
    }

    pub(super) fn put_breaks(&mut self, draft: Draft, text: &str, from: usize, to: usize) {
        let mut at = from;
        while at < to {
            let rest = text.get(at..to).unwrap_or("");
            match break_at_start(rest) {
                0 => at += rest.chars().next().map_or(1, char::len_utf8),
                length => {
                    self.put_break(draft, text, at, at + length);
                    at += length;
                }
            }
        }
    }

    /// Folds white space: one line feed becomes a space; of several, the first is dropped.
    pub(super) fn put_fold(&mut self, draft: Draft, text: &str, from: usize, to: usize) {
        let gap = text.get(from..to).unwrap_or("");
        let blanks = gap.len() - gap.trim_start_matches([' ', '\t']).len();
        let first = break_at_start(&gap[blanks..]);
        let after = blanks + first;
        if matches!(&gap[blanks..after], "\u{2028}" | "\u{2029}") {
            self.put_breaks(draft, text, from, to);
        } else if gap[after..].trim_start_matches([' ', '\t']).is_empty() {
            self.put(draft, " ", from, to);
        } else {
            self.put_breaks(draft, text, from + after, to);
        }
    }

    /// A value that is one stretch of the text is not stored here.
    pub(super) fn finish(&mut self, draft: Draft, text_len: usize) -> ValueRef {
        let len = offset(self.values.len() - draft.value);
        let pieces = &self.pieces[draft.piece..];
        if let [
            Piece {
                spelled: 0, source, ..
            },
        ] = *pieces
        {
            self.values.truncate(draft.value);
            self.pieces.truncate(draft.piece);
            return ValueRef {
                at: source,
                len,
                pieces: 0,
            };
        }
        if len == 0 {
            return ValueRef::default();
        }
        self.ranges
            .push((offset(draft.piece), offset(self.pieces.len())));
        ValueRef {
            at: offset(text_len + draft.value),
            len,
            pieces: offset(self.ranges.len()),
        }
    }
}

fn break_at_start(text: &str) -> usize {
    match text.as_bytes() {
        [b'\r', b'\n', ..] | [0xC2, 0x85, ..] => 2,
        [b'\n' | b'\r', ..] => 1,
        [0xE2, 0x80, 0xA8 | 0xA9, ..] => 3,
        _ => 0,
    }
}
