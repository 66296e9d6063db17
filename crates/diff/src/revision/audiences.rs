//! Narrows the audiences of a change to those that it really affects: Python callers only where
//! Python binds the operator, C++ callers and backends only where declarations changed
//! (`docs/spec/compatibility.md`, section 1).

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Pair;
use crate::change::Change;
use crate::declarations::{plain, types_alone};
use crate::rules::{Audience, Audiences, ChangeRuleId, Group, Impacts, worst_for};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::faces::FaceMaker;
use opatlas_operators::operator::OperatorId;
use opatlas_source::{Stop, Stopped};

const PYTHON: Audiences = Audiences::of(&[Audience::PythonKeyword, Audience::PythonPositional]);

/// The audiences that depend on C++ declarations.
const CPP: Audiences = Audiences::of(&[Audience::Cpp, Audience::Backend]);

#[derive(Debug, Clone, Copy)]
struct DeclarationMatch {
    /// The head has every `at::` function and method of the base, defaults included.
    callers: bool,
    /// The dispatcher's signature with concrete sizes.
    concrete: bool,
    /// The dispatcher's signature with symbolic sizes.
    symbolic: bool,
}

#[derive(Debug)]
pub(super) struct DeclarationMatches(FxHashMap<Arc<str>, DeclarationMatch>);

impl DeclarationMatches {
    /// Compares the declarations of all operators with a schema change that may affect C++.
    pub(super) fn new(
        base: &Catalogue,
        head: &Catalogue,
        pairs: &[Pair],
        changes: &[Change],
        stop: &Stop,
    ) -> Result<Self, Stopped> {
        let (old, new) = (FaceMaker::new(base), FaceMaker::new(head));
        let affects_cpp = |change: &&Change| {
            let affected = change.impacts.breaks.union(change.impacts.risks);
            is_about_schema(change.rule.group) && !affected.intersection(CPP).is_empty()
        };
        let names: FxHashSet<&str> = changes
            .iter()
            .filter(affects_cpp)
            .map(|change| &*change.operator)
            .collect();
        let mut matches = FxHashMap::default();
        for pair in pairs {
            stop.check()?;
            if let (Some(before), Some(after)) = (pair.base, pair.head)
                && names.contains(&*pair.name)
            {
                let found = compare_declarations((&old, before), (&new, after));
                matches.insert(Arc::clone(&pair.name), found);
            }
        }
        Ok(Self(matches))
    }
}

pub(super) struct Refiner<'a> {
    base: &'a Catalogue,
    faces: FaceMaker<'a>,
    declarations: &'a DeclarationMatches,
}

impl<'a> Refiner<'a> {
    pub(super) fn new(base: &'a Catalogue, declarations: &'a DeclarationMatches) -> Self {
        Self {
            base,
            faces: FaceMaker::new(base),
            declarations,
        }
    }

    pub(super) fn refine(&self, change: &mut Change) {
        let mut impacts = change.impacts;
        if is_about_schema(change.rule.group)
            && let Some(found) = self.declarations.0.get(&*change.operator)
        {
            impacts = without_matching(impacts, *found);
            if change.rule.id == ChangeRuleId::ReturnAliasChanged && !found.concrete {
                impacts = with_new_type(impacts);
            }
        }
        let affected = impacts.breaks.union(impacts.risks);
        if !affected.intersection(PYTHON).is_empty()
            && let Some(id) = self.base.find_qualified(&change.operator)
            && !self.faces.bound(id).overload
        {
            impacts = of_unbound(impacts, change.rule.group);
        }
        if impacts != change.impacts {
            // The level is at most the worst level for a single audience.
            change.level = change.level.min(worst_for(Audiences::ALL, impacts));
            change.impacts = impacts;
        }
    }
}

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

fn compare_declarations(
    base: (&FaceMaker<'_>, OperatorId),
    head: (&FaceMaker<'_>, OperatorId),
) -> DeclarationMatch {
    let types = |text: &String| types_alone(&plain(text));
    let signatures = |(maker, id): (&FaceMaker<'_>, OperatorId)| {
        let (symbolic, concrete) = maker.dispatcher_of(id);
        let concrete = concrete.or_else(|| symbolic.clone());
        [concrete, symbolic].map(|text| text.as_ref().map(types))
    };
    let calls = |(maker, id): (&FaceMaker<'_>, OperatorId)| -> Vec<String> {
        maker.calls(id).iter().map(types).collect()
    };
    let (old, new) = (calls(base), calls(head));
    let ([old_concrete, old_symbolic], [concrete, symbolic]) = (signatures(base), signatures(head));
    DeclarationMatch {
        callers: old.iter().all(|call| new.contains(call)),
        concrete: old_concrete == concrete,
        symbolic: old_symbolic == symbolic,
    }
}

fn without_matching(mut impacts: Impacts, same: DeclarationMatch) -> Impacts {
    if same.callers {
        impacts = impacts.without(Audiences::of(&[Audience::Cpp]));
    }
    let backend = Audiences::of(&[Audience::Backend]);
    match (same.concrete, same.symbolic) {
        (true, true) => impacts.without(backend),
        // Only kernels that take symbolic sizes must change.
        (true, false) if impacts.breaks.contains(Audience::Backend) => Impacts {
            breaks: impacts.breaks.without(backend),
            risks: impacts.risks.union(backend),
        },
        _ => impacts,
    }
}

/// Adds the impact of a changed C++ return type, such as `Tensor` to `Tensor(a!)`. A registered
/// kernel must match the new type.
fn with_new_type(impacts: Impacts) -> Impacts {
    let backend = Audiences::of(&[Audience::Backend]);
    Impacts {
        breaks: impacts.breaks.union(backend),
        risks: impacts.risks.without(backend),
    }
}

/// The impacts for an operator that Python binds nowhere. Python calls it only through `torch.ops`,
/// which goes by the schema.
fn of_unbound(impacts: Impacts, group: Group) -> Impacts {
    let torch_ops = Audiences::of(&[Audience::TorchOps]);
    let replaced = |audiences: Audiences| {
        let rest = audiences.without(PYTHON);
        if group != Group::Binding && !audiences.intersection(PYTHON).is_empty() {
            rest.union(torch_ops)
        } else {
            rest
        }
    };
    let breaks = replaced(impacts.breaks);
    Impacts {
        breaks,
        risks: replaced(impacts.risks).without(breaks.intersection(torch_ops)),
    }
}
