//! Which operators have a say in what is said of one: enough of a revision for its table.

use std::borrow::Cow;

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::kin::kin;
use opatlas_pytorch::calls::{self, RecordedCalls};
use opatlas_pytorch::release::Release;
use rustc_hash::{FxHashMap, FxHashSet};

use super::backends::ALLOCATOR;
use super::column::BARE;
use super::generated::NAMED;

/// The operators that a table depends on, with its verdicts and what works for training, by what their
/// names have in common.
///
/// Nothing else in a revision has a say: registrations follow from an operator, its group, its view group and the
/// formulas of either, all of which are [`kin`]; a verdict also from the operators that default and composite
/// kernels call, and they from others. What those are is recorded, or said by torchgen's templates, which
/// call kin and a few operators by name. Known backends are those that the allocator has kernels for.
#[derive(Debug, Clone)]
pub struct Around<'a>(FxHashSet<Cow<'a, str>>);

impl<'a> Around<'a> {
    /// Those around the operator with a base name (`add_`) in a release. Linear in what is recorded of
    /// it.
    #[must_use]
    pub fn new(base: &'a str, release: Release) -> Self {
        let names = calls::names();
        let kin_of: Vec<Cow<'static, str>> = names.map(|name| kin(before_dot(name))).collect();
        let mut callers: FxHashMap<&str, Vec<RecordedCalls>> = FxHashMap::default();
        for row in calls::of_release(release) {
            if let Some(kin) = kin_of.get(usize::from(row.operator)) {
                callers.entry(kin).or_default().push(row);
            }
        }
        let named = BARE.iter().chain(&NAMED).map(|name| kin(before_dot(name)));
        let mut found: FxHashSet<Cow<'a, str>> = named.collect();
        found.insert(kin(base));
        let mut open: Vec<Cow<'a, str>> = found.iter().cloned().collect();
        while let Some(caller) = open.pop() {
            let rows = callers.get(&*caller).map_or(&[][..], Vec::as_slice);
            for place in rows
                .iter()
                .flat_map(|row| row.always.iter().chain(row.sometimes))
            {
                if let Some(called) = kin_of.get(usize::from(*place))
                    && !found.contains(called)
                {
                    found.insert(called.clone());
                    open.push(called.clone());
                }
            }
        }
        Self(found)
    }

    /// Whether operators with this base name are among them.
    #[must_use]
    pub fn has(&self, base: &str) -> bool {
        self.0.contains(&kin(base))
    }

    /// Whether a revision of these operators has what all tables depend on: without an allocator, every
    /// operator of the file has a say in which backends are known.
    #[must_use]
    pub fn is_enough(&self, part: &Catalogue) -> bool {
        part.find_in("aten", ALLOCATOR).is_some()
    }
}

fn before_dot(name: &'static str) -> &'static str {
    name.split_once('.').map_or(name, |(base, _)| base)
}
