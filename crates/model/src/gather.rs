//! Collects calls in the order of their first execution.

use rustc_hash::FxHashMap;

use crate::name::Name;
use crate::place::cut;
use crate::{Call, Limits, Model, Refusal};

/// How many notes and unread calls are kept.
const MOST_LINES: usize = 50;

/// Calls that were read so far.
#[derive(Debug)]
pub(crate) struct Gather {
    calls: Vec<Call>,
    index: FxHashMap<Name, usize>,
    notes: Vec<String>,
    unread: Vec<String>,
    most: usize,
}

impl Gather {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            calls: Vec::new(),
            index: FxHashMap::default(),
            notes: Vec::new(),
            unread: Vec::new(),
            most: limits.operators,
        }
    }

    /// A second one with the same limits.
    pub(crate) fn beside(&self) -> Self {
        Self {
            calls: Vec::new(),
            index: FxHashMap::default(),
            notes: Vec::new(),
            unread: Vec::new(),
            most: self.most,
        }
    }

    /// Adds a call. Fails with [`Refusal::Operators`].
    pub(crate) fn call(&mut self, call: Call) -> Result<(), Refusal> {
        if let Some(known) = self.index.get(&call.operator).copied() {
            if let Some(known) = self.calls.get_mut(known) {
                known.count = known.count.saturating_add(call.count);
                known.is_conditional &= call.is_conditional;
                known.place = known.place.take().or(call.place);
            }
            return Ok(());
        }
        if self.calls.len() == self.most {
            return Err(Refusal::Operators { limit: self.most });
        }
        self.index.insert(call.operator.clone(), self.calls.len());
        self.calls.push(call);
        Ok(())
    }

    /// Adds one call of an operator.
    pub(crate) fn one(
        &mut self,
        operator: Name,
        place: Option<String>,
        is_conditional: bool,
    ) -> Result<(), Refusal> {
        self.call(Call {
            operator,
            count: 1,
            place,
            is_conditional,
        })
    }

    /// Adds what another one has, after all that is here.
    pub(crate) fn append(&mut self, other: Self, is_conditional: bool) -> Result<(), Refusal> {
        for mut call in other.calls {
            call.is_conditional |= is_conditional;
            self.call(call)?;
        }
        other.notes.iter().for_each(|note| self.note(note));
        other.unread.iter().for_each(|text| self.unread(text));
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    pub(crate) fn note(&mut self, note: &str) {
        add(&mut self.notes, note);
    }

    pub(crate) fn unread(&mut self, what: &str) {
        add(&mut self.unread, what);
    }

    pub(crate) fn model(self, kind: &'static str) -> Model {
        Model {
            kind,
            operators: self.calls,
            notes: self.notes,
            unread: self.unread,
        }
    }
}

fn add(lines: &mut Vec<String>, line: &str) {
    let line = cut(line);
    if lines.len() < MOST_LINES && !lines.contains(&line) {
        lines.push(line);
    }
}
