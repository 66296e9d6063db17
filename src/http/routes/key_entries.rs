//! One key across all operators: which operators are wanted, and their entries, as JSON, lines or a
//! sheet.

use opatlas_pytorch::key_set::Slot;
use opatlas_verdict::View;

use crate::http::stream::push_line;
use opatlas_service::Snapshot;
use opatlas_wire::entry::entry;
use opatlas_wire::key_entries::{KeyEntry, Wanted, each_entry};

/// One key across all operators, one operator per line.
#[must_use]
pub fn lines(snapshot: &Snapshot, slot: Slot, wanted: &Wanted) -> Vec<u8> {
    let tables = snapshot.tables(&wanted.profile);
    let view = View::new(snapshot.inputs(), &tables);
    let mut text = Vec::new();
    each_entry(view, slot, wanted, |id, found| {
        let operator = snapshot.catalogue.operator(id).qualified_name().to_owned();
        let entry = entry(snapshot, view, id, found);
        push_line(&mut text, &KeyEntry { operator, entry });
    });
    text
}
