//! Places that findings point at.

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::entry::{Entry, Field, TagName};
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_schema::function::Argument;
use opatlas_source::diagnostic::{Diagnostic, Related};
use opatlas_source::{DERIVATIVES, NATIVE_FUNCTIONS, Span};

use crate::sink::Sink;

pub(crate) fn is_unread(entry: &Entry, field: Field) -> bool {
    entry.field(field).is_some_and(|place| {
        let whole = place.key.to(place.value);
        entry
            .diagnostics
            .iter()
            .any(|d| whole.start <= d.span.start && d.span.end <= whole.end)
    })
}

/// The position of a field's value, or of its key, or else of the operator's name.
pub(crate) fn field_at(entry: &Entry, field: Field) -> Span {
    match entry.field(field) {
        Some(place) if place.value.is_empty() => place.key,
        Some(place) => place.value,
        None => entry
            .schema
            .as_ref()
            .map_or(entry.func_at, |schema| schema.name_at.0),
    }
}

/// The position of an argument's name; of the whole argument if the name is empty.
pub(crate) fn name_place(argument: &Argument) -> Span {
    if argument.name_at.0.is_empty() {
        argument.at.0
    } else {
        argument.name_at.0
    }
}

pub(crate) fn tag_at(operator: &Operator, name: &str) -> Span {
    let tags = operator
        .declared()
        .into_iter()
        .flat_map(|placed| &placed.entry.tags);
    tags.into_iter()
        .find(|tag| matches!(&tag.value, TagName::Text(text) if **text == *name))
        .map_or(operator.schema().name_at.0, |tag| tag.at)
}

pub(crate) fn autogen_at(operator: &Operator) -> Span {
    let written = operator
        .declared()
        .and_then(|placed| placed.entry.field(Field::Autogen));
    match written {
        Some(place) if !place.value.is_empty() => place.value,
        Some(place) => place.key,
        None => operator.schema().name_at.0,
    }
}

pub(crate) fn declaration(catalogue: &Catalogue, id: OperatorId) -> Option<Related> {
    let operator = catalogue.operator(id);
    let (message, placed) = match operator.generated_from() {
        None => ("the operator is declared here", operator.declared()?),
        Some(from) => (
            "the operator is generated from this one",
            catalogue.entry(from)?,
        ),
    };
    Some(Related {
        message: message.into(),
        file: Some(NATIVE_FUNCTIONS.into()),
        span: placed.place(placed.entry.func_at),
    })
}

pub(crate) fn about(
    catalogue: &Catalogue,
    operator: OperatorId,
    sink: &mut Sink,
    diagnostic: Diagnostic,
) {
    let name = catalogue.operator(operator).qualified_name();
    sink.about(DERIVATIVES, name, diagnostic);
    if let Some(related) = declaration(catalogue, operator) {
        sink.relate(related);
    }
}
