//! The description of the API against what it answers: every answer in these tests has a status, a
//! media type and a shape that the description gives for its route.

use std::path::Path;
use std::sync::OnceLock;

use axum::http::Method;
use serde_json::{Map, Value, json};

use crate::api::harness::{Answer, Server};

pub fn document() -> &'static Value {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    DOCUMENT.get_or_init(|| serde_json::to_value(opatlas::http::openapi()).unwrap())
}

/// Headers that a described answer may lack.
const OCCASIONAL: [&str; 6] = [
    "Idempotency-Replayed",
    "Link",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "WWW-Authenticate",
];

/// Checks an answer; one of a route or method that is not described must say so.
pub fn check(method: &Method, path: &str, answer: &Answer) {
    let path = path.split('?').next().unwrap();
    let status = answer.status.as_u16();
    let Some(item) = route(path) else {
        assert_eq!(status, 404, "{path} is not described");
        return;
    };
    let described = match method.as_str() {
        "HEAD" => "get".to_owned(),
        method => method.to_ascii_lowercase(),
    };
    let Some(operation) = item.get(&*described) else {
        assert_eq!(status, 405, "{method} {path} is not described");
        assert!(!answer.header("allow").is_empty());
        return;
    };
    let response = &operation["responses"][status.to_string()];
    assert!(
        response.is_object(),
        "{method} {path}: {status} is not described"
    );
    for name in ["ETag", "Location"] {
        let is_described = response["headers"][name].is_object();
        let has_one = !answer.header(name).is_empty();
        assert_eq!(has_one, is_described, "{method} {path}: {status} {name}");
    }
    for name in OCCASIONAL {
        let is_described = response["headers"][name].is_object();
        let has_one = !answer.header(name).is_empty();
        assert!(is_described || !has_one, "{method} {path}: {status} {name}");
    }
    let media = answer.header("content-type").split(';').next().unwrap();
    if media.is_empty() {
        assert!(
            response["content"].is_null(),
            "{method} {path}: {status} has no body"
        );
        return;
    }
    let content = &response["content"][media];
    assert!(
        content.is_object(),
        "{method} {path}: {media} is not described"
    );
    let values = match media {
        _ if method == Method::HEAD => Vec::new(),
        "application/x-ndjson" => answer.lines(),
        media if media.ends_with("json") => vec![answer.value()],
        _ => Vec::new(),
    };
    for value in values {
        if let Err(fault) = fits(&content["schema"], &value, "$") {
            panic!("{method} {path}: {fault}");
        }
    }
}

/// The item of the template that a path fits, literal parts before parameters.
fn route(path: &str) -> Option<&'static Map<String, Value>> {
    let parts: Vec<&str> = path.split('/').collect();
    let paths = document()["paths"].as_object().unwrap().iter();
    let fitting = paths.filter(|(template, _)| {
        let template: Vec<&str> = template.split('/').collect();
        template.len() == parts.len()
            && template.iter().zip(&parts).all(|(wanted, part)| {
                wanted == part || (wanted.starts_with('{') && !part.is_empty())
            })
    });
    let best = fitting.min_by_key(|(template, _)| template.matches('{').count());
    best.map(|(_, item)| item.as_object().unwrap())
}

/// Whether a value has the shape of a schema, as far as these schemas go. Members that are not
/// described are faults.
fn fits(schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.strip_prefix("#/components/schemas/").unwrap();
        return fits(&document()["components"]["schemas"][name], value, at);
    }
    if let Some(parts) = schema["allOf"].as_array() {
        return one_of(&merged(parts), value, at);
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        return one_of(choices, value, at);
    }
    if let Some(allowed) = schema["enum"].as_array()
        && !allowed.contains(value)
    {
        return Err(format!("{at}: {value} is none of {allowed:?}"));
    }
    let types = match &schema["type"] {
        Value::Array(types) => types.clone(),
        Value::Null => return Ok(()),
        one => vec![one.clone()],
    };
    if !types.contains(&json!(type_of(value))) {
        return Err(format!("{at}: {value} is no {types:?}"));
    }
    match value {
        Value::Array(items) => items
            .iter()
            .enumerate()
            .try_for_each(|(i, item)| fits(&schema["items"], item, &format!("{at}[{i}]"))),
        Value::Object(members) => object(schema, members, at),
        _ => Ok(()),
    }
}

fn object(schema: &Value, members: &Map<String, Value>, at: &str) -> Result<(), String> {
    let required = schema["required"].as_array().into_iter().flatten();
    for name in required.filter_map(Value::as_str) {
        if !members.contains_key(name) {
            return Err(format!("{at}.{name} is missing"));
        }
    }
    let Some(properties) = schema["properties"].as_object() else {
        let values = &schema["additionalProperties"];
        return match values.is_object() {
            true => members
                .iter()
                .try_for_each(|(name, v)| fits(values, v, &format!("{at}.{name}"))),
            false => Ok(()),
        };
    };
    members
        .iter()
        .try_for_each(|(name, value)| match properties.get(name) {
            Some(schema) => fits(schema, value, &format!("{at}.{name}")),
            None => Err(format!("{at}.{name} is not described")),
        })
}

fn one_of(choices: &[Value], value: &Value, at: &str) -> Result<(), String> {
    let faults: Result<Vec<String>, ()> = choices
        .iter()
        .map(|choice| fits(choice, value, at).err().ok_or(()))
        .collect();
    faults.map_or(Ok(()), |faults| Err(faults.join("; ")))
}

/// One object schema of several, for each way to choose where a part leaves a choice.
fn merged(parts: &[Value]) -> Vec<Value> {
    let mut whole = vec![json!({"type": "object", "properties": {}, "required": []})];
    for part in parts {
        let choices = choices(part);
        whole = whole
            .iter()
            .flat_map(|whole| choices.iter().map(move |part| joined(whole, part)))
            .collect();
    }
    whole
}

fn choices(part: &Value) -> Vec<Value> {
    if let Some(name) = part["$ref"].as_str() {
        let name = name.strip_prefix("#/components/schemas/").unwrap();
        return choices(&document()["components"]["schemas"][name]);
    }
    let either = part["oneOf"].as_array().or(part["anyOf"].as_array());
    match (part["allOf"].as_array(), either) {
        (Some(parts), _) => merged(parts),
        (_, Some(parts)) => parts.iter().flat_map(choices).collect(),
        _ => vec![part.clone()],
    }
}

fn joined(a: &Value, b: &Value) -> Value {
    let mut joined = a.clone();
    let members = joined["properties"].as_object_mut().unwrap();
    members.extend(b["properties"].as_object().cloned().unwrap_or_default());
    let required = b["required"].as_array().into_iter().flatten();
    joined["required"]
        .as_array_mut()
        .unwrap()
        .extend(required.cloned());
    joined
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[test]
fn the_checked_in_description_is_that_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi/openapi.json");
    let text = opatlas::http::routes::operations::openapi_json();
    if std::env::var_os("UPDATE_OPENAPI").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let checked_in = std::fs::read_to_string(&path).unwrap();
    assert!(
        checked_in == text,
        "openapi/openapi.json is stale: run `make openapi`"
    );
}

#[test]
fn everything_that_is_named_is_described() {
    let document = document();
    let text = document.to_string();
    for kind in ["schemas", "headers"] {
        for reference in text.split(&format!("\"#/components/{kind}/")).skip(1) {
            let name = reference.split('"').next().unwrap();
            assert!(document["components"][kind][name].is_object(), "{name}");
        }
    }
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            assert!(operation["summary"].is_string(), "{method} {path}");
            assert!(operation["operationId"].is_string(), "{method} {path}");
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                assert!(parameter["description"].is_string(), "{path}: {parameter}");
            }
        }
    }
}

/// A member that an answer may lack is not required. Which may is read from the source.
#[test]
fn members_that_may_be_absent_are_not_required() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/wire/src");
    let mut asked = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.is_dir() {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for (schema, member) in skipped(&text) {
            let described = &document()["components"]["schemas"][&schema];
            assert!(described.is_object(), "{schema} is not described");
            let mut required = described["required"].as_array().into_iter().flatten();
            assert!(required.all(|name| *name != *member), "{schema}.{member}");
            asked += 1;
        }
    }
    assert!(asked > 10, "{asked}");
}

/// The members with `skip_serializing_if`, each with the name of its schema.
fn skipped(text: &str) -> Vec<(String, String)> {
    let (mut found, mut renamed, mut schema, mut is_skipped) =
        (Vec::new(), None, String::new(), false);
    for line in text.lines().map(str::trim) {
        let name = |rest: &str| {
            rest.split([' ', ',', ':', '<', ')'])
                .next()
                .unwrap()
                .to_owned()
        };
        if let Some((_, rest)) = line.split_once("#[schema(as = ") {
            renamed = Some(name(rest));
        } else if let Some(rest) = line.strip_prefix("pub struct ") {
            schema = renamed.take().unwrap_or_else(|| name(rest));
        } else if line.contains("skip_serializing_if") {
            is_skipped = true;
        } else if let (true, Some(rest)) = (is_skipped, line.strip_prefix("pub ")) {
            found.push((schema.clone(), name(rest)));
            is_skipped = false;
        }
    }
    found
}

#[tokio::test]
async fn the_server_gives_its_own_description() {
    let server = Server::new().await;
    let given = server.get("/openapi.json").send().await.ok();
    assert_eq!(&given, document());
}
