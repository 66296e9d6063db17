//! One operator's dispatch table as text and as CSV.

use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;
use opatlas_report::findings::Colour;
use opatlas_report::table::{
    CSV_HEADER, Shown, chain, csv_row, explanation, headline, table, training_sentence, what_if,
};
use opatlas_service::Snapshot;
use opatlas_source::Span;

use crate::problem::Problem;
use crate::tables::{self, with_view};
use crate::tables_query::TableQuery;

/// The requested table as text: the whole table, one entry, or what a what-if changes. Errors call
/// the revision `title`. Fails like [`tables::with_table`].
pub fn text(
    snapshot: &Snapshot,
    title: &str,
    operator: &str,
    query: &TableQuery,
    colour: Colour,
) -> Result<String, Problem> {
    with_view(snapshot, title, operator, query, |view, id, slot| {
        let line = |file: &str, span: Span| Some(snapshot.source(file)?.lines(span).start.line);
        let shown = Shown {
            view,
            line: &line,
            colour,
        };
        Ok(match slot {
            _ if query.is_what_if() => {
                what_if(shown, id, &tables::what_if(view, id, query)?, title)
            }
            Some(slot) => entry(shown, id, slot, query.explain.unwrap_or_default()),
            None => table(shown, id, title),
        })
    })
}

/// The requested table as CSV. Fails like [`tables::with_table`].
pub fn csv(
    snapshot: &Snapshot,
    title: &str,
    operator: &str,
    query: &TableQuery,
) -> Result<String, Problem> {
    with_view(snapshot, title, operator, query, |view, id, slot| {
        let entries: Vec<_> = if query.is_what_if() {
            tables::what_if(view, id, query)?.after
        } else {
            view.table(id).collect()
        };
        let mut text = CSV_HEADER.to_owned();
        for entry in entries {
            if slot.is_none_or(|slot| slot == entry.slot) {
                csv_row(&mut text, view, id, &entry);
            }
        }
        Ok(text)
    })
}

/// One entry, as a line or explained, and training on its backend.
fn entry(shown: Shown<'_>, id: OperatorId, slot: Slot, is_explained: bool) -> String {
    let mut text = match shown.view.explain(id, slot) {
        Some(told) if is_explained => explanation(shown, id, &told),
        Some(told) => headline(shown, id, &told.entry),
        None => String::new(),
    };
    if let Some(answer) = shown.view.training(id, slot) {
        let sentence = training_sentence(shown.view, id, &answer);
        text.push_str(&format!("\n  {sentence}\n"));
    }
    text.push_str(&chain(shown, id, slot));
    text
}
