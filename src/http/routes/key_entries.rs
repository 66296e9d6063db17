//! One key across all operators, as JSON lines.

use opatlas_pytorch::key_set::Slot;
use opatlas_verdict::View;

use crate::http::stream::push_line;
use opatlas_service::Snapshot;
use opatlas_wire::entry::entry;
use opatlas_wire::key_entries::{KeyEntry, TableSelection, each_entry};

/// One key across all operators, one operator per line.
#[must_use]
pub fn lines(snapshot: &Snapshot, slot: Slot, selection: &TableSelection) -> Vec<u8> {
    let tables = snapshot.tables(&selection.profile);
    let view = View::new(snapshot.inputs(), &tables);
    let mut text = Vec::new();
    each_entry(view, slot, selection, |id, found| {
        let operator = snapshot.catalogue.operator(id).qualified_name().to_owned();
        let entry = entry(snapshot, view, id, found);
        push_line(&mut text, &KeyEntry { operator, entry });
    });
    text
}
