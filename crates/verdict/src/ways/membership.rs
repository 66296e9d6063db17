//! The registries that hold an operator: as recorded, or as its entry says.

use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_pytorch::alias::Alias;
use opatlas_pytorch::ways::{Facts, Operator as Recorded, Registry};
use opatlas_schema::function::SchemaKind;

use super::{Fate, Found, Way};
use crate::View;
use crate::own::{is_view, writes};

/// What the schema says of an operator.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) writes: bool,
    /// An operator without writes does the same: a declared or a generated one.
    pub(super) has_functional: bool,
    pub(super) is_view: bool,
    pub(super) returns_tensors: bool,
    pub(super) is_of_aten: bool,
}

impl Shape {
    pub(super) fn of(view: View<'_>, id: OperatorId) -> Self {
        let catalogue = view.inputs.catalogue;
        let operator: &Operator = catalogue.operator(id);
        let functional = catalogue.groups.of(id).member(SchemaKind::Functional);
        let has_result = !operator.schema().returns.is_empty();
        Self {
            writes: writes(operator),
            has_functional: functional.is_some_and(|id| !writes(catalogue.operator(id))),
            is_view: is_view(operator),
            returns_tensors: operator.returns_tensors() || !has_result,
            is_of_aten: !operator.name_text().contains("::"),
        }
    }
}

/// The operator whose fate another one shares on a way: graphs reach Inductor functionalized.
pub(super) fn counterpart(view: View<'_>, id: OperatorId, way: Way) -> OperatorId {
    let catalogue = view.inputs.catalogue;
    let is_rewritten = way == Way::Inductor && writes(catalogue.operator(id));
    let functional = catalogue.groups.of(id).member(SchemaKind::Functional);
    functional.filter(|_| is_rewritten).unwrap_or(id)
}

/// What an entry decides itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    is_implicit: bool,
    is_explicit: bool,
    has_meta: bool,
    has_functionalize: bool,
    is_core: bool,
}

impl Entry {
    pub(super) fn of(view: View<'_>, id: OperatorId) -> Self {
        let registered = view.verdicts.pattern(id).map(|pattern| pattern.registered);
        let registered = registered.unwrap_or_default();
        let has = |name: &str| {
            let key = view.keys().lookup(name);
            key.is_some_and(|key| registered.contains(key))
        };
        Self {
            is_implicit: registered.has_alias(Alias::CompositeImplicitAutograd),
            is_explicit: registered.has_alias(Alias::CompositeExplicitAutograd)
                || registered.has_alias(Alias::CompositeExplicitAutogradNonFunctional),
            has_meta: has("Meta"),
            has_functionalize: has("Functionalize"),
            is_core: view.inputs.catalogue.operator(id).has_tag("core"),
        }
    }
}

/// The registries that hold an operator.
#[derive(Debug, Clone, Copy)]
pub(super) struct Membership<'a> {
    pub(super) name: &'a str,
    entry: Option<Entry>,
    pub(super) facts: Option<Facts>,
    /// The operator in these facts.
    recorded: Option<Recorded>,
}

impl<'a> Membership<'a> {
    /// By the entry where it decides, and by the registries of a release for the rest.
    pub(super) fn of_entry(name: &'a str, entry: Entry, facts: Option<Facts>) -> Self {
        Self {
            name,
            entry: Some(entry),
            facts,
            recorded: facts.map(|facts| facts.operator(name)),
        }
    }

    /// By the registries of another release alone.
    pub(super) fn at(self, facts: Facts) -> Self {
        Self {
            name: self.name,
            entry: None,
            facts: Some(facts),
            recorded: self.recorded.map(|of| of.at(facts)),
        }
    }

    pub(super) fn is_in(self, registry: Registry) -> bool {
        if let Some(entry) = self.entry {
            match registry {
                Registry::CompositeImplicit => return entry.is_implicit,
                Registry::CompositeExplicit => return entry.is_explicit,
                Registry::MetaKernel => return entry.has_meta,
                Registry::FunctionalizeKernel => return entry.has_functionalize,
                Registry::CoreTag => return entry.is_core,
                _ => {}
            }
        }
        self.recorded.is_some_and(|of| of.is_in(registry))
    }

    pub(super) fn value(self, registry: Registry) -> Option<&'static str> {
        self.recorded?.value(registry)
    }

    /// Whether the recorded release has the operator.
    pub(super) fn is_recorded(self) -> bool {
        self.is_in(Registry::Operators)
    }

    /// The answer where the release has no such registry, or none was recorded.
    pub(super) fn missing(self, registry: Registry) -> Option<Found> {
        let Some(facts) = self.facts else {
            return Some((
                Fate::Unknown,
                "no release was recorded up to this one".into(),
            ));
        };
        let reason = facts.absent(registry)?;
        let because = format!("not recorded in {}: {reason}", facts.release());
        Some((Fate::Unknown, because.into()))
    }
}
