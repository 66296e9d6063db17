//! New operators: where each runs, whether it trains, its out form, and the C++ to write.

use super::item::{Item, SHORT_NAME, in_full, line};
use super::listing::{Listing, Row};
use crate::changes::outline::Class;
use crate::changes::{Report, card, count};
use crate::escape::{code_cell as code, cut, prose};
use opatlas_diff::cards::Card;
use opatlas_diff::causes::{Cause, EntryEdit};
use rustc_hash::FxHashMap;

/// The most declarations in a row.
const DECLARATIONS: usize = 2;

/// The cards of new operators, by name.
pub(super) type Cards<'a> = FxHashMap<&'a str, &'a Card>;

pub(super) fn cards<'a>(report: &Report<'a>) -> Cards<'a> {
    let cards = report.cards.iter();
    cards.map(|card| (&*card.operator, card)).collect()
}

/// A row for each new operator of a cause. The first one covers the consequences.
pub(super) fn rows<'a>(report: &Report<'_>, cause: &'a Cause, cards: &Cards<'_>) -> Vec<Row<'a>> {
    let edited = cause.edited.iter();
    let rows = edited.map(|edited| row(report, edited, cards.get(&*edited.operator)));
    let mut rows: Vec<Row<'_>> = rows.collect();
    if let Some(first) = rows.first_mut() {
        first.changes.extend(&cause.consequences);
    }
    rows
}

pub(super) fn items(report: &Report<'_>, rows: Vec<Row<'_>>, room: Option<usize>) -> Vec<Item> {
    if rows.is_empty() {
        return Vec::new();
    }
    let listing = Listing {
        class: Class::New,
        title: format!("#### {}", count(rows.len(), "new operator")),
        meta: String::new(),
        header: "| operator | runs | trains | out form | Python | C++ to write |\n\
                 |---|---|---|---|---|---|\n",
        rows,
        separator: "",
        what: "operator",
        is_folded: true,
    };
    listing.items(report, room)
}

fn row<'a>(report: &Report<'_>, edited: &'a EntryEdit, card: Option<&&Card>) -> Row<'a> {
    let change = &report.judgement.changes[edited.edits[0]].change;
    let namespace = edited.operator.split_once("::");
    let namespace = namespace.map_or_else(String::new, |(name, _)| format!("{name}::"));
    let schema = change.new.as_ref().map_or("", |schema| &schema.text);
    let place = line(&report.head, change.new.as_ref());
    let place = place.map_or_else(String::new, |place| format!(" ({place})"));
    let mut first = format!("{}{place}", code(&format!("{namespace}{schema}")));
    let cells = card.map_or_else(
        || ["", "", "", "", ""].map(str::to_owned),
        |card| {
            if !card.missing_tags.is_empty() {
                let tags: Vec<String> = card.missing_tags.iter().map(|tag| code(tag)).collect();
                let tags = tags.join(", ");
                first.push_str(&format!("; its other forms have the tags {tags}"));
            }
            if !card.lacks.is_empty() {
                first.push_str(&format!("; {}", prose(&card.lacks.join("; "))));
            }
            [
                prose(&card::runs(card)),
                prose(&card::trains(card)),
                card::out(card, code),
                card::python(card).to_owned(),
                kernels(card),
            ]
        },
    );
    let cells: Vec<String> = [first].into_iter().chain(cells).collect();
    Row {
        text: format!("| {} |\n", cells.join(" | ")),
        short: {
            let name = code(&cut(&edited.operator, SHORT_NAME));
            format!("| {name} | {} | | | | |\n", in_full(report))
        },
        changes: edited.edits.clone(),
        name: Some(&edited.operator),
    }
}

fn kernels(card: &Card) -> String {
    let shown = card.kernels.iter().take(DECLARATIONS);
    let mut shown: Vec<String> = shown.map(|(_, declaration)| code(declaration)).collect();
    if let more @ 1.. = card.kernels.len().saturating_sub(DECLARATIONS) {
        shown.push(count(more, "more kernel"));
    }
    if shown.is_empty() {
        return "nothing".to_owned();
    }
    shown.join(", ")
}
