//! What holds of the reading of any text: places are exact, reading by chunks is reading whole, and
//! nothing panics.

use opatlas_source::{NATIVE_FUNCTIONS, Span};
use opatlas_yaml::{
    Document, Item, Kind, NodeId, Scalar, Style, Tree, decode, parse, parse_chunk, split,
};
use proptest::prelude::*;

fn documents() -> Vec<String> {
    let text = |row: &serde_json::Value| row["text"].as_str().map(str::to_owned);
    opatlas_conformance::golden("yaml_documents.jsonl.gz")
        .iter()
        .filter_map(text)
        .collect()
}

fn scalars(tree: &Tree, root: NodeId) -> Vec<(NodeId, Scalar<'_>)> {
    let mut found = Vec::new();
    let mut left = vec![root];
    // Aliases share, so a tree has more paths than nodes; this many are enough.
    while let Some(id) = left.pop().filter(|_| found.len() < 100_000) {
        match tree.kind(id) {
            Kind::Scalar(scalar) => found.push((id, scalar)),
            Kind::Sequence(items) => left.extend(items),
            Kind::Mapping(pairs) => {
                left.extend(pairs.iter().flat_map(|&(key, value)| [key, value]))
            }
            Kind::Recursive => {}
        }
    }
    found
}

/// Whether `source` may spell `char` in a scalar of this style.
fn spells(source: &str, char: char, style: Style) -> bool {
    let mut as_is = [0; 4];
    let breaks = source.contains(['\n', '\r', '\u{85}']);
    source == &*char.encode_utf8(&mut as_is)
        || matches!(char, '\n' | ' ') && breaks
        || matches!(char, '\u{2028}' | '\u{2029}') && source.contains(char)
        || style == Style::SingleQuoted && char == '\'' && source == "''"
        || style == Style::DoubleQuoted && source.starts_with('\\')
}

fn check_places(tree: &Tree, root: NodeId) -> Result<(), String> {
    for (id, scalar) in scalars(tree, root) {
        let source = tree.span(id).slice(tree.text());
        // An alias's places are in the scalar that it stands for; a tagged mapping may stand for one
        // of its values.
        if source.starts_with('*') || source.contains('=') {
            continue;
        }
        let whole = match scalar.style {
            Style::Plain => {
                source.contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'])
                    || source == scalar.value
            }
            Style::SingleQuoted => {
                source.len() > 1 && source.starts_with('\'') && source.ends_with('\'')
            }
            Style::DoubleQuoted => {
                source.len() > 1 && source.starts_with('"') && source.ends_with('"')
            }
            Style::Literal => source.starts_with('|'),
            Style::Folded => source.starts_with('>'),
        };
        if !whole {
            return Err(format!("{source:?} is not {scalar:?}"));
        }
        let mut last = tree.span(id).start;
        for (at, char) in scalar.value.char_indices() {
            let place = tree.place(id, at..at + char.len_utf8());
            let spelled = place.slice(tree.text());
            if place.start < last || !spells(spelled, char, scalar.style) {
                return Err(format!("{char:?} at {at} of {scalar:?} is {spelled:?}"));
            }
            last = place.start;
        }
    }
    Ok(())
}

/// The reading of all chunks, each alone, as [`parse`] would give it.
fn by_chunks(text: &str) -> Option<Vec<Item>> {
    let item = |chunk: &Span| {
        let item = parse_chunk(chunk.slice(text))?;
        Some(Item {
            base: chunk.start,
            ..item
        })
    };
    split(text)?.iter().map(item).collect()
}

fn same(a: (&Item, NodeId), b: (&Item, NodeId)) -> bool {
    let (tree, other) = (&a.0.tree, &b.0.tree);
    if tree.span(a.1).shifted(a.0.base) != other.span(b.1).shifted(b.0.base) {
        return false;
    }
    match (tree.kind(a.1), other.kind(b.1)) {
        (Kind::Scalar(x), Kind::Scalar(y)) => {
            let place = |range: std::ops::Range<usize>| {
                let one = tree.place(a.1, range.clone()).shifted(a.0.base);
                one == other.place(b.1, range).shifted(b.0.base)
            };
            x == y && (0..x.value.len()).all(|at| place(at..at + 1))
        }
        (Kind::Sequence(x), Kind::Sequence(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(&x, &y)| same((a.0, x), (b.0, y)))
        }
        (Kind::Mapping(x), Kind::Mapping(y)) => {
            x.len() == y.len()
                && x.iter()
                    .zip(y)
                    .all(|(x, y)| same((a.0, x.0), (b.0, y.0)) && same((a.0, x.1), (b.0, y.1)))
        }
        _ => false,
    }
}

fn check_chunks(text: &str, whole: &Document) -> Result<(), String> {
    let Some(chunks) = by_chunks(text) else {
        return Ok(());
    };
    if !whole.diagnostics.is_empty() || chunks.len() != whole.items.len() {
        return Err(format!("{} chunks, {:?}", chunks.len(), whole.diagnostics));
    }
    for (chunk, item) in chunks.iter().zip(&whole.items) {
        let shifted: Vec<_> = chunk
            .diagnostics
            .iter()
            .cloned()
            .map(|found| found.shifted(chunk.base))
            .collect();
        let alike = shifted == item.diagnostics && chunk.span.shifted(chunk.base) == item.span;
        if !alike || !same((chunk, chunk.root), (item, item.root)) {
            return Err(format!("{:?} differs", item.span.slice(text)));
        }
    }
    Ok(())
}

fn check(text: &str) -> Result<(), String> {
    let whole = parse(text);
    let diagnostics = whole.items.iter().flat_map(|item| &item.diagnostics);
    for found in diagnostics.chain(&whole.diagnostics) {
        let related = found.related.iter().map(|&(_, span)| span);
        for span in related.chain([found.span]) {
            if text.get(span.start as usize..span.end as usize).is_none() {
                return Err(format!("no place in the text: {found:?}"));
            }
        }
    }
    if let (Some(tree), Some(root)) = (&whole.tree, whole.root_id) {
        check_places(tree, root)?;
    }
    for item in &whole.items {
        check_places(&item.tree, item.root)?;
    }
    check_chunks(text, &whole)
}

#[test]
fn places_are_exact_and_chunks_are_the_whole_in_recorded_documents() {
    for text in documents() {
        check(&text).unwrap_or_else(|wrong| panic!("{text:?}: {wrong}"));
    }
}

#[test]
fn places_are_exact_and_chunks_are_the_whole_in_real_releases() {
    for version in ["2.0.0", "2.9.0", "2.15.0"] {
        let Some(bundle) = opatlas_conformance::release(version) else {
            continue;
        };
        for (name, bytes) in bundle.files() {
            let (text, diagnostics) = decode(bytes);
            assert_eq!(diagnostics, [], "{version} {name}");
            let whole = parse(&text);
            assert_eq!(whole.diagnostics, [], "{version} {name}");
            check(&text).unwrap_or_else(|wrong| panic!("{version} {name}: {wrong}"));
            let chunks = by_chunks(&text).map_or(0, |chunks| chunks.len());
            assert!(name != NATIVE_FUNCTIONS || chunks == whole.items.len() && chunks > 2_000);
        }
    }
}

/// Pieces of YAML that make trouble next to each other.
const PIECES: &[&str] = &[
    "- ",
    "-",
    "? ",
    ": ",
    ":",
    " ",
    "  ",
    "\n",
    "\n  ",
    "\n- ",
    "\t",
    "a",
    "b: ",
    "é",
    "[",
    "]",
    "{",
    "}",
    ", ",
    "\"",
    "'",
    "\\",
    "\\n",
    "\\x41",
    "|\n",
    ">-\n  ",
    "|2",
    "#",
    " # c",
    "&x ",
    "*x",
    "!!str ",
    "!!int ",
    "! ",
    "---\n",
    "...\n",
    "%YAML 1.1\n",
    "@",
    "`",
    "<<",
    "=",
    "~",
    "no",
    "1_0",
    "\r\n",
    "\r",
    "\u{85}",
    "\u{2028}",
    "\u{FEFF}",
    "\0",
    "\u{7F}",
    "😀",
];

proptest! {
    #[test]
    fn any_pieces_hold(pieces in proptest::collection::vec(0..PIECES.len(), 0..40)) {
        let text: String = pieces.iter().map(|&piece| PIECES[piece]).collect();
        prop_assert_eq!(check(&text), Ok(()));
    }

    #[test]
    fn any_text_holds(text in "\\PC{0,80}") {
        prop_assert_eq!(check(&text), Ok(()));
    }

    #[test]
    fn any_bytes_decode_to_text_of_their_length(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let (text, diagnostics) = decode(&bytes);
        prop_assert_eq!(text.len(), bytes.len());
        prop_assert_eq!(diagnostics.is_empty(), text.as_bytes() == &bytes[..]);
        prop_assert_eq!(check(&text), Ok(()));
    }
}
