//! Exceptions, one line each.

use super::item::Item;
use super::listing::{Listing, Row, short_row};
use crate::changes::outline::Class;
use crate::changes::{Report, message};
use crate::escape::{code, markdown};

/// The exceptions that were used, are unused, or have expired.
pub(super) fn items(report: &Report<'_>, about: &[usize], room: Option<usize>) -> Vec<Item> {
    let row = |&i: &usize| {
        let change = &report.judgement.changes[i].change;
        let name = code(&change.operator);
        Row {
            name: Some(&change.operator),
            text: format!(
                "- {name}: {} · `{}`\n",
                markdown(&message(change)),
                change.rule.id
            ),
            short: short_row(report, &change.operator),
            changes: vec![i],
        }
    };
    let listing = Listing {
        class: Class::Excused,
        title: "#### Exceptions".to_owned(),
        meta: String::new(),
        header: "",
        rows: about.iter().map(row).collect(),
        separator: "",
        what: "exception",
        is_folded: true,
    };
    listing.items(report, room)
}
