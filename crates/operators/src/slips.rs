//! Explains common slips in files and entries, and suggests edits.

use std::fmt::Write as _;
use std::ops::Range;

use opatlas_source::Span;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_yaml::{Kind, NodeId, Root, Tree};

use crate::entry::Field;

/// The maximum size of an edit.
const MOST_BYTES: usize = 64 << 10;

/// For a file that is not a list of entries.
pub(crate) fn no_list(text: &str, root: Root, tree: Option<&Tree>) -> Diagnostic {
    let whole = content(text, root, tree);
    let first = first_line(text, whole.start);
    let at = match root {
        Root::Empty => Span::at(0),
        _ => span(&first),
    };
    let message = match root {
        Root::Empty => "`native_functions.yaml` is empty, but must be a list of entries",
        Root::Mapping(_) => "the file must be a list of entries, but it is a mapping",
        Root::Scalar(_) | Root::Sequence => {
            "the file must be a list of entries, but it is a single value"
        }
    };
    let diagnostic = Diagnostic::new(RuleId::YamlRootList, at, message);
    match root {
        Root::Mapping(_) => match entry(text, &whole) {
            Some((at, replacement)) => diagnostic
                .with_help(
                    "start the entry with `- func: ...`, and indent its other fields by two spaces",
                )
                .with_fix(at, replacement),
            None => diagnostic.with_help(HELP),
        },
        Root::Scalar(_) => match schemas(text, &whole) {
            Some((at, replacement)) => diagnostic
                .with_help("a schema is the field `func` of an entry: write `- func: ` before it")
                .with_fix(at, replacement),
            None => diagnostic.with_help(HELP),
        },
        Root::Empty | Root::Sequence => diagnostic.with_help(HELP),
    }
}

const HELP: &str = "start each entry with `- func: ...`; a file without operators is `[]`";

/// For an entry that is not a mapping; `at` is its position in `text`.
pub(crate) fn no_mapping(text: &str, at: Span) -> Diagnostic {
    let diagnostic = Diagnostic::new(
        RuleId::YamlEntryMapping,
        at,
        "this item is not a mapping, so it does not declare an operator",
    );
    let written = text.get(at.start as usize..at.end as usize);
    match written.filter(|written| is_schema(written)) {
        Some(written) => {
            let word = word(written);
            diagnostic
                .with_help("a schema is the field `func` of an entry: write `func: ` before it")
                .with_fix(Span::new(at.start, at.start + offset(word)), "func: ")
        }
        None => diagnostic.with_help("write `- func: name(Type argument, ...) -> ReturnType`"),
    }
}

/// The edit that turns a file's mapping into an entry of a list.
fn entry(text: &str, whole: &Range<usize>) -> Option<(Span, String)> {
    let written = text.get(whole.clone())?;
    let rest = written.strip_prefix(Field::Func.as_str())?;
    if !rest.starts_with(':') || written.len() > MOST_BYTES {
        return None;
    }
    let mut lines = written.split_inclusive('\n');
    let first = lines.next()?;
    if first.len() == written.len() {
        return Some((Span::at(offset(whole.start)), "- ".to_owned()));
    }
    let mut list = format!("- {first}");
    for line in lines {
        if line.starts_with("---") || line.starts_with("...") {
            return None;
        }
        let indent = if line.trim().is_empty() { "" } else { "  " };
        let _ = write!(list, "{indent}{line}");
    }
    Some((span(whole), list))
}

/// The edit that turns schemas, one per line, into entries of a list.
fn schemas(text: &str, whole: &Range<usize>) -> Option<(Span, String)> {
    let written = text.get(whole.clone())?;
    if written.len() > MOST_BYTES {
        return None;
    }
    let mut list = String::new();
    for line in written.split_inclusive('\n') {
        if line.trim().is_empty() {
            list.push_str(line);
        } else if is_schema(line.trim()) && !line.starts_with([' ', '\t']) {
            let _ = write!(list, "- func: {}", &line[word(line)..]);
        } else {
            return None;
        }
    }
    if written.contains('\n') {
        return Some((span(whole), list));
    }
    let start = whole.start;
    let at = Span::new(offset(start), offset(start + word(written)));
    Some((at, "- func: ".to_owned()))
}

/// A schema has parentheses, followed by an arrow.
fn is_schema(line: &str) -> bool {
    let name = line.split('(').next().unwrap_or_default();
    let name = &name[word(line).min(name.len())..];
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':');
    !name.is_empty() && name.chars().all(is_name) && !line.contains('\n') && line.contains(") -> ")
}

/// The length of the word `func` without a colon at the start of a line.
fn word(line: &str) -> usize {
    if line.starts_with("func ") {
        "func ".len()
    } else {
        0
    }
}

fn content(text: &str, root: Root, tree: Option<&Tree>) -> Range<usize> {
    let trimmed = text.trim_end().len();
    let start = match (root, tree) {
        (Root::Mapping(id) | Root::Scalar(id), Some(tree)) => tree.span(id).start as usize,
        _ => text.len() - text.trim_start().len(),
    };
    start.min(trimmed)..trimmed
}

fn first_line(text: &str, start: usize) -> Range<usize> {
    let length = text.get(start..).and_then(|rest| rest.find(['\n', '\r']));
    start..length.map_or(text.len(), |length| start + length)
}

fn span(range: &Range<usize>) -> Span {
    Span::new(offset(range.start), offset(range.end))
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Why a root is not a list, and where; torchgen accepts an empty mapping or string as an empty list.
pub(crate) fn list_fault(tree: &Tree, root: Root) -> Option<(&'static str, Span)> {
    match root {
        Root::Sequence => None,
        Root::Empty => Some(("it is empty", Span::at(0))),
        Root::Mapping(node) if matches!(tree.kind(node), Kind::Mapping([])) => None,
        Root::Mapping(node) => Some(("it is a mapping", head(tree, node))),
        Root::Scalar(node) if tree.str_value(node) == Some("") => None,
        Root::Scalar(node) => Some(("it is a single value", head(tree, node))),
    }
}

/// The first line of a node.
pub(crate) fn head(tree: &Tree, node: NodeId) -> Span {
    head_of(tree, tree.span(node))
}

/// The first line of a span.
pub(crate) fn head_of(tree: &Tree, span: Span) -> Span {
    let text = span.slice(tree.text());
    let end = text.find(['\n', '\r']).unwrap_or(text.len());
    Span::new(span.start, span.start + u32::try_from(end).unwrap_or(0))
}
