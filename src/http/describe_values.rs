//! The description of values that many routes share: names, ranges, and YAML.

use opatlas_dispatch::Reason;
use opatlas_verdict::Verdict;
use opatlas_verdict::ways::Fate;
use serde_json::json;
use utoipa::openapi::path::{Operation, ParameterIn};
use utoipa::openapi::schema::{KnownFormat, Object, SchemaFormat, Type};
use utoipa::openapi::{Content, RefOr, Schema};

use crate::http::body;

/// The names of projects and stored labels, as [`opatlas_store::ProjectName`] reads them.
const NAME: &str = r"^(?!.*\.\.)(?!latest$)(?!sha256)[A-Za-z0-9][A-Za-z0-9._+\-]{0,127}$";

/// The names of labels that can be set, as [`opatlas_store::LabelName::parse_new`] reads them.
const NEW_LABEL: &str = r"^(?!.*\.\.)(?!latest$)(?!sha256)(?![0-9]{40}$|[0-9]{64}$)(?!(?=[0-9A-Fa-f]{7,}$)[0-9]*[A-Fa-f])[A-Za-z0-9][A-Za-z0-9._+\-]{0,127}$";

/// The pattern of labels that can be set, or an empty text: a parameter without a value is ignored.
const NEW_LABEL_OR_NONE: &str = r"^((?!.*\.\.)(?!latest$)(?!sha256)(?![0-9]{40}$|[0-9]{64}$)(?!(?=[0-9A-Fa-f]{7,}$)[0-9]*[A-Fa-f])[A-Za-z0-9][A-Za-z0-9._+\-]{0,127})?$";

/// The addresses of revisions, as [`opatlas_service::Address`] reads them.
const ADDRESS: &str = r"^(latest|sha256:[0-9A-Fa-f]{8,64}|(?!.*\.\.)(?!latest)(?!sha256)[A-Za-z0-9][A-Za-z0-9._+\-]{0,127})$";

pub(crate) fn complete(operation: &mut Operation) {
    let label = match operation.operation_id.as_deref() {
        Some("set_label") => NEW_LABEL,
        _ => NAME,
    };
    for parameter in operation.parameters.iter_mut().flatten() {
        let RefOr::T(parameter) = parameter else {
            continue;
        };
        let Some(RefOr::T(Schema::Object(schema))) = &mut parameter.schema else {
            continue;
        };
        match (&parameter.parameter_in, parameter.name.as_str()) {
            (ParameterIn::Path, "project") => pattern(schema, NAME),
            (ParameterIn::Path, "label") => pattern(schema, label),
            (ParameterIn::Path, "revision") => pattern(schema, ADDRESS),
            (ParameterIn::Query, "label") => pattern(schema, NEW_LABEL_OR_NONE),
            (ParameterIn::Query, "reason") => list(schema, &Reason::ALL.map(Reason::as_str)),
            (ParameterIn::Query, "verdict") => list(schema, &Verdict::ALL.map(Verdict::as_str)),
            (ParameterIn::Query, "fate") => list(schema, &Fate::ALL.map(Fate::as_str)),
            (ParameterIn::Query, "generated") => {
                schema
                    .enum_values
                    .get_or_insert_default()
                    .extend([json!("true"), json!("false")]);
            }
            _ => {}
        }
        if let (ParameterIn::Query, Some(values)) =
            (&parameter.parameter_in, &mut schema.enum_values)
        {
            // A parameter without a value is ignored.
            values.push(json!(""));
        }
    }
    if let Some(RefOr::T(body)) = &mut operation.request_body {
        body.content.iter_mut().for_each(text_of);
    }
    for response in operation.responses.responses.values_mut() {
        if let RefOr::T(response) = response {
            response.content.iter_mut().for_each(text_of);
        }
    }
}

fn list(schema: &mut Object, values: &[&str]) {
    schema.enum_values = Some(values.iter().map(|value| json!(value)).collect());
}

fn pattern(schema: &mut Object, pattern: &str) {
    schema.pattern = Some(pattern.to_owned());
}

/// Generators know binary data, but no texts besides JSON. YAML, CSV and plain text are therefore sent
/// as `application/octet-stream`.
fn text_of((media, content): (&String, &mut RefOr<Content>)) {
    let RefOr::T(content) = content else {
        return;
    };
    let mut text = Object::with_type(Type::String);
    match media.as_str() {
        body::BYTES => text.format = Some(SchemaFormat::KnownFormat(KnownFormat::Binary)),
        "application/yaml" => text.content_media_type = media.clone(),
        _ => return,
    }
    content.schema = Some(RefOr::T(Schema::Object(text)));
}
