//! Code actions: the edits of findings, all safe edits of a file, and suppressions.

use std::collections::HashMap;

use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, Range, TextEdit, Uri, WorkspaceEdit,
};

use super::diagnostics::{diagnostic, findings};
use super::workspace::{OpenFile, Role};
use opatlas_operators::catalogue::Catalogue;
use opatlas_rules::fix::{Reading, Wanted, mend, works};
use opatlas_source::Span;
use opatlas_source::diagnostic::{Applicability, Finding, Severity};

/// The kind of the action that applies all safe edits, which editors can run on save.
pub(super) const FIX_ALL: &str = "source.fixAll.opatlas";

/// The maximum number of edits that are tried for one request; further ones are not offered.
const MOST_TRIED: usize = 8;

/// The actions for a range. `only` are the requested kinds; `None` means all.
pub(super) fn code_actions(
    opened: OpenFile<'_>,
    range: Range,
    only: Option<&[CodeActionKind]>,
) -> Vec<CodeActionOrCommand> {
    let wants = |kind: &str| {
        let is_part = |wanted: &CodeActionKind| {
            let rest = kind.strip_prefix(wanted.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        only.is_none_or(|only| only.iter().any(is_part))
    };
    let mut actions = Vec::new();
    if wants(CodeActionKind::QUICKFIX.as_str()) {
        let touched: Vec<&Finding> = findings(opened)
            .filter(|finding| touches(opened.document.text.range(finding.span), range))
            .collect();
        let tried = works_for(opened, &touched);
        actions.extend(tried.iter().filter_map(|finding| fix(opened, finding)));
        actions.extend(
            touched
                .iter()
                .filter_map(|finding| suppress(opened, finding)),
        );
    }
    // Finding all safe edits takes several checks, so this action must be requested.
    let asks = only.is_some_and(|only| only.iter().any(|kind| kind.as_str().starts_with("source")));
    if asks && wants(FIX_ALL) {
        actions.extend(fix_all(opened));
    }
    actions.into_iter().map(CodeActionOrCommand::from).collect()
}

/// The findings whose edits work.
fn works_for<'f>(opened: OpenFile<'_>, findings: &[&'f Finding]) -> Vec<&'f Finding> {
    let edited = findings
        .iter()
        .copied()
        .filter(|finding| finding.fix.is_some());
    let edited: Vec<&Finding> = edited.take(MOST_TRIED).collect();
    if edited.is_empty() {
        return edited;
    }
    let text = opened.document.text.as_str();
    let mut read = reader(opened);
    let before = read(text);
    let works = |finding: &&Finding| works(text, finding, &before, &mut read);
    edited.into_iter().filter(works).collect()
}

/// Reads the bundle with another text of the open file.
fn reader(opened: OpenFile<'_>) -> impl FnMut(&str) -> Reading + '_ {
    let snapshot = opened.snapshot;
    let mut bundle = snapshot.bundle.clone();
    move |text| {
        bundle.insert(&opened.document.name, text.as_bytes());
        let known = Some(&snapshot.catalogue);
        let catalogue = Catalogue::read(&bundle, snapshot.release(), known);
        Reading::shown(&catalogue, opened.shown, opened.known())
    }
}

fn touches(a: Range, b: Range) -> bool {
    a.start <= b.end && b.start <= a.end
}

fn fix(opened: OpenFile<'_>, finding: &Finding) -> Option<CodeAction> {
    let fix = finding.fix.as_ref()?;
    let text = opened.document.text.as_str();
    let old = fix.span.slice(text);
    let title = match (old.is_empty(), fix.replacement.is_empty()) {
        (true, _) => format!("Insert `{}`", shown(&fix.replacement)),
        (false, true) => format!("Remove `{}`", shown(old)),
        (false, false) => format!(
            "Replace `{}` with `{}`",
            shown(old),
            shown(&fix.replacement)
        ),
    };
    let edit = TextEdit {
        range: opened.document.text.range(fix.span),
        new_text: fix.replacement.to_string(),
    };
    Some(CodeAction {
        title,
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![diagnostic(opened, finding)]),
        edit: Some(edits(&opened.document.uri, vec![edit])),
        is_preferred: Some(fix.applicability == Applicability::Safe),
        ..CodeAction::default()
    })
}

fn shown(text: &str) -> String {
    const MOST: usize = 40;
    let text = text.trim_matches(['\n', '\r']);
    let line = text.lines().next().unwrap_or("");
    if line.chars().count() > MOST || line.len() < text.len() {
        line.chars().take(MOST).chain("...".chars()).collect()
    } else {
        line.to_owned()
    }
}

/// Adds a comment above the entry that allows the rule in it. Errors cannot be allowed, because torchgen
/// ignores comments.
fn suppress(opened: OpenFile<'_>, finding: &Finding) -> Option<CodeAction> {
    if opened.document.role != Role::Native || finding.severity == Severity::Error {
        return None;
    }
    let entries = &opened.snapshot.catalogue.native_functions.entries;
    let after = entries
        .partition_point(|placed| placed.place(placed.entry.span).start <= finding.span.start);
    let placed = entries.get(after.checked_sub(1)?)?;
    let entry = placed.place(placed.entry.span);
    if finding.span.start > entry.end {
        return None;
    }
    let text = &opened.document.text;
    let line = text.line(text.line_of(entry.start as usize))?;
    let at = text.position(line.start);
    let rule = finding.rule;
    let edit = TextEdit {
        range: Range::new(at, at),
        new_text: format!("# opatlas: allow({rule}) \n"),
    };
    Some(CodeAction {
        title: format!("Suppress `{rule}` for this entry (add the reason)"),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![diagnostic(opened, finding)]),
        edit: Some(edits(&opened.document.uri, vec![edit])),
        ..CodeAction::default()
    })
}

fn fix_all(opened: OpenFile<'_>) -> Option<CodeAction> {
    if !findings(opened).any(|finding| Wanted::Safe.takes(finding)) {
        return None;
    }
    let document = opened.document;
    let before = document.text.as_str();
    let fixed = mend(&document.name, before, Wanted::Safe, reader(opened));
    if fixed.text == before {
        return None;
    }
    let end = u32::try_from(before.len()).unwrap_or(u32::MAX);
    let edit = TextEdit {
        range: document.text.range(Span::new(0, end)),
        new_text: fixed.text,
    };
    Some(CodeAction {
        title: "Make all safe edits".to_owned(),
        kind: Some(CodeActionKind::from(FIX_ALL)),
        edit: Some(edits(&document.uri, vec![edit])),
        ..CodeAction::default()
    })
}

fn edits(uri: &Uri, edits: Vec<TextEdit>) -> WorkspaceEdit {
    WorkspaceEdit::new(HashMap::from([(uri.clone(), edits)]))
}
