//! Labels: made, moved under conditions, protected, taken away.

use serde_json::json;

use crate::api::harness::{SMALL, Server};

const LABELS: &str = "/v1/projects/p/labels";

/// A server with two revisions, and their addresses.
async fn two() -> (Server, String, String) {
    let server = Server::new().await;
    server.project("p").await;
    let first = server.ingest("p", "", SMALL).await;
    let second = server
        .ingest("p", "", &format!("{SMALL}\n# second\n"))
        .await;
    let address = |r: serde_json::Value| r["revision"].as_str().unwrap().to_owned();
    (server, address(first), address(second))
}

#[tokio::test]
async fn a_label_is_made_moved_and_taken_away() {
    let (server, first, second) = two().await;
    let path = format!("{LABELS}/main");
    let made = server
        .put(&path)
        .json(&json!({"revision": first, "release": "2.9.1"}))
        .send()
        .await;
    assert_eq!(made.status, 201);
    assert_eq!(made.value()["release"], "2.9");
    assert_eq!(made.value()["revision"], first.as_str());
    let label = server.get(&path).send().await;
    assert_eq!(label.ok(), made.value());
    let same = server
        .put(&path)
        .json(&json!({"revision": first}))
        .send()
        .await
        .ok();
    assert_eq!(same, made.value());
    let moved = server
        .put(&path)
        .json(&json!({"revision": second}))
        .send()
        .await
        .ok();
    assert_eq!(
        (&moved["revision"], &moved["release"]),
        (&json!(second), &json!("2.9"))
    );
    let other = server
        .put(&path)
        .json(&json!({"revision": second, "release": "2.8"}))
        .send()
        .await;
    other.problem(409, "release-conflict");
    assert_eq!(server.delete(&path).send().await.status, 204);
    server.get(&path).send().await.problem(404, "unknown-label");
    server
        .delete(&path)
        .send()
        .await
        .problem(404, "unknown-label");
}

#[tokio::test]
async fn conditions_keep_changes_from_getting_lost() {
    let (server, first, second) = two().await;
    let path = format!("{LABELS}/main");
    let put = |to: &str| server.put(&path).json(&json!({"revision": to}));
    put(&first)
        .header("if-match", "*")
        .send()
        .await
        .problem(412, "precondition-failed");
    let made = put(&first).header("if-none-match", "*").send().await;
    assert_eq!(made.status, 201);
    put(&first)
        .header("if-none-match", "*")
        .send()
        .await
        .problem(412, "precondition-failed");
    let old = server.get(&path).send().await.header("etag").to_owned();
    assert_eq!(
        put(&second).header("if-match", &old).send().await.status,
        200
    );
    put(&first)
        .header("if-match", &old)
        .send()
        .await
        .problem(412, "precondition-failed");
    let weak = format!("W/{}", server.get(&path).send().await.header("etag"));
    put(&first)
        .header("if-match", &weak)
        .send()
        .await
        .problem(412, "precondition-failed");
    assert_eq!(
        put(&second).header("if-match", "*").send().await.status,
        200
    );
    server
        .delete(&path)
        .header("if-match", &old)
        .send()
        .await
        .problem(412, "precondition-failed");
    let new = server.get(&path).send().await.header("etag").to_owned();
    assert_eq!(
        server
            .delete(&path)
            .header("if-match", &new)
            .send()
            .await
            .status,
        204
    );
}

#[tokio::test]
async fn versions_are_protected_unless_forced() {
    let (server, first, second) = two().await;
    let path = format!("{LABELS}/2.9.0");
    let put = |query: &str, to: &str| {
        server
            .put(&format!("{path}{query}"))
            .json(&json!({"revision": to}))
    };
    assert_eq!(put("", &first).send().await.value()["release"], "2.9");
    assert_eq!(put("", &first).send().await.status, 200);
    put("", &second)
        .send()
        .await
        .problem(409, "label-protected");
    put("?force=false", &second)
        .send()
        .await
        .problem(409, "label-protected");
    let tag = server.get(&path).send().await.header("etag").to_owned();
    put("", &second)
        .header("if-match", &tag)
        .send()
        .await
        .problem(409, "label-protected");
    // Neither by taking another bundle in.
    let ingest = "/v1/projects/p/revisions?label=2.9.0";
    let text = format!("{SMALL}\n# third\n");
    server
        .post(ingest)
        .yaml(text.clone())
        .send()
        .await
        .problem(409, "label-protected");
    let count = server.get("/v1/projects/p/revisions").send().await.ok()["items"]
        .as_array()
        .unwrap()
        .len();
    assert_eq!(count, 2);
    server
        .delete(&path)
        .send()
        .await
        .problem(409, "label-protected");
    assert_eq!(put("?force=true", &second).send().await.status, 200);
    let forced = server
        .post(&format!("{ingest}&force=true"))
        .yaml(text)
        .send()
        .await;
    assert_eq!(forced.status, 201);
    assert_eq!(
        server
            .delete(&format!("{path}?force=true"))
            .send()
            .await
            .status,
        204
    );
}

#[tokio::test]
async fn the_release_belongs_to_the_label() {
    let server = Server::new().await;
    server.project("p").await;
    server.ingest("p", "label=2.9.0&release=2.5", SMALL).await;
    let post = |query: &str| {
        server
            .post(&format!("/v1/projects/p/revisions?label=2.9.0{query}"))
            .yaml(SMALL)
    };
    // Once given it stays, also where none is given.
    assert_eq!(post("").send().await.ok()["release"], "2.5");
    post("&release=2.9")
        .send()
        .await
        .problem(409, "release-conflict");
    let revision = server
        .get("/v1/projects/p/revisions/2.9.0")
        .send()
        .await
        .ok();
    assert_eq!(revision["release"], "2.5");
    post("&release=1.13")
        .send()
        .await
        .problem(422, "unknown-release");
    let problem = post("&release=banana")
        .send()
        .await
        .problem(422, "unknown-release");
    assert_eq!(problem["suggestions"].as_array().unwrap().len(), 16);
    // `force` gives it another one, as it does where a label is set.
    let forced = post("&release=2.9&force=true").send().await.ok();
    assert_eq!(forced["release"], "2.9");
    let label = "/v1/projects/p/labels/2.9.0";
    let set = |query: &str| {
        let target = json!({"revision": forced["revision"], "release": "2.8"});
        server.put(&format!("{label}{query}")).json(&target)
    };
    let kept = set("").send().await.problem(409, "release-conflict");
    let detail = kept["detail"].as_str().unwrap();
    assert!(detail.contains("use `force`"), "{detail}");
    assert_eq!(set("?force=true").send().await.ok()["release"], "2.8");
}

#[tokio::test]
async fn labels_come_in_pages_each_once() {
    let (server, first, _) = two().await;
    let names = ["2.9.0", "a", "b", "main", "pr-1"];
    for name in names {
        let path = format!("{LABELS}/{name}");
        assert_eq!(
            server
                .put(&path)
                .json(&json!({"revision": first}))
                .send()
                .await
                .status,
            201
        );
    }
    let mut seen = Vec::new();
    let mut path = format!("{LABELS}?limit=2");
    loop {
        let page = server.get(&path).send().await.ok();
        seen.extend(
            page["items"]
                .as_array()
                .unwrap()
                .iter()
                .map(|l| l["name"].clone()),
        );
        match page["next_cursor"].as_str() {
            Some(cursor) => path = format!("{LABELS}?limit=2&cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!(seen, names);
    let lines = server
        .get(LABELS)
        .header("accept", "application/x-ndjson")
        .send()
        .await;
    assert_eq!(lines.lines().len(), names.len());
}

#[tokio::test]
async fn labels_tell_the_order_of_their_revisions() {
    let (server, first, second) = two().await;
    for (name, revision) in [("a", &second), ("b", &first)] {
        let path = format!("{LABELS}/{name}");
        let set = server.put(&path).json(&json!({"revision": revision}));
        assert_eq!(set.send().await.status, 201);
    }
    let list = server.get(LABELS).send().await.ok();
    let sequence = |at: usize| list["items"][at]["sequence"].as_i64().unwrap();
    assert!(sequence(0) > sequence(1), "{list}");
}

#[tokio::test]
async fn what_a_label_is_to_name_must_exist() {
    let (server, first, _) = two().await;
    let put = |label: &str, to: &str| {
        server
            .put(&format!("{LABELS}/{label}"))
            .json(&json!({"revision": to}))
    };
    put("x", "sha256:00000000")
        .send()
        .await
        .problem(404, "unknown-revision");
    put("x", "nothing")
        .send()
        .await
        .problem(404, "unknown-revision");
    put("x", "a b").send().await.problem(400, "invalid-name");
    put("latest", &first)
        .send()
        .await
        .problem(400, "invalid-name");
    assert_eq!(put("x", "latest").send().await.status, 201);
    assert_eq!(put("y", "x").send().await.status, 201);
    let nowhere = server
        .put("/v1/projects/nowhere/labels/x")
        .json(&json!({"revision": first}));
    nowhere.send().await.problem(404, "unknown-project");
    server
        .get("/v1/projects/nowhere/labels")
        .send()
        .await
        .problem(404, "unknown-project");
}
