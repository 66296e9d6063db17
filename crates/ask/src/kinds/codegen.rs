//! Errors of PyTorch's code generator, each with the rule of Opatlas that finds the same fault.

mod entries;
mod formulas;
mod schemas;

use opatlas_source::diagnostic::RuleId;

use super::Row;
use crate::kind::Kind;
use crate::name;
use crate::reading::Reading;
use crate::{Severity, Way};

const CODEGEN: Kind = Kind {
    way: Way::Codegen,
    refine: operator,
    causes: &["{rule}"],
    advice: &[
        "To see the file and the line, and often a fix: `opatlas check native_functions.yaml`.",
    ],
    ..Kind::ERROR
};

const NATIVE_BASE: Kind = Kind {
    id: "torchgen-native-functions",
    titles: &[
        "PyTorch's code generator rejects the entry of {op} in native_functions.yaml",
        "PyTorch's code generator rejects an entry of native_functions.yaml",
    ],
    misleads: &[
        "Older releases fail with a bare `AssertionError` or `KeyError`, without the line.",
    ],
    ..CODEGEN
};

static NATIVE: Kind = NATIVE_BASE;

/// An entry that torchgen names, with an error of Python that does not say what is wrong.
static ENTRY: Kind = Kind {
    severity: Severity::Wrapper,
    refine: |reading| {
        reading.severity = Severity::Error;
        operator(reading);
    },
    causes: &["Its schema or one of its fields has a form that the generator does not expect."],
    ..NATIVE_BASE
};

static DERIVATIVES: Kind = Kind {
    id: "torchgen-derivatives",
    titles: &[
        "PyTorch's code generator rejects the formula of {op} in derivatives.yaml",
        "PyTorch's code generator rejects an entry of derivatives.yaml",
    ],
    ..CODEGEN
};

static BACKEND: Kind = Kind {
    id: "backend-yaml",
    titles: &[
        "PyTorch's code generator rejects {op} in the file of a backend",
        "PyTorch's code generator rejects the file of a backend",
    ],
    advice: &["To see the line, and often a fix: `opatlas check BACKEND.yaml`."],
    ..CODEGEN
};

/// All kinds of the code generator.
pub(super) static KINDS: [&Kind; 4] = [&NATIVE, &DERIVATIVES, &BACKEND, &ENTRY];

/// Its messages, each with the rule.
pub(super) fn rows() -> impl Iterator<Item = Row> {
    let tables = [
        (&BACKEND, formulas::BACKENDS),
        (&DERIVATIVES, formulas::FORMULAS),
        (&NATIVE, entries::ENTRIES),
        (&NATIVE, schemas::SCHEMAS),
    ];
    let rows = tables.into_iter().flat_map(|(kind, table)| {
        table
            .iter()
            .map(move |(pattern, rule)| (kind, *pattern, Some(*rule)))
    });
    rows.chain([(&ENTRY, ".yaml:{number}: {op}(", None)])
}

/// Messages, each with the rule that finds the same fault.
type Table = &'static [(&'static str, RuleId)];

/// Takes the operator from the entry that torchgen names: a schema, or the parts of its name.
fn operator(reading: &mut Reading<'_>) {
    if let (Some(base), Some(overload)) = (reading.part("base"), reading.part("overload")) {
        let underscore = if reading.part("inplace") == Some("True") {
            "_"
        } else {
            ""
        };
        let dot = if overload.is_empty() { "" } else { "." };
        reading.operator = name::operator(&format!("{base}{underscore}{dot}{overload}"));
    }
    if reading.operator.is_none() {
        super::dispatcher::schema(reading);
    }
    if reading.operator.is_none() {
        reading.operator = within(reading);
    }
}

/// The operator of the entry that torchgen names after an error: `in native_functions.yaml:12:
/// quox(Tensor self) -> Tensor`.
fn within(reading: &Reading<'_>) -> Option<String> {
    let after = reading.after(2_000);
    let (_, entry) = after.split_once(".yaml:")?;
    let (line, schema) = entry.split_once([' ', '\n'])?;
    let is_line = line.trim_end_matches(':').parse::<u32>().is_ok();
    let name = schema.split_once('(').filter(|_| is_line)?.0;
    name::operator(name)
}
