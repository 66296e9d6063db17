//! One key across operators: counts by reason, and the requested operators.

use std::fmt::Write as _;

use super::words::from_words;
use super::{Shown, paint};
use opatlas_dispatch::Reason;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;

/// What is shown of a key.
#[derive(Debug, Clone, Copy)]
pub struct Column<'a> {
    /// The key.
    pub slot: Slot,
    /// The operators that are counted.
    pub operators: &'a [OperatorId],
    /// Only operators with this reason are listed.
    pub reason: Option<Reason>,
}

/// A heading, the counts by reason, and a line for each operator. `revision` is what the heading
/// calls the revision.
#[must_use]
pub fn column(shown: Shown<'_>, asked: Column<'_>, revision: &str) -> String {
    let view = shown.view;
    let key = view.keys().name(Key::Runtime(asked.slot));
    let entries: Vec<_> = asked
        .operators
        .iter()
        .filter_map(|&id| Some((id, view.entry(id, asked.slot)?)))
        .collect();
    let mut out = format!("{key}   {revision}   {} operators\n\n", entries.len());
    for reason in Reason::ALL {
        let count = entries.iter().filter(|(_, e)| e.reason == reason).count();
        if count > 0 {
            let text = paint(reason.as_str(), reason, shown.colour);
            let _ = writeln!(out, "  {count:>6}  {text}");
        }
    }
    let listed = entries
        .into_iter()
        .filter(|(_, entry)| asked.reason.is_none_or(|reason| reason == entry.reason));
    let texts: Vec<_> = listed
        .map(|(id, entry)| {
            let name = view.inputs.catalogue.operator(id).qualified_name();
            let kernel = match (&entry.kernel, entry.fallthrough) {
                (Some(kernel), _) => kernel.to_string(),
                (None, true) => "(fallthrough)".to_owned(),
                (None, false) => "-".to_owned(),
            };
            let from = from_words(shown, id, &entry);
            (name, kernel, entry.reason, from)
        })
        .collect();
    if texts.is_empty() {
        return out;
    }
    out.push('\n');
    let name_width = texts.iter().map(|(name, ..)| name.chars().count()).max();
    let kernel_width = texts.iter().map(|(_, k, ..)| k.chars().count()).max();
    let reason_width = texts.iter().map(|(_, _, r, _)| r.as_str().len()).max();
    for (name, kernel, reason, from) in texts {
        if reason == Reason::Missing {
            let _ = writeln!(out, "  {name}");
            continue;
        }
        let text = format!("{:w$}", reason.as_str(), w = reason_width.unwrap_or(0));
        let line = format!(
            "  {name:a$}  {kernel:b$}  {}  {from}",
            paint(&text, reason, shown.colour),
            a = name_width.unwrap_or(0),
            b = kernel_width.unwrap_or(0),
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}
