//! One status for each kind of fault, on every route: 400 for a malformed request, 404 for what is not
//! stored, 422 for well-formed content that cannot be processed.

use axum::http::Method;
use serde_json::{Value, json};

use crate::api::contract::document;
use crate::api::harness::{SMALL, Server};
use crate::api::walk;

/// Every operation that takes parameters in its query, with its address.
fn operations(exception: &str) -> Vec<(Method, String, &'static Value)> {
    let paths = document()["paths"].as_object().unwrap();
    let mut found = Vec::new();
    for (template, item) in paths {
        for (method, operation) in item.as_object().unwrap() {
            let method = Method::from_bytes(method.to_ascii_uppercase().as_bytes()).unwrap();
            found.push((method, walk::address(template, exception), operation));
        }
    }
    found
}

/// A body that the operation accepts as far as the form is concerned.
fn body(path: &str) -> (&'static str, String) {
    let json = |value: Value| ("application/json", value.to_string());
    let files = json!({"files": {"native_functions.yaml": SMALL}});
    match path.split('?').next().unwrap() {
        "/v1/compare" => json(json!({"base": files, "head": files})),
        "/v1/schemas/parse" => json(json!({"schema": "f(Tensor self) -> Tensor"})),
        "/v1/dispatch" => json(json!({"registrations": ["CPU"]})),
        _ => ("application/octet-stream", SMALL.to_owned()),
    }
}

#[tokio::test]
async fn values_of_a_wrong_form_are_400_everywhere() {
    let (server, exception) = walk::server().await;
    let mut asked = 0;
    for (method, path, operation) in operations(&exception) {
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let (schema, name) = (&parameter["schema"], parameter["name"].as_str().unwrap());
            let kind = schema["type"].to_string();
            let bad: &[&str] = match () {
                () if parameter["in"] != "query" => continue,
                () if schema["enum"].is_array() || kind.contains("boolean") => {
                    &["nonsense", "TRUE"]
                }
                () if kind.contains("integer") => &["0", "-1", "x", "1e3", "99999999999999999999"],
                () => continue,
            };
            for value in bad {
                if schema["minimum"].as_i64() == Some(0) && *value == "0" {
                    continue;
                }
                let path = walk::with(&path, &format!("{name}={value}"));
                let mut question = server.ask(method.clone(), &path);
                if method == Method::POST {
                    let (media, text) = body(&path);
                    question = question.body(media, text);
                }
                let problem = question.send().await.problem(400, "invalid-parameter");
                assert_eq!(problem["errors"][0]["parameter"], name, "{method} {path}");
                asked += 1;
            }
        }
        if method == Method::GET {
            let unknown = server.get(&walk::with(&path, "nonsense=1")).send().await;
            if operation["parameters"]
                .as_array()
                .is_some_and(|all| all.iter().any(|parameter| parameter["in"] == "query"))
            {
                unknown.problem(400, "invalid-parameter");
            }
        }
    }
    assert!(asked > 120, "{asked}");
}

#[tokio::test]
async fn bodies_of_a_wrong_form_are_400_everywhere() {
    let (server, exception) = walk::server().await;
    let mut asked = 0;
    for (method, path, operation) in operations(&exception) {
        let content = &operation["requestBody"]["content"]["application/json"];
        if !content.is_object() {
            continue;
        }
        for text in ["{", "[]", "null", "{\"nonsense\": 1}", "{\"name\": 1}"] {
            // A usage file may be a list, and workers may be newer than the server.
            let is_open = path.contains("/gaps/") || path.contains("/probe/");
            if is_open && text != "{" {
                continue;
            }
            let question = server.ask(method.clone(), &path);
            let answer = question.body("application/json", text).send().await;
            let problem = answer.value();
            assert_eq!(answer.status, 400, "{method} {path} {text}: {problem}");
            asked += 1;
        }
    }
    assert!(asked > 40, "{asked}");
}

#[tokio::test]
async fn content_that_cannot_be_processed_is_422() {
    let server = Server::small().await;
    let revision = "/v1/projects/p/revisions/2.9.0";
    let faults: &[(&str, &str, Value, &str)] = &[
        (
            "POST",
            "/v1/validate?release=nonsense",
            Value::Null,
            "unknown-release",
        ),
        (
            "POST",
            "/v1/projects/p/revisions?release=9.x",
            Value::Null,
            "unknown-release",
        ),
        (
            "PUT",
            "/v1/projects/p/labels/main",
            json!({"revision": "2.9.0", "release": "9.x"}),
            "unknown-release",
        ),
        (
            "GET",
            &format!("{revision}/operators?tag=nonsense"),
            Value::Null,
            "unknown-value",
        ),
        (
            "GET",
            &format!("{revision}/operators?key=Nonsense"),
            Value::Null,
            "unknown-key",
        ),
        (
            "GET",
            &format!("{revision}/keys/Autograd"),
            Value::Null,
            "alias-key",
        ),
        (
            "GET",
            &format!("{revision}/gaps?way=nonsense"),
            Value::Null,
            "unknown-value",
        ),
        (
            "GET",
            &format!("{revision}/findings?rule=nonsense"),
            Value::Null,
            "unknown-rule",
        ),
        (
            "GET",
            &format!("{revision}/coverage?build=nonsense"),
            Value::Null,
            "unknown-build",
        ),
        (
            "GET",
            "/v1/projects/p/compare/2.9.0...2.9.0",
            Value::Null,
            "same-revision",
        ),
        (
            "POST",
            "/v1/dispatch",
            json!({"registrations": ["Nonsense"]}),
            "refused-registration",
        ),
        (
            "POST",
            "/v1/schemas/compare",
            json!({"old": "f(", "new": "f("}),
            "unreadable-schema",
        ),
        (
            "POST",
            "/v1/projects/p/exceptions",
            json!({"operator": "half_of", "rule": "nonsense", "reason": "r"}),
            "invalid-policy",
        ),
        (
            "POST",
            "/v1/projects/p/exceptions",
            json!({"operator": "half_of", "rule": "argument-renamed", "reason": ""}),
            "invalid-policy",
        ),
        (
            "POST",
            "/v1/compare",
            json!({
                "base": {"files": {"native_functions.yaml": SMALL}},
                "head": {"files": {"native_functions.yaml": SMALL}},
                "policy": {"profile": "nonsense"},
            }),
            "invalid-policy",
        ),
    ];
    for (method, path, body, slug) in faults {
        let question = server.ask(Method::from_bytes(method.as_bytes()).unwrap(), path);
        let question = match body {
            Value::Null if *method == "POST" => question.yaml(SMALL),
            Value::Null => question,
            body => question.json(body),
        };
        question.send().await.problem(422, slug);
    }
}

#[tokio::test]
async fn what_is_not_stored_is_404() {
    let server = Server::small().await;
    let revision = "/v1/projects/p/revisions/2.9.0";
    for (path, slug) in [
        ("/v1/projects/absent", "unknown-project"),
        ("/v1/projects/p/revisions/absent", "unknown-revision"),
        ("/v1/projects/p/labels/absent", "unknown-label"),
        ("/v1/projects/p/exceptions/absent", "unknown-exception"),
        ("/v1/projects/p/compare/2.9.0...absent", "unknown-revision"),
        ("/v1/projects/p/trends?from=absent", "unknown-revision"),
        (
            "/v1/projects/p/badges/CPU.svg?revision=absent",
            "unknown-revision",
        ),
        ("/v1/topics/absent", "unknown-topic"),
        (&format!("{revision}/operators/absent"), "unknown-operator"),
        (&format!("{revision}/files/absent.yaml"), "unknown-file"),
        (&format!("{revision}/ways/absent"), "unknown-value"),
        (&format!("{revision}/keys/Absent"), "unknown-key"),
        (
            &format!("{revision}/gaps/CPU?since=absent"),
            "unknown-revision",
        ),
    ] {
        server.get(path).send().await.problem(404, slug);
    }
}

/// A kind of problem is not 400 here and 422 there.
#[test]
fn no_kind_is_both_400_and_422() {
    for kind in opatlas_wire::problem::Kind::ALL {
        let statuses: Vec<u16> = kind.statuses().iter().map(|s| s.as_u16()).collect();
        let is_both = statuses.contains(&400) && statuses.contains(&422);
        assert!(!is_both, "{}", kind.slug());
    }
}
