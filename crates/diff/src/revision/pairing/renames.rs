//! Renamed operators (`docs/spec/compatibility.md`, section 4).
//!
//! Operators are grouped by the text of their schema after the name. Within a group, names are
//! looked up and never compared pair by pair, so the work is linear in the number of operators.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::rules::ChangeRuleId;
use crate::schema::rename_rule;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_source::suggest::similarity;
use opatlas_source::{Stop, Stopped};

#[derive(Debug, Clone, Copy)]
pub(in crate::revision) struct Rename {
    pub base: OperatorId,
    pub head: OperatorId,
    pub rule: ChangeRuleId,
    /// The similarity of the names in percent, if only the signature supports the pair.
    pub similarity: Option<u8>,
}

/// The least similarity of two names, in percent, for a rename that only the signature supports. The
/// only candidate in all releases, `align_as` and `_test_functorch_fallback`, is not a rename.
const LEAST_SIMILARITY: u8 = 50;

/// Finds pairs of declared operators that are likely one operator under two names, in the base's
/// order. Each operator is in at most one pair.
pub(super) fn find(
    base: &Catalogue,
    head: &Catalogue,
    (removed, added): (&[OperatorId], &[OperatorId]),
    stop: &Stop,
) -> Result<Vec<Rename>, Stopped> {
    let removed = shapes(base, removed, stop)?;
    let mut added = shapes(head, added, stop)?;
    let mut renamed = Vec::new();
    for (shape, olds) in removed {
        stop.check()?;
        if let Some(news) = added.remove(&shape) {
            let mut group = Group {
                base,
                head,
                olds,
                news,
                renamed: &mut renamed,
            };
            group.by_overload(stop)?;
            group.by_underscore(stop)?;
            group.by_signature(stop)?;
        }
    }
    renamed.sort_by_key(|pair| pair.base);
    Ok(renamed)
}

/// Groups declared operators by their schema after the name, without alias annotations: an operator
/// that became in-place differs only in those.
fn shapes(
    catalogue: &Catalogue,
    ids: &[OperatorId],
    stop: &Stop,
) -> Result<FxHashMap<String, Vec<OperatorId>>, Stopped> {
    let mut shapes: FxHashMap<String, Vec<OperatorId>> = FxHashMap::default();
    for &id in ids {
        stop.check()?;
        let operator = catalogue.operator(id);
        if !operator.is_generated() {
            shapes.entry(shape(operator)).or_default().push(id);
        }
    }
    Ok(shapes)
}

fn shape(operator: &Operator) -> String {
    let behind = behind(operator);
    let mut shape = String::with_capacity(behind.len());
    let mut depth = 0_u32;
    let mut kept = 0;
    let mut before = b' ';
    for (i, byte) in behind.bytes().enumerate() {
        // An annotation is the only parenthesis right behind a letter.
        let is_annotation = byte == b'(' && before.is_ascii_alphanumeric();
        if depth == 0 && is_annotation {
            shape.push_str(&behind[kept..i]);
            depth = 1;
        } else if depth > 0 && byte == b'(' {
            depth += 1;
        } else if depth > 0 && byte == b')' {
            depth -= 1;
            kept = i + 1;
        }
        before = byte;
    }
    if depth == 0 {
        shape.push_str(&behind[kept..]);
    }
    shape
}

/// The canonical schema after the name.
fn behind(operator: &Operator) -> &str {
    &operator.canonical()[operator.name_text().len()..]
}

/// A lookup key: the operator's namespace and two texts.
type LookupKey<'a> = (&'a str, &'a str, &'a str);

/// Unpaired operators of one shape, in the order of their sides. Each step pairs an old operator
/// with the first new one that fits; the most reliable step comes first.
struct Group<'a, 'r> {
    base: &'a Catalogue,
    head: &'a Catalogue,
    olds: Vec<OperatorId>,
    news: Vec<OperatorId>,
    renamed: &'r mut Vec<Rename>,
}

impl<'a> Group<'a, '_> {
    /// Another overload of the same base name, with the same annotations.
    fn by_overload(&mut self, stop: &Stop) -> Result<(), Stopped> {
        fn key(operator: &Operator) -> LookupKey<'_> {
            let name = operator.name();
            (operator.namespace(), name.base(), behind(operator))
        }
        let mut free = Free::new(self.head, &self.news, key);
        self.pair(stop, |group, old| {
            let at = free.place(key(group.base.operator(old)))?;
            let new = free.first(at)?;
            let rule = group.rule(old, new)?;
            free.take(at);
            Some((new, rule, None))
        })
    }

    /// A base name that gained or lost a leading or trailing underscore.
    fn by_underscore(&mut self, stop: &Stop) -> Result<(), Stopped> {
        fn key(operator: &Operator) -> LookupKey<'_> {
            let name = operator.name();
            (operator.namespace(), name.base(), name.overload())
        }
        let mut free = Free::new(self.head, &self.news, key);
        self.pair(stop, |group, old| {
            let (namespace, base, overload) = key(group.base.operator(old));
            let (private, inplace) = (format!("_{base}"), format!("{base}_"));
            let turned = [
                Some(&*private),
                Some(&*inplace),
                base.strip_prefix('_'),
                base.strip_suffix('_'),
            ];
            let places = turned.into_iter().flatten();
            let places = places.filter_map(|base| free.place((namespace, base, overload)));
            let found = places.filter_map(|at| Some((free.first(at)?, at)));
            let (new, at) = found.min()?;
            let rule = group.rule(old, new)?;
            free.take(at);
            Some((new, rule, None))
        })
    }

    /// The signature alone. This is a guess, so the pair must be the only one of its shape, with
    /// similar names.
    fn by_signature(&mut self, stop: &Stop) -> Result<(), Stopped> {
        let (&[old], &[new]) = (&self.olds[..], &self.news[..]) else {
            return Ok(());
        };
        let (before, after) = (self.base.operator(old), self.head.operator(new));
        let is_same = before.namespace() == after.namespace() && behind(before) == behind(after);
        let similar = similarity(before.base_name(), after.base_name());
        if !is_same || similar < LEAST_SIMILARITY {
            return Ok(());
        }
        self.pair(stop, |group, old| {
            Some((new, group.rule(old, new)?, Some(similar)))
        })
    }

    fn pair(
        &mut self,
        stop: &Stop,
        mut step: impl FnMut(&Self, OperatorId) -> Option<(OperatorId, ChangeRuleId, Option<u8>)>,
    ) -> Result<(), Stopped> {
        let (mut olds, mut taken) = (Vec::new(), rustc_hash::FxHashSet::default());
        for &base in &self.olds {
            stop.check()?;
            let Some((head, rule, similarity)) = step(self, base) else {
                olds.push(base);
                continue;
            };
            taken.insert(head);
            self.renamed.push(Rename {
                base,
                head,
                rule,
                similarity,
            });
        }
        self.olds = olds;
        self.news.retain(|id| !taken.contains(id));
        Ok(())
    }

    fn rule(&self, old: OperatorId, new: OperatorId) -> Option<ChangeRuleId> {
        let (old, new) = (self.base.operator(old), self.head.operator(new));
        rename_rule(
            (old.namespace(), old.base_name(), old.name().overload()),
            (new.namespace(), new.base_name(), new.name().overload()),
        )
    }
}

struct Free<'a> {
    places: FxHashMap<LookupKey<'a>, usize>,
    queues: Vec<VecDeque<OperatorId>>,
}

impl<'a> Free<'a> {
    fn new(
        catalogue: &'a Catalogue,
        ids: &[OperatorId],
        key: fn(&'a Operator) -> LookupKey<'a>,
    ) -> Self {
        let mut free = Self {
            places: FxHashMap::default(),
            queues: Vec::new(),
        };
        for &id in ids {
            let next = free.queues.len();
            let key = key(catalogue.operator(id));
            let at = *free.places.entry(key).or_insert(next);
            if at == next {
                free.queues.push(VecDeque::new());
            }
            free.queues[at].push_back(id);
        }
        free
    }

    fn place(&self, key: LookupKey<'_>) -> Option<usize> {
        self.places.get(&key).copied()
    }

    fn first(&self, at: usize) -> Option<OperatorId> {
        self.queues[at].front().copied()
    }

    fn take(&mut self, at: usize) {
        self.queues[at].pop_front();
    }
}
