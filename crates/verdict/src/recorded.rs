//! What the composite kernels of a revision call as far as it was recorded, by the operators of the
//! revision instead of their names.

use std::ops::Range;

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::calls;

use crate::generated::Call;

/// The namespace of all operators that recordings name.
const NAMESPACE: &str = "aten";

/// The operators that recordings name, by the place of the name. Operators that the file does not
/// declare are left out.
#[derive(Debug)]
pub(crate) struct Names(Box<[Option<OperatorId>]>);

impl Names {
    /// Looks up all names.
    pub(crate) fn of(catalogue: &Catalogue) -> Self {
        let names = calls::names();
        Self(
            names
                .map(|name| catalogue.find_in(NAMESPACE, name))
                .collect(),
        )
    }

    fn get(&self, place: u16) -> Option<OperatorId> {
        self.0.get(usize::from(place)).copied().flatten()
    }
}

/// The recorded calls of operators, one after the other. Calls of operators that the file does not
/// declare are left out.
pub(crate) struct Recorded {
    calls: Vec<Call>,
    /// Of each operator where its calls are.
    places: Vec<Option<Range<u32>>>,
}

impl Recorded {
    pub(crate) fn new(catalogue: &Catalogue, names: &Names) -> Self {
        let mut made = Self {
            calls: Vec::with_capacity(catalogue.operators.len()),
            places: vec![None; catalogue.operators.len()],
        };
        for row in calls::of_release(catalogue.release) {
            let Some(operator) = names.get(row.operator) else {
                continue;
            };
            let call = |place: &u16, always| names.get(*place).map(|to| Call { to, always });
            let always = row.always.iter().filter_map(|place| call(place, true));
            let sometimes = row.sometimes.iter().filter_map(|place| call(place, false));
            let begin = made.place();
            made.calls.extend(always.chain(sometimes));
            let end = made.place();
            if let Some(place) = made.places.get_mut(operator.index()) {
                *place = Some(begin..end);
            }
        }
        made
    }

    /// Where the next call would be.
    fn place(&self) -> u32 {
        u32::try_from(self.calls.len()).unwrap_or(u32::MAX)
    }

    /// The calls of an operator, where they were recorded.
    pub(crate) fn of(&self, id: OperatorId) -> Option<&[Call]> {
        let Range { start, end } = self.places.get(id.index())?.clone()?;
        self.calls.get(start as usize..end as usize)
    }
}
