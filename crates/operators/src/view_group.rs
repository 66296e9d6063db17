//! View groups: a view, its in-place form and its copying twin (torchgen
//! `get_grouped_by_view_native_functions`).

use hashbrown::HashTable;
use rustc_hash::FxHashMap;

use super::operator::{Operator, OperatorId, hash};
use opatlas_pytorch::release::Release;
use opatlas_schema::function::SchemaKind;
use opatlas_schema::signature::{ViewCopyNames, view_signature};

/// A view with what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewGroup {
    /// The view.
    pub view: OperatorId,
    /// Its in-place form.
    pub inplace: Option<OperatorId>,
    /// Its copying twin: the functional operator of the same view signature.
    pub copy: Option<OperatorId>,
}

impl ViewGroup {
    /// The view, its in-place form and its copy.
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
    /// Pairs, first and later, that claim the same part in one group although their signatures
    /// differ.
    pub clashes: Vec<(OperatorId, OperatorId)>,
    in_group: Vec<bool>,
}

/// The part that an operator plays among those of its view signature.
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
    /// Groups operators; ids are their indices.
    #[must_use]
    pub fn of_operators(operators: &[Operator], release: Release) -> Self {
        let names = if release >= Release::V2_3 {
            ViewCopyNames::CopyAndScatter
        } else {
            ViewCopyNames::Copy
        };
        // Only a view signature that differs from the signature needs to be printed, and only
        // groups that have a view or such an operator can say anything new.
        let mut renamed: FxHashMap<OperatorId, String> = FxHashMap::default();
        for (i, operator) in operators.iter().enumerate() {
            if operator.is_named_after_view()
                && (names == ViewCopyNames::CopyAndScatter
                    || !operator.name().stem().ends_with("_scatter"))
            {
                let signature = view_signature(operator.schema(), names);
                renamed.insert(OperatorId::of_index(i), signature);
            }
        }
        let signature = |i: usize| {
            let operator = &operators[i];
            let is_renamed = operator.is_named_after_view();
            let renamed = is_renamed.then(|| renamed.get(&OperatorId::of_index(i)));
            ViewSignature::of(operator, renamed.flatten())
        };
        let mut places: HashTable<(ViewSignature<'_>, usize)> = HashTable::new();
        for (i, operator) in operators.iter().enumerate() {
            let signature = signature(i);
            if operator.is_view || signature.renamed.is_some() {
                let next = places.len();
                places
                    .entry(
                        signature.hash,
                        |(known, _)| *known == signature,
                        |(known, _)| known.hash,
                    )
                    .or_insert((signature, next));
            }
        }
        let mut parts: Vec<Vec<(Part, OperatorId)>> = vec![Vec::new(); places.len()];
        let mut clashes = Vec::new();
        for (i, operator) in operators.iter().enumerate() {
            let signature = signature(i);
            let place = places.find(signature.hash, |(known, _)| *known == signature);
            let Some(&(_, place)) = place else {
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

/// The signature that an operator has among those of its view. Texts are compared only where their hashes
/// are equal.
#[derive(Debug, Clone, Copy)]
struct ViewSignature<'a> {
    hash: u64,
    operator: &'a Operator,
    /// Where it is not the operator's own.
    renamed: Option<&'a str>,
}

impl<'a> ViewSignature<'a> {
    fn of(operator: &'a Operator, renamed: Option<&'a String>) -> Self {
        let renamed = renamed.map(String::as_str);
        Self {
            hash: renamed.map_or_else(|| operator.signature_hash(), hash),
            operator,
            renamed,
        }
    }

    fn text(&self) -> &'a str {
        self.renamed.unwrap_or_else(|| self.operator.signature())
    }
}

impl PartialEq for ViewSignature<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash && self.text() == other.text()
    }
}

/// The group of these parts; none without a view.
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
