//! The JSON of an exported program (`torch/_export/serde/schema.py`): its nodes with their targets,
//! stack traces and subgraphs. Everything else is skipped while it is parsed.

use std::fmt;

use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::gather::Gather;
use crate::name::Name;
use crate::{Refusal, place};

/// What a control-flow operator is called in a program.
const HIGHER_ORDER: &str = "torch.ops.higher_order.";

/// Functions of Python on sizes and tuples, which no backend sees.
const PYTHON: [&str; 8] = [
    "_operator.",
    "operator.",
    "math.",
    "builtins.",
    "torch.sym_",
    "torch._sym_",
    "torch._check",
    "torch.fx.experimental.",
];

/// Reads the JSON of a program into `gather`. Fails with [`Refusal::Json`] or [`Refusal::Operators`].
pub(crate) fn read(entry: &str, bytes: &[u8], gather: &mut Gather) -> Result<(), Refusal> {
    let mut parser = serde_json::Deserializer::from_slice(bytes);
    let mut program = Program {
        gather,
        is_program: false,
        refusal: None,
    };
    let read = Object(&mut program).deserialize(&mut parser);
    if let Some(refusal) = program.refusal {
        return Err(refusal);
    }
    let json = |why: String| Refusal::Json {
        entry: place::cut(entry),
        why: place::cut(&why),
    };
    read.and_then(|()| parser.end())
        .map_err(|error| json(error.to_string()))?;
    match program.is_program {
        true => Ok(()),
        false => Err(json("it has no `graph_module`".to_owned())),
    }
}

/// What reads the members of an object.
trait Members {
    fn member<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error>;
}

/// Parses an object with this reader of members.
struct Object<'m, M>(&'m mut M);

impl<'de, M: Members> DeserializeSeed<'de> for Object<'_, M> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, parser: D) -> Result<(), D::Error> {
        parser.deserialize_map(self)
    }
}

impl<'de, M: Members> Visitor<'de> for Object<'_, M> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            self.0.member(&key, &mut map)?;
        }
        Ok(())
    }
}

/// What reads the objects of a list.
trait Items {
    fn item<'de, A: SeqAccess<'de>>(&mut self, list: &mut A) -> Result<bool, A::Error>;
}

/// Parses a list of objects.
struct List<'m, M>(&'m mut M);

impl<'de, M: Items> DeserializeSeed<'de> for List<'_, M> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, parser: D) -> Result<(), D::Error> {
        parser.deserialize_seq(self)
    }
}

impl<'de, M: Items> Visitor<'de> for List<'_, M> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while self.0.item(&mut list)? {}
        Ok(())
    }
}

fn skip<'de, A: MapAccess<'de>>(map: &mut A) -> Result<(), A::Error> {
    map.next_value::<IgnoredAny>().map(|_| ())
}

/// The program, and its `graph_module`, which both lead to the graph.
struct Program<'g> {
    gather: &'g mut Gather,
    is_program: bool,
    refusal: Option<Refusal>,
}

impl Members for Program<'_> {
    fn member<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "graph_module" => {
                self.is_program = true;
                map.next_value_seed(Object(self))
            }
            "graph" if self.is_program => map.next_value_seed(Object(&mut Graph {
                gather: self.gather,
                refusal: &mut self.refusal,
            })),
            _ => skip(map),
        }
    }
}

struct Graph<'g> {
    gather: &'g mut Gather,
    refusal: &'g mut Option<Refusal>,
}

impl Members for Graph<'_> {
    fn member<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "nodes" => map.next_value_seed(List(self)),
            _ => skip(map),
        }
    }
}

impl Items for Graph<'_> {
    fn item<'de, A: SeqAccess<'de>>(&mut self, list: &mut A) -> Result<bool, A::Error> {
        let mut node = Node {
            target: String::new(),
            place: None,
            operators: Vec::new(),
            begins_with_tensor: None,
            inner: self.gather.beside(),
            refusal: self.refusal,
        };
        if list.next_element_seed(Object(&mut node))?.is_none() {
            return Ok(false);
        }
        let added = node.add_to(self.gather);
        added.map_err(|refusal| {
            *self.refusal = Some(refusal);
            A::Error::custom("too many operators")
        })?;
        Ok(true)
    }
}

/// A node of the graph.
struct Node<'g> {
    target: String,
    place: Option<String>,
    /// Operators among its arguments.
    operators: Vec<Name>,
    begins_with_tensor: Option<bool>,
    /// The calls of its subgraphs.
    inner: Gather,
    refusal: &'g mut Option<Refusal>,
}

impl Members for Node<'_> {
    fn member<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "target" => self.target = map.next_value()?,
            "inputs" => map.next_value_seed(List(&mut Inputs(self)))?,
            "metadata" => map.next_value_seed(Object(&mut Metadata(&mut self.place)))?,
            _ => skip(map)?,
        }
        Ok(())
    }
}

impl Node<'_> {
    /// Adds the call, and behind it what its subgraphs call.
    fn add_to(self, gather: &mut Gather) -> Result<(), Refusal> {
        let Some(higher) = self.target.strip_prefix(HIGHER_ORDER) else {
            return self.add_call(gather);
        };
        let is_branch = higher == "cond";
        let is_read = matches!(higher, "cond" | "while_loop");
        if is_read && self.begins_with_tensor == Some(true) {
            // The condition is read as a Boolean of Python (`torch/_higher_order_ops/cond.py`).
            gather.one(Name::given("item"), self.place.clone(), false)?;
        }
        if self.inner.is_empty() && self.operators.is_empty() {
            let name = format!("higher_order::{higher}");
            return match Name::parse(&name) {
                Some(_) => gather.one(Name::given(&name), self.place, false),
                None => {
                    gather.unread(&self.target);
                    Ok(())
                }
            };
        }
        if is_branch {
            gather.note("The model has branches that depend on data (torch.cond).");
        }
        for operator in self.operators {
            gather.one(operator, self.place.clone(), false)?;
        }
        gather.append(self.inner, is_branch)
    }

    fn add_call(self, gather: &mut Gather) -> Result<(), Refusal> {
        match Name::parse(&self.target) {
            Some(name) if self.target.starts_with("torch.ops.") => {
                gather.one(name, self.place, false)
            }
            _ => {
                let is_python = PYTHON.iter().any(|name| self.target.starts_with(name));
                if !is_python && !self.target.is_empty() {
                    gather.unread(&self.target);
                }
                Ok(())
            }
        }
    }
}

struct Inputs<'n, 'g>(&'n mut Node<'g>);

impl Items for Inputs<'_, '_> {
    fn item<'de, A: SeqAccess<'de>>(&mut self, list: &mut A) -> Result<bool, A::Error> {
        let next = list.next_element_seed(Object(&mut Input(self.0)))?;
        Ok(next.is_some())
    }
}

/// `{"name": ..., "arg": {"as_graph": {"name": ..., "graph": {...}}}}`: the levels of an argument that
/// lead to a subgraph or an operator.
struct Input<'n, 'g>(&'n mut Node<'g>);

impl Members for Input<'_, '_> {
    fn member<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        let node = &mut *self.0;
        if key.starts_with("as_") {
            node.begins_with_tensor.get_or_insert(key == "as_tensor");
        }
        match key {
            "arg" | "as_graph" => map.next_value_seed(Object(self)),
            "as_operator" => {
                let name: String = map.next_value()?;
                node.operators.extend(Name::parse(&name));
                Ok(())
            }
            "graph" => map.next_value_seed(Object(&mut Graph {
                gather: &mut node.inner,
                refusal: node.refusal,
            })),
            _ => skip(map),
        }
    }
}

struct Metadata<'p>(&'p mut Option<String>);

impl Members for Metadata<'_> {
    fn member<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "stack_trace" => {
                let trace: Option<String> = map.next_value()?;
                *self.0 = trace.and_then(|trace| place::of_trace(&trace));
                Ok(())
            }
            _ => skip(map),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, Model};

    fn read_text(text: &str) -> Result<Model, Refusal> {
        let mut gather = Gather::new(&Limits::default());
        read("model.json", text.as_bytes(), &mut gather)?;
        Ok(gather.model("exported program"))
    }

    fn names(model: &Model) -> Vec<(&str, u64, bool)> {
        let calls = model.operators.iter();
        calls
            .map(|call| (&*call.operator.text, call.count, call.is_conditional))
            .collect()
    }

    fn program(nodes: &str) -> String {
        format!(r#"{{"graph_module": {{"graph": {{"nodes": [{nodes}]}}}}, "opset_version": {{}}}}"#)
    }

    #[test]
    fn calls_keep_their_order_and_branches_come_behind_their_condition() {
        let branch = r#"{"arg": {"as_graph": {"name": "g", "graph": {"nodes": [
            {"target": "torch.ops.aten.sin.default"}, {"target": "torch.ops.aten.add.Tensor"}]}}}}"#;
        let nodes = format!(
            r#"{{"target": "torch.ops.aten.add.Tensor", "metadata": {{"stack_trace": "File \"a.py\", line 3, in f\n  x + 1"}}}},
            {{"target": "_operator.getitem"}},
            {{"target": "torch.ops.higher_order.cond", "inputs": [{{"arg": {{"as_tensor": {{"name": "p"}}}}}}, {branch}]}},
            {{"target": "torch.ops.aten.mm.default"}}, {{"target": "builtin_magic"}}"#
        );
        let model = read_text(&program(&nodes)).unwrap();
        let expected = [
            ("add.Tensor", 2, false),
            ("item", 1, false),
            ("sin", 1, true),
            ("mm", 1, false),
        ];
        assert_eq!(names(&model), expected);
        assert_eq!(
            model.operators[0].place.as_deref(),
            Some("a.py:3 in f: x + 1")
        );
        assert_eq!(model.unread, ["builtin_magic"]);
        assert_eq!(model.notes.len(), 1);
    }

    #[test]
    fn operators_among_the_arguments_are_calls() {
        let node = r#"{"target": "torch.ops.higher_order.auto_functionalized", "inputs":
            [{"arg": {"as_operator": "torch.ops.acme.f.default"}}]}, {"target": "torch.ops.higher_order.x"}"#;
        let model = read_text(&program(node)).unwrap();
        let expected = [("acme::f", 1, false), ("higher_order::x", 1, false)];
        assert_eq!(names(&model), expected);
    }

    #[test]
    fn other_json_is_refused() {
        for text in [
            "",
            "{}",
            "[]",
            "{\"graph_module\": 3}",
            "{\"graph_module\": {}} x",
        ] {
            assert!(
                matches!(read_text(text), Err(Refusal::Json { .. })),
                "{text}"
            );
        }
        let open = r#"{"target": "f", "inputs": [{"arg": {"as_graph": {"graph": {"nodes": ["#;
        let deep = program(&open.repeat(50_000));
        assert!(matches!(read_text(&deep), Err(Refusal::Json { .. })));
        let many: Vec<String> = (0..10_001)
            .map(|i| format!(r#"{{"target": "torch.ops.a.f{i}.default"}}"#))
            .collect();
        let refusal = read_text(&program(&many.join(",")));
        assert_eq!(refusal, Err(Refusal::Operators { limit: 10_000 }));
    }
}
