//! The token that created a label may correct it for an hour.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use opatlas::http::ApiConfig;
use opatlas::http::middleware::access::AuthMode;
use opatlas_service::access::Action;
use opatlas_service::{Limits, MadeToken};
use serde_json::json;

use crate::api::access::token;
use crate::api::harness::{Answer, SMALL, Server};

const MINUTE: i64 = 60_000_000;

struct Given {
    server: Server,
    now: Arc<AtomicI64>,
    digests: [String; 2],
}

impl Given {
    async fn new(auth: AuthMode) -> Self {
        let now = Arc::new(AtomicI64::new(1_700_000_000_000_000));
        let clock = Arc::clone(&now);
        let clock = Arc::new(move || clock.load(Ordering::Relaxed));
        let open = Server::with_clock(Limits::default(), ApiConfig::default(), clock).await;
        open.project("p").await;
        let mut digests = Vec::new();
        for text in [SMALL.to_owned(), format!("{SMALL}\n")] {
            let revision = open.ingest("p", "", &text).await;
            digests.push(revision["revision"].as_str().unwrap().to_owned());
        }
        let config = ApiConfig {
            auth,
            ..ApiConfig::default()
        };
        Self {
            server: open.configured(config),
            now,
            digests: digests.try_into().unwrap(),
        }
    }

    async fn token(&self, actions: &[Action]) -> MadeToken {
        token(&self.server, &["p"], actions).await
    }

    fn pass(&self, minutes: i64) {
        self.now.fetch_add(minutes * MINUTE, Ordering::Relaxed);
    }

    /// Points a label to one of the two revisions.
    async fn set(&self, by: &MadeToken, label: &str, to: usize) -> Answer {
        let question = self.server.put(&format!("/v1/projects/p/labels/{label}"));
        let question = question.json(&json!({"revision": self.digests[to]}));
        let bearer = format!("Bearer {}", by.secret);
        question.header("authorization", bearer).send().await
    }

    async fn ingest(&self, by: &MadeToken, query: &str, text: &str) -> Answer {
        let question = self
            .server
            .post(&format!("/v1/projects/p/revisions?{query}"));
        let bearer = format!("Bearer {}", by.secret);
        let question = question.yaml(text).header("authorization", bearer);
        question.send().await
    }
}

#[tokio::test]
async fn the_creator_moves_a_version_label_for_an_hour() {
    let given = Given::new(AuthMode::Writes).await;
    let creator = given.token(&[Action::Ingest, Action::Label]).await;
    let other = given.token(&[Action::Ingest, Action::Label]).await;
    assert_eq!(given.set(&creator, "2.9.0", 0).await.status, 201);
    given.pass(59);
    given
        .set(&other, "2.9.0", 1)
        .await
        .problem(409, "label-protected");
    assert_eq!(given.set(&creator, "2.9.0", 1).await.status, 200);
    // The hour begins with the label, not with its last move.
    given.pass(2);
    given
        .set(&creator, "2.9.0", 0)
        .await
        .problem(409, "label-protected");
    let late = given.ingest(&creator, "label=2.9.0", SMALL).await;
    late.problem(409, "label-protected");
}

#[tokio::test]
async fn a_label_with_a_wrong_release_is_not_stuck() {
    let given = Given::new(AuthMode::Writes).await;
    let creator = given.token(&[Action::Ingest, Action::Label]).await;
    let wrong = given
        .ingest(&creator, "label=2.9.0&release=2.7", SMALL)
        .await;
    assert_eq!(wrong.value()["release"], "2.7");
    let text = format!("{SMALL}\n");
    let right = given
        .ingest(&creator, "label=2.9.0&release=2.9", &text)
        .await;
    assert_eq!(right.status, 200, "{}", right.text());
    assert_eq!(right.value()["release"], "2.9");
    let label = given.server.get("/v1/projects/p/labels/2.9.0").send().await;
    let label = label.ok();
    assert_eq!(
        (&label["revision"], &label["release"]),
        (&json!(given.digests[1]), &json!("2.9"))
    );
    given.pass(61);
    let late = given
        .ingest(&creator, "label=2.9.0&release=2.8", &text)
        .await;
    late.problem(409, "release-conflict");
}

#[tokio::test]
async fn a_token_that_only_ingests_moves_its_own_label() {
    let given = Given::new(AuthMode::Writes).await;
    let creator = given.token(&[Action::Ingest]).await;
    let other = given.token(&[Action::Ingest]).await;
    assert_eq!(
        given.ingest(&creator, "label=pr-1", SMALL).await.status,
        200
    );
    assert_eq!(given.set(&creator, "pr-1", 1).await.status, 200);
    given.set(&other, "pr-1", 0).await.problem(403, "forbidden");
    // It creates and forces nothing this way.
    given
        .set(&creator, "pr-2", 0)
        .await
        .problem(403, "forbidden");
    given
        .set(&creator, "pr-1?force=true", 0)
        .await
        .problem(403, "forbidden");
    given
        .set(&creator, "pr%201", 0)
        .await
        .problem(403, "forbidden");
    given.pass(61);
    given
        .set(&creator, "pr-1", 0)
        .await
        .problem(403, "forbidden");
}

#[tokio::test]
async fn without_tokens_nobody_is_the_creator() {
    let given = Given::new(AuthMode::Off).await;
    let set = |to: usize, query: &str| {
        let path = format!("/v1/projects/p/labels/2.9.0{query}");
        let question = given.server.put(&path);
        question
            .json(&json!({"revision": given.digests[to]}))
            .send()
    };
    assert_eq!(set(0, "").await.status, 201);
    set(1, "").await.problem(409, "label-protected");
    assert_eq!(set(1, "?force=true").await.status, 200);
}
