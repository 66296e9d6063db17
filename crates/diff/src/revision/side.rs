//! One side of a comparison: its entries, schemas, and positions in its files.

use std::sync::Arc;

use crate::change::{Fragment, Part, Place, SideFile};
use crate::official;
use crate::official::RuntimeSchema;
use crate::schema;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::entry::{Entry, Field};
use opatlas_operators::operator::{Operator, OperatorId, PlacedEntry};
use opatlas_source::Span;
use opatlas_verdict::View;

/// A revision to compare.
#[derive(Debug, Clone, Copy)]
pub struct Revision<'a> {
    /// Its operators.
    pub catalogue: &'a Catalogue,
    /// Its dispatch tables. Backends are compared only if both sides have them.
    pub view: Option<View<'a>>,
}

#[derive(Debug)]
pub(super) struct ParsedSchema<'a> {
    pub schema: RuntimeSchema<'a>,
    pub text: &'a str,
    /// Whether PyTorch accepts the schema. If not, the comparison has no official verdict.
    pub by_torch: bool,
}

impl<'a> ParsedSchema<'a> {
    pub(super) fn new(operator: &'a Operator) -> Self {
        let text = operator.canonical();
        let (mut schema, by_torch) = match official::parse(text) {
            Ok(schema) => (schema, true),
            Err(_) => (official::of_model(operator.schema()), false),
        };
        schema.namespace = operator.namespace();
        Self {
            schema,
            text,
            by_torch,
        }
    }

    pub(super) fn side(&'a self) -> schema::Side<'a> {
        schema::Side {
            schema: &self.schema,
            text: self.text,
            has_spans: self.by_torch,
        }
    }
}

pub(super) fn place(fragment: &mut Option<Fragment>, operator: &Operator) {
    let (Some(fragment), Some(placed)) = (fragment, operator.declared()) else {
        return;
    };
    let schema = operator.schema();
    let span = match fragment.part {
        Part::Field => return,
        Part::Schema => placed.entry.func_at,
        Part::Name => schema.name_at.0,
        Part::Returns => schema.returns_at.0,
        Part::Argument(i) => match schema.arguments.all().get(i as usize) {
            Some(argument) => argument.at.0,
            None => placed.entry.func_at,
        },
        Part::Return(i) => schema
            .returns
            .get(i as usize)
            .map_or(schema.returns_at.0, |r| r.at.0),
    };
    fragment.place = Some(Place {
        file: SideFile::NativeFunctions,
        span: placed.place(span),
    });
}

#[derive(Debug, Clone, Copy)]
pub(super) struct DeclaredEntry<'a> {
    pub id: OperatorId,
    pub operator: &'a Operator,
    pub placed: &'a PlacedEntry,
}

impl<'a> DeclaredEntry<'a> {
    pub(super) fn new(catalogue: &'a Catalogue, id: OperatorId) -> Option<Self> {
        let operator = catalogue.operator(id);
        let placed = operator.declared()?;
        Some(Self {
            id,
            operator,
            placed,
        })
    }

    pub(super) fn entry(&self) -> &'a Entry {
        &self.placed.entry
    }

    pub(super) fn field(&self, field: Field, text: impl Into<Arc<str>>) -> Fragment {
        let place = self.entry().field(field).map(|place| place.value);
        Fragment::of_field(text, Some(self.at(place)))
    }

    pub(super) fn at(&self, span: Option<Span>) -> Span {
        self.placed.place(span.unwrap_or(self.entry().func_at))
    }
}

/// Where the entry of an operator begins in the file; `None` without an entry.
pub(super) fn entry_place(catalogue: &Catalogue, id: OperatorId) -> Option<Span> {
    Some(DeclaredEntry::new(catalogue, id)?.at(None))
}

/// The operator's name, placed at its entry; `None` without an entry.
pub(super) fn name_fragment(catalogue: &Catalogue, id: OperatorId) -> Option<Fragment> {
    let place = entry_place(catalogue, id)?;
    Some(Fragment::of_field(
        catalogue.operator(id).name_text(),
        Some(place),
    ))
}
