//! Coverage as JSON: counts of reasons by key.

use std::collections::BTreeMap;

use opatlas_dispatch::{Reason, View};
use opatlas_pytorch::keys::{Key, Keys};
use serde::{Deserialize, Serialize, Serializer, ser::SerializeMap as _};
use utoipa::{IntoParams, ToSchema};

use crate::wire::entry::{BuildView, Source};
use crate::wire::paths::Generated;
use crate::wire::tables;

/// Which tables are counted.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct CoverageQuery {
    /// Whether generated operators are counted; by default they are.
    #[param(inline)]
    pub generated: Option<Generated>,
    /// A build profile, or a comma list of backends that are left out.
    #[param(example = "linux-cuda")]
    pub build: Option<String>,
    /// `files` leaves out what hand-written and observed registrations decide.
    #[param(inline)]
    pub source: Option<Source>,
    /// The release of PyTorch whose rules apply, for an address by digest.
    #[param(example = "2.9")]
    pub release: Option<String>,
}

/// Counts over a revision's tables. Reasons that nothing has are left out.
#[derive(Debug, Serialize, ToSchema)]
pub struct CoverageView {
    /// The release whose keys and rules apply.
    #[schema(example = "2.9")]
    pub release: &'static str,
    /// The build that the tables are for.
    pub build: BuildView,
    /// Which registrations they are made of.
    pub source: Source,
    /// What there is to know about that.
    pub notes: Vec<String>,
    /// Over all operators.
    pub overall: CountsView,
    /// By namespace.
    pub by_namespace: BTreeMap<Box<str>, CountsView>,
    /// By tag; an operator counts under each of its tags.
    pub by_tag: BTreeMap<Box<str>, CountsView>,
    /// By `python_module`; operators without one count nowhere.
    pub by_python_module: BTreeMap<Box<str>, CountsView>,
}

/// How many operators have which reason.
#[derive(Debug, Serialize, ToSchema)]
pub struct CountsView {
    /// How many operators are counted.
    pub operators: usize,
    /// Over all keys.
    #[schema(value_type = BTreeMap<String, u64>)]
    pub total: Present<u64>,
    /// By runtime key, in table order.
    #[schema(value_type = BTreeMap<String, BTreeMap<String, u32>>)]
    pub by_key: Ordered<u32>,
    /// By functionality, over its keys.
    #[schema(value_type = BTreeMap<String, BTreeMap<String, u32>>)]
    pub by_functionality: Ordered<u32>,
}

/// Counts by reason that are not zero.
#[derive(Debug)]
pub struct Present<N>([N; Reason::ALL.len()]);

/// Counts by a name, in their order.
#[derive(Debug)]
pub struct Ordered<N>(Vec<(&'static str, Present<N>)>);

pub(crate) fn coverage_view(view: View<'_>, counted: opatlas_dispatch::Coverage) -> CoverageView {
    let keys = view.keys();
    let all = |groups: BTreeMap<Box<str>, opatlas_dispatch::Counts>| {
        let groups = groups.into_iter();
        groups
            .map(|(name, group)| (name, counts(keys, &group)))
            .collect()
    };
    CoverageView {
        release: keys.release().as_str(),
        build: view.tables.build().into(),
        source: view.tables.source().into(),
        notes: tables::notes(view),
        overall: counts(keys, &counted.overall),
        by_namespace: all(counted.by_namespace),
        by_tag: all(counted.by_tag),
        by_python_module: all(counted.by_python_module),
    }
}

pub(crate) fn counts(keys: &'static Keys, counts: &opatlas_dispatch::Counts) -> CountsView {
    let by_key = keys.slots().map(|slot| {
        let name = keys.name(Key::Runtime(slot));
        (name, Present(counts.key(slot)))
    });
    let mut functionalities: Vec<&'static str> = Vec::new();
    for slot in keys.slots() {
        let name = keys.functionality(slot);
        if !functionalities.contains(&name) {
            functionalities.push(name);
        }
    }
    let by_functionality = functionalities
        .into_iter()
        .map(|name| (name, Present(counts.functionality(keys, name))));
    CountsView {
        operators: counts.operators,
        total: Present(counts.total()),
        by_key: Ordered(by_key.collect()),
        by_functionality: Ordered(by_functionality.collect()),
    }
}

impl<N: Serialize + Default + PartialEq> Serialize for Present<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (reason, count) in Reason::ALL.iter().zip(&self.0) {
            if *count != N::default() {
                map.serialize_entry(reason.as_str(), count)?;
            }
        }
        map.end()
    }
}

impl<N: Serialize + Default + PartialEq> Serialize for Ordered<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, counts) in &self.0 {
            map.serialize_entry(name, counts)?;
        }
        map.end()
    }
}
