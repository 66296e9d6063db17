//! `POST /v1/ask`.

use serde_json::json;

use crate::api::harness::Server;

const MESSAGE: &str = "NotImplementedError: The operator 'aten::mode' is not currently implemented for the MPS device.";

#[tokio::test]
async fn a_message_is_explained_as_json_markdown_and_text() {
    let server = Server::new().await;
    let asked = || server.post("/v1/ask").json(&json!({"text": MESSAGE}));
    let answer = asked().send().await.ok();
    assert_eq!(answer["kind"], "mps-not-implemented");
    assert_eq!(answer["operator"], "mode");
    assert_eq!(answer["key"], "MPS");
    assert_eq!(answer["fails_in"], "2.15.0");
    let read = answer["read"].as_array().unwrap();
    let operator = read.iter().find(|part| part["what"] == "operator").unwrap();
    let columns = [
        operator["span"]["column"].as_u64(),
        operator["span"]["end_column"].as_u64(),
    ];
    let start = MESSAGE.find("aten::mode").unwrap() as u64 + 1;
    assert_eq!(columns, [Some(start), Some(start + 10)]);
    assert_eq!(
        answer["links"][0]["path"],
        "/p/pytorch/r/2.15.0/operators/mode?key=MPS"
    );
    let markdown = asked().header("accept", "text/markdown").send().await;
    assert!(
        markdown.text().starts_with("**`mode` cannot run"),
        "{}",
        markdown.text()
    );
    let text = asked().header("accept", "text/plain").send().await;
    assert!(
        text.text().starts_with("`mode` cannot run"),
        "{}",
        text.text()
    );
}

#[tokio::test]
async fn plain_text_is_accepted_and_unknown_is_an_answer() {
    let server = Server::new().await;
    let plain = |body: &str| {
        server
            .post("/v1/ask")
            .body("text/plain; charset=utf-8", body)
    };
    assert_eq!(
        plain(MESSAGE).send().await.ok()["kind"],
        "mps-not-implemented"
    );
    let unknown = plain("hello").send().await.ok();
    assert_eq!(unknown["kind"], "unknown");
    assert!(unknown["operator"].is_null() && unknown["read"] == json!([]));
}

#[tokio::test]
async fn bodies_are_bounded() {
    let server = Server::new().await;
    let long = "a".repeat(300 << 10);
    let json = server.post("/v1/ask").json(&json!({"text": long}));
    json.send().await.problem(413, "too-large");
    let plain = server.post("/v1/ask").body("text/plain", long);
    plain.send().await.problem(413, "too-large");
    let bytes = server.post("/v1/ask").body("text/plain", vec![0xFF, 0xFE]);
    bytes.send().await.problem(400, "malformed-body");
    let other = server.post("/v1/ask").body("image/png", "x");
    other.send().await.problem(415, "unsupported-media-type");
    for body in ["{}", r#"{"text": null}"#, r#"{"text": "", "x": 1}"#, "[]"] {
        let wrong = server.post("/v1/ask").body("application/json", body);
        wrong.send().await.problem(400, "malformed-body");
    }
}
