//! What the operators of a revision take over from those of a former one. Revisions that follow one
//! another share the reading of most entries, and what follows from an entry alone is the same then.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use super::catalogue::Catalogue;
use super::operator::{Declaration, Generated, Operator, PlacedEntry};
use super::tags::{DeclaredTags, Tags};
use opatlas_pytorch::release::Release;
use opatlas_schema::function::SchemaKind;

/// The operators of a former revision, by the entries that they come from.
#[derive(Default)]
pub(super) struct Former<'a> {
    operators: &'a [Operator],
    /// Whether the same rules hold, those of the release and the list of tags.
    is_alike: bool,
    written: OnceLock<FxHashMap<usize, usize>>,
    generated: FxHashMap<(usize, SchemaKind), usize>,
}

/// What was generated for a former revision.
pub(super) struct Known<'a> {
    pub(super) made: &'a Arc<Generated>,
    /// The operator that it became.
    pub(super) operator: &'a Operator,
    /// Its tags, where they are the same.
    pub(super) tags: Option<&'a Tags>,
}

impl<'a> Former<'a> {
    /// Those of `former` for a revision under these rules.
    pub(super) fn of(former: &'a Catalogue, release: Release, tags: &DeclaredTags) -> Self {
        let operators = &*former.operators;
        let generated = operators.iter().enumerate().filter_map(|(at, operator)| {
            let from = &operators[operator.generated_from()?.index()];
            Some(((identity(from)?, operator.kind), at))
        });
        Self {
            operators,
            is_alike: former.release == release && former.tags == *tags,
            written: OnceLock::new(),
            generated: generated.collect(),
        }
    }

    /// Finds the operators of entries that follow each other.
    pub(super) fn cursor(&self) -> Cursor<'_> {
        Cursor {
            former: self,
            next: 0,
        }
    }

    fn places(&self) -> &FxHashMap<usize, usize> {
        self.written.get_or_init(|| {
            let all = self.operators.iter().enumerate();
            all.filter_map(|(at, operator)| Some((identity(operator)?, at)))
                .collect()
        })
    }

    /// What was generated of a kind from the entry of an operator. The same entry gives the same in every
    /// release.
    pub(super) fn generated(&self, from: &Operator, kind: SchemaKind) -> Option<Known<'a>> {
        let at = *self.generated.get(&(identity(from)?, kind))?;
        let known = &self.operators[at];
        let Declaration::Generated { made, from: base } = &known.declaration else {
            return None;
        };
        let base = &self.operators[base.index()];
        let has_same_tags = self.is_alike && Arc::ptr_eq(&base.tags, &from.tags);
        Some(Known {
            made,
            operator: known,
            tags: has_same_tags.then_some(&known.tags),
        })
    }
}

/// Looks for one operator after the other.
pub(super) struct Cursor<'a> {
    former: &'a Former<'a>,
    /// Where the next one is looked for first: most stand in the same order.
    next: usize,
}

impl Cursor<'_> {
    /// The operator of an entry, where it is the same.
    pub(super) fn written(&mut self, placed: &PlacedEntry) -> Option<Operator> {
        let Former {
            operators,
            is_alike: true,
            ..
        } = self.former
        else {
            return None;
        };
        let is_next = operators.get(self.next).is_some_and(|next| {
            let next = next.declared();
            next.is_some_and(|next| Arc::ptr_eq(&next.entry, &placed.entry))
        });
        let at = match is_next {
            true => self.next,
            false => *self
                .former
                .places()
                .get(&Arc::as_ptr(&placed.entry).addr())?,
        };
        self.next = at + 1;
        let known = &operators[at];
        let declaration = Declaration::Entry(placed.clone());
        Some(known.declared_by(declaration, Arc::clone(&known.tags)))
    }
}

/// What tells an entry from all others that are in memory at the same time.
fn identity(operator: &Operator) -> Option<usize> {
    let placed = operator.declared()?;
    Some(Arc::as_ptr(&placed.entry).addr())
}
