//! A walk over the description: every route is asked for what it says of itself.

use axum::http::Method;
use serde_json::{Value, json};

use crate::api::contract::document;
use crate::api::harness::{SMALL, Server};

/// The GET routes of the description and their operations.
pub fn reads() -> impl Iterator<Item = (&'static str, &'static Value)> {
    let paths = document()["paths"].as_object().unwrap().iter();
    paths.filter_map(|(path, item)| Some((&**path, item.get("get")?)))
}

/// Names of what [`server`] has, for the parameters of paths.
const NAMES: [(&str, &str); 16] = [
    ("project", "p"),
    ("revision", "2.9.0"),
    ("operator", "add.Tensor"),
    ("function", "torch.add"),
    ("key", "CPU"),
    ("way", "vmap"),
    ("range", "2.9.0...2.9.1"),
    ("label", "2.9.0"),
    ("badge", "CPU.svg"),
    ("release", "2.9"),
    ("rule", "type-unknown"),
    ("topic", "dispatch"),
    ("problem", "unknown-value"),
    ("run", "k"),
    ("backend", "acme"),
    ("name", "native_functions.yaml"),
];

/// What a route cannot do without.
const REQUIRED: [(&str, &str); 3] = [
    ("/gaps", "way=vmap"),
    ("/search", "q=add"),
    ("/support", "operators=add.Tensor&keys=CPU"),
];

/// Two revisions and whatever else the routes are about.
pub async fn server() -> (Server, String) {
    let server = Server::small().await;
    let other = SMALL.replace("half_of(Tensor self)", "half_of(Tensor self, int n)");
    server.ingest("p", "label=2.9.1", &other).await;
    server.project("acme").await;
    let backend = "backend: PrivateUse1\ncpp_namespace: acme\nsupported:\n- add.Tensor\n";
    let files = json!({"files": {"native_functions.yaml": SMALL, "backends/acme.yaml": backend}});
    let path = "/v1/projects/acme/revisions?label=2.9.0";
    let stored = server.post(path).json(&files).send().await;
    assert_eq!(stored.status, 201, "{}", stored.text());
    let exception = json!({"operator": "half_of", "rule": "argument-renamed", "reason": "why"});
    let exceptions = server.post("/v1/projects/p/exceptions").json(&exception);
    let exception = exceptions.send().await;
    assert_eq!(exception.status, 201, "{}", exception.text());
    let run = json!({
        "key": "k", "revision": "2.9.0", "torch": "2.9.1", "device": "cpu",
        "items": {"runs": ["a"]}, "shard_seconds": 2,
    });
    let run = server.post("/v1/projects/p/probe/runs").json(&run);
    run.send().await.ok();
    let id = exception.value()["id"].as_str().unwrap().to_owned();
    (server, id)
}

/// The address of a route with all that it requires.
pub fn address(template: &str, exception: &str) -> String {
    let mut path = template.replace("{id}", exception);
    if template.contains("files/backends/") {
        path = path
            .replace("{project}", "acme")
            .replace("{name}", "acme.yaml");
    }
    for (name, value) in NAMES {
        path = path.replace(&format!("{{{name}}}"), value);
    }
    match REQUIRED.iter().find(|(end, _)| path.ends_with(end)) {
        Some((_, query)) => format!("{path}?{query}"),
        None => path,
    }
}

pub fn with(path: &str, query: &str) -> String {
    match path.contains('?') {
        true => format!("{path}&{query}"),
        false => format!("{path}?{query}"),
    }
}

/// Only a worker of the probe has dumps of tables, and only the command line imports commits.
fn needs_more(template: &str) -> bool {
    template.ends_with("/drift") || template.ends_with("{dump}") || template.contains("/watch/")
}

#[tokio::test]
async fn routes_that_say_so_stream_lines_and_no_others() {
    let (server, exception) = server().await;
    let mut streams = 0;
    for (template, operation) in reads() {
        let path = address(template, &exception);
        let answer = server
            .get(&path)
            .header("accept", "application/x-ndjson")
            .send()
            .await;
        let content = &operation["responses"]["200"]["content"];
        if content["application/x-ndjson"].is_object() {
            assert_eq!(answer.status, 200, "{path}: {}", answer.text());
            assert!(!answer.lines().is_empty(), "{path}");
            streams += 1;
        } else {
            let kind = answer.header("content-type");
            assert_ne!(kind, "application/x-ndjson", "{path}");
        }
    }
    assert!(streams >= 8, "{streams}");
}

#[tokio::test]
async fn routes_that_say_so_have_tags_and_no_others() {
    let (server, exception) = server().await;
    for (template, operation) in reads() {
        if needs_more(template) {
            continue;
        }
        let path = address(template, &exception);
        let answer = server.get(&path).send().await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        let is_described = operation["responses"]["200"]["headers"]["ETag"].is_object();
        let tag = answer.header("etag");
        assert_eq!(!tag.is_empty(), is_described, "{path}");
        let again = server.get(&path).header("if-none-match", tag).send().await;
        let any = server.get(&path).header("if-none-match", "*").send().await;
        let expected = if is_described { 304 } else { 200 };
        assert_eq!(
            (again.status, any.status),
            (expected.try_into().unwrap(), expected.try_into().unwrap(),),
            "{path}"
        );
        assert_eq!(operation["responses"]["304"].is_object(), is_described);
        // HEAD is described by GET.
        let head = server.ask(Method::HEAD, &path).send().await;
        assert_eq!(head.status, 200, "{path}");
    }
}

/// Parameters with a closed set of values: the description lists them.
#[tokio::test]
async fn values_outside_a_closed_set_are_refused_everywhere() {
    let (server, exception) = server().await;
    let mut asked = 0;
    for (template, operation) in reads() {
        let path = address(template, &exception);
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let schema = &parameter["schema"];
            let is_closed =
                schema["enum"].is_array() || schema["type"].to_string().contains("boolean");
            if parameter["in"] != "query" || !is_closed {
                continue;
            }
            let name = parameter["name"].as_str().unwrap();
            let path = with(&path, &format!("{name}=nonsense"));
            let problem = server.get(&path).send().await;
            let problem = problem.problem(400, "invalid-parameter");
            assert_eq!(problem["errors"][0]["parameter"], name, "{path}");
            asked += 1;
        }
    }
    assert!(asked > 25, "{asked}");
}

/// Whatever the method: also on routes without parameters, and before anything is looked up.
#[tokio::test]
async fn parameters_that_a_route_does_not_have_are_refused_everywhere() {
    let server = Server::small().await;
    let mut asked = 0;
    for (template, item) in document()["paths"].as_object().unwrap() {
        let path = template.replace(['{', '}'], "");
        for method in item.as_object().unwrap().keys() {
            let method: Method = method.to_uppercase().parse().unwrap();
            for query in ["unknown_parameter=1", "unknown_parameter", "%FF=1"] {
                let path = format!("{path}?{query}");
                let answer = server.ask(method.clone(), &path).send().await;
                let problem = answer.problem(400, "invalid-parameter");
                if query.starts_with('u') {
                    let fault = &problem["errors"][0];
                    assert_eq!(fault["parameter"], "unknown_parameter", "{path}");
                }
                asked += 1;
            }
        }
    }
    assert!(asked > 200, "{asked}");
    let delete = server.delete("/v1/projects/p?dry_run=true").send().await;
    delete.problem(400, "invalid-parameter");
    server.get("/v1/projects/p").send().await.ok();
}

/// Parameters whose values depend on the revision, the release or the rules.
#[tokio::test]
async fn values_that_nothing_has_are_refused_everywhere() {
    let (server, exception) = server().await;
    let mut asked = 0;
    for (template, operation) in reads() {
        let path = address(template, &exception);
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap();
            let slug = match name {
                _ if parameter["in"] != "query" => continue,
                "tag" | "namespace" | "python_module" | "family" | "way" => "unknown-value",
                "rule" => "unknown-rule",
                "key" | "keys" => "unknown-key",
                "release" => "unknown-release",
                "build" => "unknown-build",
                _ => continue,
            };
            let query = format!("{name}=nonsense");
            let path = match name {
                "keys" => path.replace("keys=CPU", &query),
                "way" => with(&path.replace("way=vmap", ""), &query),
                _ => with(&path, &query),
            };
            let problem = server.get(&path).send().await.problem(422, slug);
            if !matches!(name, "keys" | "key") {
                assert_eq!(problem["errors"][0]["parameter"], name, "{path}");
            }
            asked += 1;
        }
    }
    assert!(asked > 30, "{asked}");
}

/// One fault has one type, whether a path or a parameter names what does not exist.
#[tokio::test]
async fn one_fault_has_one_type() {
    let server = Server::small().await;
    let revision = "/v1/projects/p/revisions/2.9.0";
    for (path, status, slug) in [
        ("/v1/releases/9.9.nonsense", 404, "unknown-release"),
        ("/v1/rules?release=nonsense", 422, "unknown-release"),
        ("/v1/rules/nonsense", 404, "unknown-rule"),
        (
            &*format!("{revision}/findings?rule=nonsense"),
            422,
            "unknown-rule",
        ),
        (&*format!("{revision}/keys/Nonsense"), 404, "unknown-key"),
        (&*format!("{revision}/gaps/Nonsense"), 404, "unknown-key"),
        ("/v1/projects/p/badges/Nonsense.svg", 404, "unknown-key"),
        (
            &*format!("{revision}/operators?key=Nonsense"),
            422,
            "unknown-key",
        ),
    ] {
        server.get(path).send().await.problem(status, slug);
        let described = server.get(&format!("/problems/{slug}")).send().await.ok();
        assert_eq!(described["statuses"], json!([404, 422]), "{slug}");
    }
    let kinds = opatlas_wire::problem::Kind::ALL;
    let mut titles: Vec<&str> = kinds.iter().map(|kind| kind.title()).collect();
    titles.sort_unstable();
    titles.dedup();
    assert_eq!(titles.len(), kinds.len(), "two types with one title");
}
