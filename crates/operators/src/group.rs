//! Groups of variants with equal signatures (torchgen `pre_group_native_functions`).

use opatlas_schema::function::SchemaKind;
use rustc_hash::FxHashMap;

use super::operator::{Operator, OperatorId};

/// The index of a group, in order of first appearance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupId(pub u32);

/// Operators with one signature, at most one of each kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Group {
    /// The functional variant.
    pub functional: Option<OperatorId>,
    /// The in-place variant.
    pub inplace: Option<OperatorId>,
    /// The out variant.
    pub out: Option<OperatorId>,
    /// The variant that writes to other arguments.
    pub mutable: Option<OperatorId>,
    /// The variant with scratch arguments.
    pub scratch: Option<OperatorId>,
    /// Further operators of one kind; a rule rejects them.
    pub duplicates: Vec<OperatorId>,
}

impl Group {
    /// The member of a kind.
    #[must_use]
    pub fn member(&self, kind: SchemaKind) -> Option<OperatorId> {
        match kind {
            SchemaKind::Functional => self.functional,
            SchemaKind::Inplace => self.inplace,
            SchemaKind::Out => self.out,
            SchemaKind::Mutable => self.mutable,
            SchemaKind::Scratch => self.scratch,
        }
    }

    /// The members in torchgen's order (`NativeFunctionsGroup.functions`), without duplicates.
    pub fn members(&self) -> impl Iterator<Item = OperatorId> + use<> {
        [
            self.functional,
            self.out,
            self.inplace,
            self.mutable,
            self.scratch,
        ]
        .into_iter()
        .flatten()
    }

    pub(super) fn add(&mut self, kind: SchemaKind, id: OperatorId) {
        let place = match kind {
            SchemaKind::Functional => &mut self.functional,
            SchemaKind::Inplace => &mut self.inplace,
            SchemaKind::Out => &mut self.out,
            SchemaKind::Mutable => &mut self.mutable,
            SchemaKind::Scratch => &mut self.scratch,
        };
        if place.is_none() {
            *place = Some(id);
        } else {
            self.duplicates.push(id);
        }
    }
}

/// All groups, and the group of each operator.
#[derive(Debug, Default)]
pub struct Groups {
    groups: Vec<Group>,
    of: Vec<GroupId>,
}

impl Groups {
    /// Groups operators; their ids are indices.
    #[must_use]
    pub fn of_operators(operators: &[Operator]) -> Self {
        let mut by_signature: FxHashMap<&str, GroupId> = FxHashMap::default();
        let mut groups = Self::default();
        for (i, operator) in operators.iter().enumerate() {
            let next = groups.next_id();
            let group = *by_signature.entry(operator.signature()).or_insert(next);
            if group == next {
                groups.groups.push(Group::default());
            }
            groups.groups[group.0 as usize].add(operator.kind, OperatorId::of_index(i));
            groups.of.push(group);
        }
        groups
    }

    fn next_id(&self) -> GroupId {
        GroupId(u32::try_from(self.groups.len()).unwrap_or(u32::MAX))
    }

    /// Ignores the signature.
    pub(super) fn push_alone(&mut self, kind: SchemaKind, id: OperatorId) {
        let group = self.next_id();
        self.groups.push(Group::default());
        self.groups[group.0 as usize].add(kind, id);
        self.of.push(group);
    }

    /// All groups, in order of first appearance.
    #[must_use]
    pub fn all(&self) -> &[Group] {
        &self.groups
    }

    /// The group of an operator.
    #[must_use]
    pub fn of(&self, id: OperatorId) -> &Group {
        &self.groups[self.of[id.index()].0 as usize]
    }
}
