//! Whom a change really hurts, where more is known than its rule says: Python callers only where
//! Python binds the operator, C++ callers and backends only where declarations changed
//! (`docs/spec/compatibility.md`, section 1).

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Pair;
use crate::change::Change;
use crate::declarations::{plain, types_alone};
use crate::rules::{Audience, Audiences, Group, Impacts, Level, worst_for};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::faces::FaceMaker;
use opatlas_operators::operator::OperatorId;
use opatlas_source::{Stop, Stopped};

const PYTHON: Audiences = Audiences::of(&[Audience::PythonKeyword, Audience::PythonPositional]);

/// Whom declarations decide for.
const OF_DECLARATIONS: Audiences = Audiences::of(&[Audience::Cpp, Audience::Backend]);

/// What became of an operator's C++ declarations.
#[derive(Debug, Clone, Copy)]
struct Declarations {
    /// Every `at::` function and method of the base is there, defaults included.
    same_for_callers: bool,
    /// The dispatcher's signature with concrete sizes is the same.
    same_concrete: bool,
    /// That with symbolic sizes is the same.
    same_symbolic: bool,
}

/// What [`Refiner::refine_by`] goes by.
#[derive(Debug)]
pub(super) struct Faces(FxHashMap<Arc<str>, Declarations>);

impl Faces {
    /// `changes` are all that are about schemas.
    ///
    /// # Errors
    /// [`Stopped`].
    pub(super) fn of(
        base: &Catalogue,
        head: &Catalogue,
        pairs: &[Pair],
        changes: &[Change],
        stop: &Stop,
    ) -> Result<Self, Stopped> {
        let (old, new) = (FaceMaker::new(base), FaceMaker::new(head));
        // Most entries that change keep their schema, and so what is declared of them.
        let is_declared = |change: &&Change| {
            let hurt = change.impacts.breaks.union(change.impacts.risks);
            is_about_schema(change.rule.group) && !hurt.intersection(OF_DECLARATIONS).is_empty()
        };
        let of_schema: FxHashSet<&str> = changes
            .iter()
            .filter(is_declared)
            .map(|change| &*change.operator)
            .collect();
        let mut declared = FxHashMap::default();
        for pair in pairs {
            stop.check()?;
            if let (Some(before), Some(after)) = (pair.base, pair.head)
                && of_schema.contains(&*pair.name)
            {
                let is_same = declarations((&old, before), (&new, after));
                declared.insert(Arc::clone(&pair.name), is_same);
            }
        }
        Ok(Self(declared))
    }
}

/// Corrects the audiences of changes, and levels that follow from them.
pub(super) struct Refiner<'a> {
    base: &'a Catalogue,
    faces: FaceMaker<'a>,
}

impl<'a> Refiner<'a> {
    /// One for the changes since this base.
    pub(super) fn new(base: &'a Catalogue) -> Self {
        Self {
            base,
            faces: FaceMaker::new(base),
        }
    }

    /// Corrects a change that schemas do not tell of.
    pub(super) fn refine(&self, change: &mut Change) {
        debug_assert!(!is_about_schema(change.rule.group));
        self.refine_to(change, change.impacts);
    }

    /// Corrects a change of any kind.
    pub(super) fn refine_by(&self, change: &mut Change, faces: &Faces) {
        let mut impacts = change.impacts;
        if is_about_schema(change.rule.group)
            && let Some(declared) = faces.0.get(&*change.operator)
        {
            impacts = of_declarations(impacts, *declared);
        }
        self.refine_to(change, impacts);
    }

    fn refine_to(&self, change: &mut Change, mut impacts: Impacts) {
        let hurt = impacts.breaks.union(impacts.risks);
        if !hurt.intersection(PYTHON).is_empty()
            && let Some(id) = change.base_id(self.base)
            && !self.faces.bound(id).overload
        {
            impacts = of_unbound(impacts, change.rule.group);
        }
        if impacts != change.impacts {
            change.level = lowered(change.level, impacts);
            change.impacts = impacts;
        }
    }
}

/// Whether a change of this group can be seen in declarations.
fn is_about_schema(group: Group) -> bool {
    matches!(
        group,
        Group::Argument
            | Group::Default
            | Group::Alias
            | Group::Out
            | Group::Return
            | Group::Schema
    )
}

fn declarations(
    base: (&FaceMaker<'_>, OperatorId),
    head: (&FaceMaker<'_>, OperatorId),
) -> Declarations {
    let unnamed = |text: &String| types_alone(&plain(text));
    let of = |(maker, id): (&FaceMaker<'_>, OperatorId)| {
        let (symbolic, concrete) = maker.dispatcher_of(id);
        let concrete = concrete.or_else(|| symbolic.clone());
        ([concrete, symbolic], maker.calls(id))
    };
    let ((old, old_calls), (new, new_calls)) = (of(base), of(head));
    // What is written alike need not be taken apart.
    let [same_concrete, same_symbolic] = [0, 1].map(|at| {
        let types = |text: &Option<String>| text.as_ref().map(unnamed);
        old[at] == new[at] || types(&old[at]) == types(&new[at])
    });
    let is_there = |call: &String| {
        let is_alike = |types: String| new_calls.iter().any(|call| unnamed(call) == types);
        new_calls.contains(call) || is_alike(unnamed(call))
    };
    Declarations {
        same_for_callers: old_calls.iter().all(is_there),
        same_concrete,
        same_symbolic,
    }
}

fn of_declarations(impacts: Impacts, declared: Declarations) -> Impacts {
    let mut impacts = impacts;
    if declared.same_for_callers {
        impacts = impacts.without(Audiences::of(&[Audience::Cpp]));
    }
    let backend = Audiences::of(&[Audience::Backend]);
    match (declared.same_concrete, declared.same_symbolic) {
        (true, true) => impacts.without(backend),
        // Only kernels that take symbolic sizes must change.
        (true, false) if impacts.breaks.contains(Audience::Backend) => Impacts {
            breaks: impacts.breaks.without(backend),
            risks: impacts.risks.union(backend),
        },
        _ => impacts,
    }
}

/// Python calls the operator through `torch.ops` only, which goes by the schema and knows nothing
/// of how `torch` and `Tensor` bind it.
fn of_unbound(impacts: Impacts, group: Group) -> Impacts {
    let torch_ops = Audiences::of(&[Audience::TorchOps]);
    let moved = |audiences: Audiences| {
        let is_hurt = !audiences.intersection(PYTHON).is_empty() && group != Group::Binding;
        let rest = audiences.without(PYTHON);
        match is_hurt {
            true => rest.union(torch_ops),
            false => rest,
        }
    };
    let breaks = moved(impacts.breaks);
    Impacts {
        breaks,
        risks: moved(impacts.risks).without(breaks.intersection(torch_ops)),
    }
}

/// Limits the level of a change to the worst of its levels for single audiences.
fn lowered(level: Level, impacts: Impacts) -> Level {
    level.min(worst_for(Audiences::ALL, impacts))
}
