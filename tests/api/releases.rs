//! A real release, from its bytes to its pages.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::api::harness::Server;

/// A server with a real release under its version; `None` where it has not been fetched.
async fn real(version: &str) -> Option<Server> {
    let bundle = opatlas_conformance::release(version)?;
    let files = bundle
        .files()
        .map(|(name, bytes)| (name.to_owned(), json!(std::str::from_utf8(bytes).unwrap())));
    let body = json!({"files": files.collect::<serde_json::Map<_, _>>()});
    let server = Server::new().await;
    server.project("pytorch").await;
    let path = format!("/v1/projects/pytorch/revisions?label={version}");
    let answer = server.post(&path).json(&body).send().await;
    assert_eq!(answer.status, 201);
    Some(server)
}

#[tokio::test]
async fn pages_cover_every_operator_exactly_once() {
    let Some(server) = real("2.9.0").await else {
        return;
    };
    let list = "/v1/projects/pytorch/revisions/latest/operators";
    let lines = server
        .get(list)
        .header("accept", "application/x-ndjson")
        .send()
        .await
        .lines();
    assert_eq!(lines.len(), 3171);
    let mut seen = Vec::new();
    let mut path = format!("{list}?limit=1000");
    loop {
        let page = server.get(&path).send().await.ok();
        seen.extend(page["items"].as_array().unwrap().clone());
        match page["next_cursor"].as_str() {
            Some(cursor) => path = format!("{list}?limit=1000&cursor={cursor}"),
            None => break,
        }
    }
    assert!(seen == lines);
    let names: HashSet<_> = seen.iter().map(|op| op["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 3171);
}

#[tokio::test]
async fn filters_choose_what_they_say() {
    let Some(server) = real("2.9.0").await else {
        return;
    };
    let list = "/v1/projects/pytorch/revisions/2.9.0/operators";
    let all = server
        .get(list)
        .header("accept", "application/x-ndjson")
        .send()
        .await
        .lines();
    type Check = (&'static str, fn(&Value) -> bool);
    let checks: [Check; 9] = [
        ("kind=out", |op| op["kind"] == "out"),
        ("tag=core", |op| {
            op["tags"].as_array().unwrap().contains(&json!("core"))
        }),
        ("key=MPS", |op| op["dispatch"].get("MPS").is_some()),
        ("structured=true", |op| op["structured"] == true),
        ("structured=false&kind=inplace", |op| {
            op["structured"] == false && op["kind"] == "inplace"
        }),
        ("generated=only", |op| op["generated"] == true),
        ("generated=exclude", |op| op["generated"] == false),
        ("python_module=nn", |op| op["python_module"] == "nn"),
        ("namespace=aten", |op| op["namespace"] == "aten"),
    ];
    for (query, is) in checks {
        let path = format!("{list}?{query}");
        let found = server
            .get(&path)
            .header("accept", "application/x-ndjson")
            .send()
            .await
            .lines();
        let expected: Vec<_> = all.iter().filter(|op| is(op)).cloned().collect();
        assert!(!expected.is_empty(), "{query}");
        assert!(
            found == expected,
            "{query}: {} and {}",
            found.len(),
            expected.len()
        );
    }
    let best = server
        .get(&format!("{list}?q=add&limit=3"))
        .send()
        .await
        .ok();
    let names: Vec<_> = best["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|op| &op["name"])
        .collect();
    assert!(
        names
            .iter()
            .all(|name| name.as_str().unwrap().starts_with("add.")),
        "{names:?}"
    );
}

#[tokio::test]
async fn operators_are_as_torchgen_models_them() {
    let Some(server) = real("2.9.0").await else {
        return;
    };
    let list = "/v1/projects/pytorch/revisions/2.9.0/operators";
    let all = server
        .get(list)
        .header("accept", "application/x-ndjson")
        .send()
        .await
        .lines();
    let rows = opatlas_conformance::golden("operators_2.9.0.jsonl.gz");
    assert_eq!(all.len(), rows.len());
    for (op, row) in all.iter().zip(&rows) {
        let name = &row["name"];
        for (ours, theirs) in [
            ("name", "name"),
            ("schema", "func"),
            ("kind", "kind"),
            ("generated", "is_generated"),
            ("namespace", "namespace"),
            ("dispatch", "dispatch"),
            ("structured", "structured"),
            ("structured_delegate", "structured_delegate"),
            ("is_view", "is_view_op"),
        ] {
            assert_eq!(op[ours], row[theirs], "{name}: {ours}");
        }
        if row["line"].is_u64() && op["generated"] == false {
            assert_eq!(op["span"]["line"], row["line"], "{name}");
        }
    }
}

#[tokio::test]
async fn the_page_of_add() {
    let Some(server) = real("2.9.0").await else {
        return;
    };
    let page = server.get("/v1/projects/pytorch/revisions/latest/operators/add.Tensor");
    let page = page.send().await.ok();
    assert_eq!(page["source"]["line"], 554);
    assert_eq!(page["dispatch"]["ZeroTensor"], "add_zerotensor");
    let made = page["registrations"].as_array().unwrap().iter();
    let sparse = made.clone().find(|made| made["key"] == "SparseCPU");
    assert_eq!(sparse.unwrap()["span"]["line"], 559);
    let answer = server
        .get("/v1/projects/pytorch/revisions/2.9.0/operators/add.Tensr")
        .send()
        .await;
    let problem = answer.problem(404, "unknown-operator");
    assert_eq!(
        problem["detail"],
        "pytorch 2.9.0 has no operator `add.Tensr`. Did you mean `add.Tensor`?"
    );
    assert_eq!(problem["suggestions"], json!(["add.Tensor"]));
}
