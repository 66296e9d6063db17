//! Projects: made, listed, changed, deleted.

use serde_json::{Value, json};

use crate::api::harness::Server;

#[tokio::test]
async fn a_project_lives() {
    let server = Server::new().await;
    let body = json!({"name": "acme-npu", "description": "Ours", "policy": {"tags": {"core": "warn", "pt2_compliant_tag": "ignore"}}});
    let made = server.post("/v1/projects").json(&body).send().await;
    assert_eq!(made.status, 201);
    assert_eq!(made.header("location"), "/v1/projects/acme-npu");
    let project = made.value();
    assert_eq!(project["name"], "acme-npu");
    assert_eq!(project["description"], "Ours");
    assert_eq!(project["created_at"], "2023-11-14T22:13:20Z");

    // The same again, with the policy in another order.
    let same = json!({"policy": {"tags": {"pt2_compliant_tag": "ignore", "core": "warn"}}, "description": "Ours", "name": "acme-npu"});
    let again = server.post("/v1/projects").json(&same).send().await;
    assert_eq!(
        (again.status.as_u16(), again.value()),
        (200, project.clone())
    );

    let other = json!({"name": "acme-npu"});
    let conflict = server.post("/v1/projects").json(&other).send().await;
    conflict.problem(409, "project-exists");

    let path = "/v1/projects/acme-npu";
    assert_eq!(server.get(path).send().await.ok(), project);
    let changed = server
        .patch(path)
        .json(&json!({"description": null}))
        .send()
        .await
        .ok();
    assert_eq!(changed["description"], Value::Null);
    assert_eq!(changed["policy"], project["policy"]);
    let changed = server
        .patch(path)
        .json(&json!({"policy": null}))
        .send()
        .await
        .ok();
    assert_eq!(changed["policy"], Value::Null);
    let unchanged = server.patch(path).json(&json!({})).send().await.ok();
    assert_eq!(unchanged, changed);

    assert_eq!(server.delete(path).send().await.status, 204);
    server
        .get(path)
        .send()
        .await
        .problem(404, "unknown-project");
    server
        .delete(path)
        .send()
        .await
        .problem(404, "unknown-project");
    server
        .patch(path)
        .json(&json!({}))
        .send()
        .await
        .problem(404, "unknown-project");
}

#[tokio::test]
async fn projects_come_in_pages_each_once() {
    let server = Server::new().await;
    let names: Vec<String> = (0..7).map(|i| format!("p{i}")).collect();
    for name in &names {
        server.project(name).await;
    }
    let mut seen = Vec::new();
    let mut path = "/v1/projects?limit=3".to_owned();
    loop {
        let page = server.get(&path).send().await.ok();
        for project in page["items"].as_array().unwrap() {
            seen.push(project["name"].as_str().unwrap().to_owned());
        }
        match page["next_cursor"].as_str() {
            Some(cursor) => path = format!("/v1/projects?limit=3&cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!(seen, names);
    let lines = server
        .get("/v1/projects")
        .header("accept", "application/x-ndjson")
        .send()
        .await;
    assert_eq!(lines.lines().len(), 7);
}

#[tokio::test]
async fn names_follow_the_grammar() {
    let server = Server::new().await;
    for name in [
        "",
        "a b",
        "../x",
        "latest",
        "sha256x",
        "é",
        &"x".repeat(129),
        "a\u{0}b",
    ] {
        let answer = server
            .post("/v1/projects")
            .json(&json!({"name": name}))
            .send()
            .await;
        answer.problem(400, "invalid-name");
    }
    for path in ["a%20b", "%2e%2e", "latest", "a%2Fb", "%00"] {
        let answer = server.get(&format!("/v1/projects/{path}")).send().await;
        answer.problem(400, "invalid-name");
    }
    let listed = server.get("/v1/projects").send().await.ok();
    assert_eq!(listed["items"], json!([]));
}

#[tokio::test]
async fn bodies_say_what_they_must() {
    let server = Server::new().await;
    let post = || server.post("/v1/projects");
    for body in [
        "",
        "{",
        "[]",
        "1",
        "{\"name\": 1}",
        "{}",
        "{\"name\":\"x\",\"nmae\":1}",
        "\u{feff}{}",
    ] {
        let answer = post().body("application/json", body).send().await;
        answer.problem(400, "malformed-body");
    }
    let answer = post()
        .body("application/json; charset=utf-8", "{\"name\":\"x\"}")
        .send()
        .await;
    assert_eq!(answer.status, 201);
    let answer = post().body("text/plain", "{\"name\":\"y\"}").send().await;
    answer.problem(415, "unsupported-media-type");
    post().send().await.problem(415, "unsupported-media-type");
    let packed = post()
        .header("content-encoding", "gzip")
        .json(&json!({}))
        .send()
        .await;
    packed.problem(415, "unsupported-media-type");
    let long = format!("{{\"name\":\"{}\"}}", "x".repeat(2 << 20));
    post()
        .body("application/json", long)
        .send()
        .await
        .problem(413, "too-large");
}
