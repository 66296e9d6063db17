//! A file that is a list, read entry by entry into one tree.

use std::sync::Arc;

use opatlas_source::Span;

use super::scanner::{Decoded, ValueRef, offset};
use super::simple::Reader;
use super::split::split;
use super::tree::NodeId;
use super::{Document, Item, MOST_EVENTS, Root, read_alone};

/// Of more nodes a file could have more events than are read: a node has at most two of them, and the
/// stream and the document have two each.
const MOST_NODES: usize = MOST_EVENTS / 2 - 2;

/// Room is made for this many nodes at most before they are read.
const ROOM: usize = 1 << 16;

/// Reads a file in the pieces of [`split`]. `None` unless each stands alone and nothing is wrong with it:
/// then this gives just what reading the whole file gives.
pub(super) fn read(text: &Arc<str>) -> Option<Document> {
    let pieces = split(text)?;
    let mut reader = Reader::new(text, (text.len() / 16).min(ROOM));
    let mut decoded = Decoded::default();
    let mut read: Vec<(NodeId, Span)> = Vec::with_capacity(pieces.len());
    for piece in &pieces {
        let entry = match reader.entry(*piece) {
            Some(root) => (root, reader.arena.node(root).span),
            None => other(&mut reader, &mut decoded, text, *piece)?,
        };
        read.push(entry);
        if reader.arena.sizes()[0] > MOST_NODES {
            return None;
        }
    }
    let roots: Vec<NodeId> = read.iter().map(|(root, _)| *root).collect();
    let (arena, list) = reader.list(&roots, pieces.first()?.start);
    let tree = Arc::new(arena.into_tree(decoded, Arc::clone(text)));
    let item = |(root, span)| Item {
        tree: Arc::clone(&tree),
        root,
        base: 0,
        span,
        diagnostics: Vec::new(),
        repeated: 0,
    };
    Some(Document {
        items: read.into_iter().map(item).collect(),
        tree: Some(tree),
        root: Root::Sequence,
        root_id: Some(list),
        diagnostics: Vec::new(),
        unread: Vec::new(),
        repeated: 0,
    })
}

/// Reads an entry that is not as simple as nearly all.
fn other(
    reader: &mut Reader<'_>,
    decoded: &mut Decoded,
    text: &str,
    piece: Span,
) -> Option<(NodeId, Span)> {
    let (builder, built) = read_alone(text.get(..piece.end as usize)?, piece.start as usize)?;
    if !built.diagnostics.is_empty() {
        return None;
    }
    let (arena, values) = builder.into_parts();
    reader.end = arena.node(built.root).span.end;
    // Decoded values count from where the text ends.
    let beyond = offset(text.len() + decoded.values.len()) - piece.end;
    let lists = decoded.append(values);
    let value = |value: ValueRef| match value.pieces {
        0 => value,
        pieces => ValueRef {
            at: value.at + beyond,
            pieces: pieces + lists,
            ..value
        },
    };
    let root = reader.arena.graft(arena, built.root, value);
    Some((root, built.span))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::read;
    use crate::{entries, parse_whole};

    /// Whether a file is read here, which must give what reading the whole of it gives.
    fn reads(text: &str) -> bool {
        let text: Arc<str> = text.into();
        let read = read(&text);
        if let Some(read) = &read {
            let whole = parse_whole(&text);
            assert_eq!(format!("{read:?}"), format!("{whole:?}"), "{text:?}");
        }
        read.is_some()
    }

    #[test]
    fn files_of_entries_that_stand_alone() {
        for text in [
            "- a: b\n",
            "\u{FEFF}# c\n\n- a: b\n  c: 'd'  # e\n\n# f\n- g:\n    h: -i(j)\n# k\n",
            "- a: \"b\\tc\"\n- d: e\n- f: 'g''h'\n  i: \"\"\n- \"j\\x41\\\n  k\"\n- l: 'm'\n",
            "- a: \"\\\n  \"\n- b:\n- c: [d, {e: f}]\n  g: >-\n    h\n\n    i\n- é: 'j''k'\n",
            "- a\n- [b]\n-\n- - c\n  - 'd''e'\n",
        ] {
            assert!(reads(text), "{text:?}");
        }
    }

    #[test]
    fn others_are_read_as_a_whole() {
        for text in [
            "",
            "a: b\n",
            "- &a b\n- *a\n",
            "- a: 'b\n- c: d'\n",
            "- a: 2001-13-45\n",
            "- a: b\n  a: c\n",
            "- a\n...\n- b\n",
            "- a\nb\n- c\n",
        ] {
            assert!(!reads(text), "{text:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn edited_files(entries in prop::collection::vec(entries::edited(), 1..5)) {
            reads(&entries.concat());
        }

        #[test]
        fn lines_in_any_order(entries in prop::collection::vec(entries::of_lines(), 1..5)) {
            reads(&entries.concat());
        }
    }
}
