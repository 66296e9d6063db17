//! What a new revision changes for an out-of-tree backend, as text and Markdown.

use std::fmt::Write as _;

use super::changes::message::message;
use super::escape;
use opatlas_diff::backend::{BackendImpact, Cell};

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

/// The verdict, in a sentence.
#[must_use]
pub fn verdict(impact: &BackendImpact<'_>) -> String {
    let breaking = impact
        .changed
        .iter()
        .filter(|changed| changed.breaks)
        .count();
    match (impact.unknown.len(), breaking) {
        (0, 0) => "No registration of the backend breaks.".to_owned(),
        (unknown, breaking) => format!(
            "Before the upgrade: remove {} from the list, change {}.",
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
            false => "never existed",
        };
        match unknown.near.is_empty() {
            true => format!("`{}` {why}", unknown.name),
            false => format!(
                "`{}` {why}; similar names: `{}`",
                unknown.name,
                unknown.near.join("`, `")
            ),
        }
    });
    add(
        "Listed operators that do not exist".to_owned(),
        unknown.collect(),
    );
    for (breaks, title) in [
        (true, "Listed operators whose kernels must change"),
        (false, "Listed operators to review"),
    ] {
        let changed = impact
            .changed
            .iter()
            .filter(|changed| changed.breaks == breaks);
        let lines = changed.flat_map(|changed| {
            changed.changes.iter().map(|change| {
                format!(
                    "`{}`: {} ({})",
                    changed.operator,
                    message(change),
                    change.rule.id
                )
            })
        });
        add(title.to_owned(), lines.collect());
    }
    let lost: Vec<&Cell> = impact.lost.iter().collect();
    add(
        format!(
            "{} lost: the backend inherited them, and no kernel serves them now",
            counted(lost.len(), "operator")
        ),
        cells(&lost),
    );
    let lacking: Vec<&Cell> = impact.lacking().collect();
    add(
        format!(
            "{} without a kernel for the backend",
            counted(lacking.len(), "new operator")
        ),
        cells(&lacking),
    );
    let inherited: Vec<&Cell> = impact.inherited().collect();
    add(
        format!(
            "{} that the backend inherits",
            counted(inherited.len(), "new operator")
        ),
        cells(&inherited),
    );
    sections
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
