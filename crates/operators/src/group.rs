//! Groups: the operators that are variants of one another, having equal signatures (torchgen
//! `pre_group_native_functions`).

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::operator::{Operator, OperatorId};
use opatlas_schema::function::SchemaKind;

/// The place of a group in its catalogue, in order of first appearance.
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
    /// Further operators of a kind that is taken already; a rule refuses them.
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

    /// The members, functional first, then out, in place, mutable and scratch (torchgen
    /// `NativeFunctionsGroup.functions`); duplicates not.
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
    /// Groups operators; ids are their indices.
    #[must_use]
    pub fn of_operators(operators: &[Operator]) -> Self {
        // The first operator of each signature.
        let mut first = HashTable::with_capacity(operators.len());
        let hash_of = |id: &OperatorId| operators[id.index()].signature_hash();
        let mut groups = Self {
            groups: Vec::with_capacity(operators.len()),
            of: Vec::with_capacity(operators.len()),
        };
        for (i, operator) in operators.iter().enumerate() {
            let id = OperatorId::of_index(i);
            let hash = operator.signature_hash();
            let is_same = |known: &OperatorId| {
                let known = &operators[known.index()];
                known.signature_hash() == hash && known.signature() == operator.signature()
            };
            let group = match first.entry(hash, is_same, hash_of) {
                Entry::Occupied(known) => groups.of[known.get().index()],
                Entry::Vacant(place) => {
                    place.insert(id);
                    groups.groups.push(Group::default());
                    GroupId(u32::try_from(groups.groups.len() - 1).unwrap_or(u32::MAX))
                }
            };
            groups.groups[group.0 as usize].add(operator.kind, id);
            groups.of.push(group);
        }
        groups
    }

    /// Adds the operators behind those that are grouped. They are generated ones, which nearly always
    /// have the signature, and so the group, of the operator that they were made from.
    pub(super) fn join(&mut self, operators: &[Operator]) {
        let known = self.of.len();
        let group_of = |operator: &Operator| {
            let from = operator.generated_from()?.index();
            let group = self.of.get(from)?;
            (operators[from].signature() == operator.signature()).then_some(*group)
        };
        let joined: Option<Vec<GroupId>> = operators[known..].iter().map(group_of).collect();
        let Some(joined) = joined else {
            *self = Self::of_operators(operators);
            return;
        };
        for (i, group) in (known..).zip(joined) {
            let id = OperatorId::of_index(i);
            self.groups[group.0 as usize].add(operators[i].kind, id);
            self.of.push(group);
        }
    }

    /// Adds an operator in a group of its own, whatever its signature.
    pub(super) fn push_alone(&mut self, kind: SchemaKind, id: OperatorId) {
        let group = GroupId(u32::try_from(self.groups.len()).unwrap_or(u32::MAX));
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
