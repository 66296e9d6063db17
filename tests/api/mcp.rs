//! The tools for assistants, over HTTP.

use axum::http::StatusCode;
use opatlas::http::ApiConfig;
use opatlas::http::middleware::access::AuthMode;

use serde_json::{Value, json};

use crate::api::harness::{Question, Server};

/// A message of a client that keeps no session.
fn message<'a>(server: &'a Server, method: &str, params: &Value) -> Question<'a> {
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    server
        .post("/mcp")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2025-06-18")
        .header("host", "localhost")
        .json(&message)
}

/// The result of a message.
async fn result(server: &Server, method: &str, params: Value) -> Value {
    let answer = message(server, method, &params).unchecked().await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    answer.value()["result"].clone()
}

/// What a tool says, and whether it is an error.
fn said(result: &Value) -> (&str, bool) {
    let text = result["content"][0]["text"].as_str().unwrap();
    (text, result["isError"] == true)
}

fn table(arguments: &Value) -> Value {
    json!({"name": "table", "arguments": arguments})
}

#[tokio::test]
async fn the_tools_are_listed_with_what_they_are_for() {
    let server = Server::small().await;
    let listed = result(&server, "tools/list", json!({})).await;
    let tools = listed["tools"].as_array().unwrap();
    let names: Vec<_> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["check", "compare", "preflight", "table", "why"]);
    for tool in tools {
        assert!(tool["description"].as_str().unwrap().ends_with('.'));
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
        let properties = tool["inputSchema"]["properties"].as_object().unwrap();
        for (name, property) in properties {
            assert!(
                property["description"].is_string(),
                "{name} is not described"
            );
        }
    }
}

#[tokio::test]
async fn a_tool_answers_with_the_text_of_the_api() {
    let server = Server::small().await;
    let path = "/v1/projects/p/revisions/2.9.0/operators/add.out/dispatch";
    let text = server
        .get(path)
        .header("accept", "text/plain")
        .send()
        .await
        .text();
    let arguments = json!({"project": "p", "revision": "2.9.0", "operator": "add.out"});
    let answered = result(&server, "tools/call", table(&arguments)).await;
    assert_eq!(said(&answered), (&*text, false));
    let arguments = json!({"yaml": "- func: a(Tensor x) -> Tensr\n"});
    let call = json!({"name": "check", "arguments": arguments});
    let answered = result(&server, "tools/call", call).await;
    assert!(
        said(&answered).0.contains("unknown type `Tensr`"),
        "{answered}"
    );
}

/// JSON-RPC 2.0, section 5.1.
#[tokio::test]
async fn what_is_not_a_message_is_answered_as_json_rpc_says() {
    let server = Server::small().await;
    for (text, code) in [
        ("{", -32700),
        ("", -32700),
        ("[]", -32600),
        ("1", -32600),
        (r#"{"id":1,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
    ] {
        let question = message(&server, "ping", &json!({}));
        let answer = question.text(text).unchecked().await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{text}");
        assert_eq!(answer.header("content-type"), "application/json");
        let value = answer.value();
        assert_eq!(value["error"]["code"], code, "{text}: {value}");
        assert_eq!(
            (&value["jsonrpc"], &value["id"]),
            (&json!("2.0"), &Value::Null)
        );
    }
    // Here the media type is what is wrong.
    let plain = server
        .post("/mcp")
        .header("host", "localhost")
        .header("accept", "application/json, text/event-stream");
    let answer = plain.body("text/plain", "{}").unchecked().await;
    assert_eq!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
}

#[tokio::test]
async fn a_tool_passes_on_what_is_wrong() {
    let server = Server::small().await;
    let arguments = json!({"project": "p", "operator": "a/../b?c#d"});
    let answered = result(&server, "tools/call", table(&arguments)).await;
    assert_eq!(
        said(&answered),
        ("p 2.9.0 has no operator `a/../b?c#d`", true)
    );
}

#[tokio::test]
async fn a_tool_sees_what_its_caller_may_see() {
    let open = Server::small().await;
    let auth = AuthMode::All;
    let server = open.configured(ApiConfig {
        auth,
        ..ApiConfig::default()
    });
    let call = table(&json!({"project": "p", "operator": "add.out"}));
    let answered = result(&server, "tools/call", call.clone()).await;
    let (text, is_error) = said(&answered);
    assert!(is_error && text.contains("token"), "{text}");
    let made = super::access::token(&open, &["p"], &[opatlas_service::access::Action::Read]).await;
    let bearer = format!("Bearer {}", made.secret);
    let answer = message(&server, "tools/call", &call).header("authorization", bearer);
    let answered = answer.unchecked().await.value();
    assert!(!said(&answered["result"]).1, "{answered}");
}
