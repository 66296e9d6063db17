//! What a new revision changes for an out-of-tree backend, as text and Markdown.

use std::fmt::Write as _;

use super::changes::message::message;
use super::escape;
use opatlas_diff::backend::{BackendImpact, Cell};
use opatlas_diff::change::Change;
use opatlas_diff::declarations::KernelChange;

/// How many operators a list names; the rest is counted.
const NAMED: usize = 40;

/// The report as text.
#[must_use]
pub fn text(impact: &BackendImpact<'_>, file: &str, base: &str, head: &str) -> String {
    let mut out = format!(
        "{file} ({}, {}): {base} -> {head}\n",
        impact.key,
        counted(impact.listed, "operator"),
    );
    for section in sections(impact) {
        // Writing to a string does not fail.
        let _ = writeln!(out, "\n{}", section.title);
        for line in &section.lines {
            let _ = writeln!(out, "  {}", escape::line(line));
        }
    }
    let _ = writeln!(out, "\n{}", verdict(impact));
    out
}

/// The report as Markdown.
#[must_use]
pub fn markdown(impact: &BackendImpact<'_>, file: &str, base: &str, head: &str) -> String {
    let mut out = format!(
        "### {} on {}: {} → {}\n\n{}\n",
        escape::code(file),
        escape::markdown(impact.key),
        escape::markdown(base),
        escape::markdown(head),
        escape::markdown(&verdict(impact)),
    );
    for section in sections(impact) {
        // Writing to a string does not fail.
        let _ = writeln!(out, "\n**{}**\n", escape::markdown(&section.title));
        for line in &section.lines {
            let _ = writeln!(out, "- {}", escape::markdown(line));
        }
    }
    out
}

/// What it comes to, in a sentence.
#[must_use]
pub fn verdict(impact: &BackendImpact<'_>) -> String {
    let breaking = impact.must_change().count();
    match (impact.unknown.len(), breaking) {
        (0, 0) => "All kernels that the backend registers compile as they are.".to_owned(),
        (unknown, breaking) => format!(
            "Before the upgrade: {} to take off the list, {} to change.",
            counted(unknown, "operator"),
            counted(breaking, "kernel"),
        ),
    }
}

/// `1 operator`, `2 operators`
fn counted(count: usize, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {what}{s}")
}

struct Section {
    title: String,
    lines: Vec<String>,
}

fn sections(impact: &BackendImpact<'_>) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut add = |title: String, lines: Vec<String>| {
        if !lines.is_empty() {
            sections.push(Section { title, lines });
        }
    };
    let unknown = impact.unknown.iter().map(|unknown| {
        let why = match unknown.vanished {
            true => "gone",
            false => "never there",
        };
        match unknown.near.is_empty() {
            true => format!("`{}` {why}", unknown.name),
            false => format!(
                "`{}` {why}; near it: `{}`",
                unknown.name,
                unknown.near.join("`, `")
            ),
        }
    });
    add(
        "Listed operators that do not exist".to_owned(),
        unknown.collect(),
    );
    for (only_names, title) in [
        (false, "Kernels that must change"),
        (
            true,
            "Kernels whose parameters have other names, which compile as they are",
        ),
    ] {
        let kernels = impact.declarations.kernels.iter();
        let kernels = kernels.filter(|kernel| kernel.only_names == only_names);
        let lines = kernels.flat_map(|kernel| declaration_lines(impact, kernel));
        add(title.to_owned(), lines.collect());
    }
    let changed = impact.changed.iter().filter(|changed| !changed.breaks);
    let lines = changed.flat_map(|changed| {
        let line = |change: &&Change| format!("`{}`: {}", changed.operator, said(change));
        changed.changes.iter().map(line)
    });
    let title = "Operators whose kernels compile as they are, to look at";
    add(title.to_owned(), lines.collect());
    let respelled = impact.declarations.respelled.iter();
    let lines = respelled.map(|(old, new)| format!("`{old}` is written `{new}`: the same type"));
    add("Spelling of declarations".to_owned(), lines.collect());
    let lost: Vec<&Cell> = impact.lost.iter().collect();
    add(
        format!(
            "{} lost: it inherited them, and nothing serves them now",
            counted(lost.len(), "operator")
        ),
        cells(&lost),
    );
    let lacking: Vec<&Cell> = impact.lacking().collect();
    add(
        format!(
            "{} that nothing serves on it",
            counted(lacking.len(), "new operator")
        ),
        cells(&lacking),
    );
    let inherited: Vec<&Cell> = impact.inherited().collect();
    add(
        format!(
            "{} that it inherits",
            counted(inherited.len(), "new operator")
        ),
        cells(&inherited),
    );
    sections
}

/// Old and new declaration, and what changed of the operator.
fn declaration_lines(impact: &BackendImpact<'_>, kernel: &KernelChange) -> Vec<String> {
    let side = |word: &str, text: &Option<String>| match text {
        Some(text) => format!("`{}` {word} `{text}`", kernel.operator),
        None => format!("`{}` {word} nothing: torchgen refuses it", kernel.operator),
    };
    let changes = impact.changes_of(&kernel.operator).iter();
    let changes = changes.map(|change| format!("`{}`: {}", kernel.operator, said(change)));
    [side("old", &kernel.old), side("new", &kernel.new)]
        .into_iter()
        .chain(changes)
        .collect()
}

fn said(change: &Change) -> String {
    format!("{} ({})", message(change), change.rule.id)
}

fn cells(cells: &[&Cell]) -> Vec<String> {
    let line = |cell: &&Cell| {
        let core = if cell.is_core { ", core" } else { "" };
        match cell.source_key {
            Some(source) => format!("`{}` from {source}{core}", cell.operator),
            None => format!("`{}`{core}", cell.operator),
        }
    };
    let mut lines: Vec<String> = cells.iter().take(NAMED).map(line).collect();
    if cells.len() > NAMED {
        lines.push(format!("and {} more", cells.len() - NAMED));
    }
    lines
}
