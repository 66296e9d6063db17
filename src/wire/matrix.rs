//! The matrix of all operators and keys.

use opatlas_dispatch::{Pattern, Rule, View};
use opatlas_operators::operator::Operator;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use serde::Serialize;
use utoipa::ToSchema;

use crate::service::search;
use crate::wire::entry::{BuildView, Source};
use crate::wire::key_entries::is_wanted;
use crate::wire::operator::OperatorKind;
use crate::wire::tables;

/// Every operator by every runtime key.
#[derive(Debug, Serialize, ToSchema)]
pub struct MatrixView<'a> {
    /// The release whose keys and rules apply.
    #[schema(example = "2.9")]
    pub release: &'static str,
    /// The build that the tables are for.
    pub build: BuildView,
    /// Which registrations they are made of.
    pub source: Source,
    /// What there is to know about that.
    pub notes: Vec<String>,
    /// The runtime keys, in table order: the columns.
    pub keys: Vec<MatrixKey>,
    /// The different cells. A character of a row stands for the cell whose place here is the
    /// character's code point less 48 (`0` for the first, `1` for the second, `:` for the eleventh).
    pub cells: Vec<MatrixCell>,
    /// The different rows: a character a key, in the order of the keys.
    #[schema(example = json!(["000333"]))]
    pub rows: Vec<String>,
    /// The operators, in the order of the file, generated ones after those that they come from.
    pub operators: Vec<MatrixOperator<'a>>,
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
    /// Its backend, where the functionality exists once per backend.
    #[schema(example = "CPU")]
    pub backend: Option<&'static str>,
}

/// What a cell may be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct MatrixCell {
    /// The reason, as in an entry.
    #[schema(example = "default backend kernel")]
    pub reason: &'static str,
    /// The alias key whose kernel serves; null where it is the key's own, a fallback or none.
    #[schema(example = "CompositeExplicitAutograd")]
    pub alias: Option<&'static str>,
    /// Whether the files alone decide the cell.
    pub derivable: bool,
}

/// An operator with its row and what operators are filtered by.
#[derive(Debug, Serialize, ToSchema)]
pub struct MatrixOperator<'a> {
    /// Its name, with the namespace unless that is `aten`.
    #[schema(example = "add.Tensor")]
    pub name: String,
    /// Its namespace.
    #[schema(example = "aten")]
    pub namespace: &'a str,
    /// The schema in canonical form.
    pub schema: &'a str,
    /// The kind of its schema.
    pub kind: OperatorKind,
    /// Whether `autogen` brings it into being.
    pub generated: bool,
    /// Whether it says `structured: True`.
    pub structured: bool,
    /// Its `python_module`.
    pub python_module: Option<&'a str>,
    /// Its tags, those that the release adds included.
    pub tags: Vec<&'a str>,
    /// The place of its row in `rows`.
    pub row: usize,
}

pub(crate) fn matrix_view(view: View<'_>, generated: search::Generated) -> MatrixView<'_> {
    let keys = view.keys();
    let slots: Vec<Slot> = keys.slots().collect();
    let mut cells = Vec::new();
    let patterns = view.tables.patterns().iter();
    let rows = patterns.map(|pattern| row(view, pattern, &slots, &mut cells));
    let rows = rows.collect();
    let catalogue = view.inputs.catalogue.iter();
    let wanted = catalogue.filter(|(_, operator)| is_wanted(generated, operator));
    let operators = wanted.filter_map(|(id, operator)| {
        let row = view.tables.pattern_index(id)?;
        Some(matrix_operator(operator, row))
    });
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
        operators: operators.collect(),
        rows,
        cells,
    }
}

/// A row as characters; cells that were not met before are added to `cells`.
pub(crate) fn row(
    view: View<'_>,
    pattern: &Pattern,
    slots: &[Slot],
    cells: &mut Vec<MatrixCell>,
) -> String {
    let keys = view.keys();
    let outside = pattern.decided_outside | view.tables.may_be_handwritten();
    let rules = pattern.table.cells(keys);
    let mut row = String::with_capacity(slots.len());
    for (&slot, rule) in slots.iter().zip(rules) {
        let alias = match rule {
            Rule::Ambiguous => None,
            _ => rule.alias().map(|alias| keys.name(Key::Alias(alias))),
        };
        let cell = MatrixCell {
            reason: rule.reason().as_str(),
            alias,
            derivable: !outside.contains(slot),
        };
        let place = cells.iter().position(|known| *known == cell);
        let place = place.unwrap_or_else(|| {
            cells.push(cell);
            cells.len() - 1
        });
        row.extend(character(place));
    }
    row
}

/// The character of a cell. There are at most two cells for each of the ten rules.
pub(crate) fn character(place: usize) -> Option<char> {
    char::from_u32(48 + u32::try_from(place).ok()?)
}

pub(crate) fn matrix_operator(operator: &Operator, row: usize) -> MatrixOperator<'_> {
    let written = operator.declared();
    MatrixOperator {
        name: operator.qualified_name(),
        namespace: operator.namespace(),
        schema: operator.canonical(),
        kind: operator.kind.into(),
        generated: operator.is_generated(),
        structured: operator.is_structured(),
        python_module: written
            .and_then(|placed| Some(&*placed.entry.python_module.as_ref()?.value)),
        tags: operator.tags.iter().map(|tag| &**tag).collect(),
        row,
    }
}
