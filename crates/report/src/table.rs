//! Dispatch tables as text and CSV: tables with merged rows, explanations of entries, and sentences.

mod chain;
mod column;
mod csv;
mod explanation;
mod keys;
mod support;
mod what_if;
mod words;

use std::fmt::Write as _;

use super::escape;
use super::findings::Colour;
use opatlas_dispatch::{Cause, Entry, Reason};
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::KeySet;
use opatlas_source::Span;
use opatlas_verdict::View;

pub use chain::{chain, chain_sentence};
pub use column::{Column, column};
pub use csv::{CSV_HEADER, csv_row};
pub use explanation::{explanation, headline};
pub use support::support_words;
pub use what_if::what_if;
pub use words::{cause_sentence, origin_words, training_sentence};

/// The input of renderings.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    /// The tables.
    pub view: View<'a>,
    /// The line of a position in a file of the bundle, from 1.
    pub line: &'a dyn Fn(&str, Span) -> Option<u32>,
    /// Whether text is colored.
    pub colour: Colour,
}

/// The table of an operator: a heading, a line for each group of equal entries, its support, and a legend
/// for `*`. `revision` is the title of the revision (`pytorch 2.9.0`).
#[must_use]
pub fn table(shown: Shown<'_>, id: OperatorId, revision: &str) -> String {
    let mut out = heading(shown, id, revision);
    let groups = groups(shown, id);
    let texts: Vec<[String; 4]> = groups.iter().map(|group| group.texts(shown, id)).collect();
    let width = |column: usize| {
        let lengths = texts.iter().map(|row| row[column].chars().count());
        lengths.max().unwrap_or(0)
    };
    let widths = [width(0), width(1), width(2)];
    for (group, [keys, kernel, reason, from]) in groups.iter().zip(&texts) {
        let reason = format!("{reason:w$}", w = widths[2]);
        let reason = paint(&reason, group.first.reason, shown.colour);
        let line = format!(
            "  {keys:a$}  {kernel:b$}  {reason}  {from}",
            a = widths[0],
            b = widths[1]
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out.push_str(&support::on_backends(shown, id));
    let marked: Vec<Cause> = groups
        .iter()
        .filter_map(|group| group.first.cause)
        .collect();
    if !marked.is_empty() {
        out.push_str("\n  * decided or possibly decided outside the files:\n");
        let mut said: Vec<&'static str> = Vec::new();
        for cause in marked {
            let words = words::cause_kind(cause);
            if !said.contains(&words) {
                said.push(words);
                let _ = writeln!(out, "    {words}");
            }
        }
    }
    out
}

fn heading(shown: Shown<'_>, id: OperatorId, revision: &str) -> String {
    let operator = shown.view.inputs.catalogue.operator(id);
    let mut out = format!(
        "{}   {}",
        escape::line(operator.qualified_name()),
        escape::line(revision)
    );
    if let Some(placed) = operator.declared() {
        let at = placed.place(placed.entry.func_at);
        let file = opatlas_source::NATIVE_FUNCTIONS;
        if let Some(line) = (shown.line)(file, at) {
            let _ = write!(out, "   {file}:{line}");
        }
    } else if let Some(vendor) = operator.vendor() {
        let file = &vendor.file;
        if let Some(line) = (shown.line)(file, vendor.at) {
            let _ = write!(out, "   {file}:{line}");
        }
    } else if let Some(from) = operator.generated_from() {
        let from = shown.view.inputs.catalogue.operator(from);
        let _ = write!(
            out,
            "   generated from {}",
            escape::line(from.qualified_name())
        );
    }
    out.push_str("\n\n");
    out
}

struct Group<'a> {
    first: Entry<'a>,
    keys: KeySet,
}

impl Group<'_> {
    fn texts(&self, shown: Shown<'_>, id: OperatorId) -> [String; 4] {
        let entry = &self.first;
        let mut keys = keys::label(shown.view.keys(), self.keys);
        if !entry.derivable {
            keys.push_str(" *");
        }
        let kernel = match (&entry.kernel, entry.fallthrough) {
            (Some(kernel), _) => escape::line(kernel).into_owned(),
            (None, true) => "(fallthrough)".to_owned(),
            (None, false) => "-".to_owned(),
        };
        let from = words::from_words(shown, id, entry);
        let from = escape::line(&from).into_owned();
        [keys, kernel, entry.reason.as_str().to_owned(), from]
    }
}

/// Groups equal entries of an operator by first key. Fallbacks and missing kernels come last.
fn groups(shown: Shown<'_>, id: OperatorId) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for entry in shown.view.table(id) {
        let slot = entry.slot;
        match groups
            .iter_mut()
            .find(|group| is_alike(&group.first, &entry))
        {
            Some(group) => group.keys.insert(slot),
            None => groups.push(Group {
                first: entry,
                keys: KeySet::only(slot),
            }),
        }
    }
    groups.sort_by_key(|group| match group.first.reason {
        Reason::Missing => 2,
        Reason::BackendFallback => 1,
        _ => 0,
    });
    groups
}

/// Whether two entries can share a line. The files of fallbacks do not matter, nor do the keys of kernels
/// that have one alias, or one name and origin.
fn is_alike(a: &Entry<'_>, b: &Entry<'_>) -> bool {
    let same_answer = (a.reason, a.origin, a.fallthrough, a.cause.is_some())
        == (b.reason, b.origin, b.fallthrough, b.cause.is_some());
    if matches!(a.reason, Reason::Missing | Reason::BackendFallback) {
        return same_answer;
    }
    let same_source = a.source_key == b.source_key || a.reason == Reason::Kernel;
    let same_kernel = a.kernel == b.kernel && a.file == b.file;
    same_answer && same_source && same_kernel
}

fn paint(text: &str, reason: Reason, colour: Colour) -> String {
    if colour == Colour::Never {
        return text.to_owned();
    }
    let code = match reason {
        Reason::Kernel | Reason::AutogradKernel | Reason::NestedKernel | Reason::BatchedKernel => {
            32
        }
        Reason::DefaultBackendKernel | Reason::MathKernel => 36,
        Reason::BackendFallback => 33,
        Reason::Missing | Reason::AmbiguousAutogradOther => 31,
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}
