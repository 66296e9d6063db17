//! Bodies at and beyond their limits: sizes are looked at while a body arrives, and nothing large is
//! read before that.

use std::time::Duration;

use opatlas::http::ApiConfig;
use opatlas_service::Limits;
use serde_json::json;

use crate::api::harness::{SMALL, Server};

/// How long anything here may take before it counts as hanging.
const HANG: Duration = Duration::from_secs(90);

async fn limited(file_bytes: usize, bundle_bytes: usize) -> Server {
    let limits = Limits {
        file_bytes,
        bundle_bytes,
        ..Limits::default()
    };
    Server::with(limits, ApiConfig::default()).await
}

#[tokio::test]
async fn every_coding_of_a_body_is_looked_at() {
    let server = Server::new().await;
    let validate = || server.post("/v1/validate").yaml(SMALL);
    for codings in [&["identity", "gzip"][..], &["identity, br"], &["gzip"]] {
        let asked = codings
            .iter()
            .fold(validate(), |asked, c| asked.header("content-encoding", c));
        let answer = asked.send().await;
        answer.problem(415, "unsupported-media-type");
    }
    let plain = validate().header("content-encoding", "identity, Identity");
    plain.send().await.ok();
}

#[tokio::test]
async fn a_body_is_small_besides_the_texts_of_its_files() {
    let server = Server::new().await;
    let long = "x".repeat(2 << 20);
    let files = json!({"native_functions.yaml": SMALL});
    for body in [
        json!({"base": {"files": files}, "head": {"files": files}, "policy": {"profile": long}}),
        json!({"base": {"files": files, "title": long}, "head": {"files": files}}),
        json!({"nonsense": long}),
        json!({"base": {"files": {long.clone(): ""}}}),
    ] {
        let answer = server.post("/v1/compare").json(&body).send().await;
        answer.problem(413, "too-large");
    }
    let answer = server
        .post("/v1/validate")
        .json(&json!({"files": files, "x": long}));
    answer.send().await.problem(413, "too-large");
    let answer = server
        .post("/v1/validate")
        .json(&json!({"x": 1, "files": files}));
    answer.send().await.problem(400, "malformed-body");
}

#[tokio::test]
async fn the_files_of_both_sides_share_one_limit() {
    let server = limited(1000, 1500).await;
    let text = |bytes: usize| format!("- func: f() -> ()\n#{}", "-".repeat(bytes - 19));
    let side = |bytes| json!({"files": {"native_functions.yaml": text(bytes)}});
    let compare = |base, head| json!({"base": side(base), "head": side(head)});
    for (base, head, status) in [(700, 800, 200), (700, 801, 413), (100, 1001, 413)] {
        let answer = server.post("/v1/compare").json(&compare(base, head));
        assert_eq!(answer.send().await.status, status, "{base} and {head}");
    }
}

#[tokio::test]
async fn escapes_do_not_count() {
    let server = limited(100, 100).await;
    let yaml = "- func: f() -> ()\n";
    let escaped: String = yaml.bytes().map(|b| format!("\\u{b:04x}")).collect();
    let body = format!("{{\"files\": {{\"native_functions.yaml\": \"{escaped}\"}}}}");
    let answer = server.post("/v1/validate").body("application/json", body);
    assert_eq!(answer.send().await.ok()["valid"], true);
}

#[tokio::test]
async fn the_place_of_a_fault_is_that_of_the_body() {
    let server = Server::new().await;
    let body = "{\"files\": {\"native_functions.yaml\": \"- func: f() -> ()\"}, !}";
    let answer = server.post("/v1/validate").body("application/json", body);
    let problem = answer.send().await.problem(400, "malformed-body");
    let expected = serde_json::from_str::<serde_json::Value>(body).unwrap_err();
    let place = format!("line 1 column {}", expected.column());
    assert!(
        problem["detail"].as_str().unwrap().ends_with(&place),
        "{problem}"
    );
}

#[tokio::test]
async fn names_without_texts_are_counted() {
    let server = Server::new().await;
    let body = format!(
        "{{\"files\": {{{}\"\":\"\"}}}}",
        "\"\":\"\",".repeat(100_000)
    );
    let answer = server.post("/v1/validate").body("application/json", body);
    answer.send().await.problem(400, "malformed-bundle");
}

#[tokio::test]
async fn parts_are_not_read_anew_with_every_part() {
    let server = Server::new().await;
    let operators = "\"aten::f\",".repeat(200_000);
    let observed = format!("{{\"registrations\":{{\"CPU\":{{\"x\":[{operators}\"g\"]}}}}}}");
    let part = |name: &str, text: &str| {
        format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n")
    };
    let mut body = part("observed.json", &observed);
    for i in 0..900 {
        body += &part(&format!("backends/b{i}.yaml"), "");
    }
    body += &part("native_functions.yaml", "- func: f() -> ()\n");
    body += "--x--\r\n";
    let asked = server
        .post("/v1/validate")
        .body("multipart/form-data; boundary=x", body);
    let answer = tokio::time::timeout(HANG, asked.send()).await;
    assert_eq!(answer.expect("it hangs").status, 200);
}

#[tokio::test]
async fn recorded_registrations_have_a_limit() {
    let server = Server::new().await;
    let (key, operators) = ("k".repeat(100_000), "\"f\",".repeat(1000));
    let observed = format!("{{\"registrations\":{{\"{key}\":{{\"x\":[{operators}\"g\"]}}}}}}");
    let files = json!({"native_functions.yaml": SMALL, "observed.json": observed});
    let answer = server.post("/v1/validate").json(&json!({"files": files}));
    answer.send().await.problem(400, "malformed-bundle");
}

#[tokio::test]
async fn policies_have_limits() {
    let server = Server::new().await;
    let tags: serde_json::Map<_, _> = (0..1001)
        .map(|i| (format!("t{i}"), "ignore".into()))
        .collect();
    let side = json!({"files": {"native_functions.yaml": SMALL}});
    let body = json!({"base": side, "head": side, "policy": {"tags": tags}});
    let answer = server.post("/v1/compare").json(&body).send().await;
    answer.problem(422, "invalid-policy");
    let body = json!({"base": side, "head": side, "policy": {"profil": [[{}]], "private": 3}});
    let answer = server.post("/v1/compare").json(&body).send().await;
    answer.problem(400, "malformed-body");
    let body = json!({"name": "p", "policy": {"tags": {"x".repeat(70_000): "ignore"}}});
    let answer = server.post("/v1/projects").json(&body).send().await;
    answer.problem(413, "too-large");
}
