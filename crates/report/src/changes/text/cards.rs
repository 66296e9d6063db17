//! The cards of new operators.

use super::TextReport;
use crate::changes::card;
use crate::changes::outline::shown;
use crate::escape::line;
use opatlas_diff::cards::Card;
use opatlas_diff::causes::Cause;

/// The most cards of a cause that are shown.
const MOST_CARDS: usize = 3;

impl TextReport<'_, '_> {
    /// The cards of the operators that a cause adds, if there are few.
    pub(super) fn cards(&mut self, cause: &Cause) {
        let mut cards = self.report.cards.iter();
        let is_of_cause = |card: &&Card| {
            let mut edited = cause.edited.iter();
            edited.any(|edited| *edited.operator == *card.operator)
        };
        let cards: Vec<&Card> = cards
            .by_ref()
            .filter(is_of_cause)
            .take(MOST_CARDS + 1)
            .collect();
        if cards.len() <= MOST_CARDS {
            cards
                .iter()
                .for_each(|card| self.card(card, cause.edited.len() > 1));
        }
    }

    fn card(&mut self, card: &Card, is_one_of_many: bool) {
        let name = |name: &str| line(name).into_owned();
        if is_one_of_many {
            self.line(format_args!("  {}:", line(&card.operator)));
        }
        if let Some(variants) = card::variants(card, name) {
            self.line(format_args!("  with: {variants}"));
        }
        self.line(format_args!("  runs on: {}", line(&card::runs(card))));
        if let Some(trains) = card::trains(card) {
            self.line(format_args!("  trains: {trains}"));
        }
        self.line(format_args!("  out form: {}", card::out(card, name)));
        self.line(format_args!("  Python: {}", card::python(card)));
        if !card.missing_tags.is_empty() {
            let tags = card.missing_tags.join(", ");
            let tags = line(&tags);
            self.line(format_args!("  its other forms have the tags: {tags}"));
        }
        if !card.lacks.is_empty() {
            self.line(format_args!("  ways: {}", card.lacks.join("; ")));
        }
        let (kernels, more) = shown(&card.kernels);
        for (_, declaration) in kernels {
            self.line(format_args!("  to write: {}", line(declaration)));
        }
        self.more("  ", more, "declaration");
    }
}
