//! The cells of dispatch tables that changed, on the wire.

use opatlas_diff::revision::{Cell, TableChange};
use opatlas_pytorch::key_set::KeySet;
use opatlas_pytorch::keys::{Key, Keys};
use opatlas_verdict::{Because, Standing, Verdict};
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use opatlas_report::changes::Listed;
use opatlas_service::compare::Compared;

/// Cells of an operator's table with the same change.
#[derive(Debug, Serialize, ToSchema)]
pub struct DispatchChange<'a> {
    /// The operator.
    pub operator: &'a str,
    /// The runtime keys.
    #[schema(value_type = Vec<String>)]
    pub keys: KeyNames,
    /// Their entry in the base.
    pub before: CellView<'a>,
    /// Their entry in the head.
    pub after: CellView<'a>,
    /// The fingerprint of the change that causes this.
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
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub struct CellView<'a> {
    /// Why.
    #[schema(example = "kernel")]
    pub reason: &'static str,
    /// The registered key that serves it; null without a kernel or for a fallback.
    pub source_key: Option<&'static str>,
    /// The kernel.
    pub kernel: Option<&'a str>,
    /// Whether a call works; null for keys that do not belong to a backend.
    #[schema(example = "runs")]
    pub verdict: Option<&'static str>,
    /// How it stands: `own` (a kernel registered on the key works), `inherited` (another kernel works),
    /// `partly`, `fails` or `unknown`.
    #[schema(example = "own")]
    pub standing: &'static str,
    /// Why the verdict is unknown.
    pub because: Option<&'static str>,
}

fn view<'a>(cell: &'a Cell<'_>) -> CellView<'a> {
    CellView {
        reason: cell.reason.as_str(),
        source_key: cell.source_key,
        kernel: cell.kernel.as_deref(),
        verdict: cell.verdict.map(Verdict::as_str),
        standing: Standing::of(cell.verdict, cell.reason).as_str(),
        because: cell.because.map(Because::as_str),
    }
}

/// Changed cells, converted table by table during serialization, which saves memory.
#[derive(Debug, Clone, Copy)]
pub struct DispatchChanges<'a>(
    pub(super) &'a Compared,
    pub(super) &'a [TableChange],
    pub(super) Option<&'a Listed>,
);

impl Serialize for DispatchChanges<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (base, head) = self.0.views();
        let mut list = serializer.serialize_seq(None)?;
        let filter = self.2.map(Listed::filter);
        let lists = |name: &str| filter.is_none_or(|filter| filter.matches_operator(name));
        for table in self.1.iter().filter(|table| lists(&table.operator)) {
            let cause = self.cause(table);
            for change in table.cells(base, head) {
                let slots = change.slots.iter();
                let mut keys = slots.map(|slot| base.keys().name(Key::Runtime(slot)));
                if filter.is_some_and(|filter| !filter.matches_keys(&mut keys)) {
                    continue;
                }
                list.serialize_element(&DispatchChange {
                    operator: &table.operator,
                    keys: KeyNames(base.keys(), change.slots),
                    before: view(&change.before),
                    after: view(&change.after),
                    cause: cause.as_deref(),
                })?;
            }
        }
        list.end()
    }
}

impl DispatchChanges<'_> {
    fn cause(self, table: &TableChange) -> Option<String> {
        let cause = self.0.comparison.changes.get(table.cause?);
        Some(cause?.fingerprint().to_string())
    }
}
