//! What workers of the probe ask for and send: the protocol itself is tested with workers in
//! `probe/tests`; here are its edges.

use axum::http::Method;
use opatlas::http::ApiConfig;
use opatlas::http::middleware::access::AuthMode;
use opatlas_service::access::{Action, Projects};
use opatlas_service::{Limits, NewToken};
use opatlas_source::Digest;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::api::harness::{Answer, SMALL, Server};

pub(super) const RUNS: &str = "/v1/projects/p/probe/runs";
const TABLES: &str = "/v1/projects/p/probe/tables";

fn asked() -> Value {
    json!({
        "key": "k", "revision": "2.9.0", "torch": "2.9.1", "device": "cpu",
        "items": {"runs": ["a", "b", "c"]}, "shard_seconds": 2,
    })
}

pub(super) async fn post(server: &Server, path: &str, body: &Value) -> Answer {
    server.post(path).json(body).send().await
}

pub(super) fn result(lease: &Value, rows: &Value) -> Value {
    let digest = Digest::of(rows.to_string().as_bytes()).to_string();
    json!({"lease": lease, "digest": digest, "rows": rows, "worker": {"rank": 2}})
}

fn rows(items: &[&str]) -> Value {
    let row = |item: &&str| json!({"item": item, "outcome": "runs"});
    items.iter().map(row).collect()
}

#[tokio::test]
async fn a_run_is_shared_and_summed_up_by_rank() {
    let server = Server::small().await;
    let run = post(&server, RUNS, &asked()).await.ok();
    assert_eq!(run, json!({"run": "k", "shards": 2}));
    let path = |shard: &Value| format!("{RUNS}/k/shards/{shard}");
    for _ in 0..2 {
        let lease = format!("{RUNS}/k/lease");
        let worker = json!({"worker": {"rank": 2}});
        let leased = post(&server, &lease, &worker).await.ok();
        let renewal = json!({"lease": leased["lease"], "begun": leased["items"][0]});
        let renew = format!("{}/renew", path(&leased["shard"]));
        post(&server, &renew, &renewal).await.ok();
        let items = leased["items"].as_array().unwrap().iter();
        let items: Vec<_> = items.filter_map(Value::as_str).collect();
        let sent = result(&leased["lease"], &rows(&items));
        let answer = post(&server, &path(&leased["shard"]), &sent).await;
        assert_eq!(answer.status, 201, "{}", answer.text());
        let again = post(&server, &path(&leased["shard"]), &sent).await;
        assert_eq!(again.status, 200);
    }
    let done = post(&server, &format!("{RUNS}/k/lease"), &json!({}))
        .await
        .ok();
    assert_eq!(done, json!({"done": true}));
    let progress = server.get(&format!("{RUNS}/k")).send().await.ok();
    assert_eq!(progress["done"], true);
    assert_eq!(progress["ranks"], json!({"2": {"shards": 2, "items": 3}}));
    assert_eq!(progress["outcomes"], json!({"runs": 3}));
    let results = server.get(&format!("{RUNS}/k/results")).send().await;
    let etag = results.header("etag").to_owned();
    assert_eq!(results.ok()["rows"].as_array().unwrap().len(), 3);
    let same = server.get(&format!("{RUNS}/k/results"));
    assert_eq!(same.header("if-none-match", etag).send().await.status, 304);
}

#[tokio::test]
async fn what_is_wrong_is_said() {
    let server = Server::small().await;
    let with = |name: &str, value: Value| {
        let mut body = asked();
        body[name] = value;
        body
    };
    for (name, value) in [
        ("torch", json!("nine")),
        ("key", json!("")),
        ("key", json!("a\u{0}b")),
        ("device", json!("x".repeat(301))),
        ("items", json!({"runs": ["a", "a"]})),
        ("items", json!({"walks": ["a"]})),
        ("items", json!({"runs": ["a\n"]})),
        ("shard_seconds", json!(0)),
        ("lease_seconds", json!(601)),
    ] {
        let refused = post(&server, RUNS, &with(name, value)).await;
        refused.problem(400, "malformed-body");
    }
    let other = post(&server, RUNS, &with("torch", json!("2.8.0"))).await;
    let detail = other.problem(409, "other-release")["detail"].to_string();
    assert!(
        detail.contains("torch 2.8.0") && detail.contains("PyTorch 2.9"),
        "{detail}"
    );
    let unknown = post(&server, RUNS, &with("revision", json!("main"))).await;
    unknown.problem(404, "unknown-revision");
    post(&server, RUNS, &asked()).await.ok();
    let other = post(&server, RUNS, &with("device", json!("cuda"))).await;
    other.problem(409, "other-run");
    for (path, slug) in [("x/lease", "unknown-run"), ("k/shards/9", "unknown-shard")] {
        let body = result(&json!("9.1"), &rows(&[]));
        post(&server, &format!("{RUNS}/{path}"), &body)
            .await
            .problem(404, slug);
    }
    for kills in [json!(-1), json!(1.5), json!("2")] {
        let renewal = json!({"lease": "9.1", "killed": "a", "kills": kills});
        let refused = post(&server, &format!("{RUNS}/k/shards/0/renew"), &renewal).await;
        refused.problem(400, "malformed-body");
    }
    let half = server.post(TABLES).body("application/json", "{\"dump\": {");
    half.send().await.problem(400, "malformed-body");
    let text = server.post(TABLES).body("text/plain", "{}");
    text.send().await.problem(415, "unsupported-media-type");
}

/// A revision that only its digest names is measured as the release of the worker.
#[tokio::test]
async fn a_revision_without_a_label_has_the_release_of_the_worker() {
    let server = Server::new().await;
    server.project("p").await;
    let digest = server.ingest("p", "", SMALL).await["digest"].clone();
    let mut body = asked();
    body["revision"] = json!(format!("sha256:{}", digest.as_str().unwrap()));
    body["torch"] = json!("2.7.0");
    post(&server, RUNS, &body).await.ok();
}

/// The lease of a worker that is silent ends by the clock of the service.
#[tokio::test]
async fn a_silent_worker_loses_its_shard() {
    let now = Arc::new(AtomicI64::new(1_700_000_000_000_000));
    let clock = Arc::clone(&now);
    let clock = Arc::new(move || clock.load(Ordering::Relaxed));
    let server = Server::with_clock(Limits::default(), ApiConfig::default(), clock).await;
    server.project("p").await;
    server.ingest("p", "label=2.9.0", SMALL).await;
    let mut body = asked();
    body["items"] = json!({"runs": ["a"]});
    post(&server, RUNS, &body).await.ok();
    let lease = format!("{RUNS}/k/lease");
    let first = post(&server, &lease, &json!({})).await.ok();
    assert_eq!(first["seconds"], 30.0);
    let wait = post(&server, &lease, &json!({})).await.ok();
    assert_eq!(wait, json!({"wait": 2.0}));
    now.fetch_add(29_999_000, Ordering::Relaxed);
    let soon = post(&server, &lease, &json!({})).await.ok();
    assert_eq!(soon, json!({"wait": 0.05}));
    now.fetch_add(1_000, Ordering::Relaxed);
    let second = post(&server, &lease, &json!({})).await.ok();
    assert_ne!(second["lease"], first["lease"]);
    let shard = format!("{RUNS}/k/shards/0");
    let late = post(&server, &shard, &result(&first["lease"], &rows(&["a"]))).await;
    late.problem(409, "lease-lost");
    let stored = post(&server, &shard, &result(&second["lease"], &rows(&["a"]))).await;
    assert_eq!(stored.status, 201);
    let other = json!([{"item": "a", "outcome": "wrong"}]);
    let other = post(&server, &shard, &result(&first["lease"], &other)).await;
    other.problem(409, "shard-done");
}

#[tokio::test]
async fn sending_needs_the_right_to_ingest() {
    let open = Server::small().await;
    post(&open, RUNS, &asked()).await.ok();
    let server = open.configured(ApiConfig {
        auth: AuthMode::Writes,
        ..ApiConfig::default()
    });
    let mut secrets = Vec::new();
    for action in [Action::Ingest, Action::Label] {
        let token = NewToken {
            name: "test".to_owned(),
            projects: Projects::All,
            actions: vec![action],
            expires_at: None,
            signing: false,
        };
        secrets.push(open.service.create_token(token).await.unwrap().secret);
    }
    let lease = format!("{RUNS}/k/lease");
    for path in [RUNS, TABLES, &lease, &format!("{RUNS}/k/shards/0")] {
        let ask = || server.ask(Method::POST, path).json(&json!({"worker": {}}));
        ask().send().await.problem(401, "unauthenticated");
        let bearer = |secret: &str| format!("Bearer {secret}");
        let other = ask().header("authorization", bearer(&secrets[1]));
        other.send().await.problem(403, "forbidden");
        let right = ask()
            .header("authorization", bearer(&secrets[0]))
            .send()
            .await;
        assert!(![401, 403].contains(&right.status.as_u16()), "{path}");
    }
    server.get(&format!("{RUNS}/k")).send().await.ok();
}

/// The dump of a process that has what the files of a recorded release lead to.
fn dump(release: &str) -> Option<Value> {
    let mut lines =
        opatlas_conformance::golden_lines(&format!("dispatch_runtime_{release}.jsonl.gz"));
    let head: Value = serde_json::from_str(&lines.next()?).ok()?;
    let mut operators = serde_json::Map::new();
    for line in lines {
        let row: Value = serde_json::from_str(&line).ok()?;
        let made = row["r"].as_object()?.iter().map(|(key, made)| {
            let file = head["files"][made[0].as_u64().unwrap() as usize].as_str();
            let passes = if made[1].is_null() {
                ""
            } else {
                "fallthrough "
            };
            (key.clone(), json!(format!("{passes}{}", file.unwrap())))
        });
        let made: serde_json::Map<_, _> = made.collect();
        let name = format!("aten::{}", row["op"].as_str()?);
        operators.insert(name, json!({"registrations": made, "table": 0}));
    }
    Some(json!({
        "build": {"version": format!("{release}+cu128")}, "device": {"name": "cuda"},
        "operators": operators, "torch": release,
    }))
}

/// The same with all members in the order of their names, as a digest needs them.
pub(super) fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let sorted: BTreeMap<_, _> = members.iter().collect();
            let sorted = sorted.into_iter();
            Value::Object(
                sorted
                    .map(|(name, value)| (name.clone(), self::sorted(value)))
                    .collect(),
            )
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

fn tables(dump: &Value) -> Value {
    let text = json!([sorted(dump)]).to_string();
    let digest = Digest::of(text.as_bytes()).to_string();
    json!({"revision": "2.9.0", "torch": dump["torch"], "digest": digest, "dump": dump})
}

#[tokio::test]
async fn a_dump_is_stored_once_and_compared_with_the_files() {
    let Some(bundle) = opatlas_conformance::release("2.9.0") else {
        return;
    };
    let server = Server::new().await;
    server.project("p").await;
    let names = ["native_functions.yaml", "tags.yaml", "derivatives.yaml"];
    let files: serde_json::Map<_, _> = names
        .into_iter()
        .filter_map(|name| {
            let text = String::from_utf8(bundle.file(name)?.to_vec()).ok()?;
            Some((name.to_owned(), json!(text)))
        })
        .collect();
    let ingest = "/v1/projects/p/revisions?label=2.9.0";
    post(&server, ingest, &json!({"files": files})).await;
    let drift = "/v1/projects/p/revisions/2.9.0/drift";
    server.get(drift).send().await.problem(404, "unknown-dump");

    let same = dump("2.9.0").unwrap();
    let sent = post(&server, TABLES, &tables(&same)).await;
    assert_eq!(sent.status, 201, "{}", sent.text());
    assert_eq!(post(&server, TABLES, &tables(&same)).await.status, 200);
    let found = server.get(drift).send().await.ok();
    assert_eq!(found["items"], json!([]), "{}", found["counts"]);
    assert_eq!(found["build"], "2.9.0+cu128");
    assert_eq!(found["left_out"], json!(["MPS", "MTIA", "XPU"]));

    let mut other = same.clone();
    let registrations = &mut other["operators"]["aten::abs.out"]["registrations"];
    registrations.as_object_mut().unwrap().shift_remove("CPU");
    registrations["CUDA"] = json!("mine.cpp");
    registrations["XLA"] = json!("mine.cpp");
    assert_eq!(post(&server, TABLES, &tables(&other)).await.status, 201);
    let found = server.get(drift).send().await.ok();
    let items = found["items"].as_array().unwrap().iter();
    let items: Vec<_> = items
        .map(|item| format!("{} {} {}", item["operator"], item["key"], item["kind"]))
        .collect();
    let expected = [
        "CPU\" \"absent",
        "CUDA\" \"other-kernel",
        "XLA\" \"undeclared",
    ];
    let expected = expected.map(|text| format!("\"abs.out\" \"{text}\""));
    assert_eq!(items, expected);

    let list = server
        .get("/v1/projects/p/revisions/2.9.0/dumps")
        .send()
        .await
        .ok();
    assert_eq!(list["items"].as_array().unwrap().len(), 2);
    let first = list["items"][1]["digest"].as_str().unwrap();
    let earlier = server
        .get(&format!("{drift}?dump={}", &first[..12]))
        .send()
        .await
        .ok();
    assert_eq!(earlier["items"], json!([]));
    let path = format!("/v1/projects/p/revisions/2.9.0/dumps/{first}");
    assert_eq!(server.get(&path).send().await.ok()[0], same);
    let wrong = json!({"torch": "2.8.0", "operators": {}});
    let mut wrong = tables(&wrong);
    wrong["torch"] = json!("2.9.0");
    post(&server, TABLES, &wrong)
        .await
        .problem(409, "other-release");
}
