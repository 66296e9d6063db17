//! The description of headers that many routes share: idempotency keys, and links between pages.

use axum::http::Method;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{Object, ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Required, Response};

use crate::http::middleware::repeats;

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
    if let (true, Some(RefOr::T(answer))) =
        (has_pages, operation.responses.responses.get_mut("200"))
    {
        let links = header("Links to the `first` and, unless this is the last, the `next` page");
        answer.headers.insert("Link".to_owned(), RefOr::T(links));
    }
}

fn header(description: &str) -> Header {
    let text = Object::with_type(Type::String);
    let header = HeaderBuilder::new().description(Some(description));
    header.schema(Some(text)).build()
}
