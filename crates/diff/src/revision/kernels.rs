//! The kernels that two entries put on dispatch keys (`docs/spec/compatibility.md`, section 5,
//! dispatch).

use std::sync::Arc;

use super::side::DeclaredEntry;
use crate::change::{Change, Fragment, Note, Subject};
use crate::rules::{ChangeRuleId, Impacts, Level};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::entry::{KernelEntry, KernelSource, KeyName};

const IMPLICIT: &str = "CompositeImplicitAutograd";
const EXPLICIT: &str = "CompositeExplicitAutograd";
const NON_FUNCTIONAL: &str = "CompositeExplicitAutogradNonFunctional";

/// One side's kernels, in the order written.
struct Kernels<'a> {
    written: DeclaredEntry<'a>,
    kernels: &'a [KernelEntry],
}

impl<'a> Kernels<'a> {
    fn of(catalogue: &'a Catalogue, written: DeclaredEntry<'a>) -> Self {
        Self {
            kernels: catalogue.kernels(written.id),
            written,
        }
    }

    fn on(&self, key: &str) -> Option<&'a KernelEntry> {
        self.kernels
            .iter()
            .find(|kernel| kernel.key.as_str() == key)
    }

    /// The keys of some kernels.
    fn keys(&self, of: impl Fn(&KernelEntry) -> bool) -> Vec<KeyName> {
        let kernels = self.kernels.iter().filter(|kernel| of(kernel));
        kernels.map(|kernel| kernel.key.clone()).collect()
    }

    fn is_delegate(&self) -> bool {
        self.written.operator.structured_delegate().is_some()
    }

    /// Whether the structured operator that it delegates to has a kernel on the key, which then
    /// serves it too.
    fn is_served_by_delegate(&self, catalogue: &Catalogue, key: &str) -> bool {
        let delegate = self.written.operator.structured_delegate();
        let delegate = delegate.and_then(|name| catalogue.find(name.as_str()));
        let has_kernel = |kernel: &KernelEntry| kernel.key.as_str() == key;
        delegate.is_some_and(|id| catalogue.kernels(id).iter().any(has_kernel))
    }

    fn has_any_composite(&self) -> bool {
        self.is_delegate() || COMPOSITES.iter().any(|key| self.on(key).is_some())
    }

    /// Whether an explicit composite serves backends; that of a structured group comes with the
    /// delegation.
    fn is_explicit(&self) -> bool {
        self.is_delegate() || self.on(EXPLICIT).is_some() || self.on(NON_FUNCTIONAL).is_some()
    }

    /// Lines of `dispatch`, as far as their keys are in the list. `text` is what they are put together in.
    fn lines(&self, keys: &[KeyName], text: &mut String) -> Option<Fragment> {
        let own = self.kernels.iter();
        let mut lines = own.filter(|kernel| keys.contains(&kernel.key));
        let first = lines.next()?;
        text.clear();
        push_line(text, first);
        for line in lines {
            text.push_str("; ");
            push_line(text, line);
        }
        let place = self.written.placed.place(first.key_at);
        Some(Fragment::of_field(&**text, Some(place)))
    }
}

const COMPOSITES: [&str; 3] = [IMPLICIT, EXPLICIT, NON_FUNCTIONAL];

fn push_line(text: &mut String, kernel: &KernelEntry) {
    let names = [
        kernel.kernel.namespace.as_deref(),
        Some(&*kernel.kernel.name),
    ];
    text.push_str(kernel.key.as_str());
    let mut before = ": ";
    for name in names.into_iter().flatten() {
        text.push_str(before);
        text.push_str(name);
        before = "::";
    }
    if kernel.source == KernelSource::Implicit {
        text.push_str(" (no dispatch section)");
    }
}

/// Adds what changed between the kernels of two entries of one operator. `text` is what lines are put together in.
pub(super) fn compare(
    operator: &Arc<str>,
    base: (&Catalogue, DeclaredEntry<'_>),
    head: (&Catalogue, DeclaredEntry<'_>),
    changes: &mut Vec<Change>,
    text: &mut String,
) {
    let old = Kernels::of(base.0, base.1);
    let new = Kernels::of(head.0, head.1);
    // Of the same kernels nothing is to be told, and nothing needs to be looked up.
    let is_same = |(a, b): (&KernelEntry, &KernelEntry)| a.key == b.key && a.kernel == b.kernel;
    if old.kernels.len() == new.kernels.len() && old.kernels.iter().zip(new.kernels).all(is_same) {
        return;
    }
    let composite = composites(&old, &new);
    // A change that a rule about composites reports is not reported again as a kernel change.
    let is_told = |key: &str| composite.is_some_and(|rule| rule.1.contains(&key));
    let lacks = |side: &Kernels<'_>, kernel: &KernelEntry| {
        let key = kernel.key.as_str();
        side.on(key).is_none() && !is_told(key)
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
            .old(old.lines(&keys, text))
            .new_side(new.lines(&keys, text));
        changes.push(change);
    }
    for (rule, keys) in found {
        if !keys.is_empty() {
            let before = old.lines(&keys, text);
            let after = new.lines(&keys, text);
            let keys: Arc<[KeyName]> = keys.into();
            let mut change =
                Change::new(rule, Arc::clone(operator), Subject::Keys(Arc::clone(&keys)));
            if rule == ChangeRuleId::DispatchKernelRemoved
                && let Some(composite) = taken_over(&old, &new, &keys)
            {
                // It is the same function under another key.
                change.level = Level::Info;
                change = change.note(Note::TakenOverBy(composite));
            } else if rule == ChangeRuleId::DispatchKernelRemoved
                && keys
                    .iter()
                    .all(|key| new.is_served_by_delegate(head.0, key.as_str()))
            {
                // The structured operator that it delegates to now serves all of them.
                change.level = Level::Info;
                change.impacts = Impacts::default();
            }
            changes.push(change.old(before).new_side(after));
        }
    }
}

/// The composite of the new side that runs the very kernels that these keys lost.
fn taken_over(old: &Kernels<'_>, new: &Kernels<'_>, keys: &[KeyName]) -> Option<&'static str> {
    COMPOSITES.into_iter().find(|composite| {
        let Some(by) = new.on(composite) else {
            return false;
        };
        let lost = keys.iter().map(|key| old.on(key.as_str()));
        lost.clone().count() > 0
            && lost
                .clone()
                .all(|lost| lost.is_some_and(|lost| lost.kernel == by.kernel))
    })
}

/// The changes of the composites, and the keys that these changes cover.
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
