//! Coverage: the number of operators with each reason on each key, in total and by namespace, tag and
//! `python_module`.

use std::collections::BTreeMap;

use super::entry::View;
use super::resolve::{Precedence, Reason};
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Keys;

/// Counts of a revision's cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coverage {
    /// All operators.
    pub overall: Counts,
    /// By namespace.
    pub by_namespace: BTreeMap<Box<str>, Counts>,
    /// By tag. An operator with several tags counts for each of them.
    pub by_tag: BTreeMap<Box<str>, Counts>,
    /// By `python_module`. Operators without one are left out.
    pub by_python_module: BTreeMap<Box<str>, Counts>,
}

/// The number of operators with each reason, by key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    /// The number of operators.
    pub operators: usize,
    /// Indexed by slot, then in the order of [`Reason::ALL`].
    by_key: Vec<[u32; Reason::ALL.len()]>,
}

impl Counts {
    /// The counts of a key, in the order of [`Reason::ALL`].
    #[must_use]
    pub fn key(&self, slot: Slot) -> [u32; Reason::ALL.len()] {
        self.by_key.get(slot.index()).copied().unwrap_or_default()
    }

    /// The sum over the keys of a functionality (`Sparse`, `Dense`, `Tracer`).
    #[must_use]
    pub fn functionality(&self, keys: &Keys, functionality: &str) -> [u32; Reason::ALL.len()] {
        let of = |slot: &Slot| keys.functionality(*slot) == functionality;
        let mut sum = [0; Reason::ALL.len()];
        for slot in keys.slots().filter(of) {
            for (sum, count) in sum.iter_mut().zip(self.key(slot)) {
                *sum += count;
            }
        }
        sum
    }

    /// The sum over all keys.
    #[must_use]
    pub fn total(&self) -> [u64; Reason::ALL.len()] {
        let mut sum = [0; Reason::ALL.len()];
        for row in &self.by_key {
            for (sum, count) in sum.iter_mut().zip(row) {
                *sum += u64::from(*count);
            }
        }
        sum
    }
}

/// Counts the operators that `counted` accepts.
#[must_use]
pub fn coverage(view: View<'_>, counted: impl Fn(OperatorId, &Operator) -> bool) -> Coverage {
    let patterns = view.tables.patterns().len();
    let mut overall = Tally::new(patterns);
    let (mut namespaces, mut tags, mut modules) = (Groups::new(), Groups::new(), Groups::new());
    for (id, operator) in view.inputs.catalogue.iter() {
        let Some(pattern) = view.tables.pattern_index(id) else {
            continue;
        };
        if !counted(id, operator) {
            continue;
        }
        overall.add(pattern);
        group(&mut namespaces, operator.namespace(), patterns).add(pattern);
        for tag in operator.tags.iter() {
            group(&mut tags, tag, patterns).add(pattern);
        }
        let module = operator
            .declared()
            .and_then(|p| p.entry.python_module.as_ref());
        if let Some(module) = module {
            group(&mut modules, &module.value, patterns).add(pattern);
        }
    }
    let finish = |groups: Groups<'_>| {
        let counts = groups.into_iter();
        counts
            .map(|(name, tally)| (name.into(), tally.counts(view)))
            .collect()
    };
    Coverage {
        overall: overall.counts(view),
        by_namespace: finish(namespaces),
        by_tag: finish(tags),
        by_python_module: finish(modules),
    }
}

type Groups<'a> = BTreeMap<&'a str, Tally>;

fn group<'g, 'a>(groups: &'g mut Groups<'a>, name: &'a str, patterns: usize) -> &'g mut Tally {
    groups.entry(name).or_insert_with(|| Tally::new(patterns))
}

/// The number of operators of a group with each table. Tables are few, so cells are counted at the end.
struct Tally {
    operators: usize,
    by_pattern: Vec<u32>,
}

impl Tally {
    fn new(patterns: usize) -> Self {
        Self {
            operators: 0,
            by_pattern: vec![0; patterns],
        }
    }

    fn add(&mut self, pattern: usize) {
        self.operators += 1;
        if let Some(count) = self.by_pattern.get_mut(pattern) {
            *count += 1;
        }
    }

    fn counts(self, view: View<'_>) -> Counts {
        let mut by_key = vec![[0; Reason::ALL.len()]; view.keys().count()];
        let patterns = view.tables.patterns().iter().zip(self.by_pattern);
        for (pattern, count) in patterns.filter(|(_, count)| *count > 0) {
            for rule in Precedence::ALL {
                for slot in pattern.table.served(rule).iter() {
                    if let Some(row) = by_key.get_mut(slot.index()) {
                        row[rule.reason() as usize] += count;
                    }
                }
            }
        }
        Counts {
            operators: self.operators,
            by_key,
        }
    }
}
