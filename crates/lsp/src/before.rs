//! The audiences that the uncommitted change of a bundle breaks.

use std::collections::BTreeMap;
use std::sync::Arc;

use opatlas_diff::rules::Audiences;
use opatlas_diff::{Comparison, Revision, compare};
use opatlas_operators::operator::OperatorId;
use opatlas_report::history::people;
use opatlas_service::Snapshot;

/// The most removed operators that are named.
const MOST_NAMES: usize = 3;

#[derive(Debug, Default)]
pub(super) struct Breaks {
    /// By operator that is still declared.
    pub(super) by_operator: BTreeMap<OperatorId, Audiences>,
    removed: Vec<Arc<str>>,
    by_removal: Audiences,
}

impl Breaks {
    pub(super) fn new(before: &Snapshot, now: &Snapshot) -> Self {
        let mut breaks = Self::default();
        if before.digest == now.digest {
            return breaks;
        }
        let [base, head] = [before, now].map(|snapshot| Revision {
            catalogue: &snapshot.catalogue,
            view: Some(snapshot.view()),
        });
        let comparison = compare(base, head);
        for change in &comparison.changes {
            let hurt = change.impacts.breaks;
            if hurt.is_empty() {
                continue;
            }
            if let Some(id) = declared(&comparison, now, &change.operator) {
                let known = breaks.by_operator.entry(id).or_insert(Audiences::NONE);
                *known = known.union(hurt);
            } else {
                if !breaks.removed.contains(&change.operator) {
                    breaks.removed.push(change.operator.clone());
                }
                breaks.by_removal = breaks.by_removal.union(hurt);
            }
        }
        breaks
    }

    /// The title for the removed operators; `None` if their removal breaks nobody.
    pub(super) fn removal_title(&self) -> Option<String> {
        let names = &self.removed[..self.removed.len().min(MOST_NAMES)];
        let more = match self.removed.len() - names.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let names = names.join(", ");
        (!self.removed.is_empty())
            .then(|| format!("without {names}{more}: {}", title(self.by_removal)))
    }
}

/// The declared operator for a changed one in the current bundle; for a generated one, its source.
fn declared(comparison: &Comparison, now: &Snapshot, name: &str) -> Option<OperatorId> {
    let pair = comparison.pairs.iter().find(|pair| *pair.name == *name);
    let id = match pair {
        Some(pair) => pair.head,
        None => now.catalogue.find_qualified(name),
    }?;
    let operator = now.catalogue.operator(id);
    Some(operator.generated_from().unwrap_or(id))
}

/// `2 callers break: Python keyword callers, autograd`. Each audience counts once.
pub(super) fn title(breaks: Audiences) -> String {
    let names: Vec<&str> = breaks.iter().map(people).collect();
    let count = match names.len() {
        1 => "1 caller breaks".to_owned(),
        many => format!("{many} callers break"),
    };
    format!("{count}: {}", names.join(", "))
}
