//! Both sides of an edit, with the changed pieces in bold.

use super::item::line;
use super::marked;
use crate::changes::Report;
use crate::escape::code;
use opatlas_diff::policy::Judged;
use opatlas_diff::revision::Pair;
use opatlas_diff::{Change, Fragment};
use opatlas_source::Span;

/// A row for each side: the schemas if the operator has any, else the texts of the first change.
pub(super) fn sides(report: &Report<'_>, pair: Option<&Pair>, changes: &[&Judged]) -> Vec<String> {
    let mut rows = Vec::new();
    let mut add = |word: &str, place: Option<String>, shown: String| {
        let place = place.map_or_else(String::new, |place| format!(", {place}"));
        rows.push(format!("- {word}{place}: {shown}\n"));
    };
    let first = |side: fn(&Change) -> Option<&Fragment>| {
        changes.iter().find_map(move |judged| side(&judged.change))
    };
    if let Some(pair) = pair {
        if let Some(schema) = &pair.old {
            let place = line(&report.base, first(|change| change.old.as_ref()));
            add("old", place, marked::schema(schema, &marks(changes, false)));
        }
        if let Some(schema) = &pair.new {
            let place = line(&report.head, first(|change| change.new.as_ref()));
            add("new", place, marked::schema(schema, &marks(changes, true)));
        }
        return rows;
    }
    for (word, side, fragment) in [
        ("old", &report.base, changes[0].change.old.as_ref()),
        ("new", &report.head, changes[0].change.new.as_ref()),
    ] {
        if let Some(fragment) = fragment {
            let shown = match &*fragment.text {
                "" => "nothing".to_owned(),
                text => code(text),
            };
            add(word, line(side, Some(fragment)), shown);
        }
    }
    rows
}

/// The changed pieces of one side's schema. If both sides have a piece, only the difference.
fn marks(changes: &[&Judged], is_new: bool) -> Vec<Span> {
    let of_change = |judged: &&Judged| {
        let (old, new) = (judged.change.old.as_ref(), judged.change.new.as_ref());
        let (own, other) = if is_new { (new, old) } else { (old, new) };
        let own = own?;
        match other.filter(|other| other.mark.is_some()) {
            Some(other) => marked::difference(own, other),
            None => own.mark,
        }
    };
    changes.iter().filter_map(of_change).collect()
}
