//! The support of one operator on one key, for the keys of backends and for those above them.

use std::sync::Arc;

use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::alias::Alias;
use opatlas_pytorch::key_set::Slot;
use opatlas_source::{Stop, Stopped};

use crate::View;
use crate::because::Because;
use crate::calls::{Calls, Edge};
use crate::column::{Column, Served, Traits};
use crate::leads::{below, serving};
use crate::needs::{Search, Walk};
use crate::server::by_rule;
use crate::vmap::{is_vmap, under_vmap};
use crate::{KnownFrom, Support, Verdict};
use opatlas_dispatch::Entry;
use opatlas_dispatch::origin::Origin;
use opatlas_dispatch::resolve::Precedence;

/// The verdicts of all operators on the key of a backend.
#[derive(Debug, Clone)]
pub struct Verdicts(Arc<Column>);

impl Verdicts {
    /// That of an operator.
    #[must_use]
    pub fn of(&self, id: OperatorId) -> Verdict {
        self.0.verdict(id)
    }

    /// Whether they are those of another key, found once for both.
    #[must_use]
    pub fn is_shared_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Whether an operator lacks a kernel of its own there, and nothing else serves it.
    #[must_use]
    pub fn is_leaf(&self, id: OperatorId) -> bool {
        self.0.served(id) == Served::Nothing
    }
}

impl<'a> View<'a> {
    /// Whether calling an operator works on a key, and what it needs. The verdicts of a key are
    /// found when they are first asked for (about 0.3 ms for a release).
    #[must_use]
    pub fn support(self, id: OperatorId, slot: Slot) -> Support {
        self.support_with(id, slot, &mut Walk::default())
    }

    /// The same for who asks of many operators, one after the other.
    #[must_use]
    pub fn support_with(self, id: OperatorId, slot: Slot, walk: &mut Walk) -> Support {
        let rule = self.tables.pattern(id).map(|pattern| pattern.rule(slot));
        self.support_by(id, slot, rule.unwrap_or(Precedence::Missing), walk)
    }

    /// The verdict alone.
    #[must_use]
    pub fn verdict(self, id: OperatorId, slot: Slot) -> Verdict {
        if self.calls().backends.contains(slot) {
            self.column_of(slot).verdict(id)
        } else {
            self.support(id, slot).verdict
        }
    }

    /// Finds the verdicts on all keys of backends, which a comparison and a whole table ask for.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn settle(self, stop: &Stop) -> Result<(), Stopped> {
        for slot in self.calls().backends.iter() {
            stop.check()?;
            self.column_of(slot);
        }
        Ok(())
    }

    /// The verdicts of a key.
    #[must_use]
    pub fn verdicts(self, slot: Slot) -> Verdicts {
        Verdicts(self.column_of(slot))
    }

    /// The support on a device that has only the kernels that every device must have.
    #[must_use]
    pub fn bare_support(self, id: OperatorId) -> Support {
        let calls = self.calls();
        let column = self.bare_column(&calls);
        of_column(&calls, &column, id, &mut Walk::default())
    }

    /// Whether verdicts are claimed for a backend key: its kernels are part of PyTorch, or a file or
    /// an observation describes them.
    #[must_use]
    pub fn claims(self, slot: Slot) -> bool {
        let served_by = serving(self.keys(), slot);
        self.calls().known_backends.contains(served_by)
    }

    /// The keys of backends for which verdicts are claimed, in table order.
    pub fn claimed_keys(self) -> impl Iterator<Item = Slot> + use<'a> {
        let backends = self.calls().backends;
        let keys = self.keys().slots();
        keys.filter(move |&slot| backends.contains(slot) && self.claims(slot))
    }

    /// The support behind an entry, which may be one of a what-if table: then all other operators
    /// stay as they are.
    #[must_use]
    pub fn support_of(self, id: OperatorId, entry: &Entry<'_>) -> Support {
        let is_asked = entry.rule == Precedence::Direct && entry.origin.is_none();
        let walk = &mut Walk::default();
        match (
            is_asked && entry.fallthrough,
            below(self.keys(), entry.slot),
        ) {
            (false, _) => self.support_by(id, entry.slot, entry.rule, walk),
            (true, Some(backend)) => self.support(id, backend),
            (true, None) if !self.calls().backends.contains(entry.slot) => {
                Support::because(Verdict::Unknown, Because::PassesOn)
            }
            (true, None) => self.support_by(id, entry.slot, self.default_rule(id), walk),
        }
    }

    /// What the verdict behind an entry is based on; `None` if it is unknown.
    #[must_use]
    pub fn known_from(
        self,
        id: OperatorId,
        entry: &Entry<'_>,
        verdict: Verdict,
    ) -> Option<KnownFrom> {
        if verdict == Verdict::Unknown {
            return None;
        }
        Some(match entry.origin {
            Some(Origin::HandWritten | Origin::Observed) => KnownFrom::Measured,
            Some(Origin::Source) => KnownFrom::Source,
            Some(Origin::Declared | Origin::Structured | Origin::BackendFile)
                if entry.rule == Precedence::Direct =>
            {
                KnownFrom::Declared
            }
            _ => self.known_from_calls(id),
        })
    }

    /// What the verdict on a default or composite kernel is based on: recorded calls, those that its
    /// sources show, or those that follow from torchgen's templates.
    #[must_use]
    pub fn known_from_calls(self, id: OperatorId) -> KnownFrom {
        let calls = self.calls();
        if calls.is_sourced(id) {
            return KnownFrom::Source;
        }
        let edges = calls.of(id);
        let calls_nothing = edges.is_empty() && calls.is_known(id);
        match calls_nothing || edges.iter().any(|edge| edge.recorded) {
            true => KnownFrom::Measured,
            false => KnownFrom::Inferred,
        }
    }

    /// The names of what a verdict needs: operators without a working entry, then operators that the
    /// revision does not declare.
    pub fn needed(self, support: &Support) -> impl Iterator<Item = &'a str> + use<'a> {
        let catalogue = self.inputs.catalogue;
        let needs = support.needs.clone().into_iter();
        let names = needs.map(|id| catalogue.operator(id).qualified_name());
        names.chain(support.undeclared.clone())
    }

    /// The removed operators that an operator's composite kernel calls.
    pub fn removed_calls(self, id: OperatorId) -> impl Iterator<Item = &'static str> {
        let calls = self.calls();
        let removed = calls.undeclared.get(&id).into_iter().flatten();
        let removed = removed.filter(|call| call.is_gone);
        removed
            .map(|call| call.name)
            .collect::<Vec<_>>()
            .into_iter()
    }

    /// Whether any composite kernel calls a removed operator.
    #[must_use]
    pub fn calls_removed_operators(self) -> bool {
        let calls = self.calls();
        let mut all = calls.undeclared.values().flatten();
        all.any(|call| call.is_gone)
    }

    /// Whether the rule that serves an autograd or autocast key serves its backend, too.
    pub(crate) fn is_served_alike(self, id: OperatorId, rule: Precedence, backend: Slot) -> bool {
        let pattern = self.tables.pattern(id);
        rule.alias().is_some() && pattern.is_some_and(|pattern| pattern.rule(backend) == rule)
    }

    /// The rule that serves a backend without a kernel of its own.
    fn default_rule(self, id: OperatorId) -> Precedence {
        match self.calls().alias(id) {
            Some(Alias::CompositeExplicitAutogradNonFunctional) => Precedence::NonFunctional,
            Some(Alias::CompositeExplicitAutograd) => Precedence::Explicit,
            Some(_) => Precedence::Implicit,
            None => Precedence::Missing,
        }
    }

    /// The support that an operator has if a rule of the table decides, and all others stay as they
    /// are.
    fn support_by(self, id: OperatorId, slot: Slot, rule: Precedence, walk: &mut Walk) -> Support {
        let calls = self.calls();
        let keys = self.keys();
        if calls.backends.contains(slot) {
            return self.on_backend(&calls, id, (slot, rule), walk);
        }
        let mut own = by_rule(keys, &calls, id, slot, rule, false);
        if is_vmap(keys, slot) {
            own = under_vmap(self.inputs.catalogue.operator(id), keys.release(), own);
        }
        match below(keys, slot) {
            Some(_) if own.is_leaf() => of_served(id, own, Verdict::Fails),
            Some(_) if own == Served::Kernel && self.is_final(id, slot, rule) => {
                Support::of(Verdict::Runs)
            }
            Some(backend) if self.is_served_alike(id, rule, backend) => {
                self.support_with(id, backend, walk)
            }
            Some(backend) if matches!(own, Served::Calls | Served::Unknown(_)) => {
                if !self.claims(backend) {
                    return Support::because(Verdict::Unknown, Because::OutOfTree);
                }
                self.of_kernel((&calls, &self.column_of(backend)), id, own, walk)
            }
            Some(backend) => self.support_with(id, backend, walk),
            // Only a composite kernel asks what others do on the key.
            None if own == Served::Calls => {
                self.of_kernel((&calls, &self.column_of(slot)), id, own, walk)
            }
            None => of_served(id, own, own.verdict()),
        }
    }

    fn on_backend(
        self,
        calls: &Calls,
        id: OperatorId,
        (slot, rule): (Slot, Precedence),
        walk: &mut Walk,
    ) -> Support {
        let keys = self.keys();
        let served_by = serving(keys, slot);
        let rule = match self.tables.pattern(id) {
            Some(pattern) if served_by != slot => pattern.rule(served_by),
            _ => rule,
        };
        let column = self.column_of(slot);
        let is_table = self
            .tables
            .pattern(id)
            .map(|pattern| pattern.rule(served_by))
            == Some(rule);
        let own = match is_table {
            true => column.served(id),
            false => by_rule(keys, calls, id, served_by, rule, true),
        };
        let is_own = matches!(
            own,
            Served::Kernel | Served::OwnCalls | Served::InferenceOnly | Served::Raises(_)
        );
        if !calls.known_backends.contains(served_by) && !is_own {
            return Support::because(Verdict::Unknown, Because::OutOfTree);
        }
        match is_table {
            true => of_column(calls, &column, id, walk),
            false => self.of_kernel((calls, &column), id, own, walk),
        }
    }

    /// The support of an operator that is served so, among the others of a column.
    fn of_kernel(
        self,
        (calls, column): (&Calls, &Column),
        id: OperatorId,
        own: Served,
        walk: &mut Walk,
    ) -> Support {
        if own != Served::Calls {
            return of_served(id, own, own.verdict());
        }
        let composite = column.composite(calls, id);
        let edges = column.made(calls, composite);
        let verdict = match column.of_undeclared(calls, id) {
            Verdict::Decomposes => of_calls(column, &edges, composite.is_empty()),
            verdict => verdict,
        };
        let of = id;
        Search { column, calls, of }.support(verdict, edges, walk)
    }

    /// Whether a kernel of an autograd or autocast key does the work itself: generated and
    /// hand-written ones of PyTorch pass the call on to the backend.
    pub(crate) fn is_final(self, id: OperatorId, slot: Slot, rule: Precedence) -> bool {
        let source = rule.source(slot);
        let row = source.and_then(|key| self.tables.row(id, key, self.tables.source()));
        // An autocast kernel in sources casts and passes on, as those of PyTorch do.
        let casts = self.keys().functionality(slot).starts_with("Autocast");
        row.is_some_and(|row| match row.origin {
            Origin::BackendFile | Origin::Observed => true,
            Origin::Source => !casts,
            _ => false,
        })
    }

    /// The calls of all operators, worked out once.
    pub(crate) fn calls(self) -> Arc<Calls> {
        let calls = &self.verdicts.calls;
        Arc::clone(calls.get_or_init(|| Arc::new(Calls::new(self))))
    }

    /// The verdicts on a key, found once.
    pub(crate) fn column_of(self, slot: Slot) -> Arc<Column> {
        let slot = serving(self.keys(), slot);
        let make = || {
            let calls = self.calls();
            let traits = Traits::of(self, &calls, slot);
            let same = self.verdicts.found().find(|column| column.has(&traits));
            same.map_or_else(
                || Arc::new(Column::new(self, &calls, slot, traits)),
                Arc::clone,
            )
        };
        match self.verdicts.column(slot) {
            Some(kept) => Arc::clone(kept.get_or_init(make)),
            None => make(),
        }
    }

    pub(crate) fn bare_column(self, calls: &Calls) -> Arc<Column> {
        let make = || Arc::new(Column::bare(self, calls));
        Arc::clone(self.verdicts.bare.get_or_init(make))
    }
}

/// The support of an operator as its column has it.
fn of_column(calls: &Calls, column: &Column, id: OperatorId, walk: &mut Walk) -> Support {
    let served = column.served(id);
    if !matches!(served, Served::Calls | Served::OwnCalls | Served::Fallback) {
        return of_served(id, served, column.verdict(id));
    }
    let verdict = column.verdict(id);
    let edges = column.calls(calls, id);
    let of = id;
    Search { column, calls, of }.support(verdict, edges, walk)
}

/// The support of an operator whose kernel calls no others.
fn of_served(id: OperatorId, served: Served, verdict: Verdict) -> Support {
    let mut support = match served {
        _ if served.is_leaf() => leaf(id),
        _ => Support::of(verdict),
    };
    support.because = served.because();
    support
}

/// An operator that nothing serves needs itself.
fn leaf(id: OperatorId) -> Support {
    Support {
        needs: vec![id],
        through: vec![id],
        ..Support::of(Verdict::Fails)
    }
}

/// The verdict of a kernel that makes these calls.
pub(crate) fn of_calls(
    column: &Column,
    edges: &(impl Iterator<Item = Edge> + Clone),
    calls_nothing: bool,
) -> Verdict {
    let called = |wanted: Verdict, always: bool| {
        let mut edges = edges.clone().filter(|edge| edge.always || !always);
        edges.any(|edge| column.verdict(edge.id) == wanted)
    };
    if calls_nothing {
        Verdict::Runs
    } else if called(Verdict::Fails, true) {
        Verdict::Fails
    } else if called(Verdict::Fails, false) || called(Verdict::Partly, false) {
        Verdict::Partly
    } else if called(Verdict::Unknown, false) {
        Verdict::Unknown
    } else {
        Verdict::Decomposes
    }
}
