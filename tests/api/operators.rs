//! Operators: the list, its filters and pages, and one.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::api::harness::Server;

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

/// Words that share no letter with a name do not find it, although it is one letter away.
#[tokio::test]
async fn a_search_finds_nothing_that_shares_nothing() {
    let server = Server::new().await;
    server.project("p").await;
    let text = "- func: t(Tensor(a) self) -> Tensor(a)\n";
    server.ingest("p", "label=2.9.0", text).await;
    for (words, expected) in [("7", &[][..]), ("%00", &[]), ("@", &[]), ("T", &["t"])] {
        let found = server.get(&format!("{OPERATORS}?q={words}")).send().await;
        assert_eq!(names(&found.ok()), expected, "{words}");
        let path = format!("/v1/projects/p/search?q={words}");
        let found = server.get(&path).send().await.ok();
        assert_eq!(
            found["items"].as_array().unwrap().len(),
            expected.len(),
            "{words}"
        );
    }
    for path in [OPERATORS, "/v1/projects/p/search"] {
        let refused = server.get(&format!("{path}?q=%FF")).send().await;
        let problem = refused.problem(400, "invalid-parameter");
        assert_eq!(problem["errors"][0]["parameter"], "q");
    }
}

#[tokio::test]
async fn a_base_name_has_its_overloads() {
    let server = Server::small().await;
    let all = server
        .get(&format!("{OPERATORS}?limit=1000"))
        .send()
        .await
        .ok();
    let of_add = |name: &&str| name.split('.').next() == Some("add");
    let expected: Vec<&str> = names(&all).into_iter().filter(of_add).collect();
    assert!(expected.len() > 1 && !expected.contains(&"add"));
    let list = server
        .get(&format!("{OPERATORS}?base_name=add"))
        .send()
        .await
        .ok();
    assert_eq!(names(&list), expected);
    let none = server
        .get(&format!("{OPERATORS}?base_name=ad"))
        .send()
        .await
        .ok();
    assert_eq!(names(&none), [""; 0]);
    for path in ["add", "aten::add", "add/signatures", "add/dispatch"] {
        let answer = server.get(&format!("{OPERATORS}/{path}")).send().await;
        let problem = answer.problem(404, "unknown-operator");
        assert_eq!(problem["overloads"], json!(expected), "{path}");
        for name in &expected {
            assert!(
                problem["detail"]
                    .as_str()
                    .unwrap()
                    .contains(&format!("`{name}`"))
            );
        }
    }
    let other = server.get(&format!("{OPERATORS}/add.Tensr")).send().await;
    assert_eq!(
        other.problem(404, "unknown-operator")["overloads"],
        Value::Null
    );
}

#[tokio::test]
async fn operators_are_found_by_every_spelling() {
    let server = Server::small().await;
    let get = async |name: &str| server.get(&format!("{OPERATORS}/{name}")).send().await;
    let add = get("add.Tensor").await.ok();
    assert_eq!(get("aten::add.Tensor").await.ok(), add);
    assert_eq!(get("aten%3A%3Aadd.Tensor").await.ok(), add);
    let fuse = get("acme::fuse").await.ok();
    assert_eq!(
        (&fuse["namespace"], &fuse["name"]),
        (&json!("acme"), &json!("fuse"))
    );
    get("fuse").await.problem(404, "unknown-operator");
    get("aten::fuse").await.problem(404, "unknown-operator");
    let generated = get("blend.out").await.ok();
    assert_eq!(generated["generated"], true);
    assert_eq!(generated["generated_from"], "blend");
    assert_eq!(
        (&generated["span"], &generated["source"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(generated["registrations"][0]["origin"], "autogen");
    let implicit = get("half_of").await.ok();
    assert_eq!(implicit["registrations"][0]["origin"], "implicit composite");
    assert_eq!(
        implicit["dispatch"],
        json!({"CompositeImplicitAutograd": "half_of"})
    );
    let structured = get("add.Tensor").await.ok();
    assert_eq!(structured["registrations"][0]["origin"], "structured");
    assert_eq!(get("slice_of").await.ok()["is_view"], true);
}

#[tokio::test]
async fn pages_cover_every_operator_exactly_once() {
    let server = Server::small().await;
    let all = server.get(OPERATORS).send().await.ok();
    assert_eq!(names(&all).len(), 10);
    for limit in 1..=11 {
        let mut seen = Vec::new();
        let mut path = format!("{OPERATORS}?limit={limit}");
        loop {
            let page = server.get(&path).send().await.ok();
            seen.extend(page["items"].as_array().unwrap().clone());
            match page["next_cursor"].as_str() {
                Some(cursor) => path = format!("{OPERATORS}?limit={limit}&cursor={cursor}"),
                None => break,
            }
        }
        assert_eq!(json!(seen), all["items"]);
    }
    let lines = server
        .get(OPERATORS)
        .header("accept", "application/x-ndjson")
        .send()
        .await;
    assert_eq!(json!(lines.lines()), all["items"]);
    let unique: BTreeSet<_> = names(&all).into_iter().collect();
    assert_eq!(unique.len(), 10);
}

#[tokio::test]
async fn filters_narrow_the_list() {
    let server = Server::small().await;
    for (query, expected) in [
        ("kind=inplace", vec!["add_.Tensor"]),
        ("kind=out&generated=false", vec!["add.out"]),
        ("tag=core", vec!["add.Tensor"]),
        ("key=MPS", vec!["add.out", "blend"]),
        ("structured=true", vec!["add.out"]),
        ("namespace=acme&generated=exclude", vec!["fuse"]),
        ("python_module=nn", vec!["blend"]),
        ("q=add&kind=functional", vec!["add.Tensor"]),
        ("q=float+mix", vec!["blend", "blend.out"]),
        (
            "q=SymInt",
            vec!["slice_of", "slice_of_copy", "slice_of_copy.out"],
        ),
        ("q=torch.ops.aten.add.Tensor", vec!["add.Tensor"]),
        ("q=Tensor.add_", vec!["add_.Tensor"]),
        ("q=F.blend", vec!["blend", "blend.out"]),
        ("q=sliceofcopy", vec!["slice_of_copy", "slice_of_copy.out"]),
        ("q=belnd", vec!["blend", "blend.out"]),
        ("q=nothing", vec![]),
    ] {
        let list = server
            .get(&format!("{OPERATORS}?{query}"))
            .send()
            .await
            .ok();
        assert_eq!(names(&list), expected, "{query}");
    }
}
