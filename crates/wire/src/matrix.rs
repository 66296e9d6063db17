//! The matrix of all operators and keys, with reasons and verdicts.

use std::sync::Arc;

use opatlas_dispatch::autograd_key;
use opatlas_dispatch::{Pattern, Precedence};
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use opatlas_verdict::{Answer, Applicability, Foreign, Standing, Verdict, Verdicts, View};
use rustc_hash::FxHashMap;
use serde::Serialize;
use utoipa::ToSchema;

use crate::entry::{BuildView, Source};
use crate::key_entries::includes;
use crate::matrix_ways::{FateRows, MatrixWays};
use crate::operator::OperatorKind;
use crate::tables;
use opatlas_service::search;

/// Every operator by every runtime key.
#[derive(Debug, Serialize, ToSchema)]
pub struct MatrixView<'a> {
    /// The release whose keys and rules apply.
    #[schema(example = "2.9")]
    pub release: &'static str,
    /// The build of the tables.
    pub build: BuildView,
    /// The registrations in them.
    pub source: Source,
    /// Notes about it.
    pub notes: Vec<String>,
    /// The runtime keys, in table order: the columns.
    pub keys: Vec<MatrixKey>,
    /// The distinct cells. A character of a row refers to the cell whose index here is the
    /// character's code point minus 48 (`0` for the first, `1` for the second, `:` for the
    /// eleventh).
    pub cells: Vec<MatrixCell>,
    /// The distinct rows: one character per key, in the order of the keys.
    #[schema(example = json!(["000333"]))]
    pub rows: Vec<String>,
    /// What works: the verdicts of the backend keys.
    pub verdicts: MatrixVerdicts,
    /// The fates of operators on each way to run them.
    pub ways: MatrixWays,
    /// The operators, in the order of the file, generated ones after those that they come from.
    pub operators: Vec<MatrixOperator<'a>>,
}

/// Verdicts by operator and backend key.
#[derive(Debug, Serialize, ToSchema)]
pub struct MatrixVerdicts {
    /// The backend keys, in table order.
    #[schema(example = json!(["CPU", "CUDA"]))]
    pub keys: Vec<&'static str>,
    /// The backend keys about which anything is known.
    #[schema(example = json!(["CPU", "CUDA"]))]
    pub claimed: Vec<&'static str>,
    /// The rows, with one character per key. `r` runs, `d` decomposes, `p` partly, `b` falls back,
    /// `f` fails, `u` unknown.
    #[schema(example = json!(["rrdf"]))]
    pub rows: Vec<String>,
    /// For each of `rows`, one character per key: `1` if the operator is applicable, `0` if it fails
    /// because only other backends have it.
    #[schema(example = json!(["1110"]))]
    pub applicable: Vec<String>,
    /// The meaning of each character.
    pub legend: Vec<MatrixVerdict>,
}

/// What a character of a row of verdicts says.
#[derive(Debug, Serialize, ToSchema)]
pub struct MatrixVerdict {
    /// The character.
    #[schema(example = "d")]
    pub letter: char,
    /// The verdict.
    #[schema(example = "decomposes")]
    pub verdict: &'static str,
    /// `yes`, `partly`, `no` or `unknown`.
    #[schema(example = "yes")]
    pub works: &'static str,
}

fn legend() -> Vec<MatrixVerdict> {
    let all = Verdict::ALL.into_iter();
    let letter = |verdict: Verdict| MatrixVerdict {
        letter: verdict.letter(),
        verdict: verdict.as_str(),
        works: Answer::from(verdict).as_str(),
    };
    all.map(letter).collect()
}

/// A column.
#[derive(Debug, Serialize, ToSchema)]
pub struct MatrixKey {
    /// The runtime key.
    #[schema(example = "SparseCPU")]
    pub key: &'static str,
    /// Its functionality.
    #[schema(example = "Sparse")]
    pub functionality: &'static str,
    /// Its backend, if the functionality exists once per backend.
    #[schema(example = "CPU")]
    pub backend: Option<&'static str>,
}

/// The content of a cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct MatrixCell {
    /// The reason, as in an entry.
    #[schema(example = "default backend kernel")]
    pub reason: &'static str,
    /// How an operator with this cell stands on a key that is not a backend's: `own`, `inherited`, `fails`
    /// or `unknown`.
    #[schema(example = "inherited")]
    pub standing: &'static str,
    /// The alias key whose kernel serves it; null for the key's own kernel, a fallback or none.
    #[schema(example = "CompositeExplicitAutograd")]
    pub alias: Option<&'static str>,
    /// Whether the files alone determine the cell.
    pub derivable: bool,
}

/// An operator with its row and the properties to filter by.
#[derive(Debug, Serialize, ToSchema)]
pub struct MatrixOperator<'a> {
    /// Its name, with the namespace unless that is `aten`.
    #[schema(example = "add.Tensor")]
    pub name: String,
    /// Its namespace.
    #[schema(example = "aten")]
    pub namespace: &'a str,
    /// The canonical schema.
    pub schema: &'a str,
    /// The kind of its schema.
    pub kind: OperatorKind,
    /// Whether it is generated.
    pub generated: bool,
    /// Whether it has `structured: True`.
    pub structured: bool,
    /// Its `python_module`.
    pub python_module: Option<&'a str>,
    /// Its tags, including those that the release adds.
    pub tags: Vec<&'a str>,
    /// The index of its row in `rows`.
    pub row: usize,
    /// The place of its row in `verdicts.rows`.
    pub verdicts: usize,
    /// The place of its row in `ways.rows`.
    pub ways: usize,
}

/// The support of every operator on every backend.
pub fn matrix_view(view: View<'_>, generated: search::Generated) -> MatrixView<'_> {
    let keys = view.keys();
    let slots: Vec<Slot> = keys.slots().collect();
    let mut cells = Vec::new();
    let patterns = view.tables.patterns().iter();
    let rows = patterns
        .map(|pattern| row(view, pattern, &slots, &mut cells))
        .collect();
    let catalogue = view.inputs.catalogue.iter();
    let wanted = catalogue.filter(|(_, operator)| includes(generated, operator));
    let mut verdicts = VerdictRows::new(view);
    let mut ways = FateRows::default();
    let operators = wanted.filter_map(|(id, operator)| {
        let row = view.tables.pattern_index(id)?;
        let rows = (row, verdicts.row(id), ways.row(view, id));
        Some(matrix_operator(operator, rows))
    });
    let operators = operators.collect();
    MatrixView {
        release: keys.release().as_str(),
        build: view.tables.build().into(),
        source: view.tables.source().into(),
        notes: tables::notes(view),
        keys: slots
            .iter()
            .map(|&slot| MatrixKey {
                key: keys.name(Key::Runtime(slot)),
                functionality: keys.functionality(slot),
                backend: keys.backend(slot),
            })
            .collect(),
        operators,
        verdicts: verdicts.view,
        ways: ways.into_answer(),
        rows,
        cells,
    }
}

fn row(view: View<'_>, pattern: &Pattern, slots: &[Slot], cells: &mut Vec<MatrixCell>) -> String {
    let keys = view.keys();
    let outside = pattern.decided_outside | view.tables.may_be_handwritten();
    let rules = pattern.table.cells(keys);
    let mut row = String::with_capacity(slots.len());
    for (&slot, rule) in slots.iter().zip(rules) {
        let alias = match rule {
            Precedence::Ambiguous => None,
            _ => rule.alias().map(|alias| keys.name(Key::Alias(alias))),
        };
        let cell = MatrixCell {
            reason: rule.reason().as_str(),
            standing: Standing::of(None, rule.reason()).as_str(),
            alias,
            derivable: !outside.contains(slot),
        };
        let place = cells
            .iter()
            .position(|known| *known == cell)
            .unwrap_or_else(|| {
                cells.push(cell);
                cells.len() - 1
            });
        row.extend(character(place));
    }
    row
}

struct VerdictRows {
    foreign: Vec<Arc<Foreign>>,
    view: MatrixVerdicts,
    columns: Vec<Verdicts>,
    known: FxHashMap<(String, String), usize>,
}

impl VerdictRows {
    fn new(view: View<'_>) -> Self {
        let keys = view.keys();
        let slots = || {
            keys.slots()
                .filter(|&slot| autograd_key(keys, slot).is_some())
        };
        let name = |slot| keys.name(Key::Runtime(slot));
        let claimed = slots().filter(|&slot| view.claims(slot));
        Self {
            foreign: slots().map(|slot| view.foreign(slot)).collect(),
            columns: slots().map(|slot| view.verdicts(slot)).collect(),
            view: MatrixVerdicts {
                keys: slots().map(name).collect(),
                claimed: claimed.map(name).collect(),
                rows: Vec::new(),
                legend: legend(),
                applicable: Vec::new(),
            },
            known: FxHashMap::default(),
        }
    }

    fn row(&mut self, id: OperatorId) -> usize {
        let verdicts = self.columns.iter().map(|column| column.of(id));
        let row: String = verdicts.map(Verdict::letter).collect();
        let applicable = self.foreign.iter().map(|foreign| match foreign.of(id) {
            Applicability::Applicable => '1',
            Applicability::BelongsTo(_) => '0',
        });
        let next = self.view.rows.len();
        let known = self.known.entry((row, applicable.collect()));
        *known.or_insert_with_key(|(row, applicable)| {
            self.view.rows.push(row.clone());
            self.view.applicable.push(applicable.clone());
            next
        })
    }
}

/// The character of a cell. There are at most two cells for each of the ten rules.
fn character(place: usize) -> Option<char> {
    char::from_u32(48 + u32::try_from(place).ok()?)
}

fn matrix_operator(
    operator: &Operator,
    (row, verdicts, ways): (usize, usize, usize),
) -> MatrixOperator<'_> {
    let written = operator.declared();
    MatrixOperator {
        name: operator.qualified_name().to_owned(),
        namespace: operator.namespace(),
        schema: operator.canonical(),
        kind: operator.kind.into(),
        generated: operator.is_generated(),
        structured: operator.is_structured(),
        python_module: written
            .and_then(|placed| Some(&*placed.entry.python_module.as_ref()?.value)),
        tags: operator.tags.iter().map(|tag| &**tag).collect(),
        row,
        verdicts,
        ways,
    }
}
