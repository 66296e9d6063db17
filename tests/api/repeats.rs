//! Requests that are repeated with an idempotency key.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use futures_util::FutureExt as _;
use opatlas::http::ApiConfig;
use opatlas::http::middleware::access::AuthMode;
use opatlas_service::Limits;
use opatlas_service::access::Action;
use opatlas_source::Digest;
use opatlas_store::KeyName;
use serde_json::{Value, json};

use crate::api::access::token;
use crate::api::harness::{Answer, Question, SMALL, Server};

const EXCEPTIONS: &str = "/v1/projects/p/exceptions";

fn exception(reason: &str) -> Value {
    json!({"operator": "half_of", "rule": "argument-renamed", "reason": reason})
}

fn accept<'a>(server: &'a Server, key: &str, reason: &str) -> Question<'a> {
    let question = server.post(EXCEPTIONS).json(&exception(reason));
    question.header("idempotency-key", key)
}

async fn accepted(server: &Server) -> usize {
    let list = server.get(EXCEPTIONS).send().await.ok();
    list["items"].as_array().unwrap().len()
}

/// A server with a clock that stands still until it is moved.
async fn server() -> (Server, Arc<AtomicI64>) {
    let now = Arc::new(AtomicI64::new(1_700_000_000_000_000));
    let clock = Arc::clone(&now);
    let clock = Arc::new(move || clock.load(Ordering::Relaxed));
    let server = Server::with_clock(Limits::default(), ApiConfig::default(), clock).await;
    server.project("p").await;
    server.ingest("p", "label=2.9.0", SMALL).await;
    (server, now)
}

fn same(first: &Answer, again: &Answer) {
    assert_eq!((first.status, &first.body), (again.status, &again.body));
    for header in ["location", "etag", "content-type"] {
        assert_eq!(first.header(header), again.header(header), "{header}");
    }
    assert_eq!(first.header("idempotency-replayed"), "");
    assert_eq!(again.header("idempotency-replayed"), "true");
}

#[tokio::test]
async fn a_repeated_request_creates_nothing() {
    let (server, _) = server().await;
    let first = accept(&server, "k1", "why").send().await;
    assert_eq!(first.status, 201);
    same(&first, &accept(&server, "k1", "why").send().await);
    assert_eq!(accepted(&server).await, 1);
    // Another key is another request.
    assert_eq!(accept(&server, "k2", "why").send().await.status, 201);
    assert_eq!(accepted(&server).await, 2);
    accept(&server, "k1", "other")
        .send()
        .await
        .problem(422, "key-reused");
    let path = "/v1/projects/p/revisions?label=main";
    let ingest = |path: &str| {
        let question = server.post(path).yaml(format!("{SMALL}\n"));
        question.header("idempotency-key", "k3")
    };
    let first = ingest(path).send().await;
    assert_eq!(first.status, 201);
    same(&first, &ingest(path).send().await);
    let other = ingest("/v1/projects/p/revisions?label=other").send().await;
    other.problem(422, "key-reused");
    accept(&server, "k3", "why")
        .send()
        .await
        .problem(422, "key-reused");
    let create = || {
        let question = server.post("/v1/projects").json(&json!({"name": "q"}));
        question.header("idempotency-key", "k1")
    };
    let first = create().send().await;
    assert_eq!(first.status, 201);
    same(&first, &create().send().await);
}

#[tokio::test]
async fn without_a_key_an_ingest_is_idempotent_by_content() {
    let server = Server::small().await;
    let again = server.post("/v1/projects/p/revisions?label=2.9.0");
    let again = again.yaml(SMALL).send().await;
    assert_eq!(again.status, 200);
    let stored = server.get("/v1/projects/p/revisions/2.9.0").send().await;
    assert_eq!(again.value(), stored.ok());
}

#[tokio::test]
async fn a_failed_request_leaves_its_key_free() {
    let (server, _) = server().await;
    let absent = json!({"operator": "absent", "rule": "argument-renamed", "reason": "why"});
    let refused = server.post(EXCEPTIONS).json(&absent);
    let refused = refused.header("idempotency-key", "k").send().await;
    refused.problem(422, "invalid-policy");
    assert_eq!(accept(&server, "k", "why").send().await.status, 201);
    assert_eq!(accepted(&server).await, 1);
}

#[tokio::test]
async fn keys_are_of_a_form() {
    let (server, _) = server().await;
    let longest = "k".repeat(255);
    let longer = "k".repeat(256);
    for key in ["", "two words", "gr\u{fc}n", &longer] {
        let problem = accept(&server, key, "why").send().await;
        let problem = problem.problem(400, "malformed-request");
        assert_eq!(problem["errors"][0]["parameter"], "Idempotency-Key");
    }
    let twice = accept(&server, "a", "why").header("idempotency-key", "b");
    twice.send().await.problem(400, "malformed-request");
    for key in ["!", "a,b;c=\"d\"", &longest] {
        let accepted = accept(&server, key, "why").send().await;
        assert_eq!(accepted.status, 201, "{key}");
    }
    // A route that creates nothing takes no key.
    let parse = server.post("/v1/parse").yaml(SMALL);
    let parse = parse.header("idempotency-key", "two words").send().await;
    assert_eq!(parse.status, 200);
}

#[tokio::test]
async fn a_key_is_kept_for_a_day() {
    let (server, now) = server().await;
    assert_eq!(accept(&server, "k", "why").send().await.status, 201);
    let hours = |hours: i64| now.fetch_add(hours * 3_600_000_000, Ordering::Relaxed);
    hours(23);
    assert_eq!(accept(&server, "k", "why").send().await.status, 201);
    assert_eq!(accepted(&server).await, 1);
    hours(2);
    assert_eq!(accept(&server, "k", "other").send().await.status, 201);
    assert_eq!(accepted(&server).await, 2);
}

#[tokio::test]
async fn a_request_in_progress_holds_its_key() {
    let (server, now) = server().await;
    let body = exception("why").to_string();
    let mut asked = format!("{EXCEPTIONS}\napplication/json\n").into_bytes();
    asked.extend_from_slice(Digest::of(body.as_bytes()).as_bytes());
    let key = KeyName {
        owner: String::new(),
        project: "p".to_owned(),
        name: "k".to_owned(),
    };
    let claim = server.service.claim_key(key, Digest::of(&asked)).await;
    assert!(matches!(claim.unwrap(), opatlas_service::Claim::Free(_)));
    let early = accept(&server, "k", "why").send().await;
    early.problem(409, "key-in-progress");
    assert_eq!(early.header("retry-after"), "2");
    assert_eq!(accepted(&server).await, 0);
    // A process that was killed does not hold it for long.
    now.fetch_add(660_000_000, Ordering::Relaxed);
    assert_eq!(accept(&server, "k", "why").send().await.status, 201);
}

#[tokio::test]
async fn a_request_goes_on_without_its_client() {
    let (server, _) = server().await;
    let left = accept(&server, "k", "why").send().now_or_never();
    assert!(left.is_none());
    for _ in 0..1000 {
        if accepted(&server).await > 0 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let mut again = accept(&server, "k", "why").send().await;
    for _ in 0..1000 {
        if again.status != 409 {
            break;
        }
        again = accept(&server, "k", "why").send().await;
    }
    assert_eq!(again.status, 201);
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(accepted(&server).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_at_once_create_one() {
    let (server, _) = server().await;
    let answers = (0..8).map(|_| accept(&server, "k", "why").send());
    let answers = futures_util::future::join_all(answers).await;
    for answer in &answers {
        if answer.status != 201 {
            answer.problem(409, "key-in-progress");
        }
    }
    assert!(answers.iter().any(|answer| answer.status == 201));
    assert_eq!(accepted(&server).await, 1);
}

#[tokio::test]
async fn tokens_do_not_share_keys() {
    let open = Server::small().await;
    let [one, two] = [(); 2].map(|()| token(&open, &["p"], &[Action::Except]));
    let (one, two) = (one.await, two.await);
    let server = open.configured(ApiConfig {
        auth: AuthMode::Writes,
        ..ApiConfig::default()
    });
    let mut ids = Vec::new();
    for token in [&one, &two, &one] {
        let bearer = format!("Bearer {}", token.secret);
        let answer = accept(&server, "k", "why").header("authorization", bearer);
        let answer = answer.send().await;
        assert_eq!(answer.status, 201);
        ids.push(answer.value()["id"].clone());
    }
    assert_eq!(ids[0], ids[2]);
    assert_ne!(ids[0], ids[1]);
    // Without a token, a kept answer stays unseen.
    let unknown = accept(&server, "k", "why").send().await;
    unknown.problem(401, "unauthenticated");
}
