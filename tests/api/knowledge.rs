//! What the program knows: releases, rules, problem types, itself.

use serde_json::{Value, json};

use crate::api::harness::Server;

#[tokio::test]
async fn releases_have_keys_types_and_tags() {
    let server = Server::new().await;
    let list = server.get("/v1/releases").send().await.ok();
    let names: Vec<_> = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["name"].clone())
        .collect();
    assert_eq!(names.len(), 16);
    assert_eq!((&names[0], &names[15]), (&json!("2.0"), &json!("2.15")));
    let part = server.get("/v1/releases?limit=5").send().await.ok();
    let cursor = part["next_cursor"].as_str().unwrap();
    let next = server
        .get(&format!("/v1/releases?limit=5&cursor={cursor}"))
        .send()
        .await
        .ok();
    assert_eq!(next["items"][0]["name"], "2.5");
    let one = server.get("/v1/releases/2.9").send().await.ok();
    assert_eq!(one["keys"].as_array().unwrap().len(), 138);
    let mut aliases = one["alias_keys"].as_array().unwrap().iter();
    let implicit = aliases.find(|alias| alias["name"] == "CompositeImplicitAutograd");
    let implicit = implicit.unwrap();
    assert!(
        implicit["keys"]
            .as_array()
            .unwrap()
            .contains(&json!("AutogradCPU"))
    );
    assert!(
        one["dispatch_keys"]
            .as_array()
            .unwrap()
            .contains(&json!("SparseCsrCPU"))
    );
    assert!(one["tags"].as_array().unwrap().contains(&json!("core")));
    for same in ["v2.9", "2.9.1", "2.9.0+cu128"] {
        let path = format!("/v1/releases/{same}");
        assert_eq!(server.get(&path).send().await.ok(), one);
    }
    for unknown in ["1.13", "banana", "2.99"] {
        let answer = server.get(&format!("/v1/releases/{unknown}")).send().await;
        answer.problem(404, "unknown-release");
    }
}

#[tokio::test]
async fn rules_have_their_documentation() {
    let server = Server::new().await;
    let mut seen: Vec<Value> = Vec::new();
    let mut path = "/v1/rules?limit=50".to_owned();
    loop {
        let page = server.get(&path).send().await.ok();
        seen.extend(page["items"].as_array().unwrap().clone());
        match page["next_cursor"].as_str() {
            Some(cursor) => path = format!("/v1/rules?limit=50&cursor={cursor}"),
            None => break,
        }
    }
    let changes = opatlas_diff::rules::RULES
        .iter()
        .map(|rule| rule.id.as_str());
    let ids: Vec<_> = opatlas_rules::registry::all()
        .map(|rule| rule.id.as_str())
        .chain(changes)
        .map(|id| json!(id))
        .collect();
    assert_eq!(
        seen.iter()
            .map(|rule| rule["id"].clone())
            .collect::<Vec<_>>(),
        ids
    );
    let one = server.get("/v1/rules/out-return-matches").send().await.ok();
    assert!(seen.contains(&one));
    let of_changes = "/v1/rules?kind=compatibility&family=default";
    for rule in server.get(of_changes).send().await.ok()["items"]
        .as_array()
        .unwrap()
    {
        assert_eq!(
            (&rule["kind"], &rule["family"]),
            (&json!("compatibility"), &json!("default"))
        );
        assert!(seen.contains(rule));
    }
    let errors = server
        .get("/v1/rules?severity=error&limit=1000")
        .send()
        .await
        .ok();
    assert!(errors["items"].as_array().unwrap().len() < seen.len());
    let old = server
        .get("/v1/rules?release=2.0&limit=1000")
        .send()
        .await
        .ok();
    assert!(old["items"].as_array().unwrap().len() < seen.len());
    let family = server.get("/v1/rules?family=tags").send().await.ok();
    assert!(
        family["items"]
            .as_array()
            .unwrap()
            .iter()
            .all(|r| r["family"] == "tags")
    );
    let problem = server
        .get("/v1/rules/out-return-match")
        .send()
        .await
        .problem(404, "unknown-rule");
    assert!(
        problem["suggestions"]
            .as_array()
            .unwrap()
            .contains(&json!("out-return-matches"))
    );
    server
        .get("/v1/rules?release=0")
        .send()
        .await
        .problem(422, "unknown-release");
}

#[tokio::test]
async fn every_problem_type_can_be_looked_up() {
    let server = Server::new().await;
    for kind in opatlas_wire::problem::Kind::ALL {
        let path = format!("/problems/{}", kind.slug());
        let kind_page = server.get(&path).send().await.ok();
        assert_eq!(kind_page["type"], path);
        let statuses: Vec<u16> = kind.statuses().iter().map(|s| s.as_u16()).collect();
        assert_eq!(kind_page["statuses"], json!(statuses));
    }
    server
        .get("/problems/unknwon-operator")
        .send()
        .await
        .problem(404, "unknown-problem");
}

#[tokio::test]
async fn the_service_tells_how_it_is() {
    let server = Server::new().await;
    assert_eq!(
        server.get("/healthz").send().await.ok(),
        json!({"status": "ok"})
    );
    assert_eq!(
        server.get("/readyz").send().await.ok(),
        json!({"status": "ok"})
    );
    let version = server.get("/v1/version").send().await.ok();
    assert_eq!(version["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(version["newest_release"], "2.15");
    server.service.close().await;
    assert_eq!(server.get("/healthz").send().await.status, 200);
    let answer = server.get("/readyz").send().await;
    answer.problem(503, "store-unavailable");
    assert_eq!(answer.header("retry-after"), "2");
}

#[tokio::test]
async fn topics_are_listed_and_found_by_every_name() {
    let server = Server::new().await;
    let list = server.get("/v1/topics?limit=1000").send().await.ok();
    let items = list["items"].as_array().unwrap();
    assert!(items.len() > 180, "{}", items.len());
    assert_eq!(list["next_cursor"], Value::Null);
    let fields = server
        .get("/v1/topics?kind=field&limit=1000")
        .send()
        .await
        .ok();
    let fields = fields["items"].as_array().unwrap();
    assert_eq!(fields.len(), 18);
    assert!(fields.iter().all(|topic| topic["kind"] == "field"));
    let part = server.get("/v1/topics?limit=5").send().await.ok();
    let cursor = part["next_cursor"].as_str().unwrap();
    let next = server
        .get(&format!("/v1/topics?limit=5&cursor={cursor}"))
        .send()
        .await
        .ok();
    assert_eq!(next["items"][0]["id"], items[5]["id"]);
    for item in items {
        let id = item["id"].as_str().unwrap();
        let one = server.get(&format!("/v1/topics/{id}")).send().await.ok();
        assert_eq!(
            (&one["id"], &one["summary"]),
            (&item["id"], &item["summary"])
        );
    }
    for (name, id) in [
        ("Tensor%28a!%29", "write-annotation"),
        ("DefaultBackend", "CompositeExplicitAutograd"),
        ("AutogradCUDA", "AutogradCUDA"),
        ("structured_delegate", "structured_delegate"),
    ] {
        let one = server.get(&format!("/v1/topics/{name}")).send().await.ok();
        assert_eq!(one["id"], id);
    }
    let key = server.get("/v1/topics/Named").send().await.ok();
    assert_eq!(
        (&key["since"], &key["until"]),
        (&json!("2.0"), &json!("2.12"))
    );
    let answer = server
        .get("/v1/topics/CompositeExplicitAutogrd")
        .send()
        .await;
    let problem = answer.problem(404, "unknown-topic");
    assert_eq!(problem["suggestions"][0], "CompositeExplicitAutograd");
    server
        .get("/v1/topics/dispatch?release=1.0")
        .send()
        .await
        .problem(422, "unknown-release");
}

#[tokio::test]
async fn the_guide_to_a_dispatch_key_ends_in_tables_of_the_release() {
    let server = Server::new().await;
    let row_of = |topic: &Value, key: &str| {
        let outcomes = topic["guide"]["outcomes"].as_array().unwrap().iter();
        let mut default = outcomes.filter(|outcome| outcome["id"] == "default");
        let rows = default.next().unwrap()["table"].as_array().unwrap().clone();
        let of_key = |row: &&Value| row["keys"].as_array().unwrap().contains(&json!(key));
        rows.iter().find(of_key).cloned()
    };
    let newest = server.get("/v1/topics/dispatch-keyword").send().await.ok();
    assert_eq!(
        newest["guide"]["questions"][0]["answers"][0]["question"],
        "autograd"
    );
    assert_eq!(row_of(&newest, "XPU").unwrap()["kernel"], "lerp3");
    assert_eq!(
        row_of(&newest, "AutogradXPU").unwrap()["kernel"],
        "VariableType::lerp3"
    );
    assert!(row_of(&newest, "ORT").is_none());
    let old = server
        .get("/v1/topics/dispatch-keyword?release=2.0")
        .send()
        .await
        .ok();
    assert!(row_of(&old, "ORT").is_some());
    assert_eq!(
        server.get("/v1/topics/dispatch").send().await.ok()["guide"],
        Value::Null
    );
}
