//! The parts of the API description that are not about one route.

use axum::http::Method;
use utoipa::OpenApi as DeriveOpenApi;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::schema::{AnyOf, Object, OneOf};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{Content, OpenApi, Ref, RefOr, Response, Schema};

use crate::http::{describe_headers, describe_values};
use opatlas_wire::problem::{Document, PROBLEM_JSON};

/// The metadata of the description.
#[derive(DeriveOpenApi)]
#[openapi(
    info(
        title = "Opatlas",
        description = "The operator registry for PyTorch-style backends: ingest, validate, \
                       tabulate and compare operator declarations.\n\nEvery error is a problem \
                       document (RFC 9457): 400 if the request is malformed, 404 if its path names \
                       something that does not exist, 422 if it is well-formed but its content \
                       cannot be processed. Lists are paged by an opaque `cursor`, and `Link` leads \
                       to the next page. A list that has the media type `application/x-ndjson` is \
                       also streamed, one item a line: in full, or `limit` items. YAML, CSV and text \
                       are sent as `application/octet-stream` or as what they are. \
                       `RateLimit-Policy` says how many requests a client may have in progress, and \
                       `RateLimit` how many more; there is no limit per time. 503 has `Retry-After`. \
                       A method that a path does not have is answered with 405 and `Allow`. Every answer to GET but `/metrics` has a strong ETag, and `If-None-Match` with it, or \
                       with `*`, is answered with 304.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
    ),
    tags(
        (name = "projects", description = "Lines of operator declarations"),
        (name = "revisions", description = "Immutable bundles of files"),
        (name = "labels", description = "Movable names for revisions"),
        (name = "operators", description = "Operators of a revision"),
        (name = "dispatch", description = "Which kernel runs on which key, and why"),
        (name = "history", description = "History of operators and backends over all revisions"),
        (name = "findings", description = "Findings of the rules"),
        (name = "comparisons", description = "Changes between two revisions"),
        (name = "exceptions", description = "Changes that a project accepts"),
        (name = "probe", description = "What workers of the probe measure"),
        (name = "stateless", description = "Texts that are not stored"),
        (name = "knowledge", description = "Releases, rules, problem types"),
        (name = "operations", description = "The service"),
    ),
    components(schemas(Document)),
    modifiers(&Tokens),
    security((), ("token" = []), ("signature" = [], "signer" = [])),
)]
pub struct Description;

struct Tokens;

impl utoipa::Modify for Tokens {
    fn modify(&self, document: &mut OpenApi) {
        let token = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some(
                "A token from `opatlas token create`; the settings of the service decide whether \
                 requests need one",
            ));
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("token", SecurityScheme::Http(token.build()));
        for (name, header, description) in SIGNATURE {
            let value = ApiKeyValue::with_description(header, description);
            let scheme = SecurityScheme::ApiKey(ApiKey::Header(value));
            components.add_security_scheme(name, scheme);
        }
    }
}

const SIGNATURE: [(&str, &str, &str); 2] = [
    (
        "signature",
        "X-Opatlas-Signature",
        "For callers that cannot send a secret: `sha256=` and the hexadecimal HMAC-SHA-256 of the \
         body under the signing key of a token (`opatlas token create --signing`). The body must \
         not be empty",
    ),
    (
        "signer",
        "X-Opatlas-Token",
        "With a signature: the id of the token whose signing key made it",
    ),
];

/// Schemas with optional members: request bodies and problems.
const PARTIAL: [&str; 18] = [
    "Bundle",
    "CompareBody",
    "Fault",
    "ItemDetail",
    "LabelTarget",
    "LeaseRenewal",
    "LeaseRequest",
    "NewException",
    "NewProbeRun",
    "NewProject",
    "Problem",
    "ProbeWorker",
    "ProjectEdit",
    "Question",
    "SchemaText",
    "ShardResultBody",
    "SideBody",
    "Signatures",
];

/// Optional members, present only on request.
const OPTIONAL: [&str; 1] = ["explanation"];

/// Adds what applies to all operations and all answers.
pub fn complete(document: &mut OpenApi) {
    for (route, item) in &mut document.paths.paths {
        if let Some(operation) = &mut item.post {
            describe_headers::add_key(route, operation, problem);
        }
        for (method, operation) in operations(item) {
            add_problems(operation);
            describe_values::complete(operation);
            describe_headers::add_of_answers(route, &method, operation);
            describe_headers::add_links(operation);
        }
    }
    let components = document.components.get_or_insert_default();
    describe_headers::add_shared(components);
    let schemas = &mut components.schemas;
    for (name, schema) in schemas {
        if let RefOr::T(schema) = schema
            && !PARTIAL.contains(&&**name)
        {
            require_all(schema);
        }
    }
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = (Method, &mut Operation)> {
    let operations = [
        (Method::GET, &mut item.get),
        (Method::PUT, &mut item.put),
        (Method::POST, &mut item.post),
        (Method::DELETE, &mut item.delete),
        (Method::PATCH, &mut item.patch),
    ];
    let described = operations.into_iter();
    described.filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

/// The errors that any request can get.
const COMMON: [(&str, &str); 7] = [
    ("400", "The request is malformed"),
    ("401", "The request needs a valid token"),
    ("403", "The token does not allow this action"),
    (
        "406",
        "The server cannot answer in any of the requested media types",
    ),
    ("408", "The request did not arrive in time"),
    ("500", "A defect of the service"),
    (
        "503",
        "The server is at its limit, or the database does not answer",
    ),
];

fn add_problems(operation: &mut Operation) {
    for (status, description) in COMMON {
        let responses = &mut operation.responses.responses;
        if !responses.contains_key(status) {
            responses.insert(status.to_owned(), RefOr::T(problem(description)));
        }
    }
}

fn problem(description: &str) -> Response {
    let schema = Ref::from_schema_name("Problem");
    let mut response = Response::new(description);
    let content = Content::new(Some(RefOr::Ref(schema)));
    response
        .content
        .insert(PROBLEM_JSON.to_owned(), RefOr::T(content));
    response
}

/// Marks nullable members as required: they are always present.
fn require_all(schema: &mut Schema) {
    match schema {
        Schema::Object(object) => {
            let names = object
                .properties
                .keys()
                .filter(|name| !OPTIONAL.contains(&&***name));
            object.required = names.cloned().collect();
        }
        Schema::AllOf(all) => {
            for part in &mut all.items {
                if let RefOr::T(part) = part {
                    let either = match &*part {
                        Schema::OneOf(choices) => Some(or_nothing(choices)),
                        _ => None,
                    };
                    match either {
                        Some(either) => *part = either,
                        None => require_all(part),
                    }
                }
            }
        }
        _ => {}
    }
}

/// Members that are all present or all absent. The macro calls them nullable, which an object is not.
fn or_nothing(choices: &OneOf) -> Schema {
    let some = choices
        .items
        .iter()
        .filter(|choice| matches!(choice, RefOr::Ref(_)));
    let mut either = AnyOf::new();
    either.items = some.cloned().collect();
    either.items.push(RefOr::T(Schema::Object(Object::new())));
    Schema::AnyOf(either)
}
