//! Entries over a stored revision.

use opatlas::http::ApiConfig;
use opatlas::http::middleware::access::AuthMode;
use serde_json::{Value, json};

use crate::api::harness::Server;

const STORED: &str = "\
- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
  structured: True
  dispatch:
    CPU: blend_out
- func: mix(Tensor self) -> Tensor
";
const ROUTE: &str = "/v1/projects/p/revisions/main/validate";

async fn server() -> Server {
    let server = Server::new().await;
    server.project("p").await;
    server.ingest("p", "label=main&release=2.9", STORED).await;
    server
}

async fn validate(server: &Server, entries: &str) -> Value {
    server.post(ROUTE).yaml(entries).send().await.ok()
}

#[tokio::test]
async fn entries_are_judged_with_those_of_the_revision() {
    let server = server().await;
    let entries = "# mine\n- func: mix(Tensor self, Dubble x) -> Tensor\n\
                   - func: blend(Tensor self, Tensor other) -> Tensor\n  structured_delegate: blend.out\n";
    let answer = validate(&server, entries).await;
    assert_eq!(answer["release"], "2.9");
    assert_eq!(answer["valid"], false);
    assert_eq!(answer["added"], json!(["blend"]));
    assert_eq!(answer["replaced"], json!(["mix"]));
    assert_eq!(answer["summary"]["operators"], 2);
    let own = answer["findings"].as_array().unwrap();
    let unknown = own.iter().find(|f| f["rule"] == "type-unknown").unwrap();
    assert_eq!(
        (&unknown["span"]["line"], &unknown["file"]),
        (&json!(2), &Value::Null)
    );

    // On its own, an entry cannot delegate to one of the revision.
    let alone = server.post("/v1/validate?release=2.9").yaml(entries);
    let alone = alone.send().await.ok();
    let about = |answer: &Value, operator: &str| -> usize {
        let findings = answer["findings"].as_array().unwrap().iter();
        findings.filter(|f| f["operator"] == operator).count()
    };
    assert!(about(&alone, "blend") > 0, "{alone}");
    assert_eq!(about(&answer, "blend"), 0, "{answer}");

    let stored = server
        .get("/v1/projects/p/revisions/main")
        .send()
        .await
        .ok();
    let digest = stored["digest"].as_str().unwrap();
    assert_eq!(answer["revision"], format!("sha256:{digest}"));
}

/// Who takes away what other entries of the revision need hears of it.
#[tokio::test]
async fn entries_of_the_revision_that_break_are_listed_at_their_lines() {
    let server = server().await;
    let delegating = "- func: blend(Tensor self, Tensor other) -> Tensor\n  \
                      structured_delegate: blend.out\n";
    let both = format!("{STORED}{delegating}");
    server.ingest("p", "label=both&release=2.9", &both).await;
    let unstructured = "- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> \
                        Tensor(a!)\n  dispatch:\n    CPU: blend_out\n";
    let route = ROUTE.replace("main", "both");
    let answer = server.post(&route).yaml(unstructured).send().await.ok();
    let elsewhere = &answer["elsewhere"][0];
    assert_eq!(elsewhere["operator"], "blend", "{answer}");
    assert_eq!(elsewhere["file"], "native_functions.yaml");
    assert_eq!(elsewhere["span"]["line"], 7);
}

#[tokio::test]
async fn a_text_that_is_no_list_is_judged_alone_and_says_so() {
    let server = server().await;
    let answer = validate(&server, "func: f(Tensor self) -> Tensor\n").await;
    assert_eq!(answer["findings"][0]["rule"], "yaml-root-list");
    assert_eq!(answer["findings"][0]["fix"]["replacement"], "- ");
    assert_eq!(answer["notes"].as_array().unwrap().len(), 1);
    assert_eq!(answer["elsewhere"], json!([]));
}

#[tokio::test]
async fn it_is_a_read_and_takes_yaml_only() {
    let open = server().await;
    let wrong = open.post(ROUTE).json(&json!({"files": {}})).send().await;
    wrong.problem(415, "unsupported-media-type");
    let absent = open
        .post("/v1/projects/p/revisions/nothing/validate")
        .yaml(STORED);
    absent.send().await.problem(404, "unknown-revision");
    let writes = open.configured(ApiConfig {
        auth: AuthMode::Writes,
        ..ApiConfig::default()
    });
    let sound = validate(&writes, "- func: mix(Tensor self) -> Tensor\n").await;
    assert_eq!(sound["valid"], true, "{sound}");
}
