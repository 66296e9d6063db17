//! Findings of a stored revision: filters, pages, forms.

use serde_json::{Value, json};

use crate::api::harness::Server;

const FINDINGS: &str = "/v1/projects/p/revisions/main/findings";
const BROKEN: &str = "\
- func: one(Tensor self) -> Tensor
- func: two.out(Tensor self, *, Tensor(a!) out) -> Tensor
- func: three(Banana x) -> Tensor
- func: four(Tensor self
";

async fn server() -> Server {
    let server = Server::new().await;
    server.project("p").await;
    server.ingest("p", "label=main&release=2.9", BROKEN).await;
    server
}

fn items(page: &Value) -> &Vec<Value> {
    page["items"].as_array().unwrap()
}

#[tokio::test]
async fn findings_have_places_and_filters() {
    let server = server().await;
    let all = server.get(FINDINGS).send().await.ok();
    let errors = server
        .get(&format!("{FINDINGS}?severity=error"))
        .send()
        .await
        .ok();
    assert!(items(&errors).len() >= 3);
    assert!(items(&errors).iter().all(|f| f["severity"] == "error"));
    let rule = server
        .get(&format!("{FINDINGS}?rule=out-return-matches"))
        .send()
        .await
        .ok();
    let [finding] = &items(&rule)[..] else {
        panic!("{rule}")
    };
    assert_eq!(finding["file"], "native_functions.yaml");
    assert_eq!(finding["operator"], "two.out");
    assert_eq!(
        finding["span"],
        json!({"line": 2, "column": 52, "end_line": 2, "end_column": 58})
    );
    assert_eq!(finding["suppressed"], false);
    let about = server
        .get(&format!("{FINDINGS}?operator=aten::two.out"))
        .send()
        .await
        .ok();
    assert!(items(&about).contains(finding));
    assert!(items(&all).contains(finding));
    let unknown = server
        .get(&format!("{FINDINGS}?rule=out-return-match"))
        .send()
        .await;
    let unknown = unknown.problem(422, "unknown-rule");
    assert_eq!(unknown["suggestions"], json!(["out-return-matches"]));
    let none = server
        .get(&format!("{FINDINGS}?rule=type-unknown&severity=info"))
        .send()
        .await
        .ok();
    assert_eq!(
        none,
        json!({"items": [], "omitted": [], "next_cursor": null})
    );
    let bad = server
        .get(&format!("{FINDINGS}?severity=banana"))
        .send()
        .await;
    bad.problem(400, "invalid-parameter");
}

#[tokio::test]
async fn findings_come_in_pages_each_once() {
    let server = server().await;
    let all = server.get(FINDINGS).send().await.ok();
    let mut seen = Vec::new();
    let mut path = format!("{FINDINGS}?limit=1");
    loop {
        let page = server.get(&path).send().await.ok();
        seen.extend(items(&page).clone());
        match page["next_cursor"].as_str() {
            Some(cursor) => path = format!("{FINDINGS}?limit=1&cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!(&seen, items(&all));
    let lines = server
        .get(FINDINGS)
        .header("accept", "application/x-ndjson")
        .send()
        .await
        .lines();
    assert_eq!(lines, seen);
}

#[tokio::test]
async fn findings_come_in_other_forms() {
    let server = server().await;
    let get = async |accept: &str| server.get(FINDINGS).header("accept", accept).send().await;
    let sarif = get("application/sarif+json").await;
    assert_eq!(sarif.header("content-type"), "application/sarif+json");
    assert_eq!(sarif.ok()["version"], "2.1.0");
    let markdown = get("text/markdown").await;
    assert_eq!(
        markdown.header("content-type"),
        "text/markdown; charset=utf-8"
    );
    assert!(markdown.text().contains("out-return-matches"));
    let text = get("text/plain").await;
    assert!(
        text.text().contains("native_functions.yaml:2:52"),
        "{}",
        text.text()
    );
    get("image/png").await.problem(406, "not-acceptable");
}

#[tokio::test]
async fn an_operator_page_has_its_findings() {
    let server = server().await;
    let page = server
        .get("/v1/projects/p/revisions/main/operators/two.out")
        .send()
        .await
        .ok();
    let rules: Vec<_> = page["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| &f["rule"])
        .collect();
    assert!(rules.contains(&&json!("out-return-matches")), "{rules:?}");
}
