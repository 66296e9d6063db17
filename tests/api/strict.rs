//! Files with errors, where only files without errors are wanted.

use crate::api::harness::{SMALL, Server};

const BAD: &str =
    "- func: f(Tensr self) -> Tensor\n- func: g(Tensor self) -> Tensor\n  variant: method\n";

#[tokio::test]
async fn a_strict_ingest_stores_no_errors() {
    let server = Server::small().await;
    let revisions = "/v1/projects/p/revisions";
    let refused = server.post(&format!("{revisions}?label=main&strict=true"));
    let refused = refused.yaml(BAD).send().await;
    let problem = refused.problem(422, "bundle-has-errors");
    let findings = problem["findings"].as_array().unwrap();
    assert!(
        findings
            .iter()
            .any(|finding| finding["rule"] == "type-unknown")
    );
    assert!(
        findings
            .iter()
            .all(|finding| finding["severity"] == "error")
    );
    let counted = format!("the files have {} errors", findings.len());
    assert!(
        problem["detail"].as_str().unwrap().starts_with(&counted),
        "{problem}"
    );
    // Nothing is stored, and no label is set.
    let label = server.get("/v1/projects/p/labels/main").send().await;
    label.problem(404, "unknown-label");
    let list = server.get(revisions).send().await.ok();
    assert_eq!(list["items"].as_array().unwrap().len(), 1);
    // A version label that exists keeps its revision.
    let moved = server.post(&format!("{revisions}?label=2.9.0&strict=true&force=true"));
    moved
        .yaml(BAD)
        .send()
        .await
        .problem(422, "bundle-has-errors");
    for (query, text) in [
        ("label=main&strict=true", SMALL),
        ("label=main&strict=false", BAD),
    ] {
        let stored = server
            .post(&format!("{revisions}?{query}"))
            .yaml(text)
            .send()
            .await;
        assert!(stored.status.is_success(), "{query}: {}", stored.text());
    }
}

/// A problem document has a bounded number of findings.
#[tokio::test]
async fn many_errors_are_listed_in_part() {
    let server = Server::small().await;
    let entries = |line: &str| -> String {
        (0..1200)
            .map(|at| line.replace('#', &at.to_string()))
            .collect()
    };
    let many = entries("- func: f#(Tensr self) -> Tensor\n");
    let path = "/v1/projects/p/revisions?strict=true";
    let problem = server.post(path).yaml(many).send().await;
    let problem = problem.problem(422, "bundle-has-errors");
    assert!(problem["findings"].as_array().unwrap().len() <= 1000);
    assert!(
        problem["detail"].as_str().unwrap().contains("1200 errors"),
        "{}",
        problem["detail"]
    );
}

#[tokio::test]
async fn warnings_do_not_prevent_a_strict_ingest() {
    let server = Server::small().await;
    let rules = server.get("/v1/rules?severity=warning&limit=1000");
    let rules = rules.send().await.ok();
    let mut stored = 0;
    for rule in rules["items"].as_array().unwrap() {
        let bad = &rule["bad"];
        let text = bad["text"].as_str().unwrap_or_default();
        if bad["file"] != "native_functions.yaml" {
            continue;
        }
        let checked = server.post("/v1/validate").yaml(text).send().await.ok();
        if checked["summary"]["errors"] != 0 || checked["summary"]["warnings"] == 0 {
            continue;
        }
        let path = "/v1/projects/p/revisions?strict=true";
        let answer = server.post(path).yaml(text).send().await;
        assert!(answer.status.is_success(), "{}", answer.text());
        stored += 1;
    }
    assert!(stored > 2, "{stored}");
}
