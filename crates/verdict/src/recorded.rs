//! What the composite kernels of a revision call as far as it was recorded, by the operators of the
//! revision instead of their names.

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::calls::{self, RareCall, RecordedCalls};
use opatlas_schema::function::SchemaKind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::generated::Call;
use crate::rare::RareCalls;

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

    pub(crate) fn get(&self, place: u16) -> Option<OperatorId> {
        self.0.get(usize::from(place)).copied().flatten()
    }
}

/// A call that was recorded with the revision's own release, of an operator that the revision does
/// not declare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Undeclared {
    pub(crate) name: &'static str,
    pub(crate) always: bool,
    /// Whether the operator is really gone: the revision declares all others, and no entry that
    /// could not be read may declare it.
    pub(crate) is_gone: bool,
}

/// The recorded calls of each operator.
pub(crate) struct Recorded {
    calls: Vec<Option<Vec<Call>>>,
    /// Calls that the tests of the operator do not make, which `calls` lacks.
    pub(crate) rare: RareCalls,
    /// Calls of operators that the file does not declare.
    pub(crate) undeclared: FxHashMap<OperatorId, Vec<Undeclared>>,
    /// Calls that some cases make, of an operator by another one, which most recorded cases made.
    pub(crate) mostly: FxHashSet<(OperatorId, OperatorId)>,
}

impl Recorded {
    pub(crate) fn new(catalogue: &Catalogue, names: &Names) -> Self {
        let mut recorded = Self {
            calls: vec![None; catalogue.operators.len()],
            rare: RareCalls::default(),
            undeclared: FxHashMap::default(),
            mostly: FxHashSet::default(),
        };
        for row in calls::of_release(catalogue.release) {
            if let Some(operator) = names.get(row.operator) {
                recorded.add(operator, row, catalogue, names);
            }
        }
        for row in calls::without_options(catalogue.release) {
            recorded.add_to_known(row, names);
        }
        recorded.rare = RareCalls::take(catalogue, names, &mut recorded.calls);
        recorded
    }

    fn add(
        &mut self,
        operator: OperatorId,
        row: RecordedCalls,
        catalogue: &Catalogue,
        names: &Names,
    ) {
        let always = row.always.iter().map(|&place| (place, true));
        let sometimes = row.sometimes.iter().map(|&place| (place, false));
        let mostly = row.mostly.iter().filter_map(|&place| names.get(place));
        self.mostly.extend(mostly.map(|to| (operator, to)));
        let mut declared = Vec::new();
        let mut undeclared = Vec::new();
        for (place, always) in always.chain(sometimes) {
            match names.get(place) {
                Some(to) => declared.push(Call { to, always }),
                // Calls that stand in from another release may be of operators that this one lacks.
                None if row.recorded_with != catalogue.release => {}
                None => undeclared.extend(calls::names().nth(usize::from(place)).map(|name| {
                    Undeclared {
                        name,
                        always,
                        is_gone: is_gone(catalogue, name),
                    }
                })),
            }
        }
        if let Some(place) = self.calls.get_mut(operator.index()) {
            *place = Some(declared);
        }
        if !undeclared.is_empty() {
            self.undeclared.insert(operator, undeclared);
        }
    }

    /// Adds a call that some cases make to those of an operator that has any.
    fn add_to_known(&mut self, row: RareCall, names: &Names) {
        let (Some(operator), Some(to)) = (names.get(row.operator), names.get(row.call)) else {
            return;
        };
        if let Some(Some(known)) = self.calls.get_mut(operator.index())
            && !known.iter().any(|call| call.to == to)
        {
            known.push(Call { to, always: false });
        }
    }

    /// The calls of an operator, where they were recorded.
    pub(crate) fn of(&self, id: OperatorId) -> Option<&[Call]> {
        self.calls.get(id.index())?.as_deref()
    }
}

/// Whether an operator that the catalogue lacks is gone for certain: the file has an allocator, as all
/// files of PyTorch do, nothing in it that could not be read, and no overload that the C++ call may
/// resolve to instead.
fn is_gone(catalogue: &Catalogue, name: &str) -> bool {
    let base = name.split('.').next().unwrap_or(name);
    let mut others = catalogue.iter();
    // Out forms have another name in C++, so they and the others do not stand in for each other.
    let is_out = name.ends_with(".out") || name.ends_with("_out");
    if others.any(|(_, operator)| {
        operator.base_name() == base && (operator.kind == SchemaKind::Out) == is_out
    }) {
        return false;
    }
    catalogue
        .find_in(NAMESPACE, "empty.memory_format")
        .is_some()
        && !catalogue.native_functions.may_hide(name)
}
