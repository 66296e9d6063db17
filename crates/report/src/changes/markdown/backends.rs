//! Backends: how many operators each lost and gained, and which.

use opatlas_diff::rules::ChangeRuleId;
use std::collections::BTreeMap;

use super::item::{Item, line, rule, short_name};
use super::listing::{Listing, Row, about};
use crate::changes::outline::{Backends, Class};
use crate::changes::{Report, count, lists, verdict};
use crate::escape::{code, cut, markdown};
use opatlas_diff::Subject;

/// The same effect on the same backends.
pub(super) fn items(
    report: &Report<'_>,
    backends: &Backends<'_>,
    room: Option<usize>,
) -> Vec<Item> {
    let changes = &report.judgement.changes;
    let number = backends.changes.len();
    let s = if number == 1 { "s" } else { "" };
    let what = match backends.rule.id {
        ChangeRuleId::BackendSupportLost => format!("no longer work{s} on"),
        ChangeRuleId::BackendSupportGained => format!("now work{s} on"),
        ChangeRuleId::BackendSupportKindChanged => {
            format!("run{s} through another kind of kernel on")
        }
        _ => "can no longer train on".to_owned(),
    };
    let title = format!(
        "#### {} {what} {}",
        count(number, "operator"),
        markdown(&lists::keys(backends.keys))
    );
    let first = backends.changes.first().map(|&i| &changes[i]);
    let mut meta = format!("- {}\n", rule(report, backends.rule));
    meta.push_str(&about(report, backends.rule, backends.level, first, number));
    let row = |&i: &usize| {
        let change = &changes[i].change;
        let mut text = code(&change.operator);
        if let Some(place) = line(&report.head, change.new.as_ref()) {
            text.push_str(&format!(" ({place})"));
        }
        if let Some(standing) = verdict::standing(report, &changes[i]) {
            text.push_str(&format!(" ({})", markdown(&standing)));
        }
        Row {
            name: code(&change.operator),
            text,
            short: short_name(&change.operator),
            changes: vec![i],
        }
    };
    let listing = Listing {
        class: backends.class,
        title,
        meta,
        rows: backends.changes.iter().map(row).collect(),
        separator: ", ",
        what: "operator",
        is_folded: true,
    };
    listing.items(report, room)
}

/// How many operators each backend lost and gained; backends with the same numbers together.
pub(super) fn overview(report: &Report<'_>, room: Option<usize>) -> Vec<Item> {
    const RULES: [ChangeRuleId; 4] = [
        ChangeRuleId::BackendSupportLost,
        ChangeRuleId::BackendSupportGained,
        ChangeRuleId::BackendSupportKindChanged,
        ChangeRuleId::AutogradSupportLost,
    ];
    let mut of_key: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    for judged in &report.judgement.changes {
        let change = &judged.change;
        let Some(column) = RULES.iter().position(|rule| *rule == change.rule.id) else {
            continue;
        };
        if let Subject::Keys(keys) = &change.subject {
            for key in keys {
                if !of_key.contains_key(&**key) {
                    order.push(key);
                }
                of_key.entry(key).or_default()[column] += 1;
            }
        }
    }
    if of_key.is_empty() {
        return Vec::new();
    }
    let mut alike: Vec<([usize; 4], Vec<&str>)> = Vec::new();
    for key in order {
        match alike
            .iter_mut()
            .find(|(numbers, _)| *numbers == of_key[key])
        {
            Some((_, keys)) => keys.push(key),
            None => alike.push((of_key[key], vec![key])),
        }
    }
    alike.sort_by_key(|(numbers, _)| std::cmp::Reverse((numbers[0] + numbers[3], numbers[1])));
    let row = |(numbers, keys): &([usize; 4], Vec<&str>)| {
        let [lost, gained, kind, autograd] = numbers;
        let text = |keys: &str| format!("| {keys} | {lost} | {gained} | {kind} | {autograd} |\n");
        Row {
            name: String::new(),
            text: text(&markdown(&lists::keys(keys))),
            short: text(&cut(&markdown(&lists::keys(keys)), 200)),
            changes: Vec::new(),
        }
    };
    let listing = Listing {
        class: Class::Backends,
        title: "#### Operators by backend".to_owned(),
        meta: "| backends | lost | gained | other kind of kernel | training lost |\n\
               |---|---:|---:|---:|---:|\n"
            .to_owned(),
        rows: alike.iter().map(row).collect(),
        separator: "",
        what: "row",
        is_folded: false,
    };
    listing.items(report, room)
}
