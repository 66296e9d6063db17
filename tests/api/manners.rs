//! What clients expect of every route: conditions, pages, unknown values, and plain messages.

use serde_json::{Value, json};

use crate::api::contract;
use crate::api::harness::Server;

const REVISION: &str = "/v1/projects/p/revisions/2.9.0";

#[tokio::test]
async fn any_answer_will_do_if_there_is_one() {
    let server = Server::small().await;
    for path in [
        "/v1/projects",
        "/v1/projects/p",
        "/v1/projects/p/labels/2.9.0",
        "/v1/rules",
        "/v1/version",
        "/openapi.json",
        &format!("{REVISION}/operators"),
        &format!("{REVISION}/files/native_functions.yaml"),
    ] {
        let answer = server.get(path).header("if-none-match", "*").send().await;
        assert_eq!(answer.status, 304, "{path}");
        assert!(answer.body.is_empty(), "{path}");
        let whole = server.get(path).send().await;
        assert_eq!(answer.header("etag"), whole.header("etag"), "{path}");
    }
    for path in [
        "/v1/projects/absent",
        "/v1/projects/p/labels/absent",
        "/v1/rules/absent",
        &format!("{REVISION}/operators/absent"),
        &format!("{REVISION}/files/absent.yaml"),
    ] {
        let answer = server.get(path).header("if-none-match", "*").send().await;
        assert_eq!(answer.status, 404, "{path}");
    }
}

#[tokio::test]
async fn gaps_come_in_pages() {
    let server = Server::small().await;
    let path = format!("{REVISION}/gaps/CUDA");
    let whole = server.get(&path).send().await.ok();
    let all = whole["items"].as_array().unwrap();
    assert!(all.len() > 2 && whole["next_cursor"].is_null());
    let mut found: Vec<Value> = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = format!("{path}?limit=2&cursor={cursor}");
        let page = server.get(&page).send().await.ok();
        let items = page["items"].as_array().unwrap();
        assert!(items.len() <= 2);
        assert_eq!(page["counts"], whole["counts"]);
        found.extend(items.iter().cloned());
        match page["next_cursor"].as_str() {
            Some(next) => cursor = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(&found, all);
    // A usage file gives another list, whose cursors the first does not know.
    let usage = |query: &str| {
        let question = server.post(&format!("{path}?{query}"));
        question.body("text/csv", "aten::never,1\n")
    };
    let ranked = usage("limit=1").send().await.ok();
    let next = ranked["next_cursor"].as_str().unwrap();
    let second = usage(&format!("limit=1&cursor={next}")).send().await.ok();
    assert_ne!(second["items"], ranked["items"]);
    let mixed = server.get(&format!("{path}?limit=1&cursor={next}"));
    mixed.send().await.problem(400, "invalid-cursor");
    let none = server.get(&format!("{path}?limit=0")).send().await;
    none.problem(400, "invalid-parameter");
}

/// A filter by something that does not exist would be answered with an empty list, as if all were
/// well.
#[tokio::test]
async fn filters_by_unknown_names_are_refused() {
    let server = Server::small().await;
    for (path, parameter, suggestion) in [
        (
            format!("{REVISION}/operators?tag=pointwse"),
            "tag",
            "pointwise",
        ),
        (format!("{REVISION}/gaps/CPU?tag=cor"), "tag", "core"),
        ("/v1/rules?family=typs".to_owned(), "family", "types"),
    ] {
        let problem = server.get(&path).send().await;
        let problem = problem.problem(422, "unknown-value");
        assert_eq!(problem["suggestions"][0], suggestion, "{path}: {problem}");
        assert_eq!(problem["errors"][0]["parameter"], parameter, "{path}");
    }
    let lines = server
        .get(&format!("{REVISION}/operators?tag=nonsense"))
        .header("accept", "application/x-ndjson");
    lines.send().await.problem(422, "unknown-value");
    // Labels have suggestions as well.
    let problem = server.get("/v1/projects/p/revisions/2.9.1").send().await;
    let problem = problem.problem(404, "unknown-revision");
    assert_eq!(problem["suggestions"], json!(["2.9.0"]));
    let problem = server.get("/v1/projects/p/labels/2.9.1").send().await;
    let problem = problem.problem(404, "unknown-label");
    assert_eq!(problem["suggestions"], json!(["2.9.0"]));
}

/// Messages name parameters, members, objects and lists, and no types of the program.
#[tokio::test]
async fn messages_are_about_the_request() {
    let server = Server::small().await;
    let mut answers = Vec::new();
    for path in [
        format!("{REVISION}/operators?limit=x"),
        format!("{REVISION}/operators?limit=99999999999"),
        format!("{REVISION}/operators?limit=-1"),
        format!("{REVISION}/operators?kind=ot"),
        format!("{REVISION}/operators?knd=out"),
        format!("{REVISION}/operators?kind=out&kind=out"),
        format!("{REVISION}/operators?structured=maybe"),
        format!("{REVISION}/operators?limit=0"),
        format!("{REVISION}/coverage?source=cloud"),
        "/v1/projects/p/support?operators=f".to_owned(),
        "/v1/projects/p/trends?points=many".to_owned(),
        "/v1/topics?kind=x".to_owned(),
    ] {
        answers.push(server.get(&path).send().await);
    }
    let edit = "/v1/projects/p/probe/runs/r/shards/many/renew";
    answers.push(server.post(edit).json(&json!({})).send().await);
    for body in [
        json!({}),
        json!([]),
        json!(1),
        json!({"name": 1}),
        json!({"name": ["a"]}),
        json!({"name": {}}),
        json!({"name": "a", "nmae": 1}),
        json!({"name": "a", "policy": 1}),
        json!({"name": null}),
    ] {
        answers.push(server.post("/v1/projects").json(&body).send().await);
    }
    let broken = server
        .post("/v1/projects")
        .body("application/json", "{\"name\": ");
    answers.push(broken.send().await);
    let gaps = format!("{REVISION}/gaps/CPU");
    for body in [json!({"f": -1}), json!("x"), json!([{"operator": 1}])] {
        answers.push(server.post(&gaps).json(&body).send().await);
    }
    for body in [
        json!({"registrations": [1.5]}),
        json!({"registrations": "CPU"}),
        json!({"registrations": [{"kez": "CPU"}]}),
    ] {
        answers.push(server.post("/v1/dispatch").json(&body).send().await);
    }
    for answer in answers {
        let status = answer.status;
        let detail = answer.value()["detail"].as_str().unwrap().to_owned();
        assert!(status.is_client_error(), "{status}: {detail}");
        for word in [
            "u8",
            "u32",
            "u64",
            "i64",
            "usize",
            "f64",
            "struct ",
            "enum",
            "variant",
            "field `",
            "sequence",
            "map,",
            "unit",
            "Option",
            "deserialize",
            "target type",
            "found in string",
            "..=",
        ] {
            assert!(!detail.contains(word), "{word}: {detail}");
        }
    }
}

/// The description is one that generators of clients understand.
#[tokio::test]
async fn the_description_says_what_clients_need() {
    let document = contract::document();
    let operations = document["paths"].as_object().unwrap().values();
    let operations = operations.flat_map(|item| item.as_object().unwrap().values());
    let mut lists = 0;
    for operation in operations {
        let id = operation["operationId"].as_str().unwrap();
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        for parameter in parameters {
            let is_list = parameter["schema"]["type"] == "array";
            assert!(
                !is_list || parameter["required"] == false,
                "{id}: {parameter}"
            );
            lists += usize::from(is_list);
        }
        let bodies = operation["requestBody"]["content"].as_object();
        let answers = operation["responses"].as_object().unwrap().values();
        let answers = answers.filter_map(|answer| answer["content"].as_object());
        for (media, content) in answers.chain(bodies).flatten() {
            assert!(content["schema"].is_object(), "{id}: {media} has no schema");
        }
    }
    assert_eq!(lists, 2, "`with` and `without`");
    let schemes = &document["components"]["securitySchemes"];
    assert_eq!(schemes["signature"]["name"], "X-Opatlas-Signature");
    assert_eq!(schemes["signer"]["name"], "X-Opatlas-Token");
    assert_eq!(
        document["security"][2],
        json!({"signature": [], "signer": []})
    );
}
