//! What a bundle changes since its change began, and whom that breaks.

use std::collections::BTreeMap;
use std::sync::Arc;

use opatlas_diff::rules::Audiences;
use opatlas_diff::{Comparison, Revision, compare};
use opatlas_operators::operator::OperatorId;
use opatlas_report::history::people;
use opatlas_service::Snapshot;

/// How many removed operators are named.
const MOST_NAMES: usize = 3;

/// Whom the changes of operators break.
#[derive(Debug, Default)]
pub(super) struct Breaks {
    /// Of operators that are still declared.
    pub(super) of: BTreeMap<OperatorId, Audiences>,
    /// The operators that are not declared any more.
    gone: Vec<Arc<str>>,
    /// Whom their absence breaks.
    of_gone: Audiences,
}

impl Breaks {
    /// Compares the bundle as it was with the bundle as it is.
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
                let known = breaks.of.entry(id).or_insert(Audiences::NONE);
                *known = known.union(hurt);
            } else {
                if !breaks.gone.contains(&change.operator) {
                    breaks.gone.push(change.operator.clone());
                }
                breaks.of_gone = breaks.of_gone.union(hurt);
            }
        }
        breaks
    }

    /// What to say of the operators that are gone; `None` if nobody misses one.
    pub(super) fn title_of_gone(&self) -> Option<String> {
        let names = &self.gone[..self.gone.len().min(MOST_NAMES)];
        let more = match self.gone.len() - names.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let names = names.join(", ");
        (!self.gone.is_empty()).then(|| format!("without {names}{more}: {}", title(self.of_gone)))
    }
}

/// The operator that is meant in the bundle as it is; a generated one has no place of its own.
fn declared(comparison: &Comparison, now: &Snapshot, name: &str) -> Option<OperatorId> {
    let pair = comparison.pairs.iter().find(|pair| *pair.name == *name);
    let id = match pair {
        Some(pair) => pair.head,
        None => now.catalogue.find_qualified(name),
    }?;
    let operator = now.catalogue.operator(id);
    Some(operator.generated_from().unwrap_or(id))
}

/// `2 callers break: Python keyword callers, autograd`: each kind of callers counts once.
pub(super) fn title(breaks: Audiences) -> String {
    let names: Vec<&str> = breaks.iter().map(people).collect();
    let said = match names.len() {
        1 => "1 caller breaks".to_owned(),
        many => format!("{many} callers break"),
    };
    format!("{said}: {}", names.join(", "))
}
