//! Rejects queries with parameters that the description of their route does not have, because
//! ignoring one gives wrong answers: `DELETE ...?dry_run=true` would delete.
//!
//! The description decides, so a route cannot forget it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use percent_encoding::percent_decode_str;
use utoipa::openapi::path::{Operation, ParameterIn, PathItem};
use utoipa::openapi::{OpenApi, RefOr};

use crate::http::plain;
use opatlas_wire::problem::{Kind, Problem};

/// The query parameters of all operations, by route and method.
#[derive(Debug, Default)]
pub struct Parameters(HashMap<String, Vec<(Method, Vec<String>)>>);

impl Parameters {
    /// The parameters in a description.
    #[must_use]
    pub fn of(document: &OpenApi) -> Self {
        let paths = document.paths.paths.iter();
        Self(paths.map(|(path, item)| (path.clone(), of(item))).collect())
    }

    fn known(&self, route: &str, method: &Method) -> Option<&[String]> {
        let method = match *method {
            Method::HEAD => &Method::GET,
            _ => method,
        };
        let mut operations = self.0.get(route)?.iter();
        let (_, names) = operations.find(|(known, _)| known == method)?;
        Some(names)
    }
}

fn of(item: &PathItem) -> Vec<(Method, Vec<String>)> {
    let operations = [
        (Method::GET, &item.get),
        (Method::PUT, &item.put),
        (Method::POST, &item.post),
        (Method::PATCH, &item.patch),
        (Method::DELETE, &item.delete),
    ];
    let described = operations.into_iter();
    let described = described.filter_map(|(method, it)| Some((method, it.as_ref()?)));
    described.map(|(method, it)| (method, names(it))).collect()
}

fn names(operation: &Operation) -> Vec<String> {
    let parameters = operation.parameters.iter().flatten();
    let in_query = parameters.filter_map(|parameter| match parameter {
        RefOr::T(it) if it.parameter_in == ParameterIn::Query => Some(it.name.clone()),
        _ => None,
    });
    in_query.collect()
}

/// The layer. Fails with [`Kind::InvalidParameter`] for a parameter that the route does not have, even
/// without a value, and for one that is not UTF-8.
pub async fn expect_known(
    State(parameters): State<Arc<Parameters>>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let route = request.extensions().get::<MatchedPath>();
    let known = route.and_then(|route| parameters.known(route.as_str(), request.method()));
    if let (Some(query), Some(known)) = (request.uri().query(), known) {
        check(query, known)?;
    }
    Ok(next.run(request).await)
}

fn check(query: &str, known: &[String]) -> Result<(), Problem> {
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let Some(name) = decoded(name) else {
            let detail = "the name of a parameter is not UTF-8";
            return Err(Problem::new(Kind::InvalidParameter, detail));
        };
        if !known.iter().any(|known| *known == name) {
            return Err(plain::unknown_parameter(
                &name,
                known.iter().map(String::as_str),
            ));
        }
        if decoded(value).is_none() {
            let detail = format!("{name}: the value is not UTF-8");
            return Err(Problem::new(Kind::InvalidParameter, detail).about(&name));
        }
    }
    Ok(())
}

fn decoded(text: &str) -> Option<Cow<'_, str>> {
    match text.contains('+') {
        false => percent_decode_str(text).decode_utf8().ok(),
        true => {
            let spaced = text.replace('+', " ");
            let decoded = percent_decode_str(&spaced).decode_utf8().ok()?;
            Some(Cow::Owned(decoded.into_owned()))
        }
    }
}
