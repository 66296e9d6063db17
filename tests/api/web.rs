//! The user interface and the view that its matrix reads. Whether the interface is built in or not
//! is no matter here: both have a page.

use std::collections::BTreeMap;

use axum::http::{Method, StatusCode};
use serde_json::Value;

use crate::api::harness::Server;

const REVISION: &str = "/v1/projects/p/revisions/2.9.0";

fn texts<'v>(items: &'v Value, member: &str) -> Vec<&'v str> {
    let items = items.as_array().unwrap().iter();
    items.map(|item| item[member].as_str().unwrap()).collect()
}

#[tokio::test]
async fn the_matrix_says_of_every_cell_what_the_tables_say() {
    let server = Server::small().await;
    for query in ["", "?source=files", "?build=macos&generated=exclude"] {
        let matrix = server.get(&format!("{REVISION}/matrix{query}"));
        let matrix = matrix.send().await.ok();
        let keys = texts(&matrix["keys"], "key");
        assert_eq!(keys.len(), 138);
        let cells = matrix["cells"].as_array().unwrap();
        let rows = matrix["rows"].as_array().unwrap();
        let told: BTreeMap<&str, &str> = matrix["operators"]
            .as_array()
            .unwrap()
            .iter()
            .map(|operator| {
                let row = usize::try_from(operator["row"].as_u64().unwrap()).unwrap();
                let name = operator["name"].as_str().unwrap();
                (name, rows[row].as_str().unwrap())
            })
            .collect();
        for (at, key) in keys.iter().enumerate() {
            let separator = if query.is_empty() { "?" } else { "&" };
            let path = format!("{REVISION}/keys/{key}{query}{separator}limit=1000");
            let column = server.get(&path).send().await.ok();
            let items = column["items"].as_array().unwrap();
            assert_eq!(items.len(), told.len());
            for entry in items {
                let row = told[entry["operator"].as_str().unwrap()];
                let cell = row.chars().nth(at).unwrap() as usize - 48;
                let cell = &cells[cell];
                assert_eq!(cell["reason"], entry["reason"], "{query} {key}");
                assert_eq!(cell["derivable"], entry["derivable"], "{query} {key}");
                let alias = match &entry["source_key"] {
                    own if own == key => &Value::Null,
                    alias => alias,
                };
                assert_eq!(cell["alias"], *alias, "{query} {key}");
            }
        }
    }
}

#[tokio::test]
async fn the_matrix_has_what_operators_are_filtered_by() {
    let server = Server::small().await;
    let matrix = server.get(&format!("{REVISION}/matrix")).send().await.ok();
    let operators = server.get(&format!("{REVISION}/operators?limit=1000"));
    let operators = operators.send().await.ok();
    let (told, listed) = (&matrix["operators"], &operators["items"]);
    assert_eq!(texts(told, "schema"), texts(listed, "schema"));
    let pairs = told
        .as_array()
        .unwrap()
        .iter()
        .zip(listed.as_array().unwrap());
    for (told, listed) in pairs {
        for member in [
            "namespace",
            "kind",
            "generated",
            "structured",
            "python_module",
            "tags",
        ] {
            assert_eq!(told[member], listed[member], "{told}");
        }
    }
    assert!(texts(told, "name").contains(&"acme::fuse"));
}

#[tokio::test]
async fn the_matrix_is_refused_as_tables_are() {
    let server = Server::small().await;
    let path = format!("{REVISION}/matrix?build=MSP");
    let answer = server.get(&path).send().await;
    answer.problem(422, "unknown-build");
    let answer = server.get("/v1/projects/p/revisions/none/matrix");
    answer.send().await.problem(404, "unknown-revision");
}

#[tokio::test]
async fn browsers_get_the_page_wherever_no_route_is() {
    let server = Server::new().await;
    for (path, status) in [("/", 200), ("/p/pytorch/trends", 404), ("/anything", 404)] {
        let asked = server.get(path).header("accept", "text/html,*/*;q=0.8");
        let answer = asked.unchecked().await;
        assert_eq!(answer.status, status, "{path}");
        assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
        assert_eq!(answer.header("cache-control"), "no-cache");
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'self'"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        if status != 200 {
            continue;
        }
        assert!(answer.text().contains("<title>Opatlas</title>"));
        let tag = answer.header("etag").to_owned();
        let asked = server.get(path).header("accept", "text/html");
        let again = asked.header("if-none-match", tag).unchecked().await;
        assert_eq!(again.status, StatusCode::NOT_MODIFIED, "{path}");
    }
}

#[tokio::test]
async fn others_get_the_problem() {
    let server = Server::new().await;
    for (method, path, accept) in [
        (Method::GET, "/anything", "application/json"),
        (Method::GET, "/v1/anything", "text/html"),
        (Method::GET, "/assets/anything.js", "text/html"),
        (Method::GET, "/../Cargo.toml", "text/plain"),
        (Method::POST, "/anything", "text/html"),
    ] {
        let asked = server.ask(method, path).header("accept", accept);
        asked.unchecked().await.problem(404, "unknown-route");
    }
}
