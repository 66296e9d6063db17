//! Rare calls: those that the operator's own tests do not make, but the tests of operators that call
//! it do. `reshape` calls `_reshape_alias` only for tensors that are not contiguous. Such a call
//! counts for the operators whose tests reach it, and not for the operator itself.

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::calls::{self, RareCall};
use rustc_hash::FxHashMap;

use crate::generated::Call;
use crate::recorded::Names;

/// The operators between the one that reaches a rare call and the one that makes it, which is the
/// last. The call is made only if all of them have a composite kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chain(u32);

/// A rare call that the tests of an operator reach.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reached {
    pub(crate) to: OperatorId,
    pub(crate) by: Chain,
}

/// The rare calls of a revision.
#[derive(Debug, Default)]
pub(crate) struct RareCalls {
    /// Of each operator the rare calls that it makes itself.
    own: FxHashMap<OperatorId, Vec<OperatorId>>,
    /// Of each operator those that its tests reach.
    reached: FxHashMap<OperatorId, Vec<Reached>>,
    chains: Vec<Box<[OperatorId]>>,
}

impl RareCalls {
    /// Takes them out of the recorded calls, as far as those of the revision's release have them.
    pub(crate) fn take(
        catalogue: &Catalogue,
        names: &Names,
        recorded: &mut [Option<Vec<Call>>],
    ) -> Self {
        let mut rare = Self::default();
        let rows: Vec<RareCall> = calls::rare(catalogue.release).collect();
        for row in &rows {
            rare.add(*row, names, recorded);
        }
        for (id, calls) in &rare.own {
            if let Some(Some(of)) = recorded.get_mut(id.index()) {
                of.retain(|call| call.always || !calls.contains(&call.to));
            }
        }
        rare
    }

    fn add(&mut self, row: RareCall, names: &Names, recorded: &[Option<Vec<Call>>]) {
        let (Some(from), Some(to)) = (names.get(row.operator), names.get(row.call)) else {
            return;
        };
        let calls = |from: OperatorId, to: OperatorId| {
            let of = recorded.get(from.index()).and_then(Option::as_ref);
            of.and_then(|calls| calls.iter().find(|call| call.to == to))
        };
        if calls(from, to).is_none_or(|call| call.always) {
            return;
        }
        self.own.entry(from).or_default().push(to);
        for chain in row.within {
            let ids = chain.iter().map(|&place| names.get(place));
            let Some(ids) = ids.collect::<Option<Vec<OperatorId>>>() else {
                continue;
            };
            let is_recorded = ids.windows(2).all(|step| calls(step[0], step[1]).is_some());
            let Some((&first, rest)) = ids.split_first() else {
                continue;
            };
            if !is_recorded || calls(first, to).is_some() {
                continue;
            }
            let by = Chain(u32::try_from(self.chains.len()).unwrap_or(u32::MAX));
            self.chains.push(rest.into());
            self.reached
                .entry(first)
                .or_default()
                .push(Reached { to, by });
        }
    }

    /// The rare calls that an operator makes itself.
    pub(crate) fn of(&self, id: OperatorId) -> &[OperatorId] {
        self.own.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Those that its tests reach.
    pub(crate) fn reached(&self, id: OperatorId) -> &[Reached] {
        self.reached.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The operators of a chain.
    pub(crate) fn chain(&self, chain: Option<Chain>) -> &[OperatorId] {
        let found = chain.and_then(|chain| self.chains.get(chain.0 as usize));
        found.map_or(&[], |ids| ids)
    }
}
