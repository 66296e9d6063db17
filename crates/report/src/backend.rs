//! The effect of a new revision on an out-of-tree backend, as text, Markdown and CSV.

use std::fmt::Write as _;

use super::changes::message::message;
use super::escape;
use crate::csv::line;
use opatlas_diff::backend::{BackendImpact, Cell, Reassigned, UnknownOperator};
use opatlas_diff::change::Change;
use opatlas_diff::declarations::KernelChange;
use opatlas_rules::KernelFit;
use opatlas_source::sentence::codes;
use opatlas_source::{Message, message};
use opatlas_verdict::Answer;

/// The most operators that a list names.
const NAMED: usize = 40;

/// The report as text.
#[must_use]
pub fn text(impact: &BackendImpact<'_>, file: &str, base: &str, head: &str) -> String {
    let mut out = format!(
        "{} ({}, {}): {} -> {}\n",
        escape::line(file),
        escape::line(impact.key),
        counted(impact.listed, "operator"),
        escape::line(base),
        escape::line(head),
    );
    for section in sections(impact) {
        let _ = writeln!(out, "\n{}", escape::line(&section.title));
        for item in &section.items {
            let _ = writeln!(out, "  {}", escape::line(&item.text));
            for detail in &item.details {
                let _ = writeln!(out, "    {}", escape::line(detail));
            }
        }
    }
    let _ = writeln!(out, "\n{}", verdict(impact));
    out
}

/// The report as Markdown: a checklist, then further information.
#[must_use]
pub fn markdown(impact: &BackendImpact<'_>, file: &str, base: &str, head: &str) -> String {
    let mut out = format!(
        "### {} on {}: {} → {}\n\n{}\n",
        escape::code(file),
        escape::prose(impact.key),
        escape::prose(base),
        escape::prose(head),
        escape::prose(&verdict(impact)),
    );
    for section in sections(impact) {
        let _ = writeln!(out, "\n**{}**\n", escape::prose(&section.title));
        let mark = if section.is_to_do { "- [ ]" } else { "-" };
        for item in &section.items {
            let _ = writeln!(out, "{mark} {}", escape::markdown(&item.text));
            for detail in &item.details {
                let _ = writeln!(out, "  - {}", escape::markdown(detail));
            }
        }
    }
    out
}

/// The verdict as a sentence.
#[must_use]
pub fn verdict(impact: &BackendImpact<'_>) -> String {
    let tasks = [
        (impact.unknown.len(), "remove", "operator", " from the list"),
        (impact.must_change().count(), "change", "kernel", ""),
        (impact.may_change().count(), "check", "kernel", ""),
    ];
    let tasks = tasks.into_iter().filter(|(count, ..)| *count > 0);
    let tasks: Vec<String> = tasks
        .map(|(count, verb, what, end)| format!("{verb} {}{end}", counted(count, what)))
        .collect();
    if tasks.is_empty() {
        "All kernels that the backend registers compile unchanged.".to_owned()
    } else {
        format!("Before the upgrade: {}.", tasks.join(", "))
    }
}

/// `1 operator`, `2 operators`
pub(super) fn counted(count: usize, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {what}{s}")
}

/// The report as CSV, one line for each operator in each part.
#[must_use]
pub fn csv(impact: &BackendImpact<'_>) -> String {
    let mut out = String::from(CSV_HEADER);
    let mut row = |what: &str, operator: &str, old: &str, new: &str| {
        line(&mut out, [what, operator, old, new]);
    };
    for unknown in &impact.unknown {
        row("gone", &unknown.name, "", "");
    }
    for kernel in &impact.declarations.kernels {
        let what = match kernel.fit {
            KernelFit::Fits if kernel.only_names => "parameter names",
            KernelFit::Fits => "fits unchanged",
            KernelFit::Unknown(_) => "check",
            KernelFit::Refused(_) => "must change",
        };
        let text = |side: &Option<String>| side.clone().unwrap_or_default();
        row(
            what,
            &kernel.operator,
            &text(&kernel.old),
            &text(&kernel.new),
        );
    }
    let needs = |cell: &Cell| {
        if cell.needs.is_empty() {
            return String::new();
        }
        format!("needs {}", cell.needs.join(" "))
    };
    for cell in impact.lacking() {
        row("new, fails", &cell.operator, "", &needs(cell));
    }
    for cell in &impact.lost {
        let source = cell.source_key.unwrap_or("");
        row("lost", &cell.operator, source, &needs(cell));
    }
    for one in &impact.reassigned {
        let source = |cell: &Cell| cell.source_key.unwrap_or("").to_owned();
        let (old, new) = (source(&one.old), source(&one.new));
        row("served differently", &one.old.operator, &old, &new);
    }
    for changed in impact.changed.iter().filter(|changed| !changed.breaks) {
        for change in &changed.changes {
            row("review", &changed.operator, "", &said(change));
        }
    }
    for cell in impact.inherited() {
        row(
            "new, inherited",
            &cell.operator,
            "",
            cell.source_key.unwrap_or(""),
        );
    }
    for cell in impact.of_others() {
        row("new, of other backends", &cell.operator, "", "");
    }
    for cell in impact.uncertain() {
        let what = format!("new, {}", cell.verdict);
        row(&what, &cell.operator, "", &needs(cell));
    }
    out
}

/// The first line of [`csv`].
pub const CSV_HEADER: &str = "what,operator,old,new\r\n";

struct Section {
    title: String,
    is_to_do: bool,
    items: Vec<Item>,
}

struct Item {
    text: Message,
    details: Vec<Message>,
}

impl From<Message> for Item {
    fn from(text: Message) -> Self {
        Self {
            text,
            details: Vec::new(),
        }
    }
}

fn sections(impact: &BackendImpact<'_>) -> Vec<Section> {
    let mut all = Vec::from(to_do(impact));
    all.extend(to_know(impact));
    all.retain(|section| !section.items.is_empty());
    all
}

fn to_do(impact: &BackendImpact<'_>) -> [Section; 3] {
    [
        Section {
            title: "Listed operators that do not exist".to_owned(),
            is_to_do: true,
            items: impact.unknown.iter().map(gone).collect(),
        },
        Section {
            title: "Kernels that must change".to_owned(),
            is_to_do: true,
            items: kernels(impact, impact.must_change()),
        },
        Section {
            title: "Kernels to check; the sources do not show whether they still fit".to_owned(),
            is_to_do: true,
            items: kernels(impact, impact.may_change()),
        },
    ]
}

fn to_know(impact: &BackendImpact<'_>) -> Vec<Section> {
    let lacking: Vec<&Cell> = impact.lacking().collect();
    let lost: Vec<&Cell> = impact.lost.iter().collect();
    let inherited: Vec<&Cell> = impact.inherited().collect();
    let new = counted(lacking.len(), "new operator");
    let gone = counted(lost.len(), "operator");
    let others = counted(inherited.len(), "new operator");
    let of_others: Vec<&Cell> = impact.of_others().collect();
    let foreign = counted(of_others.len(), "new operator");
    let uncertain: Vec<&Cell> = impact.uncertain().collect();
    let open = counted(uncertain.len(), "new operator");
    let served = counted(impact.reassigned.len(), "operator");
    let parts = [
        (format!("{new}: calls fail on the backend"), cells(&lacking)),
        (
            format!("{gone} lost: the backend does not list them; they worked before and fail now"),
            cells(&lost),
        ),
        (
            format!("{served} served differently; the backend does not list them"),
            reassigned(impact),
        ),
        (
            "Listed operators to review; their kernels compile unchanged".to_owned(),
            looked_at(impact),
        ),
        (
            "Kernels that compile unchanged; only parameters were renamed".to_owned(),
            kernels(
                impact,
                impact.unchanged().filter(|kernel| kernel.only_names),
            ),
        ),
        (
            "Kernels that fit unchanged, although PyTorch declares them differently".to_owned(),
            kernels(
                impact,
                impact.unchanged().filter(|kernel| !kernel.only_names),
            ),
        ),
        ("Types with a new spelling".to_owned(), respelled(impact)),
        (
            format!("{others}: calls work without a kernel of the backend"),
            cells(&inherited),
        ),
        (
            format!("{open}: calls work in part, or it is not known"),
            cells(&uncertain),
        ),
        (
            format!("{foreign}: of other backends only"),
            cells(&of_others),
        ),
    ];
    let section = |(title, items)| Section {
        title,
        is_to_do: false,
        items,
    };
    parts.into_iter().map(section).collect()
}

fn kernels<'k>(
    impact: &BackendImpact<'_>,
    kernels: impl Iterator<Item = &'k KernelChange>,
) -> Vec<Item> {
    kernels.map(|kernel| declared(impact, kernel)).collect()
}

fn looked_at(impact: &BackendImpact<'_>) -> Vec<Item> {
    let changed = impact.changed.iter().filter(|changed| !changed.breaks);
    let lines = changed.flat_map(|changed| {
        let line = |change: &&Change| message!("`{}`: {}", changed.operator, said(change)).into();
        changed.changes.iter().map(line)
    });
    lines.collect()
}

fn respelled(impact: &BackendImpact<'_>) -> Vec<Item> {
    let pairs = impact.declarations.respelled.iter();
    let line = |(old, new): &(&str, &str)| {
        message!("`{}` is now spelled `{}`; it is the same type", old, new)
    };
    pairs.map(|pair| line(pair).into()).collect()
}

fn gone(unknown: &UnknownOperator) -> Item {
    let why = if unknown.vanished {
        "gone"
    } else {
        "neither revision declares it"
    };
    let near = if unknown.near.is_empty() {
        Message::default()
    } else {
        message!("; similar names: {}", codes(&unknown.near))
    };
    message!("`{}`: {}{}", unknown.name, why, near).into()
}

fn declared(impact: &BackendImpact<'_>, kernel: &KernelChange) -> Item {
    let side = |word: &str, text: &Option<String>| match text {
        Some(text) => message!("{} `{}`", word, text),
        None => message!("{} nothing: torchgen refuses it", word),
    };
    let changes = impact.changes_of(&kernel.operator).iter();
    let sides = [side("old", &kernel.old), side("new", &kernel.new)];
    let text = match &kernel.fit {
        KernelFit::Fits => message!("`{}`", kernel.operator),
        KernelFit::Unknown(why) | KernelFit::Refused(why) => {
            message!("`{}`: {}", kernel.operator, *why)
        }
    };
    Item {
        text,
        details: sides
            .into_iter()
            .chain(changes.map(|change| said(change)))
            .collect(),
    }
}

fn said(change: &Change) -> Message {
    message!("{} ({})", message(change), change.rule.id)
}

fn reassigned(impact: &BackendImpact<'_>) -> Vec<Item> {
    let line = |one: &Reassigned| {
        let is_served = one.new.source_key.is_some();
        let ends = is_served && one.old.decomposes() && !one.new.decomposes();
        let gradient = if ends {
            "; it no longer decomposes for autograd"
        } else {
            ""
        };
        message!(
            "`{}`: {} until now, then {}{}",
            one.old.operator,
            server(&one.old),
            server(&one.new),
            gradient
        )
        .into()
    };
    let changed = impact.reassigned.iter();
    let mut lines: Vec<Item> = changed.take(NAMED).map(line).collect();
    let more = impact.reassigned.len() - lines.len();
    if more > 0 {
        lines.push(message!("and {} more", more).into());
    }
    lines
}

/// Names the kernel that serves a cell and says whether it works.
fn server(cell: &Cell) -> String {
    let kernel = match cell.source_key {
        Some(source) => format!("the kernel for {source}"),
        None => "no kernel".to_owned(),
    };
    match Answer::from(cell.verdict) {
        Answer::Yes => kernel,
        Answer::Partly => format!("{kernel} (works in part)"),
        Answer::No => format!("{kernel} (calls fail)"),
        Answer::Unknown => format!("{kernel} (unknown whether calls work)"),
    }
}

fn cells(cells: &[&Cell]) -> Vec<Item> {
    let line = |cell: &&Cell| {
        let core = if cell.is_core { ", core" } else { "" };
        let from = match cell.source_key {
            Some(source) => message!(" from {}", source),
            None => Message::default(),
        };
        let needs = match &*cell.needs {
            [] => Message::default(),
            // An operator without a kernel needs itself.
            [one] if *one == cell.operator => Message::default(),
            [one] => message!(", needs `{}`", one),
            [one, rest @ ..] => message!(", needs `{}` and {} more", one, rest.len()),
        };
        let unknown = match Answer::from(cell.verdict) {
            Answer::Unknown => ", unknown",
            Answer::Partly => ", partly",
            Answer::Yes | Answer::No => "",
        };
        message!("`{}`{}{}{}{}", cell.operator, from, core, unknown, needs).into()
    };
    let mut lines: Vec<Item> = cells.iter().take(NAMED).map(line).collect();
    if cells.len() > NAMED {
        lines.push(message!("and {} more", cells.len() - NAMED).into());
    }
    lines
}
