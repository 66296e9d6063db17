//! ETags, 304, encodings, ids.

use std::io::Read as _;
use std::sync::Arc;

use axum::http::Method;
use opatlas::http::ApiConfig;
use opatlas_service::Limits;

use crate::api::harness::{SMALL, Server};

const PAGE: &str = "/v1/projects/p/revisions/2.9.0/operators/add.Tensor";

#[tokio::test]
async fn who_has_it_is_not_sent_it_again() {
    let server = Server::small().await;
    for path in [
        PAGE,
        "/v1/projects/p/revisions/2.9.0/operators?q=add&limit=2",
        "/v1/projects/p/revisions/2.9.0/findings",
        "/v1/projects/p/revisions/2.9.0",
        "/v1/projects/p/revisions",
        "/v1/projects/p/labels/2.9.0",
        "/v1/projects",
        "/v1/releases/2.9",
        "/v1/rules",
        "/openapi.json",
    ] {
        let first = server.get(path).send().await;
        let tag = first.header("etag");
        assert!(
            tag.starts_with('"') && tag.ends_with('"') && tag.len() > 10,
            "{path}: {tag}"
        );
        assert_eq!(first.header("cache-control"), "no-cache");
        assert_eq!(first.header("vary"), "accept, accept-encoding");
        for known in [tag.to_owned(), format!("\"x\", {tag}"), format!("W/{tag}")] {
            let again = server
                .get(path)
                .header("if-none-match", &known)
                .send()
                .await;
            assert_eq!(
                (again.status.as_u16(), again.body.len()),
                (304, 0),
                "{path}"
            );
            assert_eq!(again.header("etag"), tag);
        }
        let other = server
            .get(path)
            .header("if-none-match", "\"other\"")
            .send()
            .await;
        assert_eq!(other.ok(), first.ok());
    }
}

#[tokio::test]
async fn tags_tell_answers_apart() {
    let server = Server::small().await;
    let list = "/v1/projects/p/revisions/2.9.0/operators";
    let lines = server
        .get(list)
        .header("accept", "application/x-ndjson")
        .send()
        .await;
    let mut tags = vec![lines.header("etag").to_owned()];
    for path in [
        list.to_owned(),
        format!("{list}?limit=3"),
        format!("{list}?q=add"),
        format!("{list}?tag=core"),
        PAGE.to_owned(),
    ] {
        tags.push(server.get(&path).send().await.header("etag").to_owned());
    }
    let digest = server
        .get("/v1/projects/p/revisions/2.9.0")
        .send()
        .await
        .ok()["revision"]
        .as_str()
        .unwrap()
        .to_owned();
    let by_digest = format!("/v1/projects/p/revisions/{digest}/operators/add.Tensor");
    tags.push(
        server
            .get(&by_digest)
            .send()
            .await
            .header("etag")
            .to_owned(),
    );
    let same = server
        .get(&format!("{by_digest}?release=2.9"))
        .send()
        .await
        .header("etag")
        .to_owned();
    assert_eq!(&same, &tags[5]);
    let count = tags.len();
    tags.sort();
    tags.dedup();
    assert_eq!(tags.len(), count);
}

#[tokio::test]
async fn a_moved_label_is_never_served_stale() {
    let server = Server::new().await;
    server.project("p").await;
    server.ingest("p", "label=main", SMALL).await;
    let path = "/v1/projects/p/revisions/main/operators/half_of";
    let old = server.get(path).send().await;
    assert!(old.ok()["tags"].as_array().unwrap().len() <= 1);
    server
        .ingest(
            "p",
            "label=main",
            &SMALL.replace("half_of(Tensor self)", "half_of(Tensor self, int n)"),
        )
        .await;
    let new = server
        .get(path)
        .header("if-none-match", old.header("etag"))
        .send()
        .await;
    assert_eq!(new.ok()["arguments"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn answers_are_compressed_as_the_client_likes() {
    let server = Server::small().await;
    let plain = server.get(PAGE).send().await;
    assert_eq!(plain.header("content-encoding"), "");
    let gzip = server
        .get(PAGE)
        .header("accept-encoding", "gzip, deflate, br")
        .unchecked()
        .await;
    assert_eq!(gzip.header("content-encoding"), "gzip");
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(&gzip.body[..])
        .read_to_end(&mut text)
        .unwrap();
    assert_eq!(text, plain.body);
    let zstd = server
        .get(PAGE)
        .header("accept-encoding", "gzip, zstd")
        .unchecked()
        .await;
    assert_eq!(zstd.header("content-encoding"), "zstd");
    assert_eq!(zstd::decode_all(&zstd.body[..]).unwrap(), plain.body);
    let tags = [
        plain.header("etag"),
        gzip.header("etag"),
        zstd.header("etag"),
    ];
    assert!(tags[0] != tags[1] && tags[1] != tags[2]);
    for tag in tags {
        let again = server.get(PAGE).header("if-none-match", tag).send().await;
        assert_eq!(again.status, 304);
        assert_eq!(again.header("etag"), tag);
    }
    // Small answers are not worth it.
    let small = server
        .get("/healthz")
        .header("accept-encoding", "gzip")
        .send()
        .await;
    assert_eq!(small.header("content-encoding"), "");
}

#[tokio::test]
async fn streams_are_compressed_on_the_way() {
    let server = Server::small().await;
    let path = "/v1/projects/p/revisions/2.9.0/operators";
    let get = || server.get(path).header("accept", "application/x-ndjson");
    let plain = get().send().await;
    let request = get().header("accept-encoding", "gzip").unchecked().await;
    assert_eq!(request.header("content-encoding"), "gzip");
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(&request.body[..])
        .read_to_end(&mut text)
        .unwrap();
    assert_eq!(text, plain.body);
    assert!(request.header("etag").ends_with("-gzip\""));
    // Once made it is sent in one piece, in each form.
    for (encoding, first) in [("gzip", Some(&request.body)), ("zstd", None)] {
        let get = || get().header("accept-encoding", encoding);
        let made = get().unchecked().await;
        let again = get().unchecked().await;
        assert_eq!(again.header("content-encoding"), encoding);
        assert_eq!(again.body, *first.unwrap_or(&made.body));
        assert_eq!(again.header("content-type"), "application/x-ndjson");
        assert_eq!(again.header("etag"), made.header("etag"));
    }
    let again = get()
        .header("if-none-match", request.header("etag"))
        .send()
        .await;
    assert_eq!(again.status, 304);
}

#[tokio::test]
async fn head_is_get_without_the_body() {
    let server = Server::small().await;
    let get = server.get(PAGE).send().await;
    let head = server.ask(Method::HEAD, PAGE).send().await;
    assert_eq!(head.status, 200);
    assert!(head.body.is_empty());
    assert_eq!(head.header("etag"), get.header("etag"));
    let missing = server.ask(Method::HEAD, &format!("{PAGE}x")).send().await;
    assert_eq!(missing.status, 404);
}

#[tokio::test]
async fn requests_have_ids() {
    let server = Server::new().await;
    let own = server
        .get("/healthz")
        .header("x-request-id", "abc-123")
        .send()
        .await;
    assert_eq!(own.header("x-request-id"), "abc-123");
    let long = "x".repeat(65);
    for odd in ["", "a b", "<script>", "a\tb", &*long] {
        let answer = server
            .get("/healthz")
            .header("x-request-id", odd)
            .send()
            .await;
        assert_eq!(answer.header("x-request-id").len(), 32);
    }
}

#[tokio::test]
async fn nothing_depends_on_what_is_kept_in_memory() {
    let limits = Limits {
        snapshot_bytes: 0,
        view_bytes: 0,
        ..Limits::default()
    };
    let forgetful = Server::with(limits, ApiConfig::default()).await;
    forgetful.project("p").await;
    forgetful.ingest("p", "label=2.9.0", SMALL).await;
    let server = Server::small().await;
    for path in [
        PAGE,
        "/v1/projects/p/revisions/2.9.0/operators",
        "/v1/projects/p/revisions/2.9.0/findings",
    ] {
        let (kept, made) = (
            server.get(path).send().await,
            forgetful.get(path).send().await,
        );
        assert_eq!(kept.body, made.body);
        assert_eq!(kept.header("etag"), made.header("etag"));
        assert_eq!(forgetful.get(path).send().await.body, made.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_may_ask_for_the_same_at_once() {
    let server = Arc::new(Server::small().await);
    let digest = server
        .get("/v1/projects/p/revisions/2.9.0")
        .send()
        .await
        .ok();
    let address = digest["revision"].as_str().unwrap().to_owned();
    let asked: Vec<_> = (0..64)
        .map(|i| {
            let (server, address) = (Arc::clone(&server), address.clone());
            tokio::spawn(async move {
                // Four revisions that nobody has asked for yet.
                let release = ["2.5", "2.6", "2.7", "2.8"][i % 4];
                let path =
                    format!("/v1/projects/p/revisions/{address}/operators?release={release}");
                let list = server.get(&path).send().await.ok();
                assert_eq!(list["items"].as_array().unwrap().len(), 10);
            })
        })
        .collect();
    for asked in asked {
        asked.await.unwrap();
    }
}
