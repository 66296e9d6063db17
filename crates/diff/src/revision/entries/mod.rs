//! Fields of the entries that both sides declare.

mod fields;
mod kernels;
mod tags;

use super::pairing::Common;
use super::side::DeclaredEntry;
use crate::change::Change;
use opatlas_operators::catalogue::Catalogue;
use opatlas_source::{Stop, Stopped};

/// The changes of all entries.
pub(super) fn compare(
    base: &Catalogue,
    head: &Catalogue,
    common: &Common,
    stop: &Stop,
) -> Result<Vec<Change>, Stopped> {
    let mut changes = Vec::new();
    for &(old, new) in &common.unshared {
        stop.check()?;
        let sides = (DeclaredEntry::new(base, old), DeclaredEntry::new(head, new));
        if let (Some(before), Some(after)) = sides {
            let name = before.operator.shared_name();
            fields::compare(&name, before, after, &mut changes);
            kernels::compare(&name, (base, before), (head, after), &mut changes);
            tags::compare(&name, before, after, &head.tags, &mut changes);
        }
    }
    Ok(changes)
}
