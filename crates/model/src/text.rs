//! Texts: JSON, printed graphs and lists. What a text is follows from what it contains.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::gather::Gather;
use crate::list::read_list;
use crate::name::Name;
use crate::{Call, Limits, Model, Refusal, fx, graph, program};

/// The beginnings of files that people confuse with a model.
const KNOWN: [(&[u8], &str); 7] = [
    (b"\x80\x02", "a pickle, which is never loaded"),
    (b"\x80\x04", "a pickle, which is never loaded"),
    (b"\x80\x05", "a pickle, which is never loaded"),
    (b"\x1f\x8b", "a gzip file; unpack it first"),
    (b"\x7fELF", "a compiled library"),
    (b"\x89HDF", "an HDF5 file of weights"),
    (b"GGUF", "a GGUF file of weights"),
];

pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Model, Refusal> {
    let other = |what: &str| Refusal::Other {
        what: what.to_owned(),
    };
    if let Some((_, what)) = KNOWN.iter().find(|(begin, _)| bytes.starts_with(begin)) {
        return Err(other(what));
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(other("binary data"));
    };
    if text.contains('\0') {
        return Err(other("binary data"));
    }
    let start = text.trim_start_matches('\u{feff}').trim_start();
    if start.is_empty() {
        return Err(Refusal::Empty);
    }
    if start.starts_with('{') || is_json_list(start) {
        return json(start, limits);
    }
    let mut gather = Gather::new(limits);
    if graph::is_graph(text) {
        graph::read(text, &mut gather)?;
        return Ok(gather.model("TorchScript graph"));
    }
    if fx::is_graph(text) {
        fx::read(text, &mut gather)?;
        return Ok(gather.model("FX graph"));
    }
    if start.starts_with('<') {
        return Err(other("HTML or XML"));
    }
    list(text, gather)
}

/// A list of objects; a list of names is read like one of Python.
fn is_json_list(start: &str) -> bool {
    let inside = start.strip_prefix('[').map(str::trim_start);
    inside.is_some_and(|text| text.starts_with('{'))
}

/// A list of operators with counts, as JSON.
#[derive(Deserialize)]
#[serde(untagged)]
enum Counts {
    List(Vec<Item>),
    Map(BTreeMap<String, u64>),
}

#[derive(Deserialize)]
struct Item {
    operator: String,
    count: u64,
}

fn json(text: &str, limits: &Limits) -> Result<Model, Refusal> {
    let mut gather = Gather::new(limits);
    let refused = match program::read("the text", text.as_bytes(), &mut gather) {
        Ok(()) => return Ok(gather.model("exported program")),
        Err(refusal @ Refusal::Json { .. }) => refusal,
        Err(refusal) => return Err(refusal),
    };
    if text.len() > LARGEST_COUNTS {
        return Err(refused);
    }
    let items: Vec<(String, u64)> = match serde_json::from_str(text) {
        Ok(Counts::Map(map)) => map.into_iter().collect(),
        Ok(Counts::List(list)) => list.into_iter().map(|it| (it.operator, it.count)).collect(),
        Err(_) => return Err(refused),
    };
    let mut gather = Gather::new(limits);
    for (operator, count) in items {
        let name = Name::parse(&operator).ok_or_else(|| Refusal::Line {
            number: 1,
            text: operator.chars().take(80).collect(),
        })?;
        add(&mut gather, name, count)?;
    }
    Ok(gather.model(LIST))
}

/// The largest list of counts in JSON, in bytes. Parsed values take many times the memory of their
/// text.
const LARGEST_COUNTS: usize = 1 << 20;

const LIST: &str = "operator list";

fn list(text: &str, mut gather: Gather) -> Result<Model, Refusal> {
    read_list(text, |name, count| add(&mut gather, name, count))?;
    if gather.is_empty() {
        return Err(Refusal::Empty);
    }
    gather.note("A list has no order of calls, so the first failing operator is the first in it.");
    Ok(gather.model(LIST))
}

fn add(gather: &mut Gather, operator: Name, count: u64) -> Result<(), Refusal> {
    gather.call(Call {
        operator,
        count,
        place: None,
        is_conditional: false,
    })
}
