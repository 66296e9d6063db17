//! The description of headers that many routes share: tags, limits, challenges, addresses, idempotency
//! keys, and links between pages.

use axum::http::Method;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{Components, Object, ObjectBuilder, Type};
use utoipa::openapi::{Ref, RefOr, Required, Response};

use crate::http::middleware::repeats;

const ETAG: &str = "ETag";
const LOCATION: &str = "Location";
const RATE_LIMIT: &str = "RateLimit";
const RATE_LIMIT_POLICY: &str = "RateLimit-Policy";
const RETRY_AFTER: &str = "Retry-After";
const CHALLENGE: &str = "WWW-Authenticate";

/// The headers that are described once.
const SHARED: [(&str, &str); 6] = [
    (
        ETAG,
        "A strong tag of the answer; a request for it can send it as `If-None-Match`",
    ),
    (LOCATION, "The path of what was created or changed"),
    (
        RATE_LIMIT,
        "How many more requests the client may have in progress, such as `\"requests\";r=512`; absent \
         if the answer comes from the server's memory",
    ),
    (
        RATE_LIMIT_POLICY,
        "How many requests the client may have in progress, such as \
         `\"requests\";q=512;qu=\"concurrent-requests\"`",
    ),
    (RETRY_AFTER, "In how many seconds to try again"),
    (
        CHALLENGE,
        "That a token is needed, or that it does not allow the action",
    ),
];

/// The operation whose answers are not limited.
const UNLIMITED: &str = "health";

/// The operation without an ETag, because its answer always changes.
const MOMENTARY: &str = "metrics";

/// The operations that say where to find what they create.
const LOCATED: [&str; 4] = [
    "create_project",
    "ingest_revision",
    "set_label",
    "create_exception",
];

/// Adds the headers that answers refer to.
pub(crate) fn add_shared(components: &mut Components) {
    for (name, description) in SHARED {
        let header = RefOr::T(header(description));
        components.headers.insert(name.to_owned(), header);
    }
}

/// Adds the headers of all answers of an operation, and the answer 304.
pub(crate) fn add_of_answers(route: &str, method: &Method, operation: &mut Operation) {
    let id = operation.operation_id.clone().unwrap_or_default();
    let has_key = repeats::takes_key(method, route);
    let is_tagged = id != MOMENTARY;
    let responses = &mut operation.responses.responses;
    if is_tagged && *method == Method::GET {
        let unchanged = Response::new("The answer matches `If-None-Match`");
        responses.insert("304".to_owned(), RefOr::T(unchanged));
    }
    for (status, response) in responses {
        let RefOr::T(response) = response else {
            continue;
        };
        let has_body = !response.content.is_empty();
        let mut names = match &**status {
            "200" | "201" if is_tagged && has_body => vec![ETAG],
            "304" => vec![ETAG],
            "401" | "403" => vec![CHALLENGE],
            "409" if has_key => vec![RETRY_AFTER],
            "503" => vec![RETRY_AFTER],
            _ => Vec::new(),
        };
        if LOCATED.contains(&&*id) && matches!(&**status, "200" | "201") {
            names.push(LOCATION);
        }
        if id != UNLIMITED {
            names.extend([RATE_LIMIT, RATE_LIMIT_POLICY]);
        }
        for name in names {
            let shared = Ref::new(format!("#/components/headers/{name}"));
            response.headers.insert(name.to_owned(), RefOr::Ref(shared));
        }
    }
}

/// Adds the idempotency key to the POST operation of a route that takes one. `problem` describes an
/// answer.
pub(crate) fn add_key(route: &str, operation: &mut Operation, problem: impl Fn(&str) -> Response) {
    if !repeats::takes_key(&Method::POST, route) {
        return;
    }
    operation.parameters.get_or_insert_default().push(key());
    for (status, description) in [
        (
            "409",
            "Another request with the idempotency key is in progress",
        ),
        ("422", "The idempotency key belongs to another request"),
    ] {
        let responses = &mut operation.responses.responses;
        match responses.get_mut(status) {
            Some(RefOr::T(own)) => {
                let also = description
                    .replacen("The", "the", 1)
                    .replacen("Another", "another", 1);
                own.description = format!("{}; or {also}", own.description);
            }
            _ => {
                responses.insert(status.to_owned(), RefOr::T(problem(description)));
            }
        }
    }
    let replayed = header("`true` if the request was answered before and created nothing now");
    for (status, response) in &mut operation.responses.responses {
        if let (true, RefOr::T(response)) = (status.starts_with('2'), response) {
            let name = "Idempotency-Replayed".to_owned();
            response.headers.insert(name, RefOr::T(replayed.clone()));
        }
    }
}

fn key() -> RefOr<Parameter> {
    let schema = ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length(Some(1))
        .max_length(Some(repeats::LONGEST))
        .pattern(Some(r"^[!-~]+$"));
    let key = ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(
            "A new text for each new request, such as a UUID. A repetition within a day gets the \
             same answer and creates nothing",
        ))
        .schema(Some(schema));
    RefOr::T(key.build())
}

/// Adds the links to operations that have pages.
pub(crate) fn add_links(operation: &mut Operation) {
    let mut parameters = operation.parameters.iter().flatten();
    let has_pages = parameters.any(|parameter| match parameter {
        RefOr::T(parameter) => parameter.name == "cursor",
        RefOr::Ref(_) => false,
    });
    if !has_pages {
        return;
    }
    let links = header("Links to the `first` and, unless this is the last, the `next` page");
    for status in ["200", "304"] {
        if let Some(RefOr::T(answer)) = operation.responses.responses.get_mut(status) {
            let links = RefOr::T(links.clone());
            answer.headers.insert("Link".to_owned(), links);
        }
    }
}

fn header(description: &str) -> Header {
    let text = Object::with_type(Type::String);
    let header = HeaderBuilder::new().description(Some(description));
    header.schema(Some(text)).build()
}
