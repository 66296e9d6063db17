//! One key across operators: counts by verdict and by reason, and the requested operators.

use std::fmt::Write as _;

use super::support::{painted, support_words};
use super::words::from_words;
use super::{Shown, paint};
use crate::escape;
use opatlas_dispatch::{Entry, Reason};
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use opatlas_verdict::Verdict;
use opatlas_verdict::percentages_by_answer;

/// What to show about a key.
#[derive(Debug, Clone, Copy)]
pub struct Column<'a> {
    /// The key.
    pub slot: Slot,
    /// The operators to count.
    pub operators: &'a [OperatorId],
    /// Lists only operators with this reason.
    pub reason: Option<Reason>,
}

/// A heading, counts by reason, and a line for each operator. `revision` is the title of the revision.
#[must_use]
pub fn column(shown: Shown<'_>, asked: Column<'_>, revision: &str) -> String {
    let view = shown.view;
    let key = view.keys().name(Key::Runtime(asked.slot));
    let entries: Vec<_> = asked
        .operators
        .iter()
        .filter_map(|&id| Some((id, view.entry(id, asked.slot)?)))
        .collect();
    let mut out = format!(
        "{key}   {}   {} operators\n\n",
        escape::line(revision),
        entries.len()
    );
    out.push_str(&verdicts(shown, &entries, asked.slot));
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
            let name = escape::line(view.inputs.catalogue.operator(id).qualified_name());
            let kernel = match (&entry.kernel, entry.fallthrough) {
                (Some(kernel), _) => escape::line(kernel).into_owned(),
                (None, true) => "(fallthrough)".to_owned(),
                (None, false) => "-".to_owned(),
            };
            let from = escape::line(&from_words(shown, id, &entry)).into_owned();
            let support = view.support_of(id, &entry);
            let is_bare = entry.reason == Reason::Missing && support.verdict.fails();
            let support = support_words(view, id, &support);
            (name, kernel, (entry.reason, is_bare), support, from)
        })
        .collect();
    if texts.is_empty() {
        return out;
    }
    out.push('\n');
    let name_width = texts.iter().map(|(name, ..)| name.chars().count()).max();
    let kernel_width = texts.iter().map(|(_, k, ..)| k.chars().count()).max();
    let reason_width = texts
        .iter()
        .map(|(_, _, (r, _), ..)| r.as_str().len())
        .max();
    let support_width = texts.iter().map(|(_, _, _, s, _)| s.chars().count()).max();
    for (name, kernel, (reason, is_bare), support, from) in texts {
        if is_bare {
            let _ = writeln!(out, "  {name}");
            continue;
        }
        let text = format!("{:w$}", reason.as_str(), w = reason_width.unwrap_or(0));
        let line = format!(
            "  {name:a$}  {kernel:b$}  {}  {support:c$}  {from}",
            paint(&text, reason, shown.colour),
            a = name_width.unwrap_or(0),
            b = kernel_width.unwrap_or(0),
            c = support_width.unwrap_or(0),
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

/// Applicable declared operators by verdict; the counts add up. Generated operators are counted
/// separately, and so are those that belong to other backends.
fn verdicts(shown: Shown<'_>, entries: &[(OperatorId, Entry<'_>)], slot: Slot) -> String {
    let view = shown.view;
    let mut counts = [[0_u32; Verdict::ALL.len()]; 2];
    let mut others = [0_u32; 2];
    for (id, _) in entries {
        let generated = usize::from(view.inputs.catalogue.operator(*id).is_generated());
        match view.applicability(*id, slot).is_applicable() {
            true => counts[generated][view.verdict(*id, slot) as usize] += 1,
            false => others[generated] += 1,
        }
    }
    let [declared, generated] = counts;
    let shares = percentages_by_answer(declared);
    let mut out = String::new();
    for (at, verdict) in Verdict::ALL.into_iter().enumerate() {
        if declared[at] + generated[at] > 0 {
            let text = painted(verdict.as_str(), verdict, shown.colour);
            let _ = writeln!(
                out,
                "  {:>6}  {:>3} %  {text} (and {} generated)",
                declared[at], shares[at], generated[at]
            );
        }
    }
    let [other, generated_other] = others;
    if other + generated_other > 0 {
        let _ = writeln!(
            out,
            "  {other:>6}         belong to other backends (and {generated_other} generated)"
        );
    }
    out.push('\n');
    out
}
