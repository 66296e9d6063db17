//! A clock that jumps: by years, back and forth, before 1970 and to the end of what it can count.
//! What is stored keeps its order, and nothing fails.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use opatlas::http::ApiConfig;
use opatlas_service::Limits;
use serde_json::json;

use crate::api::harness::{SMALL, Server};

/// Microseconds of a year.
const YEAR: i64 = 31_557_600_000_000;

#[tokio::test]
async fn a_clock_that_jumps_loses_nothing() {
    let now = 1_700_000_000_000_000;
    let jumps = [
        now,
        now - 20 * YEAR,
        now + 20 * YEAR,
        0,
        now + 1,
        -YEAR,
        now + 200 * YEAR,
    ];
    let readings = Arc::new(AtomicUsize::new(0));
    let clock = move || jumps[readings.fetch_add(1, Ordering::Relaxed) % jumps.len()];
    let server = Server::with_clock(Limits::default(), ApiConfig::default(), Arc::new(clock)).await;
    server.project("p").await;
    let mut digests = Vec::new();
    for at in 0..10 {
        let text = format!("{SMALL}\n- func: added{at}(Tensor self) -> Tensor\n");
        let taken = server.ingest("p", "label=main", &text).await;
        digests.push(taken["digest"].as_str().unwrap().to_owned());
    }
    // The newest is what came last, whatever the clock said.
    let latest = server
        .get("/v1/projects/p/revisions/latest")
        .send()
        .await
        .ok();
    assert_eq!(latest["digest"], json!(digests[9]));
    let mut listed = Vec::new();
    let mut path = "/v1/projects/p/revisions?limit=3".to_owned();
    loop {
        let page = server.get(&path).send().await.ok();
        let items = page["items"].as_array().unwrap().iter();
        listed.extend(items.map(|item| item["digest"].as_str().unwrap().to_owned()));
        let Some(cursor) = page["next_cursor"].as_str() else {
            break;
        };
        path = format!("/v1/projects/p/revisions?limit=3&cursor={cursor}");
    }
    digests.sort();
    listed.sort();
    assert_eq!(listed, digests);
    for path in [
        "/v1/projects/p/trends",
        "/v1/projects/p/labels",
        "/v1/projects/p/operators/added1/history",
        "/v1/projects/p/search?q=added",
        "/v1/projects/p/exceptions",
        "/readyz",
    ] {
        assert_eq!(server.get(path).send().await.status, 200, "{path}");
    }
}
