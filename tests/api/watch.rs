//! The commits that break a stored backend.

use opatlas_service::history::CommitFiles;
use opatlas_source::Bundle;
use opatlas_store::CommitRecord;
use serde_json::json;

use crate::api::harness::{SMALL, Server};

const WATCH: &str = "/v1/projects/p/watch/acme";

/// Stores commits with these texts, and a backend that lists `half_of`.
async fn server(texts: &[&str]) -> Server {
    let server = Server::new().await;
    server.project("p").await;
    server.project("acme").await;
    let files = texts.iter().zip(1..).map(|(text, position)| CommitFiles {
        commit: CommitRecord {
            id: format!("{position:040x}"),
            release: None,
            author_date: 1_700_000_000_000_000 + position * 1_000_000,
            subject: format!("Commit {position}"),
        },
        position,
        bundle: Bundle::of_native_functions(text.as_bytes()),
    });
    let files: Vec<_> = files.collect();
    let service = &server.service;
    let read = service.read_commits(files.into_iter(), None).await.unwrap();
    service.store_commits("p", read, None).await.unwrap();
    let backend = "backend: PrivateUse1\ncpp_namespace: acme\nsupported:\n- half_of\n";
    let files = json!({"files": {"native_functions.yaml": SMALL, "backends/acme.yaml": backend}});
    let stored = server
        .post("/v1/projects/acme/revisions?label=1.0")
        .json(&files);
    assert_eq!(stored.send().await.status, 201);
    server
}

fn changed() -> String {
    SMALL.replace("half_of(Tensor self)", "half_of(Tensor self, int n)")
}

#[tokio::test]
async fn commits_that_break_a_backend_are_listed() {
    let server = server(&[SMALL, &changed(), &format!("{}\n", changed()), SMALL]).await;
    let report = server.get(WATCH).send().await.ok();
    assert_eq!(report["key"], "PrivateUse1");
    assert_eq!(report["commits"], 3);
    let [breaking] = &report["breaking"].as_array().unwrap()[..] else {
        panic!("{report:#}");
    };
    assert_eq!(breaking["subject"], "Commit 2");
    let broken = &breaking["breaks"][0];
    assert_eq!(broken["operator"], "half_of");
    assert_eq!(broken["stops"], "compiling");
    assert_eq!(broken["restored_by"], format!("{:040x}", 4));
    let last = server.get(&format!("{WATCH}?last=1")).send().await.ok();
    assert_eq!(last["commits"], 1);
    assert_eq!(last["breaking"][0]["subject"], "Commit 4");
}

#[tokio::test]
async fn a_feed_has_an_entry_for_each_of_them() {
    let server = server(&[SMALL, &changed()]).await;
    let feed = server.get(WATCH).header("accept", "application/atom+xml");
    let feed = feed.send().await;
    assert_eq!(feed.status, 200);
    assert_eq!(feed.header("content-type"), "application/atom+xml");
    let text = feed.text();
    assert_eq!(text.matches("<entry>").count(), 1, "{text}");
    assert!(text.contains("Commit 2: half_of stops compiling"), "{text}");
}

#[tokio::test]
async fn what_cannot_be_watched_is_a_problem() {
    let server = server(&[SMALL]).await;
    let report = server.get(WATCH).send().await.ok();
    assert_eq!(
        (&report["commits"], &report["breaking"]),
        (&json!(0), &json!([]))
    );
    for last in ["0", "201"] {
        let refused = server.get(&format!("{WATCH}?last={last}")).send().await;
        let problem = refused.problem(400, "invalid-parameter");
        assert_eq!(problem["errors"][0]["parameter"], "last");
    }
    let none = server.get("/v1/projects/acme/watch/acme").send().await;
    let problem = none.problem(404, "unknown-revision");
    // It has a revision, but watching takes commits.
    let detail = problem["detail"].as_str().unwrap();
    assert!(
        detail.starts_with("project `acme` has no commits; `opatlas import --git`"),
        "{detail}"
    );
    let none = server.get("/v1/projects/p/watch/nobody").send().await;
    none.problem(404, "unknown-project");
    let itself = server.get("/v1/projects/p/watch/p").send().await;
    assert!(
        itself.problem(422, "unreadable-bundle")["detail"]
            .as_str()
            .unwrap()
            .contains("neither")
    );
}

/// A backend file in a request has the name that the request gives it.
#[tokio::test]
async fn a_broken_backend_file_is_named_as_given_with_its_place() {
    let server = Server::small().await;
    server.ingest("p", "label=2.9.1", &changed()).await;
    let broken = "backend: PrivateUse1\ncpp_namespace: acme\nsupported: [half_of\n";
    let path = "/v1/projects/p/compare/2.9.0...2.9.1?name=acme";
    let refused = server.post(path).yaml(broken).send().await;
    let problem = refused.problem(422, "unreadable-bundle");
    let detail = problem["detail"].as_str().unwrap();
    assert!(
        detail.starts_with("`acme` cannot be used as a backend file: line 3, column 12: "),
        "{detail}"
    );
}
