//! Our reader next to libyaml (through `serde_yaml_ng`), on texts made at random: both refuse the same
//! texts, and what they read has the same lists, mappings and strings.

use std::fmt;

use opatlas_source::diagnostic::RuleId;
use opatlas_yaml::{Kind, NodeId, Style, Tree, parse};
use proptest::prelude::*;
use serde::Deserialize;
use serde::de::{Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess as _, Visitor};

/// A document without the types of plain scalars, which the two resolve by different versions of YAML.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Shape {
    /// A plain scalar.
    Plain,
    /// A quoted or block scalar.
    Text(String),
    List(Vec<Shape>),
    Pairs(Vec<(Shape, Shape)>),
}

struct Shapes;

impl<'de> Visitor<'de> for Shapes {
    type Value = Shape;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any document")
    }

    fn visit_str<E>(self, text: &str) -> Result<Shape, E> {
        Ok(Shape::Text(text.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Shape, E> {
        Ok(Shape::Plain)
    }

    fn visit_none<E>(self) -> Result<Shape, E> {
        Ok(Shape::Plain)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Shape, E> {
        Ok(Shape::Plain)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Shape, E> {
        Ok(Shape::Plain)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Shape, E> {
        Ok(Shape::Plain)
    }

    fn visit_i128<E>(self, _: i128) -> Result<Shape, E> {
        Ok(Shape::Plain)
    }

    fn visit_u128<E>(self, _: u128) -> Result<Shape, E> {
        Ok(Shape::Plain)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Shape, E> {
        Ok(Shape::Plain)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Shape, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Shape::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Shape, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = entries.next_entry()? {
            pairs.push(pair);
        }
        Ok(Shape::Pairs(pairs))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Shape, A::Error> {
        let (_, value) = tagged.variant::<String>()?;
        value.newtype_variant()
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Shapes)
    }
}

/// What our reader has, with the texts of plain scalars, which libyaml may give as strings.
fn agrees(tree: &Tree, id: NodeId, theirs: &Shape) -> bool {
    match (tree.kind(id), theirs) {
        (Kind::Scalar(scalar), Shape::Text(text)) => scalar.value == *text,
        (Kind::Scalar(scalar), Shape::Plain) => scalar.style == Style::Plain,
        (Kind::Sequence(items), Shape::List(list)) => {
            let mut pairs = items.iter().zip(list);
            items.len() == list.len() && pairs.all(|(&item, shape)| agrees(tree, item, shape))
        }
        (Kind::Mapping(entries), Shape::Pairs(pairs)) => {
            let mut both = entries.iter().zip(pairs);
            entries.len() == pairs.len()
                && both.all(|(&(key, value), (theirs, shape))| {
                    agrees(tree, key, theirs) && agrees(tree, value, shape)
                })
        }
        _ => false,
    }
}

/// Pieces of YAML that both read by the same rules. Tags, aliases and directives are left out: PyYAML
/// and serde build other values from them, whatever libyaml reads.
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
    "@",
    "`",
    "func: f(Tensor(a!) x) -> ()",
    "no",
    "1_0",
    "\r\n",
    "😀",
    "%",
];

/// Whether the two agree about a text.
fn check(text: &str) -> Result<(), String> {
    let ours = parse(text);
    let items = ours.items.iter().flat_map(|item| &item.diagnostics);
    let found: Vec<RuleId> = items.chain(&ours.diagnostics).map(|d| d.rule).collect();
    // Python refuses these when it builds a dict, not libyaml.
    let of_python = [RuleId::YamlUnhashableKey, RuleId::YamlDuplicateKey];
    if found.iter().any(|rule| of_python.contains(rule)) {
        return Ok(());
    }
    match (
        serde_yaml_ng::from_str::<Shape>(text),
        ours.tree,
        ours.root_id,
    ) {
        (Err(_), ..) if !found.is_empty() => Ok(()),
        (Err(error), ..) => Err(format!("libyaml refuses it: {error}")),
        (Ok(shape), ..) if !found.is_empty() => Err(format!("{found:?}, libyaml reads {shape:?}")),
        (Ok(shape), Some(tree), Some(root)) if agrees(&tree, root, &shape) => Ok(()),
        // An empty document has no node.
        (Ok(Shape::Plain), _, None) => Ok(()),
        (Ok(shape), ..) => Err(format!("libyaml reads {shape:?}")),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn random_texts_are_read_as_libyaml_reads_them(
        pieces in proptest::collection::vec(0..PIECES.len(), 1..24),
    ) {
        let text: String = pieces.iter().map(|&piece| PIECES[piece]).collect();
        prop_assert_eq!(check(&text), Ok(()), "{:?}", text);
    }
}
