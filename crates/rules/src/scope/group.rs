//! Groups that are complete.

use opatlas_operators::group::Group;
use opatlas_operators::operator::OperatorId;

/// A group with a functional and an out variant and no scratch variant (torchgen
/// `NativeFunctionsGroup`).
#[derive(Debug, Clone, Copy)]
pub(crate) struct CompleteGroup {
    pub(crate) functional: OperatorId,
    pub(crate) out: OperatorId,
    pub(crate) inplace: Option<OperatorId>,
    pub(crate) mutable: Option<OperatorId>,
}

impl CompleteGroup {
    /// `None` if the group is incomplete.
    pub(crate) fn new(group: &Group) -> Option<Self> {
        if group.scratch.is_some() {
            return None;
        }
        Some(Self {
            functional: group.functional?,
            out: group.out?,
            inplace: group.inplace,
            mutable: group.mutable,
        })
    }

    /// The members in torchgen's order.
    pub(crate) fn members(self) -> impl Iterator<Item = OperatorId> {
        [
            Some(self.functional),
            Some(self.out),
            self.inplace,
            self.mutable,
        ]
        .into_iter()
        .flatten()
    }

    pub(crate) fn writing(self) -> impl Iterator<Item = OperatorId> {
        [Some(self.out), self.inplace, self.mutable]
            .into_iter()
            .flatten()
    }
}
