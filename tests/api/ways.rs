//! The ways to run operators, over HTTP.

use serde_json::{Value, json};

use crate::api::harness::Server;

/// Operators that no release has: a kernel without Meta, a mutable one without a functional form, and
/// a composite one.
const NEW: &str = "\
- func: blend(Tensor self, Tensor other) -> Tensor
  dispatch:
    CPU, CUDA: blend_kernel
- func: mark(Tensor(a!) self) -> ()
  dispatch:
    CPU, CUDA: mark_kernel
- func: twice(Tensor self) -> Tensor
";

async fn server() -> Server {
    let server = Server::small().await;
    server.ingest("p", "label=new&release=2.15", NEW).await;
    server
}

fn fate<'v>(ways: &'v Value, way: &str) -> &'v Value {
    let mut items = ways["items"].as_array().unwrap().iter();
    items.find(|item| item["way"] == way).unwrap()
}

#[tokio::test]
async fn an_operator_of_a_release_has_recorded_fates() {
    let server = server().await;
    let path = "/v1/projects/p/revisions/2.9.0/operators/add.Tensor/ways";
    let ways = server.get(path).send().await.ok();
    let inductor = fate(&ways, "inductor");
    assert_eq!(
        (
            &inductor["fate"],
            &inductor["known_from"],
            &inductor["release"],
            &inductor["since"]
        ),
        (
            &json!("decomposed"),
            &json!("recorded"),
            &json!("2.9"),
            &json!("2.2")
        )
    );
    assert_eq!(fate(&ways, "decomposition")["fate"], "core");
    assert_eq!(fate(&ways, "autocast-cuda")["fate"], "passes");
    let dtypes = ways["dtypes"].as_array().unwrap();
    let of = |device: &str| {
        dtypes
            .iter()
            .find(|of| of["function"] == "add" && of["device"] == device)
    };
    let forward = of("cuda").unwrap()["forward"].as_array().unwrap();
    assert!(forward.contains(&json!("f32")), "{forward:?}");
}

#[tokio::test]
async fn the_fates_of_a_new_operator_follow_from_its_entry() {
    let server = server().await;
    for (operator, way, expected) in [
        ("blend", "meta", "none"),
        ("blend", "decomposition", "kept"),
        ("blend", "inductor", "implicit fallback"),
        ("blend", "vmap", "falls back"),
        ("mark", "functionalize", "raises"),
        ("twice", "decomposition", "composite"),
        ("twice", "meta", "decomposes"),
    ] {
        let path = format!("/v1/projects/p/revisions/new/operators/{operator}/ways");
        let ways = server.get(&path).send().await.ok();
        let found = fate(&ways, way);
        assert_eq!(found["fate"], expected, "{operator} {way}: {found}");
        assert_eq!(found["known_from"], "entry", "{operator} {way}: {found}");
        assert_eq!(found["since"], Value::Null);
    }
}

#[tokio::test]
async fn a_way_lists_operators_by_fate_in_pages() {
    let server = server().await;
    let list = server
        .get("/v1/projects/p/revisions/new/ways")
        .send()
        .await
        .ok();
    let meta = fate(&list, "meta");
    assert_eq!(meta["operators"], 3);
    assert_eq!(meta["fates"], json!({"decomposes": 1, "none": 2}));
    let path = "/v1/projects/p/revisions/new/ways/meta";
    let page = server
        .get(&format!("{path}?fate=none&limit=1"))
        .send()
        .await
        .ok();
    assert_eq!(page["items"][0]["operator"], "blend");
    let cursor = page["next_cursor"].as_str().unwrap();
    let next = format!("{path}?fate=none&limit=1&cursor={cursor}");
    let page = server.get(&next).send().await.ok();
    assert_eq!(page["items"][0]["operator"], "mark");
    assert_eq!(page["next_cursor"], Value::Null);
    let csv = server
        .get(path)
        .header("accept", "text/csv")
        .send()
        .await
        .text();
    assert!(
        csv.starts_with("operator,way,fate,because,known_from,release,since\r\nblend,meta,none,")
    );
    assert_eq!(csv.lines().count(), 4);
}

#[tokio::test]
async fn unknown_ways_and_fates_are_refused_with_near_names() {
    let server = server().await;
    let path = "/v1/projects/p/revisions/new/ways";
    let problem = server.get(&format!("{path}/inducter")).send().await;
    let problem = problem.problem(422, "unknown-value");
    assert_eq!(problem["suggestions"], json!(["inductor"]));
    let problem = server.get(&format!("{path}/vmap?fate=rises")).send().await;
    let problem = problem.problem(422, "unknown-value");
    assert_eq!(problem["suggestions"], json!(["raises"]));
}
