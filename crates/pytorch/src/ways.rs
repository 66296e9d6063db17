//! The registries that decide how an operator compiles, batches, shards and is packaged
//! (`data/ways.txt`).
//!
//! ```
//! use opatlas_pytorch::{Release, ways::{self, Registry}};
//!
//! let facts = ways::facts(Release::V2_9).unwrap();
//! assert!(facts.operator("add.Tensor").is_in(Registry::InductorLowerings));
//! assert_eq!(facts.operator("mm").value(Registry::AutocastCuda), Some("lower_precision_fp"));
//! ```

mod registry;
mod table;

use crate::Release;
use table::{Fact, Row, Table};

pub use registry::Registry;

// MEASURED has a bit for each recorded release.
include!(concat!(env!("OUT_DIR"), "/ways.rs"));

/// What was recorded of one release.
#[derive(Copy, Clone, Debug)]
pub struct Facts {
    release: Release,
}

/// The registries of an operator in one release.
#[derive(Copy, Clone, Debug)]
pub struct Operator {
    release: Release,
    rows: &'static [Row],
}

/// A function of Python that the operator database tests.
#[derive(Copy, Clone, Debug)]
pub struct Function {
    /// The name in Python: `nn.functional.relu`.
    pub name: &'static str,
    /// The variant of the test, if it has one.
    pub variant: Option<&'static str>,
    release: Release,
    rows: &'static [Row],
}

/// The dtypes of a function on a device type, separated by blanks: `bf16 f32`.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct Dtypes {
    /// The device type: `cuda`.
    pub device: &'static str,
    /// The dtypes of a call.
    pub forward: &'static str,
    /// The dtypes of a call whose inputs require gradients.
    pub backward: &'static str,
}

/// A function of the C shim of AOTInductor.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct Shim {
    /// The name behind `aoti_torch_{device}_`: `add_Tensor`, with `_v2` for a second version.
    pub function: &'static str,
    /// The device type, or `aten` for a function of all devices.
    pub device: &'static str,
    /// The C parameters, as the header of the release declares them.
    pub parameters: &'static str,
}

/// The facts of a release, or of the newest recorded one before it.
#[must_use]
pub fn facts(release: Release) -> Option<Facts> {
    all().rfind(|facts| facts.release <= release)
}

/// The facts of each recorded release, the oldest first.
pub fn all() -> impl DoubleEndedIterator<Item = Facts> {
    let recorded = Release::all().filter(|known| MEASURED >> known.index() & 1 == 1);
    recorded.map(|release| Facts { release })
}

impl Facts {
    /// The release that was recorded.
    #[must_use]
    pub fn release(self) -> Release {
        self.release
    }

    /// Why the release lacks a registry; `None` if it has it, even without members.
    #[must_use]
    pub fn absent(self, registry: Registry) -> Option<&'static str> {
        let absences = OPERATORS.facts[registry as usize].absent.iter();
        let bit = 1 << self.release.index();
        absences
            .copied()
            .find(|(releases, _)| releases & bit != 0)
            .map(|(_, reason)| reason)
    }

    /// The registries of an operator: `add.Tensor`, `add (packet)`, `prims::add`. An operator that the
    /// release does not have is in none.
    #[must_use]
    pub fn operator(self, name: &str) -> Operator {
        Operator {
            release: self.release,
            rows: OPERATORS.rows_of(name),
        }
    }

    /// The members of a registry, in order, with the value of each.
    pub fn members(
        self,
        registry: Registry,
    ) -> impl Iterator<Item = (&'static str, Option<&'static str>)> {
        OPERATORS.by_name().filter_map(move |(name, rows)| {
            let operator = Operator {
                release: self.release,
                rows,
            };
            operator
                .is_in(registry)
                .then(|| (name, operator.value(registry)))
        })
    }

    /// The functions that the operator database of the release tests.
    pub fn functions(self) -> impl Iterator<Item = Function> {
        let functions = FUNCTIONS.by_name().map(move |(name, rows)| {
            let (name, variant) = name
                .split_once('/')
                .map_or((name, None), |(name, variant)| (name, Some(variant)));
            Function {
                name,
                variant,
                release: self.release,
                rows,
            }
        });
        functions.filter(move |function| function.rows.iter().any(|row| row.holds_in(self.release)))
    }

    /// The functions of the C shim in the headers of the release.
    pub fn shims(self) -> impl Iterator<Item = Shim> {
        SHIM.by_name()
            .flat_map(move |(function, rows)| self.shims_of(function, rows))
    }

    /// The functions of the C shim with a name: one for each device type.
    pub fn shim(self, function: &str) -> impl Iterator<Item = Shim> {
        let rows = SHIM.rows_of(function);
        let name = rows
            .first()
            .map_or("", |row| SHIM.name(usize::from(row.name)));
        self.shims_of(name, rows)
    }

    fn shims_of(self, function: &'static str, rows: &'static [Row]) -> impl Iterator<Item = Shim> {
        SHIM.facts_of(rows, self.release)
            .filter_map(move |(fact, parameters)| {
                let (device, parameters) =
                    (fact.strip_prefix("shim_")?, parameters.unwrap_or_default());
                Some(Shim {
                    function,
                    device,
                    parameters,
                })
            })
    }
}

/// The name of an operator's function in the C shim: `fill__Scalar` of `fill_.Scalar`.
#[must_use]
pub fn shim_function(operator: &str) -> String {
    operator.replace('.', "_")
}

impl Operator {
    /// The registries of the operator in another release.
    #[must_use]
    pub fn at(self, facts: Facts) -> Self {
        let release = facts.release;
        Self { release, ..self }
    }

    /// Whether a registry holds the operator.
    #[must_use]
    pub fn is_in(self, registry: Registry) -> bool {
        self.row(registry).is_some()
    }

    /// What the registry says of the operator; `None` if membership is all.
    #[must_use]
    pub fn value(self, registry: Registry) -> Option<&'static str> {
        OPERATORS.value(self.row(registry)?, registry as usize)
    }

    fn row(self, registry: Registry) -> Option<&'static Row> {
        let mut rows = self.rows.iter();
        rows.find(|row| row.holds_in(self.release) && row.has(registry as usize))
    }
}

impl Function {
    /// The base name of the operator that the function is a binding of, as the database says:
    /// `max_pool2d_with_indices_backward`. Some name a function that is written in Python.
    #[must_use]
    pub fn operator(self) -> &'static str {
        self.value("dtypes_operator").unwrap_or(self.name)
    }

    /// The dtypes with which the tests of the function ran on the CPU; `None` if the release was not
    /// measured.
    #[must_use]
    pub fn measured_dtypes(self) -> Option<Dtypes> {
        Some(Dtypes {
            device: "cpu",
            forward: self.value("ran_dtypes_cpu")?,
            backward: self.value("ran_backward_dtypes_cpu")?,
        })
    }

    /// The dtypes that the operator database claims, by device type. A device type of which the test
    /// says nothing is left out.
    pub fn claimed_dtypes(self) -> impl Iterator<Item = Dtypes> {
        FUNCTIONS.facts.iter().filter_map(move |fact| {
            let device = fact
                .name
                .strip_prefix("dtypes_")
                .filter(|of| *of != "operator")?;
            Some(Dtypes {
                device,
                forward: self.value(fact.name)?,
                backward: self.value(&format!("backward_{}", fact.name))?,
            })
        })
    }

    /// The value of a fact, empty if it has none; `None` without the fact.
    fn value(self, fact: &str) -> Option<&'static str> {
        let mut facts = FUNCTIONS.facts_of(self.rows, self.release);
        let (_, value) = facts.find(|(name, _)| *name == fact)?;
        Some(value.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registries_are_those_of_the_data() {
        let names: Vec<_> = OPERATORS.facts.iter().map(|fact| fact.name).collect();
        let registries: Vec<_> = Registry::ALL
            .iter()
            .map(|registry| registry.name())
            .collect();
        assert_eq!(registries, names);
    }

    #[test]
    fn names_are_found_and_sorted() {
        for table in [&OPERATORS, &FUNCTIONS, &SHIM] {
            let names: Vec<_> = table.by_name().map(|(name, _)| name).collect();
            assert!(names.is_sorted() && names.len() + 1 == table.bounds.len());
            for (name, rows) in table.by_name() {
                assert_eq!(table.rows_of(name).len(), rows.len(), "{name}");
            }
            assert!(table.rows_of("").is_empty() && table.rows_of("zzz").is_empty());
        }
    }

    #[test]
    fn rows_of_a_name_do_not_overlap() {
        for table in [&OPERATORS, &FUNCTIONS, &SHIM] {
            for (name, rows) in table.by_name() {
                for (number, row) in rows.iter().enumerate() {
                    let others = &rows[number + 1..];
                    assert!(
                        others.iter().all(|other| {
                            row.releases & other.releases == 0 || row.facts & other.facts == 0
                        }),
                        "{name}"
                    );
                }
            }
        }
    }
}
