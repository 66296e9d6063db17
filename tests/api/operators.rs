//! Operators: the list, its filters and pages, and one.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::Server;

const OPERATORS: &str = "/v1/projects/p/revisions/2.9.0/operators";

fn names(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().unwrap().iter();
    items.map(|item| item["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn an_operator_page_has_all_there_is() {
    let server = Server::small().await;
    let page = server
        .get(&format!("{OPERATORS}/add.Tensor"))
        .send()
        .await
        .ok();
    insta::assert_json_snapshot!(page);
}

#[tokio::test]
async fn an_unknown_operator_has_near_names() {
    let server = Server::small().await;
    let answer = server.get(&format!("{OPERATORS}/add.Tensr")).send().await;
    let problem = answer.problem(404, "unknown-operator");
    assert_eq!(
        problem["detail"],
        "p 2.9.0 has no operator `add.Tensr`. Did you mean `add.Tensor`?"
    );
    assert_eq!(problem["title"], "No such operator");
    assert_eq!(problem["suggestions"], json!(["add.Tensor"]));
    let answer = server.get(&format!("{OPERATORS}/add.Scalar")).send().await;
    let problem = answer.problem(404, "unknown-operator");
    assert!(
        problem["suggestions"]
            .as_array()
            .unwrap()
            .contains(&json!("add.Tensor"))
    );
}
