//! New operators: where each runs, whether it trains, its out form, and the C++ to write. The variants
//! of an operator share a row.

use super::item::{in_full, line};
use super::piece::{Group, Piece, Row, Stage};
use crate::changes::outline::Class;
use crate::changes::{Report, card, count};
use crate::escape::{code, code_cell, prose};
use opatlas_diff::cards::Card;
use opatlas_diff::causes::{Cause, EntryEdit};
use rustc_hash::FxHashMap;

/// The most declarations in a row.
const DECLARATIONS: usize = 2;

/// The most operators named in the title.
const NAMED: usize = 3;

/// The cards of new operators, each by the names of all of its operators.
pub(super) type Cards<'a> = FxHashMap<&'a str, &'a Card>;

pub(super) fn cards<'a>(report: &Report<'a>) -> Cards<'a> {
    let mut cards = Cards::default();
    for card in report.cards {
        cards.insert(&card.operator, card);
        let variants = card.variants.iter();
        cards.extend(variants.map(|variant| (&*variant.operator, card)));
    }
    cards
}

pub(super) fn piece(report: &Report<'_>, cause: &Cause, cards: &Cards<'_>) -> Piece {
    let edited = cause.edited.iter();
    let mut names: Vec<String> = edited.take(NAMED).map(|one| code(&one.operator)).collect();
    if let more @ 1.. = cause.edited.len() - names.len() {
        names.push(format!("{more} more"));
    }
    let number = count(cause.edited.len(), "new operator");
    Piece {
        class: Class::New,
        head: format!("\n**{number}:** {}\n", names.join(", ")),
        short: format!("\n**{number}** ({})\n", in_full(report)),
        groups: vec![Group {
            open: "\n| operator | runs | trains | out form | Python | C++ to write |\n\
                   |---|---|---|---|---|---|\n"
                .to_owned(),
            before: "\n",
            ..Group::of(Stage::Card, rows(report, cause, cards))
        }],
    }
}

/// A row for each card of the cause's operators, and for each operator without one.
fn rows(report: &Report<'_>, cause: &Cause, cards: &Cards<'_>) -> Vec<Row> {
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    let mut rows: Vec<(&EntryEdit, Option<&Card>, usize)> = Vec::new();
    for edited in &cause.edited {
        let card = cards.get(&*edited.operator).copied();
        let main = card.map_or(&*edited.operator, |card| &card.operator);
        match places.get(main) {
            Some(&place) => {
                rows[place].2 += 1;
                if *edited.operator == *main {
                    rows[place].0 = edited;
                }
            }
            None => {
                places.insert(main, rows.len());
                rows.push((edited, card, 1));
            }
        }
    }
    rows.into_iter()
        .map(|(edited, card, amount)| Row {
            amount,
            ..Row::counted(row(report, edited, card), "operator")
        })
        .collect()
}

fn row(report: &Report<'_>, edited: &EntryEdit, card: Option<&Card>) -> String {
    let change = &report.judgement.changes[edited.edits[0]].change;
    let namespace = edited.operator.split_once("::");
    let namespace = namespace.map_or_else(String::new, |(name, _)| format!("{name}::"));
    let schema = change.new.as_ref().map_or("", |schema| &schema.text);
    let place = line(&report.head, change.new.as_ref());
    let place = place.map_or_else(String::new, |place| format!(" ({place})"));
    let mut first = format!("{}{place}", code_cell(&format!("{namespace}{schema}")));
    let cells = card.map_or_else(
        || ["", "", "", "", ""].map(str::to_owned),
        |card| {
            first.push_str(&about(card));
            [
                prose(&card::runs(card)),
                prose(&card::trains(card).unwrap_or_default()),
                card::out(card, code_cell),
                card::python(card).to_owned(),
                kernels(card),
            ]
        },
    );
    let cells: Vec<String> = [first].into_iter().chain(cells).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// Its variants, and what it lacks.
fn about(card: &Card) -> String {
    let mut text = String::new();
    if let Some(variants) = card::variants(card, code_cell) {
        text.push_str(&format!(", with {variants}"));
    }
    if !card.missing_tags.is_empty() {
        let tags: Vec<String> = card.missing_tags.iter().map(|tag| code_cell(tag)).collect();
        text.push_str(&format!(
            "; its other forms have the tags {}",
            tags.join(", ")
        ));
    }
    if !card.lacks.is_empty() {
        text.push_str(&format!("; {}", prose(&card.lacks.join("; "))));
    }
    text
}

fn kernels(card: &Card) -> String {
    let shown = card.kernels.iter().take(DECLARATIONS);
    let mut shown: Vec<String> = shown
        .map(|(_, declaration)| code_cell(declaration.trim_end()))
        .collect();
    if let more @ 1.. = card.kernels.len().saturating_sub(DECLARATIONS) {
        shown.push(count(more, "more kernel"));
    }
    if shown.is_empty() {
        return "nothing".to_owned();
    }
    shown.join(", ")
}
