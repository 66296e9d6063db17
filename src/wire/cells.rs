//! The cells of dispatch tables that changed, on the wire.

use std::iter::once;
use std::sync::LazyLock;

use opatlas_diff::revision::{Cell, TableChange};
use opatlas_dispatch::{Reason, Verdict};
use opatlas_pytorch::key_set::KeySet;
use opatlas_pytorch::keys::{Key, Keys};
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use utoipa::ToSchema;

use crate::service::compare::Compared;

/// Cells of an operator's table with the same change.
#[derive(Debug, Serialize, ToSchema)]
pub struct DispatchChange<'a> {
    /// The operator.
    pub operator: &'a str,
    /// The runtime keys.
    #[schema(value_type = Vec<String>)]
    pub keys: KeyNames,
    /// What served them in the base.
    #[schema(value_type = CellView)]
    pub before: Served<'a>,
    /// What serves them in the head.
    #[schema(value_type = CellView)]
    pub after: Served<'a>,
    /// The fingerprint of the entry's change that causes this.
    pub cause: Option<&'a str>,
}

/// The names of the keys of cells, in table order.
#[derive(Debug, Clone, Copy)]
pub struct KeyNames(&'static Keys, KeySet);

impl Serialize for KeyNames {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let slots = self.1.iter();
        serializer.collect_seq(slots.map(|slot| self.0.name(Key::Runtime(slot))))
    }
}

/// What serves a key.
#[derive(Debug, Serialize, ToSchema)]
pub struct CellView<'a> {
    /// Why.
    #[schema(example = "kernel")]
    pub reason: &'static str,
    /// The registered key that serves it; null without a kernel or for a fallback.
    pub source_key: Option<&'static str>,
    /// The kernel.
    pub kernel: Option<&'a str>,
    /// Whether a call works; null on keys that are not a backend's.
    #[schema(example = "runs")]
    pub verdict: Option<&'static str>,
}

/// A cell, written as its [`CellView`].
#[derive(Debug, Clone, Copy)]
pub struct Served<'a>(&'a Cell<'a>);

impl Serialize for Served<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match unserved(self.0) {
            Some(text) => text.serialize(serializer),
            None => view(self.0).serialize(serializer),
        }
    }
}

fn view<'a>(cell: &'a Cell<'_>) -> CellView<'a> {
    CellView {
        reason: cell.reason.as_str(),
        source_key: cell.source_key,
        kernel: cell.kernel.as_deref(),
        verdict: cell.verdict.map(Verdict::as_str),
    }
}

/// Half of the cells that change had or have no kernel, and are one of a few dozen texts. To write each anew
/// took a twentieth of the time of a comparison.
fn unserved(cell: &Cell<'_>) -> Option<&'static RawValue> {
    static TEXTS: LazyLock<Vec<Option<Box<RawValue>>>> = LazyLock::new(|| {
        let verdicts = || once(None).chain(Verdict::ALL.map(Some));
        let cells = Reason::ALL.into_iter().flat_map(|reason| {
            verdicts().map(move |verdict| Cell {
                reason,
                source_key: None,
                kernel: None,
                verdict,
            })
        });
        cells.map(|cell| to_raw_value(&view(&cell)).ok()).collect()
    });
    if cell.source_key.is_some() || cell.kernel.is_some() {
        return None;
    }
    let verdict = cell.verdict.map_or(0, |verdict| 1 + verdict as usize);
    let place = cell.reason as usize * (1 + Verdict::ALL.len()) + verdict;
    TEXTS.get(place)?.as_deref()
}

/// The cells of tables, made and converted table by table while they are serialized: all of a
/// large comparison at once would take several times the memory of their JSON.
#[derive(Debug, Clone, Copy)]
pub struct DispatchChanges<'a>(pub(super) &'a Compared, pub(super) &'a [TableChange]);

impl Serialize for DispatchChanges<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for table in self.1 {
            self.each(table, |change| list.serialize_element(change))?;
        }
        list.end()
    }
}

impl DispatchChanges<'_> {
    /// Passes the cells of one table to `take`, one by one, until it fails.
    pub(super) fn each<E>(
        self,
        table: &TableChange,
        mut take: impl FnMut(&DispatchChange<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let (base, head) = self.0.views();
        let cause = table.cause.and_then(|at| self.0.comparison.changes.get(at));
        let cause = cause.map(|cause| cause.fingerprint().to_string());
        for change in table.cells(base, head) {
            take(&DispatchChange {
                operator: &table.operator,
                keys: KeyNames(base.keys(), change.slots),
                before: Served(&change.before),
                after: Served(&change.after),
                cause: cause.as_deref(),
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_is_written_as_its_view() {
        let verdicts = || once(None).chain(Verdict::ALL.map(Some));
        for (reason, verdict) in Reason::ALL
            .into_iter()
            .flat_map(|r| verdicts().map(move |v| (r, v)))
        {
            for (source_key, kernel) in [
                (None, None),
                (Some("CPU"), None),
                (Some("CPU"), Some("f\"".into())),
            ] {
                let cell = Cell {
                    reason,
                    source_key,
                    kernel,
                    verdict,
                };
                let text = serde_json::to_string(&Served(&cell)).unwrap();
                assert_eq!(text, serde_json::to_string(&view(&cell)).unwrap());
            }
        }
    }
}
