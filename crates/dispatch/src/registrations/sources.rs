//! Registrations in the sources of a revision (`docs/spec/sources.md`, section 6).

use super::{Inputs, Row, RowSource};
use crate::origin::Origin;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::{KeySet, Slot};
use opatlas_pytorch::keys::{Key, Keys};
use opatlas_sources::Registration;

/// Adds the operator's registrations in sources, in registration order.
pub(super) fn rows(inputs: Inputs<'_>, keys: &Keys, id: OperatorId, rows: &mut Vec<Row>) {
    let sources = &inputs.catalogue.sources;
    if sources.is_empty() {
        return;
    }
    let operator = inputs.catalogue.operator(id);
    for (index, found) in sources.of(operator.qualified_name()) {
        let key = found.key.as_deref().and_then(|key| keys.lookup(key));
        rows.extend(key.map(|key| Row {
            key,
            origin: Origin::Source,
            fallthrough: found.fallthrough,
            source: RowSource::Scanned(index),
        }));
    }
}

/// Fallbacks for all operators that sources register.
#[derive(Debug, Clone, Default)]
pub(crate) struct SourceFallbacks {
    pub(crate) keys: KeySet,
    /// Keys with a fallthrough fallback.
    pub(crate) passing: KeySet,
    /// The last registration for each key.
    rows: Vec<(Slot, u32)>,
}

impl SourceFallbacks {
    pub(crate) fn new(inputs: Inputs<'_>, keys: &Keys) -> Self {
        let mut made = Self::default();
        for (index, found) in inputs.catalogue.sources.fallbacks() {
            let key = found.key.as_deref().and_then(|key| keys.lookup(key));
            let Some(Key::Runtime(slot)) = key else {
                continue;
            };
            made.keys.insert(slot);
            match found.fallthrough {
                true => made.passing.insert(slot),
                false => made.passing.remove(slot),
            }
            made.rows.retain(|(known, _)| *known != slot);
            made.rows.push((slot, index));
        }
        made
    }

    pub(crate) fn of<'a>(&self, inputs: Inputs<'a>, slot: Slot) -> Option<&'a Registration> {
        let (_, index) = self.rows.iter().find(|(known, _)| *known == slot)?;
        inputs.catalogue.sources.rows().get(*index as usize)
    }
}
