//! Answers that are kept whole: the same as those that are made, and never in the way of a change.

use std::collections::BTreeMap;

use axum::http::Method;
use opatlas::http::ApiConfig;
use opatlas::http::middleware::access::AuthMode;
use serde_json::json;

use crate::api::harness::{Answer, SMALL, Server};

const REVISIONS: &str = "/v1/projects/p/revisions";

/// A server with the small file and a changed one, and their digests.
async fn server() -> (Server, [String; 2]) {
    let server = Server::small().await;
    let changed = SMALL.replace("Tensor weight", "Tensor weights");
    let mut digests = [String::new(), String::new()];
    for (digest, text) in digests.iter_mut().zip([SMALL, &changed]) {
        let revision = server.ingest("p", "", text).await;
        revision["digest"].as_str().unwrap().clone_into(digest);
    }
    (server, digests)
}

fn paths([base, head]: &[String; 2]) -> [String; 4] {
    let revision = format!("{REVISIONS}/sha256:{base}");
    [
        format!("{revision}/operators/add.Tensor"),
        format!("{revision}/operators/add.Tensor/dispatch"),
        format!("{revision}/keys/CUDA?limit=1000"),
        format!("/v1/projects/p/compare/sha256:{base}...sha256:{head}"),
    ]
}

/// The headers but for the id, which is each request's own.
fn headers(answer: &Answer) -> BTreeMap<String, Vec<u8>> {
    let headers = answer.headers.iter();
    let headers = headers.filter(|(name, _)| *name != "x-request-id" && *name != "ratelimit");
    headers
        .map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()))
        .collect()
}

/// How many answers were given again, over all tests of this process.
async fn given_again(server: &Server) -> u64 {
    let figures = server.get("/metrics").send().await;
    let found = figures.text().lines().find_map(|line| {
        let (name, count) = line.rsplit_once(' ')?;
        (name.contains("cache=\"answers\"") && name.contains("outcome=\"hit\""))
            .then(|| count.parse().unwrap())
    });
    found.unwrap_or(0)
}

#[tokio::test]
async fn what_is_given_again_is_what_was_made() {
    let (server, digests) = server().await;
    let before = given_again(&server).await;
    for path in paths(&digests) {
        for encoding in ["identity", "gzip", "zstd"] {
            let ask = || server.get(&path).header("accept-encoding", encoding);
            let first = ask().unchecked().await;
            let again = ask().header("x-request-id", "mine-2").unchecked().await;
            assert_eq!(first.status, 200, "{path}");
            assert_eq!(again.status, 200, "{path}");
            assert_eq!(headers(&again), headers(&first), "{path} {encoding}");
            assert_eq!(again.body, first.body, "{path} {encoding}");
            assert_eq!(again.header("x-request-id"), "mine-2");
            assert_ne!(
                ask().unchecked().await.header("x-request-id"),
                first.header("x-request-id")
            );

            let known = ask().header("if-none-match", first.header("etag"));
            assert_eq!(known.send().await.status, 304, "{path} {encoding}");
            let head = server
                .ask(Method::HEAD, &path)
                .header("accept-encoding", encoding);
            let head = head.send().await;
            assert_eq!((head.status.as_u16(), head.body.len()), (200, 0), "{path}");
        }
        let refused = server.get(&path).header("accept", "image/png").send().await;
        refused.problem(406, "not-acceptable");
    }
    assert!(given_again(&server).await > before, "nothing was kept");
}

#[tokio::test]
async fn a_change_is_seen_at_once() {
    let (server, digests) = server().await;
    let [operator, .., comparison] = paths(&digests);
    for _ in 0..2 {
        let compared = server.get(&comparison).send().await.ok();
        assert_eq!(compared["summary"]["excepted"], 0);
    }
    let exception = json!({
        "operator": "blend", "rule": "argument-renamed",
        "reason": "it has a new name", "owner": "core", "until_release": "3.0"
    });
    let made = server
        .post("/v1/projects/p/exceptions")
        .json(&exception)
        .send()
        .await;
    assert_eq!(made.status, 201);
    let compared = server.get(&comparison).send().await.ok();
    assert_ne!(compared["summary"]["excepted"], 0);

    for _ in 0..2 {
        server.get(&operator).send().await.ok();
    }
    let label = server
        .delete("/v1/projects/p/labels/2.9.0?force=true")
        .send()
        .await;
    assert_eq!(label.status, 204);
    let revision = format!("{REVISIONS}/sha256:{}", digests[0]);
    assert_eq!(server.delete(&revision).send().await.status, 204);
    server
        .get(&operator)
        .send()
        .await
        .problem(404, "unknown-revision");
    server
        .get(&comparison)
        .send()
        .await
        .problem(404, "unknown-revision");
}

#[tokio::test]
async fn who_may_not_ask_is_not_given_what_is_kept() {
    let (server, digests) = server().await;
    let [operator, ..] = paths(&digests);
    let config = ApiConfig {
        auth: AuthMode::All,
        ..ApiConfig::default()
    };
    let closed = server.configured(config);
    for _ in 0..2 {
        closed
            .get(&operator)
            .send()
            .await
            .problem(401, "unauthenticated");
    }
}

/// The addresses of an operator and a comparison by labels and by `latest`, and a history and a search.
const BY_NAME: [&str; 5] = [
    "/v1/projects/p/revisions/2.9.0/operators/add.Tensor",
    "/v1/projects/p/revisions/latest/operators/add.Tensor/dispatch",
    "/v1/projects/p/compare/2.9.0...main",
    "/v1/projects/p/operators/add.Tensor/history?line=ingests",
    "/v1/projects/p/search?q=weight",
];

/// A server on a file with the small file under 2.9.0 and a changed one under main.
async fn labelled(folder: &std::path::Path) -> Server {
    let server = Server::on_disk(folder).await;
    server.project("p").await;
    let changed = SMALL.replace("Tensor weight", "Tensor weights");
    server.ingest("p", "label=2.9.0", SMALL).await;
    server.ingest("p", "label=main", &changed).await;
    server
}

#[tokio::test]
async fn what_is_addressed_by_name_is_given_again() {
    let folder = tempfile::tempdir().unwrap();
    let server = labelled(folder.path()).await;
    // Some store what they compute, which is a change.
    for path in BY_NAME {
        server.get(path).send().await.ok();
    }
    let before = given_again(&server).await;
    for path in BY_NAME {
        let first = server.get(path).unchecked().await;
        let again = server.get(path).unchecked().await;
        assert_eq!(first.status, 200, "{path}");
        assert_eq!(headers(&again), headers(&first), "{path}");
        assert_eq!(again.body, first.body, "{path}");
    }
    assert!(given_again(&server).await >= before + 5);
}

#[tokio::test]
async fn a_label_moved_by_another_process_is_seen_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let server = labelled(folder.path()).await;
    let other = Server::on_disk(folder.path()).await;
    let main = "/v1/projects/p/revisions/main/operators?limit=1";
    for round in 0..20 {
        let changed = format!("{SMALL}\n# {round}\n- func: mine_{round}() -> ()\n");
        let writer = if round % 2 == 0 { &other } else { &server };
        let revision = writer.ingest("p", "label=main", &changed).await;
        let digest = revision["digest"].as_str().unwrap();
        let by_digest = main.replace("main", &format!("sha256:{digest}"));
        for server in [&server, &other] {
            for _ in 0..2 {
                let seen = server.get(main).send().await;
                let known = server.get(&by_digest).send().await;
                assert_eq!(seen.header("etag"), known.header("etag"), "{round}");
            }
            let search = format!("/v1/projects/p/search?q=mine_{round}&line=ingests");
            let found = server.get(&search).send().await.ok();
            let first = &found["items"][0];
            assert_eq!(first["operator"], format!("mine_{round}"), "{found}");
            assert_eq!(first["current"], true);
        }
    }
    let path = "/v1/projects/p/labels/main?force=true";
    assert_eq!(other.delete(path).send().await.status, 204);
    server
        .get(main)
        .send()
        .await
        .problem(404, "unknown-revision");
}

#[tokio::test]
async fn an_exception_added_by_another_process_is_seen_soon() {
    let folder = tempfile::tempdir().unwrap();
    let server = labelled(folder.path()).await;
    let other = Server::on_disk(folder.path()).await;
    for _ in 0..2 {
        let compared = server.get(BY_NAME[2]).send().await.ok();
        assert_eq!(compared["summary"]["excepted"], 0);
    }
    let exception = json!({
        "operator": "blend", "rule": "argument-renamed",
        "reason": "it has a new name", "owner": "core", "until_release": "3.0"
    });
    let made = other.post("/v1/projects/p/exceptions").json(&exception);
    assert_eq!(made.send().await.status, 201);
    for _ in 0..600 {
        let compared = server.get(BY_NAME[2]).send().await.ok();
        if compared["summary"]["excepted"] != 0 {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("it is never seen");
}
