//! The text of a TorchScript graph (`str(module.graph)`). It names no overloads, so each call keeps
//! the kinds of its arguments.

use rustc_hash::FxHashMap;

use crate::gather::Gather;
use crate::kind::{Arguments, Kind};
use crate::name::Name;
use crate::{Refusal, place};

/// Whether a text is a graph of TorchScript.
pub(crate) fn is_graph(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start();
        line.starts_with("graph(%") || called(line).is_some_and(|call| call.name.contains("::"))
    })
}

/// A call: the name before its attributes and arguments.
#[derive(Debug, Clone, Copy)]
struct Shown<'t> {
    /// The values that it returns, with their types.
    returns: &'t str,
    name: &'t str,
    arguments: &'t str,
}

/// `%3 : Tensor = aten::add(%1, %2)`, without a comment.
fn called(line: &str) -> Option<Shown<'_>> {
    let (returns, rest) = match line.strip_prefix("= ") {
        Some(rest) => ("", rest),
        None if line.starts_with('%') => line.split_once(" = ")?,
        None => return None,
    };
    let end = rest.find(['(', '['])?;
    let open = rest.find("](").map_or(end, |at| at + 1);
    let from = if rest[end..].starts_with('[') {
        open
    } else {
        end
    };
    let close = rest.rfind(')').filter(|close| *close > from)?;
    Some(Shown {
        returns,
        name: &rest[..end],
        arguments: &rest[from + 1..close],
    })
}

/// The blocks around a line: their indentation, and whether they may not run.
#[derive(Debug, Default)]
struct Blocks(Vec<(usize, bool)>);

impl Blocks {
    fn at(&mut self, indent: usize, line: &str) {
        let is_inside = line.starts_with("block") || line.starts_with("->");
        while let Some((outer, _)) = self.0.last() {
            if *outer < indent || is_inside {
                return;
            }
            self.0.pop();
        }
    }

    fn open(&mut self, indent: usize, is_branch: bool) {
        self.0.push((indent, is_branch || self.is_conditional()));
    }

    fn is_conditional(&self) -> bool {
        self.0
            .last()
            .is_some_and(|(_, is_conditional)| *is_conditional)
    }
}

struct Graph<'t, 'g> {
    gather: &'g mut Gather,
    kinds: FxHashMap<&'t str, Kind>,
    blocks: Blocks,
}

pub(crate) fn read(text: &str, gather: &mut Gather) -> Result<(), Refusal> {
    let mut graph = Graph {
        gather,
        kinds: FxHashMap::default(),
        blocks: Blocks::default(),
    };
    text.lines().try_for_each(|line| graph.line(line))
}

impl<'t> Graph<'t, '_> {
    fn line(&mut self, line: &'t str) -> Result<(), Refusal> {
        let (line, at) = match line.rsplit_once(" # ") {
            Some((line, at)) => (line, of_comment(at)),
            None => (line, None),
        };
        let indent = line.len() - line.trim_start().len();
        let line = line.trim();
        // A call that returns nothing begins with a space and `=`.
        let indent = indent - usize::from(line.starts_with("= ") && indent > 0);
        if line.is_empty() {
            return Ok(());
        }
        self.blocks.at(indent, line);
        let Some(call) = called(line) else {
            self.declare(line);
            return Ok(());
        };
        let returns_tensor = self.declare(call.returns);
        match call.name.split_once("::") {
            Some(("prim", name)) => {
                self.primitive(name, line, indent);
                Ok(())
            }
            Some(_) => self.operator(call, at, returns_tensor),
            None => Ok(()),
        }
    }

    fn primitive(&mut self, name: &str, line: &str, indent: usize) {
        match name {
            "If" => {
                self.gather
                    .note("The model has branches that depend on data (prim::If).");
                self.blocks.open(indent, true);
            }
            "Loop" => self.blocks.open(indent, false),
            "CallMethod" | "CallFunction" => {
                let call = line.split_once(" = ").map_or(line, |(_, call)| call);
                self.gather.unread(call);
                self.gather.note(
                    "Calls of modules are not part of the graph: print `inlined_graph` instead.",
                );
            }
            _ => {}
        }
    }

    fn operator(
        &mut self,
        call: Shown<'t>,
        at: Option<String>,
        returns_tensor: bool,
    ) -> Result<(), Refusal> {
        let Some(name) = Name::parse(call.name) else {
            self.gather.unread(call.name);
            return Ok(());
        };
        let mut arguments = Arguments {
            is_complete: true,
            ..Arguments::default()
        };
        for value in call.arguments.split(',').map(str::trim) {
            let known = value.strip_prefix('%').and_then(|it| self.kinds.get(it));
            if !value.is_empty() {
                arguments.add(None, known.copied().unwrap_or(Kind::Unknown));
            }
        }
        if !returns_tensor && !arguments.may_have_tensor() {
            return Ok(());
        }
        let is_conditional = self.blocks.is_conditional();
        self.gather
            .one(name.called(arguments).reached(), at, is_conditional)
    }

    /// Keeps the kinds of all `%name : TYPE`. Returns whether one of them may be a tensor.
    fn declare(&mut self, text: &'t str) -> bool {
        let mut has_tensor = false;
        let mut rest = text;
        while let Some(at) = rest.find('%') {
            rest = &rest[at + 1..];
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
            let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            let (name, after) = rest.split_at(length);
            let Some(after) = after.strip_prefix(" : ") else {
                rest = after;
                continue;
            };
            let end = end_of_type(after);
            let kind = Kind::of_type(&after[..end]);
            has_tensor |= matches!(kind, Kind::Tensor | Kind::Tensors | Kind::Unknown);
            self.kinds.insert(name, kind);
            rest = &after[end..];
        }
        has_tensor
    }
}

/// The end of a type: a comma or a parenthesis that it did not open.
fn end_of_type(text: &str) -> usize {
    let mut depth = 0_u32;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' if depth == 0 => return at,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

/// `net.py:12:8` without the column.
fn of_comment(text: &str) -> Option<String> {
    let (at, column) = text.trim().rsplit_once(':')?;
    let (_, line) = at.rsplit_once(':')?;
    let is_number = |text: &str| text.parse::<u64>().is_ok();
    (is_number(column) && is_number(line)).then(|| place::cut(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name::Overload;
    use crate::{Limits, Model};

    fn model(text: &str) -> Model {
        assert!(is_graph(text), "{text}");
        let mut gather = Gather::new(&Limits::default());
        read(text, &mut gather).unwrap();
        gather.model("TorchScript graph")
    }

    #[test]
    fn calls_keep_the_kinds_of_their_arguments() {
        let model = model(
            "graph(%self : __torch__.M,\n      %x.1 : Float(2, 3, strides=[3, 1], device=cpu),\n      \
             %y.1 : Tensor):\n  %5 : int = prim::Constant[value=2]() # net.py:4:34\n  %6 : int[] = \
             prim::ListConstruct(%5, %5), scope: __module.0\n  %7 : int = aten::add(%5, %5)\n  %z.1 : \
             Tensor = aten::add(%x.1, %y.1, %5), scope: __module.0 # net.py:4:12\n  %8 : Tensor, %9 : \
             Tensor = aten::topk(%z.1, %5)\n  %10 : Tensor = prim::If(%7)\n    block0():\n      %11 : \
             Tensor = aten::view(%8, %6)\n      -> (%11)\n    block1():\n      -> (%8)\n   = \
             aten::mul_(%8, %5)\n  return (%10)\n",
        );
        let shown: Vec<_> = model
            .operators
            .iter()
            .map(|call| match &call.operator.overload {
                Overload::Called(arguments) => (
                    &*call.operator.text,
                    arguments.positional.clone(),
                    call.is_conditional,
                ),
                other => panic!("{other:?}"),
            })
            .collect();
        let expected = [
            ("add", vec![Kind::Tensor, Kind::Tensor, Kind::Int], false),
            ("topk", vec![Kind::Tensor, Kind::Int], false),
            ("view", vec![Kind::Tensor, Kind::Ints], true),
            ("mul_", vec![Kind::Tensor, Kind::Int], false),
        ];
        assert_eq!(shown, expected);
        assert_eq!(model.operators[0].place.as_deref(), Some("net.py:4"));
    }

    #[test]
    fn calls_of_modules_are_unread() {
        let model = model(
            "graph(%self : __torch__.M, %x : Tensor):\n  %c : __torch__.C = prim::GetAttr[name=\"c\"](%self)\n  \
             %y : Tensor = prim::CallMethod[name=\"forward\"](%c, %x)\n  return (%y)\n",
        );
        assert!(model.operators.is_empty());
        assert_eq!(model.unread, ["prim::CallMethod[name=\"forward\"](%c, %x)"]);
    }
}
