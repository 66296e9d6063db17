//! Definitions whose schema PyTorch's runtime cannot parse.

use opatlas_operators::catalogue::Catalogue;
use opatlas_runtime::{Classes, parse_definition};
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::message;
use opatlas_sources::{Registration, RegistrationKind};

use crate::sink::Sink;

pub(super) fn check(catalogue: &Catalogue, sink: &mut Sink) {
    for row in catalogue.sources.rows() {
        let (Some(name), Some(schema)) = (row.operator.as_deref(), definition(row)) else {
            continue;
        };
        // Another library may define classes and opaque types.
        let Err(errors) = parse_definition(schema, Classes::Any, catalogue.release) else {
            continue;
        };
        let Some(first) = errors.first().filter(|error| is_certain(error, schema)) else {
            continue;
        };
        let message = message!("PyTorch cannot parse the schema: {}", first.message);
        let mut diagnostic = Diagnostic::new(RuleId::SourceDefinition, row.at, message);
        diagnostic.help.clone_from(&first.help);
        sink.about(catalogue.sources.file(row.file), name, diagnostic);
    }
}

/// Returns the schema if `m.def` or `torch.library` parses it. Skips `RegisterOperators`, which
/// still accepts type variables, and conditional definitions, which may exclude releases.
fn definition(row: &Registration) -> Option<&str> {
    let depends_on_version = row
        .condition
        .as_deref()
        .is_some_and(|condition| condition.to_ascii_lowercase().contains("version"));
    let is_parsed =
        row.kind == RegistrationKind::Def && !row.through.ends_with("RegisterOperators");
    row.schema
        .as_deref()
        .filter(|_| is_parsed && !depends_on_version)
}

/// `false` for errors about the limits of Opatlas, and for names with a dot, which may be opaque
/// types.
fn is_certain(error: &Diagnostic, schema: &str) -> bool {
    let end = error.span.end as usize;
    let is_dot = error.span.slice(schema) == "."
        || schema.get(end..).is_some_and(|rest| rest.starts_with('.'));
    error.rule != RuleId::RuntimeSchemaLimit && !is_dot
}
