//! Entries as nearly all are written, read line by line.
//!
//! One mapping of scalars and one-line lists, with mappings of the same in it, each key on a line of its
//! own; scalars are plain, or in quotes without escapes. Read so, an entry takes a tenth of the time that
//! events take. Whatever else is in an entry, and everything that is refused, is left to the scanner and
//! parser: both ways give the same tree, which tests compare.

use std::sync::Arc;

use memchr::{memchr, memchr2, memchr2_iter};
use opatlas_source::Span;

use super::scalar::ScalarType;
use super::scanner::{Decoded, ValueRef, offset};
use super::tree::{Arena, Content, NodeId, Style, Tree};
use super::{Item, check};

/// Mappings nested deeper are not read here.
const DEEPEST: usize = 4;

/// The column of an entry's keys: behind `- `.
const COLUMN: usize = 2;

/// Up to this many keys are compared with each other.
const FEW: usize = 16;

/// Longer keys are not read here: whether one is a key at all depends on its length.
const LONGEST_KEY: usize = 200;

/// Longer entries are not read here.
const LONGEST: usize = 1 << 16;

/// Reads an entry; `None` where it is not as simple.
pub(super) fn read(chunk: &str) -> Option<Item> {
    let whole = Span::new(0, offset(chunk.len()));
    let mut reader = Reader::new(chunk, (chunk.len() / 16).clamp(8, 1 << 10));
    let root = reader.entry(whole)?;
    let (arena, _) = reader.list(&[root], 0);
    let tree: Arc<Tree> = arena.into_tree(Decoded::default(), chunk.into()).into();
    Some(Item {
        span: tree.span(root),
        tree,
        root,
        base: 0,
        diagnostics: Vec::new(),
        repeated: 0,
    })
}

/// Whether an entry is not too long and has only bytes that mean the same to all: others break lines,
/// are refused, or are wider than they are long.
fn may_be_simple(chunk: &[u8]) -> bool {
    let is_odd = |byte: u8| !(b' '..=b'~').contains(&byte) & (byte != b'\n');
    // To look at all of them is quicker than to stop at the first.
    let is_simple = || !chunk.iter().fold(false, |odd, byte| odd | is_odd(*byte));
    chunk.len() <= LONGEST && chunk.starts_with(b"- ") && is_simple()
}

/// How long the key is that a line begins with.
// Two modules call it, so it would not be inlined, and reading would take a twentieth longer.
#[inline]
fn key_length(line: &[u8]) -> Option<usize> {
    if !is_letter(*line.first()?) {
        return None;
    }
    let length = memchr(b':', line).filter(|length| *length <= LONGEST_KEY)?;
    let is_key = |byte: &u8| is_letter(*byte) || matches!(byte, b',' | b' ' | b'.' | b'-');
    let is_plain = line[..length].iter().all(is_key) && line[length - 1] != b' ';
    let is_ended = line.get(length + 1).is_none_or(|byte| *byte == b' ');
    (is_plain && is_ended).then_some(length)
}

/// How long the plain scalar is that the rest of a line begins with.
// As above.
#[inline]
fn plain_length(line: &[u8]) -> Option<usize> {
    let mut length = line.len();
    for at in memchr2_iter(b':', b'#', line) {
        if line[at] == b'#' {
            if line[at - 1] == b' ' {
                length = at;
                break;
            }
        } else if line.get(at + 1).is_none_or(|byte| *byte == b' ') {
            return None;
        }
    }
    let blanks = line[..length].iter().rev().take_while(|b| **b == b' ');
    Some(length - blanks.count())
}

/// Whether a line goes on as a plain scalar that begins with a mark, as `-a` does and `- a` does not.
fn begins_plain(line: &[u8]) -> bool {
    match line {
        [b'(', ..] => true,
        [b'-', next, ..] => *next != b' ',
        _ => false,
    }
}

/// Whether nothing but a comment follows on a line.
fn ends(rest: &[u8]) -> bool {
    let blanks = rest.iter().take_while(|byte| **byte == b' ').count();
    blanks == rest.len() || rest[blanks] == b'#' && blanks > 0
}

/// A mapping that is not closed yet.
#[derive(Clone, Copy)]
struct Open {
    indent: usize,
    id: NodeId,
    /// Where its pairs begin among those that wait.
    from: usize,
    /// The key that it is the value of.
    key: Option<NodeId>,
}

/// Reads entries of a text into one arena.
pub(super) struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    pub arena: Arena,
    list: NodeId,
    open: [Option<Open>; DEEPEST],
    depth: usize,
    pairs: Vec<(NodeId, NodeId)>,
    /// A key without a value on its line.
    key: Option<NodeId>,
    /// The end of the last node.
    pub end: u32,
}

impl<'t> Reader<'t> {
    /// One with room for so many nodes.
    pub fn new(text: &'t str, nodes: usize) -> Self {
        let mut arena = Arena::with_capacity(nodes);
        let list = arena.add(Span::at(0), Content::Sequence { from: 0, to: 0 });
        Self {
            text,
            bytes: text.as_bytes(),
            arena,
            list,
            open: [None; DEEPEST],
            depth: 0,
            pairs: Vec::with_capacity(nodes.min(32)),
            key: None,
            end: 0,
        }
    }

    /// Reads the entry in this part of the text; `None`, and nothing is added, where it is not as simple.
    pub fn entry(&mut self, piece: Span) -> Option<NodeId> {
        let before = self.arena.sizes();
        let (from, to) = (piece.start as usize, piece.end as usize);
        let is_simple = self.bytes.get(from..to).is_some_and(may_be_simple);
        let root = is_simple.then(|| self.lines(from, to)).flatten();
        if root.is_none() {
            self.arena.cut(before);
        }
        root
    }

    fn lines(&mut self, from: usize, to: usize) -> Option<NodeId> {
        (self.depth, self.key) = (0, None);
        self.pairs.clear();
        let bytes = &self.bytes[..to];
        let line_end = |at: usize| memchr(b'\n', &bytes[at..]).map_or(to, |length| at + length);
        let mut end = line_end(from);
        self.line(from + COLUMN, end, COLUMN)?;
        while end + 1 < to {
            let at = end + 1;
            end = line_end(at);
            let blanks = bytes[at..end].iter().take_while(|byte| **byte == b' ');
            let indent = blanks.count();
            let start = at + indent;
            if start < end && bytes[start] != b'#' {
                self.line(start, end, indent)?;
            }
        }
        if self.key.is_some() {
            return None;
        }
        let root = self.open[0]?.id;
        while self.depth > 0 {
            self.close()?;
        }
        Some(root)
    }

    /// The arena with these entries as its list, which begins at `start`, and the list.
    pub fn list(mut self, entries: &[NodeId], start: u32) -> (Arena, NodeId) {
        let from = offset(self.arena.items.len());
        self.arena.items.extend(entries);
        let list = self.arena.node_mut(self.list);
        list.span = Span::new(start, self.end);
        let to = from + offset(entries.len());
        list.content = Content::Sequence { from, to };
        (self.arena, self.list)
    }

    /// Reads `key: value` or `key:`, which begins at `start` in the column `indent`.
    fn line(&mut self, start: usize, end: usize, indent: usize) -> Option<()> {
        match self.key.take() {
            Some(key) => self.begin(start, indent, Some(key))?,
            None if self.depth == 0 => self.begin(start, indent, None)?,
            None => {
                while self.last()?.indent > indent {
                    self.close()?;
                }
                if self.last()?.indent != indent {
                    return None;
                }
            }
        }
        let length = key_length(&self.bytes[start..end])?;
        let key = self.plain(start, start + length)?;
        let mut value = start + length + 1;
        while value < end && self.bytes[value] == b' ' {
            value += 1;
        }
        if value == end || self.bytes[value] == b'#' {
            self.key = Some(key);
            return Some(());
        }
        let value = match self.bytes[value] {
            b'[' => self.words(value, end)?,
            b'"' | b'\'' => self.quoted(value, end)?,
            first if is_letter(first) || begins_plain(&self.bytes[value..end]) => {
                let length = plain_length(&self.bytes[value..end])?;
                self.plain(value, value + length)?
            }
            _ => return None,
        };
        self.pairs.push((key, value));
        Some(())
    }

    fn plain(&mut self, start: usize, end: usize) -> Option<NodeId> {
        let span = Span::new(offset(start), offset(end));
        let (ty, complaint) = check::plain(self.text.get(start..end)?, span);
        if complaint.is_some() {
            return None;
        }
        let value = ValueRef {
            at: span.start,
            len: span.end - span.start,
            pieces: 0,
        };
        let style = Style::Plain;
        self.end = span.end;
        Some(self.arena.add(span, Content::Scalar { value, style, ty }))
    }

    /// Reads a scalar in quotes, all of it on the line and as it is meant.
    fn quoted(&mut self, start: usize, end: usize) -> Option<NodeId> {
        let line = &self.bytes[..end];
        let quote = line[start];
        let first = start + 1;
        let length = memchr2(quote, b'\\', &line[first..])?;
        let close = first + length;
        if line[close] != quote || !ends(&line[close + 1..]) {
            return None;
        }
        let span = Span::new(offset(start), offset(close + 1));
        let value = ValueRef {
            at: offset(first),
            len: offset(length),
            pieces: 0,
        };
        let style = match quote {
            b'"' => Style::DoubleQuoted,
            _ => Style::SingleQuoted,
        };
        let ty = ScalarType::Str;
        self.end = span.end;
        Some(self.arena.add(span, Content::Scalar { value, style, ty }))
    }

    /// Reads `[a, b]`.
    fn words(&mut self, start: usize, end: usize) -> Option<NodeId> {
        let line = &self.bytes[..end];
        let id = self.arena.add(Span::at(offset(start)), Content::Recursive);
        let from = self.arena.items.len();
        let mut at = start + 1;
        loop {
            while *line.get(at)? == b' ' {
                at += 1;
            }
            let word = line[at..].iter().take_while(|byte| is_letter(**byte));
            let length = word.count();
            if length == 0 {
                return None;
            }
            let item = self.plain(at, at + length)?;
            self.arena.items.push(item);
            at += length;
            while *line.get(at)? == b' ' {
                at += 1;
            }
            match line[at] {
                b',' => at += 1,
                b']' => break,
                _ => return None,
            }
        }
        at += 1;
        if !ends(&line[at..]) {
            return None;
        }
        self.end = offset(at);
        let content = Content::Sequence {
            from: offset(from),
            to: offset(self.arena.items.len()),
        };
        let node = self.arena.node_mut(id);
        node.span = Span::new(offset(start), offset(at));
        node.content = content;
        Some(id)
    }

    fn last(&self) -> Option<Open> {
        self.open.get(self.depth.checked_sub(1)?).copied().flatten()
    }

    fn begin(&mut self, start: usize, indent: usize, key: Option<NodeId>) -> Option<()> {
        if self.last().is_some_and(|parent| parent.indent >= indent) {
            return None;
        }
        let at = Span::at(offset(start));
        let id = self.arena.add(at, Content::Mapping { from: 0, to: 0 });
        *self.open.get_mut(self.depth)? = Some(Open {
            indent,
            id,
            from: self.pairs.len(),
            key,
        });
        self.depth += 1;
        Some(())
    }

    fn close(&mut self) -> Option<()> {
        let open = self.last()?;
        self.depth -= 1;
        let first = self.arena.pairs.len();
        self.arena.pairs.extend(self.pairs.drain(open.from..));
        let pairs = &self.arena.pairs[first..];
        let key = |number: usize| {
            let node = self.arena.node(pairs[number].0);
            match node.content {
                Content::Scalar { ty, .. } => (node.span, Some((ty, node.span.slice(self.text)))),
                _ => (node.span, None),
            }
        };
        if !self.are_distinct(pairs) && !check::keys(pairs.len(), key).is_empty() {
            return None;
        }
        let content = Content::Mapping {
            from: offset(first),
            to: offset(self.arena.pairs.len()),
        };
        let node = self.arena.node_mut(open.id);
        node.content = content;
        node.span = Span::new(node.span.start, self.end);
        if let Some(key) = open.key {
            self.pairs.push((key, open.id));
        }
        Some(())
    }

    /// Whether a few keys are texts, no two of them the same, as nearly always.
    fn are_distinct(&self, pairs: &[(NodeId, NodeId)]) -> bool {
        let text = |pair: &(NodeId, NodeId)| {
            let node = self.arena.node(pair.0);
            let Content::Scalar { ty, .. } = node.content else {
                return None;
            };
            let bytes = self
                .bytes
                .get(node.span.start as usize..node.span.end as usize);
            bytes.filter(|_| ty == ScalarType::Str)
        };
        let is_new = |(i, pair): (usize, &(NodeId, NodeId))| {
            let key = text(pair);
            key.is_some() && pairs[..i].iter().all(|earlier| text(earlier) != key)
        };
        pairs.len() <= FEW && pairs.iter().enumerate().all(is_new)
    }
}

/// Whether a byte belongs to a word that is neither a mark of YAML nor ends one.
fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::read;
    use crate::{entries, parse_any_chunk};

    /// Whether an entry is read here, which must give what the parser gives.
    fn reads(chunk: &str) -> bool {
        let simple = read(chunk);
        if let Some(simple) = &simple {
            let parsed = parse_any_chunk(chunk).map(|item| format!("{item:?}"));
            assert_eq!(Some(format!("{simple:?}")), parsed, "{chunk:?}");
        }
        simple.is_some()
    }

    #[test]
    fn entries_as_nearly_all_are_written() {
        for entry in [
            "- func: add.Tensor(Tensor self, *, Scalar alpha=1) -> Tensor\n  variants: function\n",
            "- func: f() -> ()\n  dispatch:\n    CPU, CUDA: at::native::f  # both\n    MPS: g\n  tags: [a, b]\n",
            "- func: f() -> ()\n\n  # a comment\n  structured: True\n  dispatch:\n\n   CPU: f#g\n# more\n",
            "- a: 1\n  b:\n    c:\n      d: e\n  yes: [ on , 2 ]  \n",
            "- a: b",
            "- a: 'b: c'  # d\n  e: \"f # 'g'\"\n  h: ''\n  i: -j(k)\n  l: (m) + n\n",
        ] {
            assert!(reads(entry), "{entry:?}");
        }
    }

    #[test]
    fn what_is_not_as_simple_is_left_to_the_parser() {
        for entry in [
            "- f",
            "-  a: b\n",
            "- a: b: c\n",
            "- a: b:\n",
            "- a: f(x,\n    y)\n",
            "- a:\n",
            "- a:\n  b: c\n",
            "- a: b\n c: d\n",
            "- a: b\n    c: d\n",
            "- a: 'b''c'\n",
            "- a: \"b\\\"\"\n",
            "- a: 'b\n    c'\n",
            "- a: 'b'#c\n",
            "- a: 'b': c\n",
            "- a: - b\n",
            "- a: -\n",
            "- a: [b,]\n",
            "- a: [b]c\n",
            "- a: [b: c]\n",
            "- a: b\n  a: c\n",
            "- a: b\n  a : c\n",
            "- a: b\tc\n",
            "- a: é\n",
            "- a: b\n...\n",
            "- a: b\nc: d\n",
            "- a: 2001-13-45\n",
            "- a: 0x\n- b: c\n",
            "",
            "- ",
        ] {
            assert!(!reads(entry), "{entry:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8_000))]

        #[test]
        fn edited_entries(entry in entries::edited()) {
            reads(&entry);
        }

        #[test]
        fn lines_in_any_order(entry in entries::of_lines()) {
            reads(&entry);
        }
    }
}
