//! Requests that mean no good, or are merely wrong: none makes a 5xx, and every answer is a problem
//! document.

use std::time::Duration;

use axum::http::Method;
use opatlas::http::ApiConfig;
use opatlas_service::Limits;

use crate::api::harness::{SMALL, Server};

#[tokio::test]
async fn unknown_routes_and_methods() {
    let server = Server::small().await;
    for path in [
        "/v1",
        "/v2/projects",
        "/v1/projects/",
        "/v1/projects/p/",
        "/v1//projects",
        "/v1/projects/p/revisions/2.9.0/operators/a/b",
        "/..%2f..%2fetc%2fpasswd",
        "/%ff",
    ] {
        let answer = server.get(path).send().await;
        assert_eq!(answer.status, 404, "{path}");
    }
    server
        .get("/nothing/here")
        .send()
        .await
        .problem(404, "unknown-route");
    for (method, path) in [
        (Method::DELETE, "/v1/projects"),
        (Method::PUT, "/v1/projects/p"),
        (Method::POST, "/v1/projects/p/revisions/2.9.0/operators"),
        (Method::GET, "/v1/validate"),
        (Method::GET, "/v1/parse"),
        (Method::POST, "/healthz"),
        (Method::OPTIONS, "/v1/projects"),
        (Method::TRACE, "/v1/projects"),
        (Method::from_bytes(b"BREW").unwrap(), "/v1/projects"),
    ] {
        let answer = server.ask(method, path).send().await;
        answer.problem(405, "method-not-allowed");
    }
}

#[tokio::test]
async fn bad_queries() {
    let server = Server::small().await;
    let list = "/v1/projects/p/revisions/2.9.0/operators";
    for query in [
        "limit=0",
        "limit=1001",
        "limit=-1",
        "limit=x",
        "limit=99999999999999999999",
        "limit=1&limit=2",
        "nonsense=1",
        "nonsense",
        "q=%FF",
        "q=a&Q=b",
    ] {
        let answer = server.get(&format!("{list}?{query}")).send().await;
        answer.problem(400, "invalid-parameter");
    }
    for cursor in ["x", "00000000", "ffffffff30", "%00", "é", "0000000031"] {
        let cursor = cursor.replace('é', "%C3%A9");
        let answer = server.get(&format!("{list}?cursor={cursor}")).send().await;
        answer.problem(400, "invalid-cursor");
    }
    // A parameter without a value is one left out.
    let all = server.get(list).send().await.ok();
    let same = server.get(&format!("{list}?q=&tag&limit=")).send().await;
    assert_eq!(same.ok(), all);
    // A cursor belongs to its list.
    let page = server.get(&format!("{list}?limit=1")).send().await.ok();
    let cursor = page["next_cursor"].as_str().unwrap();
    let answer = server
        .get(&format!("{list}?q=add&cursor={cursor}"))
        .send()
        .await;
    answer.problem(400, "invalid-cursor");
    let problem = server
        .get(&format!("{list}?key=Cpu"))
        .send()
        .await
        .problem(422, "unknown-key");
    assert_eq!(problem["suggestions"][0], "CPU");
    for odd in ["q=%00", "q=%27%20OR%201=1--", "q=%25"] {
        let answer = server.get(&format!("{list}?{odd}")).send().await;
        assert_eq!(answer.ok()["items"].as_array().unwrap().len(), 0, "{odd}");
    }
    for unknown in ["python_module=%3Cscript%3E", "namespace=..%2F.."] {
        let answer = server.get(&format!("{list}?{unknown}")).send().await;
        answer.problem(422, "unknown-value");
    }
}

#[tokio::test]
async fn bad_operator_names() {
    let server = Server::small().await;
    let long = "x".repeat(5000);
    for name in [
        "..",
        "add.",
        ".out",
        "::",
        "aten::",
        "::add.Tensor",
        "a::b::c",
        "%00",
        "%3Cb%3E",
        "add%2FTensor",
        &*long,
        "%F0%9F%98%80",
    ] {
        let path = format!("/v1/projects/p/revisions/2.9.0/operators/{name}");
        server
            .get(&path)
            .send()
            .await
            .problem(404, "unknown-operator");
    }
    let path = "/v1/projects/p/revisions/2.9.0/operators/%FF";
    server
        .get(path)
        .send()
        .await
        .problem(400, "malformed-request");
}

#[tokio::test]
async fn bodies_that_do_harm() {
    let server = Server::small().await;
    let bomb: String = (1..=9).fold("a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned(), |text, i| {
        let last = format!("*a{}", i - 1);
        let items = vec![last; 9].join(",");
        text + &format!("a{i}: &a{i} [{items}]\n")
    });
    let bodies = [
        bomb.clone().into_bytes(),
        format!("- {}", bomb.replace('\n', "\n  ")).into_bytes(),
        "- func: f(Tensor self) -> Tensor\n"
            .repeat(50_000)
            .into_bytes(),
        "{".repeat(1 << 20).into_bytes(),
        "- ".repeat(1 << 20).into_bytes(),
        vec![0xFF; 1 << 20],
        vec![0; 1 << 20],
        "\t".repeat(1 << 20).into_bytes(),
        "a".repeat(4 << 20).into_bytes(),
        "\u{2028}\u{85}".repeat(1 << 18).into_bytes(),
    ];
    for body in bodies {
        let answer = server.post("/v1/validate").yaml(body.clone()).send().await;
        assert_eq!(answer.status, 200);
        let answer = server
            .post("/v1/projects/p/revisions")
            .yaml(body)
            .send()
            .await;
        assert!(
            matches!(answer.status.as_u16(), 201 | 422),
            "{}",
            answer.text()
        );
    }
}

/// Occupies the only worker of a server while `ask` runs.
async fn while_busy<T>(server: &Server, ask: impl Future<Output = T>) -> T {
    let (started, is_started) = tokio::sync::oneshot::channel();
    let (release, is_released) = std::sync::mpsc::channel::<()>();
    let occupied = server.service.compute(move |_| {
        let _ = started.send(());
        let _ = is_released.recv();
        Ok(())
    });
    let asked = async move {
        is_started.await.unwrap();
        let answer = ask.await;
        drop(release);
        answer
    };
    let (occupied, answer) = tokio::join!(occupied, asked);
    occupied.unwrap();
    answer
}

fn one_worker(patience: Duration) -> Limits {
    Limits {
        workers: 1,
        patience,
        ..Limits::default()
    }
}

#[tokio::test]
async fn a_request_that_no_worker_takes_in_time_is_refused() {
    let limits = one_worker(Duration::from_millis(1));
    let server = Server::with(limits, ApiConfig::default()).await;
    let ask = || server.post("/v1/validate").yaml(SMALL).send();
    let answer = while_busy(&server, ask()).await;
    answer.problem(503, "busy");
    assert_eq!(answer.header("retry-after"), "2");
    assert_eq!(ask().await.status, 200);
}

#[tokio::test]
async fn a_request_that_takes_too_long_is_ended() {
    let config = ApiConfig {
        request_timeout: Duration::from_millis(20),
        ..ApiConfig::default()
    };
    let server = Server::with(one_worker(Limits::default().patience), config).await;
    let ask = server.post("/v1/validate").yaml(SMALL).send();
    while_busy(&server, ask).await.problem(503, "busy");
}
