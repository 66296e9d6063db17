//! Printed FX graphs: `str(graph)`, `print_tabular`, and the code of `print_readable` and of a printed
//! `ExportedProgram`.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::gather::Gather;
use crate::name::{Name, is_identifier, path_before};
use crate::{Refusal, place};

const TARGET: &str = "call_function[target=";

/// Nodes that call something that the graph does not show.
const OPAQUE: [&str; 2] = ["call_module", "call_method"];

/// How an operator begins in code.
const OPERATOR: &str = "torch.ops.";

/// The deepest nesting of subgraphs that is followed in the order of calls.
const DEEPEST: usize = 32;

/// Whether a text is a printed graph.
pub(crate) fn is_graph(text: &str) -> bool {
    text.contains("[target=")
        || text
            .lines()
            .any(|line| operators(line).next().is_some() || tabular(line).is_some())
}

/// The code of a class: the program, or a subgraph of it.
#[derive(Debug, Default)]
struct Section<'t> {
    lines: Vec<&'t str>,
}

/// The sections of a text, and those that were not read yet by name.
struct Sections<'t> {
    all: Vec<Section<'t>>,
    open: FxHashMap<&'t str, VecDeque<usize>>,
    is_read: Vec<bool>,
    /// Values that are Boolean tensors.
    conditions: FxHashSet<&'t str>,
}

impl<'t> Sections<'t> {
    fn of(text: &'t str) -> Self {
        let mut all = vec![Section::default()];
        let mut open: FxHashMap<&str, VecDeque<usize>> = FxHashMap::default();
        for line in text.lines() {
            let name = line.trim_start().strip_prefix("class ");
            if let Some((name, _)) = name.and_then(|name| name.split_once('(')) {
                open.entry(name).or_default().push_back(all.len());
                all.push(Section::default());
            }
            if let Some(section) = all.last_mut() {
                section.lines.push(line);
            }
        }
        Self {
            is_read: vec![false; all.len()],
            all,
            open,
            conditions: FxHashSet::default(),
        }
    }

    fn read(&mut self, index: usize, depth: usize, gather: &mut Gather) -> Result<(), Refusal> {
        let lines = match (self.all.get_mut(index), self.is_read.get_mut(index)) {
            (Some(section), Some(is_read)) if !*is_read => {
                *is_read = true;
                std::mem::take(&mut section.lines)
            }
            _ => return Ok(()),
        };
        let mut at = None;
        for line in lines {
            let line = line.trim();
            if let Some(comment) = line.strip_prefix('#') {
                at = place::of_comment(comment);
                continue;
            }
            self.line(line, at.as_ref(), depth, gather)?;
        }
        Ok(())
    }

    fn line(
        &mut self,
        line: &'t str,
        at: Option<&String>,
        depth: usize,
        gather: &mut Gather,
    ) -> Result<(), Refusal> {
        if let Some((name, _)) = line.split_once(": \"b8[") {
            self.conditions.insert(name);
        }
        if let Some(opaque) = opaque(line) {
            gather.unread(opaque);
            return Ok(());
        }
        if let Some(target) = shown_target(line).or_else(|| tabular(line)) {
            return function(target, at, gather);
        }
        for (name, arguments) in operators(line) {
            if name.starts_with("torch.ops.higher_order.") {
                // It is the only call of its line.
                return self.higher(name, arguments, at, depth, gather);
            }
            function(name, at, gather)?;
        }
        Ok(())
    }

    /// Reads the subgraphs that a higher-order operator has as arguments.
    fn higher(
        &mut self,
        name: &str,
        arguments: &'t str,
        at: Option<&String>,
        depth: usize,
        gather: &mut Gather,
    ) -> Result<(), Refusal> {
        let arguments = arguments.split(';').next().unwrap_or_default();
        let words = arguments.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let mut words = words.filter(|word| is_identifier(word)).peekable();
        let is_branch = name.ends_with(".cond");
        let condition = words.peek().copied();
        if is_branch && condition.is_some_and(|name| self.conditions.contains(name)) {
            gather.one(Name::given("item"), at.cloned(), false)?;
        }
        let mut inner = gather.beside();
        let mut has_graph = false;
        for word in words {
            let next = self.open.get_mut(word).and_then(VecDeque::pop_front);
            let Some(next) = next else { continue };
            has_graph = true;
            if depth < DEEPEST {
                self.read(next, depth + 1, &mut inner)?;
            }
        }
        if !has_graph {
            gather.unread(name);
        }
        if is_branch {
            gather.note("The model has branches that depend on data (torch.cond).");
        }
        gather.append(inner, is_branch)
    }
}

pub(crate) fn read(text: &str, gather: &mut Gather) -> Result<(), Refusal> {
    let mut sections = Sections::of(text);
    for index in 0..sections.all.len() {
        // The text before the first class and the program itself; then what nothing refers to.
        sections.read(index, 0, gather)?;
    }
    Ok(())
}

/// Adds a call of a function by its printed name.
fn function(target: &str, at: Option<&String>, gather: &mut Gather) -> Result<(), Refusal> {
    let is_operator = target.starts_with(OPERATOR) || target.starts_with("aten.");
    match Name::parse(target) {
        Some(_) if target.contains("higher_order.") => {
            gather.unread(target);
            Ok(())
        }
        Some(name) if is_operator || target.matches('.').count() == 2 => {
            gather.one(name, at.cloned(), false)
        }
        _ => {
            let is_python = [
                "operator.",
                "_operator.",
                "<built-in function ",
                "torch.sym_",
            ];
            if !is_python.iter().any(|start| target.starts_with(start)) {
                gather.unread(target);
            }
            Ok(())
        }
    }
}

/// `call_function[target=torch.ops.aten.mm.default](args = ...`
fn shown_target(line: &str) -> Option<&str> {
    let rest = &line[line.find(TARGET)? + TARGET.len()..];
    Some(rest.split("](").next().unwrap_or_default())
}

/// `call_function  mm  aten.mm.default  (x, y)  {}`
fn tabular(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("call_function ")?;
    let mut columns = rest.split("  ").map(str::trim).filter(|it| !it.is_empty());
    columns.next()?;
    columns.next()
}

/// `call_module[target=conv]`, or the same in columns.
fn opaque(line: &str) -> Option<&str> {
    let node = OPAQUE.iter().find_map(|kind| {
        let at = line.find(kind)?;
        let rest = &line[at + kind.len()..];
        (rest.starts_with("[target=") || at == 0 && rest.starts_with(' ')).then_some(&line[at..])
    })?;
    Some(node.split("](").next().unwrap_or(node).trim_end())
}

/// The operators that a line of code calls, each with the text behind its parenthesis.
fn operators(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_comment = line.trim_start().starts_with('#');
    let line = if is_comment { "" } else { line };
    line.match_indices('(').filter_map(move |(at, _)| {
        let name = path_before(line, at);
        name.starts_with(OPERATOR).then(|| (name, &line[at + 1..]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, Model};

    fn model(text: &str) -> Model {
        assert!(is_graph(text), "{text}");
        let mut gather = Gather::new(&Limits::default());
        read(text, &mut gather).unwrap();
        gather.model("FX graph")
    }

    fn names(model: &Model) -> Vec<(&str, bool)> {
        let calls = model.operators.iter();
        calls
            .map(|call| (&*call.operator.text, call.is_conditional))
            .collect()
    }

    #[test]
    fn printed_nodes_are_read() {
        let model = model(
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    %mm : [num_users=1] = \
             call_function[target=torch.ops.aten.mm.default](args = (%x, %x), kwargs = {})\n    %g : \
             [num_users=1] = call_function[target=operator.getitem](args = (%mm, 0), kwargs = {})\n    \
             %c : [num_users=1] = call_module[target=conv](args = (%x,), kwargs = {})\n",
        );
        assert_eq!(names(&model), [("mm", false)]);
        assert_eq!(model.unread, ["call_module[target=conv"]);
    }

    #[test]
    fn tables_are_read() {
        let model = model(
            "opcode         name     target           args     kwargs\n-------------  -------  \
             ------\nplaceholder    x        x                ()       {}\ncall_function  add      \
             aten.add.Tensor  (x, 1)   {}\ncall_function  eq   <built-in function eq>  (x, 1)   {}\n\
             call_method    view     view             (x,)     {}\noutput         output   output\n",
        );
        assert_eq!(names(&model), [("add.Tensor", false)]);
        assert_eq!(model.unread.len(), 1);
    }

    #[test]
    fn subgraphs_come_behind_their_operator() {
        let model = model(
            "ExportedProgram:\n    class GraphModule(torch.nn.Module):\n        def forward(self, x: \
             \"f32[2]\"):\n            # File: net.py:3 in forward, code: y = torch.ops.aten.no(x)\n            \
             gt: \"b8[]\" = torch.ops.aten.gt.Scalar(x, 0);  x = None\n            true_graph_0 = \
             self.true_graph_0\n            cond = torch.ops.higher_order.cond(gt, true_graph_0, \
             false_graph_0, (x,));  gt = None\n            mm: \"f32[2]\" = \
             torch.ops.aten.mm.default(x, x)\n\n        class true_graph_0(torch.nn.Module):\n            \
             def forward(self, x):\n                sin = torch.ops.aten.sin.default(x)\n        class \
             false_graph_0(torch.nn.Module):\n            def forward(self, x):\n                cos = \
             torch.ops.aten.cos.default(x)\n",
        );
        let expected = [
            ("gt.Scalar", false),
            ("item", false),
            ("sin", true),
            ("cos", true),
            ("mm", false),
        ];
        assert_eq!(names(&model), expected);
        let place = model.operators[0].place.as_deref().unwrap();
        assert_eq!(place, "net.py:3 in forward: y = torch.ops.aten.no(x)");
    }
}
