//! What tokens cannot do to the names and the work of others.

use opatlas::http::ApiConfig;
use opatlas::http::middleware::access::AuthMode;
use opatlas_service::NewToken;
use opatlas_service::access::{Action, Projects};
use opatlas_service::history::CommitFiles;
use opatlas_source::{Bundle, Digest};
use opatlas_store::{CommitRecord, LabelName, LabelRequest, ProjectName, SqliteStore, Store as _};
use serde_json::{Value, json};

use crate::api::harness::{Answer, Question, SMALL, Server};

const COMMIT: &str = "3b18e512dba79e4c8300dd08aeb37f8e728b8dad";
const REVISIONS: &str = "/v1/projects/p/revisions";
const RUNS: &str = "/v1/projects/p/probe/runs";

/// The bearer header of a new token for project `p` that allows these actions.
async fn bearer(server: &Server, actions: &[Action]) -> String {
    let token = NewToken {
        name: "test".to_owned(),
        projects: Projects::Only(vec![ProjectName::parse("p").unwrap()]),
        actions: actions.to_vec(),
        expires_at: None,
        signing: false,
    };
    let made = server.service.create_token(token).await.unwrap();
    format!("Bearer {}", made.secret)
}

/// A server with a revision in project `p` whose changes need tokens.
async fn guarded() -> Server {
    Server::small().await.configured(ApiConfig {
        auth: AuthMode::Writes,
        ..ApiConfig::default()
    })
}

async fn send(question: Question<'_>, bearer: &str) -> Answer {
    question.header("authorization", bearer).send().await
}

#[tokio::test]
async fn labels_that_look_like_commits_are_refused() {
    let server = Server::small().await;
    let whole = Digest::of(b"").to_string();
    for label in [COMMIT, "c0ffee1", "C0FFEE1", &whole, &"1".repeat(40)] {
        let ingest = server.post(&format!("{REVISIONS}?label={label}"));
        let set = server.put(&format!("/v1/projects/p/labels/{label}"));
        let set = set.json(&json!({"revision": "2.9.0"}));
        for refused in [ingest.yaml(SMALL).send().await, set.send().await] {
            let detail = refused.problem(400, "invalid-name")["detail"].to_string();
            assert!(
                detail.contains("looks like the id of a commit") && detail.contains("such as"),
                "{detail}"
            );
        }
        let found = server.get(&format!("{REVISIONS}/{label}")).send().await;
        found.problem(404, "unknown-revision");
    }
    for label in ["20260101", "2.9.1", "facade", "build-c0ffee1"] {
        server.ingest("p", &format!("label={label}"), SMALL).await;
    }
}

/// Stores a commit with the bundle of a file.
async fn commit(server: &Server, id: &str, text: &str) -> Digest {
    let bundle = Bundle::of_native_functions(text.as_bytes());
    let digest = bundle.digest();
    let commit = CommitRecord {
        id: id.to_owned(),
        release: None,
        author_date: 1_700_000_000_000_000,
        subject: "Add operators".to_owned(),
    };
    let files = CommitFiles {
        commit,
        position: 1,
        bundle,
    };
    let read = server
        .service
        .read_commits([files].into_iter(), None)
        .await
        .unwrap();
    server.service.store_commits("p", read, None).await.unwrap();
    digest
}

/// Labels that an earlier version stored do not answer for commits, and can be deleted.
#[tokio::test]
async fn a_commit_comes_before_a_label_of_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::on_disk(folder.path()).await;
    server.project("p").await;
    let digest = commit(&server, COMMIT, SMALL).await;
    let url = format!("sqlite://{}", folder.path().join("opatlas.db").display());
    let store = SqliteStore::open(&url).await.unwrap();
    let forged = Bundle::of_native_functions(b"- func: forged(Tensor self) -> Tensor\n".as_slice());
    let project = ProjectName::parse("p").unwrap();
    for label in [COMMIT, &COMMIT[..12], "c0ffee1"] {
        let request = LabelRequest::new(LabelName::parse(label).unwrap(), None);
        store
            .ingest(&project, &forged, Some(&request), 1)
            .await
            .unwrap();
    }
    let revision = |name: &str| format!("{REVISIONS}/{name}");
    for name in [COMMIT, &COMMIT[..12], &COMMIT[..12].to_uppercase()] {
        let found = server.get(&revision(name)).send().await.ok();
        assert_eq!(found["digest"], digest.to_string(), "{name}");
        assert_eq!(found["label"], Value::Null);
    }
    let range = format!("/v1/projects/p/compare/{COMMIT}...c0ffee1");
    let compared = server.get(&range).send().await.ok();
    assert_eq!(compared["base"]["revision"], format!("sha256:{digest}"));
    let target = json!({"revision": COMMIT});
    let main = server.put("/v1/projects/p/labels/main").json(&target);
    let main = main.send().await.value();
    assert_eq!(main["revision"], format!("sha256:{digest}"));
    // Where there is no such commit, the label is all that the name can mean.
    let old = server.get(&revision("c0ffee1")).send().await.ok();
    assert_eq!(old["digest"], forged.digest().to_string());
    let deleted = server.delete("/v1/projects/p/labels/c0ffee1").send().await;
    assert_eq!(deleted.status, 204);
}

#[tokio::test]
async fn a_version_label_needs_the_right_to_labels() {
    let server = guarded().await;
    let ingest = bearer(&server, &[Action::Ingest]).await;
    let both = bearer(&server, &[Action::Ingest, Action::Label]).await;
    for label in [
        "99.0.0",
        "v99.0",
        "99.0.0rc1",
        "99.0.0%2Bcu118",
        "2.9.0",
        "%399.0.0",
    ] {
        let path = format!("{REVISIONS}?label={label}");
        let refused = send(server.post(&path).yaml(SMALL), &ingest).await;
        let detail = refused.problem(403, "forbidden")["detail"].to_string();
        assert!(
            detail.contains("`label`") && detail.contains("version"),
            "{detail}"
        );
    }
    let twice = format!("{REVISIONS}?label=main&label=99.0.0");
    let twice = send(server.post(&twice).yaml(SMALL), &ingest).await;
    twice.problem(403, "forbidden");
    let target = json!({"revision": "2.9.0"});
    let set = server.put("/v1/projects/p/labels/99.0.0").json(&target);
    send(set, &ingest).await.problem(403, "forbidden");
    let latest = server.get(&format!("{REVISIONS}/latest")).send().await.ok();
    assert_eq!(latest["label"], "2.9.0");
    for query in ["", "?label=main", "?label=20260101"] {
        let path = format!("{REVISIONS}{query}");
        let taken = send(server.post(&path).yaml(SMALL), &ingest).await;
        assert!(taken.status.is_success(), "{query}");
    }
    let path = format!("{REVISIONS}?label=99.0.0");
    let taken = send(server.post(&path).yaml(SMALL), &both).await;
    assert!(taken.status.is_success());
}

fn asked(key: &str) -> Value {
    json!({
        "key": key, "revision": "2.9.0", "torch": "2.9.1", "device": "cpu",
        "items": {"runs": ["a"]},
    })
}

fn result(lease: &Value) -> Value {
    let rows = json!([{"item": "a", "outcome": "runs"}]);
    let digest = Digest::of(rows.to_string().as_bytes()).to_string();
    json!({"lease": lease, "digest": digest, "rows": rows})
}

/// A lease is a secret, and does not help another token either.
#[tokio::test]
async fn a_lease_is_of_no_use_to_another_token() {
    let server = guarded().await;
    let own = bearer(&server, &[Action::Ingest]).await;
    let other = bearer(&server, &[Action::Ingest]).await;
    send(server.post(RUNS).json(&asked("k")), &own).await.ok();
    let lease = server.post(&format!("{RUNS}/k/lease")).json(&json!({}));
    let lease = send(lease, &own).await.ok()["lease"].clone();
    let secret = lease.as_str().unwrap();
    assert!(secret.len() >= 32, "{secret}");
    let shard = format!("{RUNS}/k/shards/0");
    let mut details = Vec::new();
    for (lease, bearer) in [
        (&lease, &other),
        (&json!("0.1"), &other),
        (&json!("0.1"), &own),
    ] {
        let killed = json!({"lease": lease, "killed": "a", "kills": 2});
        let unknown = json!({"lease": lease, "begun": "not in the shard"});
        for (path, body) in [
            (format!("{shard}/renew"), &killed),
            (format!("{shard}/renew"), &unknown),
            (format!("{shard}/release"), &json!({"lease": lease})),
            (shard.clone(), &result(lease)),
        ] {
            let refused = send(server.post(&path).json(body), bearer).await;
            let problem = refused.problem(409, "lease-lost");
            details.push(problem["detail"].as_str().unwrap().to_owned());
        }
    }
    details.dedup();
    assert_eq!(details.len(), 1, "{details:?}");
    assert!(!details[0].contains(secret));
    let progress = server.get(&format!("{RUNS}/k")).send().await.ok();
    assert_eq!(progress["quarantined"], json!([]));
    assert_eq!(progress["shards"]["leased"], 1);
    let stored = send(server.post(&shard).json(&result(&lease)), &own).await;
    assert_eq!(stored.status, 201);
}

#[tokio::test]
async fn a_token_cannot_evict_the_runs_of_another() {
    let server = guarded().await;
    let own = bearer(&server, &[Action::Ingest]).await;
    let other = bearer(&server, &[Action::Ingest]).await;
    send(server.post(RUNS).json(&asked("own")), &own).await.ok();
    for at in 0..210 {
        let run = asked(&format!("other {at}"));
        send(server.post(RUNS).json(&run), &other).await.ok();
    }
    server.get(&format!("{RUNS}/own")).send().await.ok();
    let oldest = server.get(&format!("{RUNS}/other%200")).send().await;
    oldest.problem(404, "unknown-run");
}
