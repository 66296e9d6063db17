//! The kernels that two entries register (`docs/spec/compatibility.md`, section 5, dispatch).

use std::sync::Arc;

use super::super::side::DeclaredEntry;
use crate::change::{Change, Fragment, Note, Subject};
use crate::rules::{ChangeRuleId, Impacts, Level};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::entry::{KernelEntry, KernelSource, KeyName};

const IMPLICIT: &str = "CompositeImplicitAutograd";
const EXPLICIT: &str = "CompositeExplicitAutograd";
const NON_FUNCTIONAL: &str = "CompositeExplicitAutogradNonFunctional";

/// One side's kernels, in declaration order.
struct Kernels<'a> {
    entry: DeclaredEntry<'a>,
    kernels: &'a [KernelEntry],
}

impl<'a> Kernels<'a> {
    fn new(catalogue: &'a Catalogue, entry: DeclaredEntry<'a>) -> Self {
        Self {
            kernels: catalogue.kernels(entry.id),
            entry,
        }
    }

    fn on(&self, key: &str) -> Option<&'a KernelEntry> {
        self.kernels
            .iter()
            .find(|kernel| kernel.key.as_str() == key)
    }

    fn keys(&self, of: impl Fn(&KernelEntry) -> bool) -> Vec<KeyName> {
        let kernels = self.kernels.iter().filter(|kernel| of(kernel));
        kernels.map(|kernel| kernel.key.clone()).collect()
    }

    fn is_delegate(&self) -> bool {
        self.entry.operator.structured_delegate().is_some()
    }

    /// Whether the structured delegate has a kernel on the key, which then serves this operator too.
    fn is_served_by_delegate(&self, catalogue: &Catalogue, key: &str) -> bool {
        let delegate = self.entry.operator.structured_delegate();
        let delegate = delegate.and_then(|name| catalogue.find(name.as_str()));
        let has_kernel = |kernel: &KernelEntry| kernel.key.as_str() == key;
        delegate.is_some_and(|id| catalogue.kernels(id).iter().any(has_kernel))
    }

    fn has_any_composite(&self) -> bool {
        self.is_delegate() || COMPOSITES.iter().any(|key| self.on(key).is_some())
    }

    /// Whether an explicit composite serves backends. Delegation implies one.
    fn is_explicit(&self) -> bool {
        self.is_delegate() || self.on(EXPLICIT).is_some() || self.on(NON_FUNCTIONAL).is_some()
    }

    fn lines(&self, keys: &[KeyName]) -> Option<Fragment> {
        let kernels = self.kernels.iter();
        let kernels: Vec<_> = kernels
            .filter(|kernel| keys.contains(&kernel.key))
            .collect();
        let place = self.entry.placed.place(kernels.first()?.key_at);
        let lines: Vec<String> = kernels.into_iter().map(line).collect();
        Some(Fragment::of_field(lines.join("; "), Some(place)))
    }
}

const COMPOSITES: [&str; 3] = [IMPLICIT, EXPLICIT, NON_FUNCTIONAL];

fn line(kernel: &KernelEntry) -> String {
    let note = if kernel.source == KernelSource::Implicit {
        " (no dispatch section)"
    } else {
        ""
    };
    format!(
        "{}: {}{note}",
        kernel.key.as_str(),
        kernel.kernel.declared()
    )
}

pub(super) fn compare(
    operator: &Arc<str>,
    base: (&Catalogue, DeclaredEntry<'_>),
    head: (&Catalogue, DeclaredEntry<'_>),
    changes: &mut Vec<Change>,
) {
    let old = Kernels::new(base.0, base.1);
    let new = Kernels::new(head.0, head.1);
    let composite = composites(&old, &new);
    // The rules about composites cover these keys.
    let is_covered = |key: &str| composite.is_some_and(|rule| rule.1.contains(&key));
    let lacks = |side: &Kernels<'_>, kernel: &KernelEntry| {
        let key = kernel.key.as_str();
        side.on(key).is_none() && !is_covered(key)
    };
    let is_composite = |kernel: &KernelEntry| COMPOSITES.contains(&kernel.key.as_str());
    let is_renamed = |kernel: &KernelEntry| {
        let there = new.on(kernel.key.as_str());
        there.is_some_and(|there| there.kernel != kernel.kernel)
    };
    let found = [
        (
            ChangeRuleId::DispatchKernelRemoved,
            old.keys(|kernel| lacks(&new, kernel)),
        ),
        (
            ChangeRuleId::DispatchKernelAdded,
            new.keys(|kernel| lacks(&old, kernel) && !is_composite(kernel)),
        ),
        (
            ChangeRuleId::DispatchCompositeAdded,
            new.keys(|kernel| lacks(&old, kernel) && is_composite(kernel)),
        ),
        (ChangeRuleId::DispatchKernelRenamed, old.keys(is_renamed)),
    ];
    if let Some((rule, keys)) = composite {
        let keys: Vec<KeyName> = keys.iter().map(|&key| KeyName::Known(key)).collect();
        let change = Change::new(rule, Arc::clone(operator), Subject::Operator)
            .old(old.lines(&keys))
            .new_side(new.lines(&keys));
        changes.push(change);
    }
    for (rule, keys) in found {
        if !keys.is_empty() {
            let (before, after) = (old.lines(&keys), new.lines(&keys));
            let keys: Arc<[KeyName]> = keys.into();
            let mut change =
                Change::new(rule, Arc::clone(operator), Subject::Keys(Arc::clone(&keys)));
            if rule == ChangeRuleId::DispatchKernelRemoved
                && let Some(composite) = taken_over(&old, &new, &keys)
            {
                change.level = Level::Info;
                change = change.note(Note::TakenOverBy(composite));
            } else if rule == ChangeRuleId::DispatchKernelRemoved
                && keys
                    .iter()
                    .all(|key| new.is_served_by_delegate(head.0, key.as_str()))
            {
                // The structured delegate serves all of these keys now.
                change.level = Level::Info;
                change.impacts = Impacts::default();
            }
            changes.push(change.old(before).new_side(after));
        }
    }
}

/// The composite of the new side that runs the kernels that these keys lost.
fn taken_over(old: &Kernels<'_>, new: &Kernels<'_>, keys: &[KeyName]) -> Option<&'static str> {
    COMPOSITES.into_iter().find(|composite| {
        let Some(by) = new.on(composite) else {
            return false;
        };
        let runs = |key: &KeyName| {
            old.on(key.as_str())
                .is_some_and(|lost| lost.kernel == by.kernel)
        };
        keys.iter().all(runs)
    })
}

fn composites(
    old: &Kernels<'_>,
    new: &Kernels<'_>,
) -> Option<(ChangeRuleId, &'static [&'static str])> {
    let was_implicit = old.on(IMPLICIT);
    let is_implicit = new.on(IMPLICIT).is_some();
    if let Some(was) = was_implicit
        && !is_implicit
    {
        return if new.is_explicit() {
            Some((ChangeRuleId::CompositeImplicitToExplicit, &COMPOSITES))
        } else if was.source == KernelSource::Implicit {
            Some((ChangeRuleId::DefaultCompositeLost, &[IMPLICIT]))
        } else {
            None
        };
    }
    if was_implicit.is_none() && is_implicit && old.is_explicit() && !new.is_explicit() {
        return Some((ChangeRuleId::CompositeExplicitToImplicit, &COMPOSITES));
    }
    if was_implicit.is_some() || is_implicit || !old.has_any_composite() || !new.has_any_composite()
    {
        return None;
    }
    let functional = |kernels: &Kernels<'_>| kernels.on(EXPLICIT).is_some();
    (functional(old) != functional(new)).then_some((
        ChangeRuleId::CompositeExplicitNonfunctionalChanged,
        &[EXPLICIT, NON_FUNCTIONAL],
    ))
}
