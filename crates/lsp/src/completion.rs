//! Completion. The lines around the cursor decide which names fit, so it works in incomplete entries.
//! The names come from the bundle.

use std::collections::BTreeSet;

use lsp_types::{CompletionItem, CompletionItemKind, CompletionTextEdit, Documentation, TextEdit};
use lsp_types::{CompletionList, MarkupContent, MarkupKind};

use super::cursor::{Cursor, Part};
use super::hover::markdown;
use super::workspace::{OpenFile, Role};
use opatlas_operators::derivatives::DEFAULT_KEY;
use opatlas_operators::operator::Operator;
use opatlas_pytorch::release::Names;
use opatlas_source::Span;
use opatlas_source::diagnostic::RuleId;

/// The most operators in one answer; editors ask again after more typing.
const MOST_OPERATORS: usize = 200;

struct Choice {
    name: String,
    detail: String,
    kind: CompletionItemKind,
    /// The text to insert instead of the name.
    insert: Option<String>,
}

impl Choice {
    fn new(name: impl Into<String>, detail: &str, kind: CompletionItemKind) -> Self {
        Self {
            name: name.into(),
            detail: detail.to_owned(),
            kind,
            insert: None,
        }
    }

    fn value(name: &str) -> Self {
        Self::new(name, "", CompletionItemKind::VALUE)
    }
}

pub(super) fn complete(opened: OpenFile<'_>, offset: usize) -> CompletionList {
    let cursor = Cursor::new(opened.document.text.as_str(), offset);
    let choices = choices(opened, &cursor);
    let is_incomplete = choices.len() >= MOST_OPERATORS;
    let word = cursor.word();
    let at = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    // Only the part of the word before the cursor is replaced.
    let start = word.start.min(offset);
    let range = opened.document.text.range(Span::new(at(start), at(offset)));
    let items = choices.into_iter().enumerate().map(|(i, choice)| {
        let text = choice.insert.unwrap_or_else(|| choice.name.clone());
        CompletionItem {
            text_edit: Some(CompletionTextEdit::Edit(TextEdit::new(range, text))),
            filter_text: Some(choice.name.clone()),
            sort_text: Some(format!("{i:05}")),
            label: choice.name,
            kind: Some(choice.kind),
            detail: (!choice.detail.is_empty()).then_some(choice.detail),
            ..CompletionItem::default()
        }
    });
    CompletionList {
        is_incomplete,
        items: items.collect(),
    }
}

pub(super) fn resolve(mut item: CompletionItem) -> CompletionItem {
    if let Some(topic) = opatlas_topics::find(&item.label) {
        item.documentation = Some(Documentation::MarkupContent(MarkupContent {
            kind: MarkupKind::Markdown,
            value: markdown(&topic),
        }));
    }
    item
}

fn choices(opened: OpenFile<'_>, cursor: &Cursor<'_>) -> Vec<Choice> {
    if let Some(comment) = cursor.comment() {
        let comment = &cursor.before()[comment..];
        let allows = comment.contains("opatlas:") && comment.contains("allow(");
        return if allows { rules() } else { Vec::new() };
    }
    match opened.document.role {
        Role::Native => native(opened, cursor),
        Role::Derivatives => derivatives(opened, cursor),
        Role::Tags => match cursor.part() {
            Part::Key => keys(["tag", "desc"]),
            _ => Vec::new(),
        },
        Role::Backend => backend(opened, cursor),
        Role::Deprecated => match cursor.part() {
            Part::Key => keys(["name", "aten"]),
            _ => Vec::new(),
        },
    }
}

fn rules() -> Vec<Choice> {
    let rules = RuleId::ALL.iter();
    rules
        .map(|rule| Choice::new(rule.as_str(), "rule", CompletionItemKind::CONSTANT))
        .collect()
}

fn keys<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<Choice> {
    let choice = |name| Choice {
        insert: Some(format!("{name}: ")),
        ..Choice::new(name, "", CompletionItemKind::FIELD)
    };
    names.into_iter().map(choice).collect()
}

fn native(opened: OpenFile<'_>, cursor: &Cursor<'_>) -> Vec<Choice> {
    let data = opened.snapshot.release().data();
    let values = |names: &[&str]| names.iter().map(|name| Choice::value(name)).collect();
    match cursor.part() {
        Part::Key => fields(opened, cursor),
        Part::Value("func") => types(opened, cursor),
        Part::Value("variants") => values(&["function", "method", "function, method"]),
        Part::Value("device_check") => values(&["NoCheck", "ExactSame"]),
        Part::Value("structured_inherits") => values(&["TensorIteratorBase"]),
        Part::Value(
            "structured"
            | "device_guard"
            | "manual_kernel_registration"
            | "manual_cpp_binding"
            | "use_const_ref_for_mutable_tensors",
        ) => values(&["True", "False"]),
        Part::Value("tags") | Part::InnerKey("tags") => tags(opened),
        Part::Value("structured_delegate") => {
            operators(opened, cursor, |operator| operator.is_structured())
        }
        Part::Value("autogen") => out_variant(cursor),
        Part::InnerKey("dispatch") => dispatch_keys(cursor, data.dispatch_keys_allowed),
        Part::InnerValue("dispatch") => kernels(cursor),
        Part::InnerKey("ufunc_inner_loop") => {
            data.ufunc_loop_keys.iter().map(Choice::value).collect()
        }
        _ => Vec::new(),
    }
}

fn fields(opened: OpenFile<'_>, cursor: &Cursor<'_>) -> Vec<Choice> {
    let begins = cursor.line_text().starts_with("- ");
    let entry = cursor.entry_text();
    let is_there = |name: &str| {
        let mut lines = entry.lines();
        lines.any(|line| {
            let line = line.trim_start_matches(['-', ' ']);
            line.strip_prefix(name)
                .is_some_and(|rest| rest.starts_with(':'))
        })
    };
    let data = opened.snapshot.release().data();
    let fields = data.yaml_fields.iter();
    let fields = fields.filter(|name| !is_there(name) && (*name == "func") == begins);
    fields
        .map(|name| Choice {
            insert: Some(match name {
                "dispatch" => "dispatch:\n    ".to_owned(),
                _ => format!("{name}: "),
            }),
            ..Choice::new(name, "field", CompletionItemKind::FIELD)
        })
        .collect()
}

/// Types, if one may begin here; after `=`, default values.
fn types(opened: OpenFile<'_>, cursor: &Cursor<'_>) -> Vec<Choice> {
    if !cursor.before().contains('(') {
        return Vec::new();
    }
    let before = cursor.before();
    let word = cursor.word().start.min(cursor.offset) - cursor.line.start;
    let before = before[..word].trim_end();
    if !before.ends_with(['(', ',', '>']) {
        return if before.ends_with('=') {
            ["None", "True", "False"].map(Choice::value).into()
        } else {
            Vec::new()
        };
    }
    let data = opened.snapshot.release().data();
    let mut names: Vec<&str> = data.base_types.iter().collect();
    // The most frequent type comes first.
    names.sort_by_key(|name| *name != "Tensor");
    let annotated = ["Tensor(a)", "Tensor(a!)"];
    let names = names.into_iter().chain(annotated);
    names
        .map(|name| Choice::new(name, "type", CompletionItemKind::CLASS))
        .collect()
}

fn tags(opened: OpenFile<'_>) -> Vec<Choice> {
    let tags = opened.snapshot.catalogue.tags.all().iter();
    tags.map(|tag| {
        let first = tag.description.trim().lines().next().unwrap_or("");
        Choice::new(&*tag.name, first, CompletionItemKind::ENUM_MEMBER)
    })
    .collect()
}

fn operators(
    opened: OpenFile<'_>,
    cursor: &Cursor<'_>,
    fits: impl Fn(&Operator) -> bool,
) -> Vec<Choice> {
    let word = cursor.word();
    let typed = &cursor.before()[word.start.min(cursor.offset) - cursor.line.start..];
    let base = base_name(cursor);
    let operators = opened.snapshot.catalogue.operators.iter();
    let fitting = operators.filter(|operator| fits(operator));
    let mut found: Vec<_> = fitting
        .map(|operator| {
            (
                operator.base_name() != base,
                operator.qualified_name(),
                operator,
            )
        })
        .filter(|(_, name, _)| name.starts_with(typed))
        .collect();
    found.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    found.dedup_by(|a, b| a.1 == b.1);
    let found = found.into_iter().take(MOST_OPERATORS);
    found
        .map(|(_, name, operator)| {
            Choice::new(name, operator.canonical(), CompletionItemKind::FUNCTION)
        })
        .collect()
}

fn operator_name<'t>(cursor: &Cursor<'t>) -> &'t str {
    let entry = cursor.entry_text();
    let func = entry.strip_prefix("- func:").unwrap_or("").trim_start();
    let name = func.split('(').next().unwrap_or("").trim();
    name.rsplit("::").next().unwrap_or(name)
}

fn base_name<'t>(cursor: &Cursor<'t>) -> &'t str {
    let name = operator_name(cursor);
    let name = name.split('.').next().unwrap_or(name);
    name.strip_suffix('_').unwrap_or(name)
}

fn out_variant(cursor: &Cursor<'_>) -> Vec<Choice> {
    let base = base_name(cursor);
    if base.is_empty() {
        return Vec::new();
    }
    let name = match operator_name(cursor).split_once('.') {
        Some((_, overload)) => format!("{base}.{overload}_out"),
        None => format!("{base}.out"),
    };
    vec![Choice::new(
        name,
        "out variant",
        CompletionItemKind::FUNCTION,
    )]
}

fn dispatch_keys(cursor: &Cursor<'_>, allowed: Names) -> Vec<Choice> {
    let entry = cursor.entry_text();
    let lines = entry.lines().filter(|line| *line != cursor.line_text());
    let named = lines.filter_map(|line| line.split_once(':'));
    let used: BTreeSet<&str> = named
        .flat_map(|(keys, _)| keys.split(','))
        .chain(cursor.before().split(','))
        .map(str::trim)
        .collect();
    let free = allowed
        .iter()
        .filter(|key| !used.contains(key) || cursor.word_text() == *key);
    free.map(|key| Choice::new(key, "dispatch key", CompletionItemKind::ENUM_MEMBER))
        .collect()
}

fn kernels(cursor: &Cursor<'_>) -> Vec<Choice> {
    let entry = cursor.entry_text();
    let lines = entry.lines().filter(|line| *line != cursor.line_text());
    let inner = lines.filter(|line| line.starts_with("    "));
    let mut names: Vec<String> = inner
        .filter_map(|line| line.split_once(": "))
        .map(|(_, kernel)| {
            kernel
                .split(" #")
                .next()
                .unwrap_or(kernel)
                .trim()
                .to_owned()
        })
        .collect();
    let base = base_name(cursor);
    let keys = cursor.before().split(':').next().unwrap_or("");
    let key = keys.split(',').next().unwrap_or(keys).trim().to_lowercase();
    if !base.is_empty() {
        names.push(base.to_owned());
        names.push(format!("{base}_{key}"));
    }
    let mut seen = BTreeSet::new();
    names.retain(|name| !name.is_empty() && seen.insert(name.clone()));
    names
        .into_iter()
        .map(|name| Choice::new(name, "kernel", CompletionItemKind::FUNCTION))
        .collect()
}

fn derivatives(opened: OpenFile<'_>, cursor: &Cursor<'_>) -> Vec<Choice> {
    match cursor.part() {
        Part::Key if cursor.line_text().starts_with("- ") => keys(["name"]),
        Part::Key => {
            let mut names = arguments(opened, cursor);
            names.extend(["result", "output_differentiability", "dispatch"].map(str::to_owned));
            keys(names.iter().map(String::as_str))
        }
        Part::Value("name") if !cursor.before().contains('(') => {
            let mut found = operators(opened, cursor, |operator| !operator.is_generated());
            for choice in &mut found {
                choice.insert = Some(choice.detail.clone());
            }
            found
        }
        Part::Value("name") => Vec::new(),
        Part::InnerKey("dispatch") if cursor.before().starts_with("    ") => {
            let release = opened.snapshot.release();
            let keys = opatlas_operators::derivative_match::formula_keys(release);
            let keys = keys.filter(|key| key != DEFAULT_KEY);
            let keys = std::iter::once(DEFAULT_KEY.to_owned()).chain(keys);
            keys.map(|key| Choice::new(key, "formulas", CompletionItemKind::ENUM_MEMBER))
                .collect()
        }
        _ => {
            let names = arguments(opened, cursor).into_iter();
            let known = [
                "grad",
                "grads",
                "result",
                "not_implemented",
                "non_differentiable",
            ];
            let names = names.chain(known.map(str::to_owned));
            names
                .map(|name| Choice::new(name, "", CompletionItemKind::VARIABLE))
                .collect()
        }
    }
}

fn arguments(opened: OpenFile<'_>, cursor: &Cursor<'_>) -> Vec<String> {
    let entry = cursor.entry_text();
    let name = entry.strip_prefix("- name:").unwrap_or("").trim_start();
    let name = name.split('(').next().unwrap_or("").trim();
    let catalogue = &opened.snapshot.catalogue;
    let Some(id) = catalogue.find_qualified(name) else {
        return Vec::new();
    };
    let arguments = catalogue.operator(id).schema().arguments.all();
    let names = arguments.iter().map(|argument| argument.name.to_string());
    names.collect()
}

fn backend(opened: OpenFile<'_>, cursor: &Cursor<'_>) -> Vec<Choice> {
    let data = opened.snapshot.release().data();
    match cursor.part() {
        Part::Key => keys(data.backend_yaml_keys_taken.iter()),
        Part::Value("backend") => {
            let backends = data.runtime.backends.iter();
            backends.map(Choice::value).collect()
        }
        Part::Value("use_out_as_primary" | "device_guard") => {
            ["True", "False"].map(Choice::value).into()
        }
        Part::InnerKey("supported" | "autograd" | "full_codegen" | "ir_gen" | "symint") => {
            operators(opened, cursor, |operator| !operator.is_generated())
        }
        _ => Vec::new(),
    }
}
