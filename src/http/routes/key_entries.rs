//! One key across all operators, as JSON lines.

use std::ops::Range;

use opatlas_pytorch::key_set::Slot;
use opatlas_verdict::View;

use crate::http::stream::push_line;
use opatlas_service::Snapshot;
use opatlas_wire::entry::entry;
use opatlas_wire::key_entries::{KeyEntry, TableSelection, each_entry};

/// A part of the list of one key across all operators, one operator per line; and the length of the
/// list.
#[must_use]
pub fn lines(
    snapshot: &Snapshot,
    slot: Slot,
    selection: &TableSelection,
    part: Range<usize>,
) -> (Vec<u8>, usize) {
    let tables = snapshot.tables(&selection.profile);
    let view = View::new(snapshot.inputs(), &tables);
    let mut text = Vec::new();
    let count = each_entry(view, slot, selection, part, |id, found| {
        let operator = snapshot.catalogue.operator(id).qualified_name().to_owned();
        let entry = entry(snapshot, view, id, found);
        push_line(&mut text, &KeyEntry { operator, entry });
    });
    (text, count)
}
