//! View groups: a view, its in-place form and its copy (torchgen
//! `get_grouped_by_view_native_functions`).

use std::borrow::Cow;

use opatlas_pytorch::release::Release;
use opatlas_schema::function::SchemaKind;
use opatlas_schema::signature::{ViewCopyNames, view_signature};
use rustc_hash::FxHashMap;

use super::operator::{Operator, OperatorId};

/// A view with its in-place variant and its copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewGroup {
    /// The view.
    pub view: OperatorId,
    /// Its in-place variant.
    pub inplace: Option<OperatorId>,
    /// Its copy: the functional operator with the same view signature.
    pub copy: Option<OperatorId>,
}

impl ViewGroup {
    /// The view, its in-place variant and its copy.
    pub fn members(&self) -> impl Iterator<Item = OperatorId> + use<> {
        [Some(self.view), self.inplace, self.copy]
            .into_iter()
            .flatten()
    }
}

/// All view groups of a revision.
#[derive(Debug, Default)]
pub struct ViewGroups {
    /// The groups, in order of first appearance of any member.
    pub groups: Vec<ViewGroup>,
    /// Pairs of operators with the same role in a group.
    pub clashes: Vec<(OperatorId, OperatorId)>,
    in_group: Vec<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    View,
    InplaceView,
    Other(SchemaKind),
}

impl Part {
    fn of(operator: &Operator) -> Self {
        match (operator.is_view, operator.name().is_inplace()) {
            (true, true) => Self::InplaceView,
            (true, false) => Self::View,
            (false, _) => Self::Other(operator.kind),
        }
    }
}

impl ViewGroups {
    /// Groups operators; their ids are indices.
    #[must_use]
    pub fn of_operators(operators: &[Operator], release: Release) -> Self {
        let names = if release >= Release::V2_3 {
            ViewCopyNames::CopyAndScatter
        } else {
            ViewCopyNames::Copy
        };
        let signatures: Vec<Cow<'_, str>> = operators
            .iter()
            .map(|operator| {
                if is_renamed(operator, names) {
                    view_signature(operator.schema(), names).into()
                } else {
                    operator.signature().into()
                }
            })
            .collect();
        // Only groups with a view or a renamed operator can be view groups.
        let mut places: FxHashMap<&str, usize> = FxHashMap::default();
        for (operator, signature) in operators.iter().zip(&signatures) {
            if operator.is_view || is_renamed(operator, names) {
                let next = places.len();
                places.entry(signature).or_insert(next);
            }
        }
        let mut parts: Vec<Vec<(Part, OperatorId)>> = vec![Vec::new(); places.len()];
        let mut clashes = Vec::new();
        for (i, (operator, signature)) in operators.iter().zip(&signatures).enumerate() {
            let Some(&place) = places.get(&**signature) else {
                continue;
            };
            let (part, id) = (Part::of(operator), OperatorId::of_index(i));
            match parts[place].iter().find(|(taken, _)| *taken == part) {
                Some(&(_, first)) => clashes.push((first, id)),
                None => parts[place].push((part, id)),
            }
        }
        let mut in_group = vec![false; operators.len()];
        let groups: Vec<ViewGroup> = parts.iter().filter_map(|parts| group(parts)).collect();
        for id in groups.iter().flat_map(ViewGroup::members) {
            in_group[id.index()] = true;
        }
        Self {
            groups,
            clashes,
            in_group,
        }
    }

    /// Whether an operator belongs to a view group.
    #[must_use]
    pub fn contains(&self, id: OperatorId) -> bool {
        self.in_group.get(id.index()).copied().unwrap_or(false)
    }
}

fn is_renamed(operator: &Operator, names: ViewCopyNames) -> bool {
    let stem = operator.name().stem();
    let is_scatter = names == ViewCopyNames::CopyAndScatter && stem.ends_with("_scatter");
    stem.ends_with("_copy") || is_scatter
}

/// `None` without a view.
fn group(parts: &[(Part, OperatorId)]) -> Option<ViewGroup> {
    let find = |wanted| {
        let found = parts.iter().find(|(part, _)| *part == wanted);
        found.map(|&(_, id)| id)
    };
    Some(ViewGroup {
        view: find(Part::View)?,
        inplace: find(Part::InplaceView),
        copy: find(Part::Other(SchemaKind::Functional)),
    })
}
