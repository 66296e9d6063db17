//! The headers about limits on requests in progress.

use std::net::{IpAddr, Ipv4Addr};

use axum::body::Body;
use axum::http::{HeaderMap, Request};
use opatlas::http::client::Client;
use opatlas::http::{ApiConfig, app};
use opatlas_service::Limits;
use tower::ServiceExt as _;

use crate::api::harness::{SMALL, Server};

async fn headers(
    server: &Server,
    config: &ApiConfig,
    path: &str,
    client: Option<Client>,
) -> HeaderMap {
    let mut request = Request::get(path).body(Body::empty()).unwrap();
    if let Some(client) = client {
        request.extensions_mut().insert(client);
    }
    let router = app(std::sync::Arc::clone(&server.service), config.clone());
    router.oneshot(request).await.unwrap().headers().clone()
}

#[tokio::test]
async fn answers_tell_how_many_requests_may_be_in_progress() {
    let config = ApiConfig {
        max_requests: 7,
        ..ApiConfig::default()
    };
    let server = Server::with(Limits::default(), config.clone()).await;
    let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let client = |is_proxy| Some(Client { address, is_proxy });
    // A client has half of all, rounded up. A trusted proxy speaks for many.
    for (client, limit) in [(client(false), 4), (client(true), 7), (None, 7)] {
        for path in ["/v1/version", "/v1/absent"] {
            let headers = headers(&server, &config, path, client).await;
            let policy = format!("\"requests\";q={limit};qu=\"concurrent-requests\"");
            assert_eq!(headers["ratelimit-policy"], policy);
            assert_eq!(headers["ratelimit"], format!("\"requests\";r={limit}"));
        }
        let health = headers(&server, &config, "/healthz", client).await;
        assert!(!health.contains_key("ratelimit"), "health has no limit");
    }
}

#[tokio::test]
async fn requests_in_progress_count() {
    let server = Server::with(
        Limits::default(),
        ApiConfig {
            max_requests: 3,
            ..ApiConfig::default()
        },
    )
    .await;
    let mut waiting: Vec<_> = (0..2)
        .map(|_| Box::pin(server.post("/v1/parse").unread().send()))
        .collect();
    for request in &mut waiting {
        assert!(futures_util::poll!(request).is_pending());
    }
    let answer = server.get("/v1/version").send().await;
    assert_eq!(answer.header("ratelimit"), "\"requests\";r=1");
    let mut third = Box::pin(server.post("/v1/parse").unread().send());
    assert!(futures_util::poll!(&mut third).is_pending());
    let busy = server.get("/v1/version").send().await;
    busy.problem(503, "busy");
    assert_eq!(busy.header("ratelimit"), "\"requests\";r=0");
    assert_eq!(busy.header("retry-after"), "2");
    drop((waiting, third));
    let answer = server.get("/v1/version").send().await;
    assert_eq!(answer.header("ratelimit"), "\"requests\";r=3");
}

/// An answer from memory does not repeat the headers of an earlier one.
#[tokio::test]
async fn a_kept_answer_does_not_tell_what_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::on_disk(folder.path()).await;
    server.project("p").await;
    let digest = server.ingest("p", "label=2.9.0", SMALL).await["revision"].clone();
    let path = format!(
        "/v1/projects/p/revisions/{}/operators?limit=2",
        digest.as_str().unwrap()
    );
    let first = server.get(&path).send().await;
    assert!(!first.header("ratelimit").is_empty());
    let kept = server.get(&path).send().await;
    assert_eq!(kept.header("ratelimit"), "");
    assert_eq!(
        kept.header("ratelimit-policy"),
        first.header("ratelimit-policy")
    );
    assert_eq!(kept.header("link"), first.header("link"));
}

#[tokio::test]
async fn other_sites_may_read_the_headers() {
    let config = ApiConfig {
        cors_origins: vec!["https://ci.example.org".to_owned()],
        ..ApiConfig::default()
    };
    let server = Server::with(Limits::default(), config).await;
    let answer = server.get("/v1/rules?limit=1");
    let answer = answer
        .header("origin", "https://ci.example.org")
        .send()
        .await;
    let exposed = answer
        .header("access-control-expose-headers")
        .to_ascii_lowercase();
    for name in [
        "link",
        "location",
        "retry-after",
        "ratelimit",
        "ratelimit-policy",
        "idempotency-replayed",
        "etag",
        "x-parts",
    ] {
        assert!(
            exposed.split(',').any(|it| it.trim() == name),
            "{name}: {exposed}"
        );
    }
    let preflight = server.ask(axum::http::Method::OPTIONS, "/v1/projects/p/exceptions");
    let preflight = preflight
        .header("origin", "https://ci.example.org")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "idempotency-key")
        .unchecked_head()
        .await;
    let allowed = preflight
        .header("access-control-allow-headers")
        .to_ascii_lowercase();
    assert!(allowed.contains("idempotency-key"), "{allowed}");
}
