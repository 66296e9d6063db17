//! Pages of lists, and the links between them.

use serde_json::{Value, json};

use crate::api::harness::{Answer, Server};
use crate::api::walk;

/// The target of a link of an answer.
fn link(answer: &Answer, rel: &str) -> Option<String> {
    let end = format!(">; rel=\"{rel}\"");
    let links = answer.header("link").split(", ");
    let mut found = links.filter_map(|link| link.strip_suffix(&*end)?.strip_prefix('<'));
    found.next().map(str::to_owned)
}

/// Whether an operation has a parameter.
fn takes(operation: &Value, name: &str) -> bool {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    parameters
        .into_iter()
        .any(|parameter| parameter["name"] == name)
}

#[tokio::test]
async fn every_list_with_pages_links_them() {
    let (server, exception) = walk::server().await;
    let mut lists = 0;
    for (template, operation) in walk::reads() {
        if !takes(operation, "cursor") {
            continue;
        }
        let path = walk::with(&walk::address(template, &exception), "limit=1");
        let first = server.get(&path).send().await;
        let page = first.ok();
        let described = &operation["responses"]["200"]["headers"]["Link"];
        assert!(described.is_object(), "{template}");
        assert_eq!(link(&first, "first").as_deref(), Some(&*path), "{template}");
        let next = page["next_cursor"]
            .as_str()
            .map(|cursor| format!("{path}&cursor={cursor}"));
        assert_eq!(link(&first, "next"), next, "{template}");
        let mut again = next;
        let mut pages = 1;
        while let Some(next) = again.filter(|_| pages < 5) {
            let page = server.get(&next).send().await;
            assert_eq!(page.ok()["items"].as_array().unwrap().len(), 1, "{next}");
            assert_eq!(link(&page, "first").as_deref(), Some(&*path), "{template}");
            again = link(&page, "next");
            pages += 1;
        }
        // Kept answers have the same links.
        let kept = server.get(&path).send().await;
        assert_eq!(kept.header("link"), first.header("link"), "{template}");
        lists += usize::from(pages > 1);
    }
    assert!(lists >= 14, "{lists} lists have several pages");
}

#[tokio::test]
async fn lines_honor_the_limit_and_the_cursor() {
    let (server, exception) = walk::server().await;
    let mut lists = 0;
    for (template, operation) in walk::reads() {
        let content = &operation["responses"]["200"]["content"];
        if !content["application/x-ndjson"].is_object() {
            continue;
        }
        assert!(
            takes(operation, "limit") && takes(operation, "cursor"),
            "{template}"
        );
        let path = walk::address(template, &exception);
        let lines = async |path: &str| {
            let question = server.get(path).header("accept", "application/x-ndjson");
            question.send().await
        };
        let whole = lines(&path).await;
        assert_eq!(link(&whole, "next"), None, "{template}");
        let all = whole.lines();
        let mut found = Vec::new();
        let mut next = Some(walk::with(&path, "limit=2"));
        while let Some(path) = next {
            let part = lines(&path).await;
            let items = part.lines();
            assert!(items.len() <= 2 && !items.is_empty(), "{path}");
            // The same page in JSON has the same items, and its cursor continues the lines.
            let page = server.get(&path).send().await.ok();
            assert_eq!(page["items"], json!(items), "{path}");
            found.extend(items);
            next = link(&part, "next");
            assert_eq!(next.is_some(), page["next_cursor"].is_string(), "{path}");
        }
        assert_eq!(found, all, "{template}");
        // Without a limit, lines go on to the end.
        let first = server.get(&walk::with(&path, "limit=1")).send().await;
        if let Some(next) = link(&first, "next") {
            let rest = lines(&next.replace("limit=1&", "")).await.lines();
            assert_eq!(rest, all[1..], "{template}");
        }
        let none = lines(&walk::with(&path, "limit=0")).await;
        none.problem(400, "invalid-parameter");
        lists += 1;
    }
    assert!(lists >= 9, "{lists}");
}

#[tokio::test]
async fn other_formats_honor_the_limit() {
    let server = Server::small().await;
    let revision = "/v1/projects/p/revisions/2.9.0";
    for path in ["keys/CPU", "ways/vmap", "gaps/CUDA", "gaps?way=inductor"] {
        let path = walk::with(&format!("{revision}/{path}"), "limit=2");
        let csv = server.get(&path).header("accept", "text/csv").send().await;
        assert_eq!(csv.text().lines().count(), 3, "{path}");
        assert!(link(&csv, "next").is_some(), "{path}");
    }
    let findings = format!("{revision}/findings");
    let sarif = async |path: &str| {
        let question = server.get(path).header("accept", "application/sarif+json");
        let report = question.send().await.ok();
        report["runs"][0]["results"].as_array().unwrap().len()
    };
    assert!(sarif(&findings).await > 1);
    assert_eq!(sarif(&format!("{findings}?limit=1")).await, 1);
}

#[tokio::test]
async fn only_the_report_in_markdown_has_parts() {
    let server = Server::small().await;
    let other = crate::api::harness::SMALL.replace("half_of", "half");
    server.ingest("p", "label=2.9.1", &other).await;
    let range = "/v1/projects/p/compare/2.9.0...2.9.1?part=1";
    let markdown = server.get(range).header("accept", "text/markdown");
    assert_eq!(markdown.send().await.status, 200);
    for media in ["application/json", "text/plain", "application/sarif+json"] {
        let refused = server.get(range).header("accept", media).send().await;
        let problem = refused.problem(400, "invalid-parameter");
        assert_eq!(problem["errors"][0]["parameter"], "part");
    }
    let bodies = json!({"base": {"files": {"native_functions.yaml": "[]"}}, "head": {"files": {"native_functions.yaml": "[]"}}});
    let refused = server.post("/v1/compare?part=1").json(&bodies).send().await;
    refused.problem(400, "invalid-parameter");
}

#[tokio::test]
async fn search_goes_on() {
    let server = Server::small().await;
    let search = |query: &str| {
        let path = format!("/v1/projects/p/search?{query}");
        let server = &server;
        async move { server.get(&path).send().await }
    };
    let names = |page: &Value| -> Vec<String> {
        let items = page["items"].as_array().unwrap().iter();
        items
            .map(|item| item["operator"].as_str().unwrap().to_owned())
            .collect()
    };
    // The second contains a way, and the rest of its words is what matches.
    for words in ["q=a", "q=vmap+add"] {
        let whole = search(words).await.ok();
        let all = names(&whole);
        assert!(
            all.len() > 1 && whole["next_cursor"].is_null(),
            "{words}: {all:?}"
        );
        let mut found = Vec::new();
        let mut query = format!("{words}&limit=1");
        loop {
            let page = search(&query).await.ok();
            found.extend(names(&page));
            match page["next_cursor"].as_str() {
                Some(cursor) => query = format!("{words}&limit=1&cursor={cursor}"),
                None => break,
            }
        }
        assert_eq!(found, all, "{words}");
    }
    let first = search("q=a&limit=1").await.ok();
    let cursor = first["next_cursor"].as_str().unwrap();
    for other in ["q=add", "q=a&removed=true"] {
        let mixed = search(&format!("{other}&limit=1&cursor={cursor}")).await;
        mixed.problem(400, "invalid-cursor");
    }
    // With a new revision, positions are others.
    server
        .ingest("p", "label=2.10.0", "- func: a(Tensor self) -> Tensor\n")
        .await;
    let late = search(&format!("q=a&limit=1&cursor={cursor}")).await;
    late.problem(400, "invalid-cursor");
}

#[tokio::test]
async fn declarations_come_in_pages() {
    let server = Server::small().await;
    let path = "/v1/projects/p/revisions/2.9.0/signatures";
    let page = server
        .get(&format!("{path}?generated=exclude"))
        .send()
        .await
        .ok();
    let lines = server.get(&format!("{path}?generated=exclude"));
    let lines = lines.header("accept", "application/x-ndjson").send().await;
    assert_eq!(page["items"], json!(lines.lines()));
    assert_eq!(page["next_cursor"], Value::Null);
    let name = page["items"][0]["name"].as_str().unwrap();
    let one = format!("/v1/projects/p/revisions/2.9.0/operators/{name}/signatures");
    assert_eq!(page["items"][0], server.get(&one).send().await.ok());
}
