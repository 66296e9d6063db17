//! The code of a TorchScript archive (`code/**/*.py`), which names no overloads: `torch.add(x, y)`,
//! `ops.torchvision.nms(...)`.

use crate::gather::Gather;
use crate::kind::{Arguments, Kind};
use crate::name::{Name, is_word, path_before};
use crate::{Refusal, place};

/// A file of the archive.
#[derive(Debug)]
pub(crate) struct CodeFile {
    name: String,
    text: String,
}

impl CodeFile {
    pub(crate) fn new(name: &str, bytes: &[u8]) -> Self {
        Self {
            name: place::cut(name),
            text: String::from_utf8_lossy(bytes).into_owned(),
        }
    }
}

/// Names after `torch.` that are not operators.
const NOT_OPERATORS: [&str; 2] = ["jit", "device"];

/// Reads the calls of all files, in the order of the archive, which begins with the model's own class.
pub(crate) fn read(files: &[CodeFile], gather: &mut Gather) -> Result<(), Refusal> {
    for file in files {
        for (index, line) in file.text.lines().enumerate() {
            let at = || Some(format!("{}:{}", file.name, index + 1));
            for call in calls(line) {
                gather.one(call, at(), false)?;
            }
        }
    }
    if files.len() > 1 {
        gather.note(
            "The archive does not say in which order its modules run: the order is that of its files.",
        );
    }
    Ok(())
}

/// An open parenthesis or bracket of a line.
struct Open {
    /// The operator that is called, if any.
    name: Option<Name>,
    arguments: Arguments,
    /// Where the current argument begins.
    from: usize,
}

/// The operators that a line calls, the innermost first.
fn calls(line: &str) -> Vec<Name> {
    let mut found = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut quote = None;
    for (at, byte) in line.bytes().enumerate() {
        match (quote, byte) {
            (Some(end), _) if byte == end => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'(' | b'[' | b'{') => open.push(Open {
                name: (byte == b'(')
                    .then(|| operator(path_before(line, at)))
                    .flatten(),
                arguments: Arguments::default(),
                from: at + 1,
            }),
            (None, b',') => {
                if let Some(call) = open.last_mut() {
                    add(
                        &mut call.arguments,
                        line.get(call.from..at).unwrap_or_default(),
                    );
                    call.from = at + 1;
                }
            }
            (None, b')' | b']' | b'}') => {
                let Some(mut call) = open.pop() else { continue };
                add(
                    &mut call.arguments,
                    line.get(call.from..at).unwrap_or_default(),
                );
                found.extend(call.name.map(|name| name.called(call.arguments).reached()));
            }
            _ => {}
        }
    }
    found
}

/// `torch.add` or `ops.torchvision.nms`.
fn operator(path: &str) -> Option<Name> {
    if let Some(name) = path.strip_prefix("ops.") {
        return Name::parse(&name.replacen('.', "::", 1));
    }
    let name = path.strip_prefix("torch.")?;
    let is_operator = is_word(name) && !NOT_OPERATORS.contains(&name);
    is_operator.then(|| Name::parse(name)).flatten()
}

/// The longest text that is taken for a literal.
const LONGEST: usize = 256;

fn add(arguments: &mut Arguments, text: &str) {
    let text = text.trim();
    if text.is_empty() {
        return;
    }
    if text.len() > LONGEST {
        return arguments.add(None, Kind::Unknown);
    }
    match text.split_once('=') {
        Some((name, value)) if is_word(name) && !value.starts_with('=') => {
            arguments.add(Some(name), Kind::of_literal(value));
        }
        _ => arguments.add(None, Kind::of_literal(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_a_line_are_read_from_the_inside() {
        let line =
            "    _3 = torch.add(torch.mul(x, 2), y, alpha=2), ops.torchvision.nms(b, s, 0.5)";
        let found = calls(line);
        let names: Vec<&str> = found.iter().map(|name| &*name.text).collect();
        assert_eq!(names, ["mul", "add", "torchvision::nms"]);
        let arguments = Arguments {
            positional: vec![Kind::Unknown, Kind::Unknown],
            keywords: vec![("alpha".to_owned(), Kind::Int)],
            is_complete: false,
        };
        assert_eq!(found[1], Name::parse("add").unwrap().called(arguments));
    }

    #[test]
    fn other_text_is_not_a_call() {
        for line in [
            "  weight : __torch__.torch.nn.modules.conv.Conv2d",
            "  x = annotate(List[Tensor], [])",
            "  y = __torch__.torch.nn.f(x)",
            "  z = \"torch.add(\"",
            "  d = torch.device(\"cpu\")",
        ] {
            assert_eq!(calls(line), [], "{line}");
        }
    }
}
