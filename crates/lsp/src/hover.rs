//! Hovers for topics, tags, rules and operators.

use std::fmt::Write as _;

use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind};

use super::cursor::{Cursor, Part};
use super::diagnostics::findings;
use super::workspace::{OpenFile, Role};
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use opatlas_report::escape::{self, code, code_block, prose};
use opatlas_rules::registry;
use opatlas_source::Span;
use opatlas_source::diagnostic::{Finding, Severity};
use opatlas_topics::{Kind, Topic};
use opatlas_verdict::{Verdict, View};

/// The most errors of an entry that are shown.
const MOST_ERRORS: usize = 5;

/// The most names that a line lists.
const MOST_NAMES: usize = 12;

pub(super) fn hover(opened: OpenFile<'_>, offset: usize) -> Option<Hover> {
    let cursor = Cursor::new(opened.document.text.as_str(), offset);
    let word = cursor.word();
    let value = text(opened, &cursor)?;
    let at = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Some(Hover {
        contents: HoverContents::Markup(MarkupContent {
            kind: MarkupKind::Markdown,
            value,
        }),
        range: Some(
            opened
                .document
                .text
                .range(Span::new(at(word.start), at(word.end))),
        ),
    })
}

fn text(opened: OpenFile<'_>, cursor: &Cursor<'_>) -> Option<String> {
    let word = cursor.word_text();
    if cursor.comment().is_some() {
        return cursor
            .line_text()
            .contains("opatlas:")
            .then(|| rule(word))?;
    }
    if let Some(id) = opened.operator_at(cursor) {
        // A variant of another operator is generated in the place of an entry with errors.
        let is_declared =
            opened.document.role == Role::Native && cursor.part() == Part::Value("func");
        let is_replaced = is_declared && opened.snapshot.catalogue.operator(id).is_generated();
        let instead = is_replaced.then(|| errors(opened, cursor)).flatten();
        return Some(instead.unwrap_or_else(|| operator(opened, id)));
    }
    let found = match (opened.document.role, cursor.part()) {
        (Role::Native, Part::Key) => topic(word, &[Kind::Field]),
        (Role::Native, Part::Value("func")) => {
            annotation(cursor).or_else(|| topic(word, &[Kind::Type]))
        }
        (Role::Native, Part::Value("tags")) | (Role::Tags, Part::Value("tag")) => tag(opened, word),
        (_, Part::InnerKey("dispatch")) | (Role::Backend, Part::Value("backend")) => {
            topic(word, &[Kind::AliasKey, Kind::DispatchKey])
        }
        _ => None,
    };
    found.or_else(|| errors(opened, cursor))
}

/// The errors of the entry at the cursor, which is not an operator because of them, and its schema before
/// the change.
fn errors(opened: OpenFile<'_>, cursor: &Cursor<'_>) -> Option<String> {
    let entry = cursor.entry();
    let within = |finding: &&Finding| entry.contains(&(finding.span.start as usize));
    let errors = findings(opened).filter(|finding| finding.severity == Severity::Error);
    let mut text = String::new();
    for error in errors.filter(within).take(MOST_ERRORS) {
        let _ = writeln!(text, "**error** {}\n", escape::markdown(&error.message));
        if let Some(help) = &error.help {
            let _ = writeln!(text, "{}\n", escape::markdown(help));
        }
    }
    let is_faulty = !text.is_empty();
    let before = opened.before().map(|before| &before.catalogue);
    let old = before.and_then(|old| Some(old.operator(old.find_qualified(cursor.word_text())?)));
    if let Some(old) = old {
        text.push_str("Before the change:\n\n");
        text.push_str(&code_block("", &[old.canonical().to_owned()], ""));
    }
    is_faulty.then_some(text)
}

/// The alias annotation at the cursor: `(a!)` after a type.
fn annotation(cursor: &Cursor<'_>) -> Option<String> {
    let line = cursor.line_text();
    let at = cursor.offset - cursor.line.start;
    let open = line[..at].rfind('(')?;
    let inner = line[open + 1..].split(')').next()?;
    let is_annotation = !inner.is_empty()
        && open + 1 + inner.len() >= at
        && inner
            .chars()
            .all(|c| c.is_ascii_lowercase() || matches!(c, '!' | '*' | ' ' | '|' | '-' | '>'))
        && inner.trim_end_matches(['!', ' ']).len()
            <= 1 + 2 * inner.matches('|').count() + 5 * inner.matches("->").count();
    let name = match (
        inner.contains('*'),
        inner.contains('!'),
        inner.contains('|'),
    ) {
        (true, ..) => "wildcard-annotation",
        (_, true, _) => "write-annotation",
        (_, _, true) => "alias-sets",
        _ => "alias-annotation",
    };
    is_annotation.then(|| topic(name, &[Kind::Annotation]))?
}

fn topic(name: &str, kinds: &[Kind]) -> Option<String> {
    let found = opatlas_topics::find(name)?;
    kinds.contains(&found.kind).then(|| markdown(&found))
}

/// A topic as Markdown. Its text already has backticks.
pub(super) fn markdown(topic: &Topic) -> String {
    let mut text = format!(
        "**{}** ({})\n\n{}",
        topic.id,
        topic.kind.as_str(),
        topic.summary
    );
    for paragraph in &topic.body {
        let _ = write!(text, "\n\n{paragraph}");
    }
    if let Some(differs) = topic.differs {
        let _ = write!(text, "\n\n*README and torchgen differ.* {differs}");
    }
    if let Some(example) = topic.examples.first() {
        let _ = write!(text, "\n\n```yaml\n{}```", example.yaml);
    }
    text
}

fn rule(name: &str) -> Option<String> {
    let rule = registry::find(name)?;
    Some(format!(
        "**{}** ({})\n\n{}\n\n{}",
        rule.id, rule.severity, rule.what, rule.why
    ))
}

fn tag(opened: OpenFile<'_>, name: &str) -> Option<String> {
    let tag = opened.snapshot.catalogue.tags.find(name)?;
    Some(format!(
        "**{}** (tag)\n\n{}",
        prose(&tag.name),
        prose(tag.description.trim())
    ))
}

/// An operator: its schema, and the backends by verdict.
fn operator(opened: OpenFile<'_>, id: OperatorId) -> String {
    let catalogue = &opened.snapshot.catalogue;
    let operator = catalogue.operator(id);
    let mut text = code_block("", &[operator.canonical().to_owned()], "");
    if let Some(from) = operator.generated_from() {
        let from = catalogue.operator(from).qualified_name();
        let _ = writeln!(text, "\nGenerated by `autogen` from {}.", code(from));
    }
    let view = opened.snapshot.view();
    for verdict in Verdict::ALL {
        let keys: Vec<Slot> = dense(view)
            .filter(|&slot| view.claims(slot) && view.verdict(id, slot) == verdict)
            .collect();
        let names = keys
            .iter()
            .map(|&slot| view.keys().name(Key::Runtime(slot)));
        let names: Vec<&str> = names.collect();
        if names.is_empty() {
            continue;
        }
        let why = keys.iter().find_map(|&slot| view.unknown_because(id, slot));
        let why = why.map_or_else(String::new, |why| format!(" ({})", why.as_str()));
        let _ = writeln!(text, "\n{}: {}{why}", title(verdict), listed(&names));
    }
    let bare = view.bare_support(id);
    let needs: Vec<&str> = view.needed(&bare).collect();
    let _ = write!(text, "\nA bare backend: {}", bare.verdict);
    if !needs.is_empty() {
        let _ = write!(text, ", needs {}", listed(&needs));
    }
    text.push('\n');
    text
}

fn title(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Runs => "Runs on",
        Verdict::Decomposes => "Decomposes on",
        Verdict::Partly => "Works partly on",
        Verdict::FallsBack => "Falls back on",
        Verdict::Fails => "Fails on",
        Verdict::Unknown => "Unknown on",
    }
}

fn listed(names: &[&str]) -> String {
    let shown: Vec<String> = names
        .iter()
        .take(MOST_NAMES)
        .map(|name| code(name))
        .collect();
    let more = names.len().saturating_sub(MOST_NAMES);
    match more {
        0 => shown.join(", "),
        _ => format!("{} and {more} more", shown.join(", ")),
    }
}

pub(super) fn dense(view: View<'_>) -> impl Iterator<Item = Slot> {
    let keys = view.keys();
    let slots = keys.slots();
    slots.filter(|&slot| keys.functionality(slot) == "Dense" && keys.backend(slot).is_some())
}
