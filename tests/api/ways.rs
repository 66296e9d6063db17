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
    assert_eq!(
        (&inductor["title"], &inductor["works"], &inductor["missing"]),
        (&json!("Inductor"), &json!("yes"), &json!(false))
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
    let problem = problem.problem(404, "unknown-value");
    assert_eq!(problem["suggestions"], json!(["inductor"]));
    let problem = server.get(&format!("{path}/vmap?fate=rises")).send().await;
    let problem = problem.problem(400, "invalid-parameter");
    assert_eq!(problem["suggestions"], json!(["raises"]));
}

#[tokio::test]
async fn a_fate_says_whether_calls_work() {
    let server = server().await;
    for (operator, way, works, missing) in [
        ("blend", "meta", json!("no"), true),
        ("blend", "vmap", json!("yes"), true),
        ("blend", "decomposition", json!("yes"), false),
        ("mark", "functionalize", json!("no"), true),
        ("twice", "meta", json!("unknown"), false),
    ] {
        let path = format!("/v1/projects/p/revisions/new/operators/{operator}/ways");
        let ways = server.get(&path).send().await.ok();
        let found = fate(&ways, way);
        assert_eq!(
            (&found["works"], &found["missing"]),
            (&works, &json!(missing)),
            "{operator} {way}"
        );
    }
}

#[tokio::test]
async fn the_matrix_has_a_column_for_each_way() {
    let server = server().await;
    let path = "/v1/projects/p/revisions/new/matrix";
    let ways = &server.get(path).send().await.ok()["ways"];
    let way = |name: &str| {
        let mut ways = ways["ways"].as_array().unwrap().iter();
        ways.position(|way| way["way"] == name).unwrap()
    };
    let row = ways["rows"][0].as_str().unwrap();
    let letter = row.chars().nth(way("meta")).unwrap().to_string();
    let mut legend = ways["legend"].as_array().unwrap().iter();
    let fate = legend.find(|fate| fate["letter"] == letter).unwrap();
    assert_eq!(
        *fate,
        json!({"letter": letter, "fate": "none", "works": "no", "missing": true})
    );
}

#[tokio::test]
async fn gaps_of_a_way_have_core_operators_first() {
    let server = Server::small().await;
    let text = format!(
        "{NEW}- func: hub(Tensor self) -> Tensor\n  dispatch:\n    CPU: hub\n  tags: core\n"
    );
    server.ingest("p", "label=new&release=2.15", &text).await;
    let path = "/v1/projects/p/revisions/new/gaps";
    let gaps = server
        .get(&format!("{path}?way=inductor"))
        .send()
        .await
        .ok();
    assert_eq!(
        gaps["counts"],
        json!({"operators": 4, "missing": 3, "core": 1, "unknown": 0})
    );
    let names = |gaps: &Value| {
        let items = gaps["items"].as_array().unwrap().iter();
        items
            .map(|gap| gap["operator"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&gaps), ["hub", "blend", "mark"]);
    let core = server.get(&format!("{path}?way=inductor&tag=core"));
    assert_eq!(names(&core.send().await.ok()), ["hub"]);
    let page = server.get(&format!("{path}?way=inductor&limit=2"));
    let page = page.send().await.ok();
    let cursor = page["next_cursor"].as_str().unwrap();
    let rest = server.get(&format!("{path}?way=inductor&limit=2&cursor={cursor}"));
    let rest = rest.send().await.ok();
    assert_eq!(
        (names(&rest), &rest["next_cursor"]),
        (vec!["mark".to_owned()], &Value::Null)
    );
    let csv = server.get(&format!("{path}?way=inductor"));
    let csv = csv.header("accept", "text/csv").send().await.text();
    assert_eq!(csv.lines().count(), 4, "{csv}");
    assert!(csv.contains("\r\nhub,inductor,implicit fallback,"), "{csv}");
    let problem = server.get(&format!("{path}?way=vmapp")).send().await;
    let problem = problem.problem(422, "unknown-value");
    assert_eq!(problem["suggestions"], json!(["vmap"]));
    let problem = server.get(&format!("{path}?way=vmap&tag=cor")).send().await;
    problem.problem(422, "unknown-value");
    server
        .get(path)
        .send()
        .await
        .problem(400, "invalid-parameter");
}

#[tokio::test]
async fn a_release_without_a_registry_says_so() {
    let server = Server::small().await;
    server.ingest("p", "label=old&release=2.2", NEW).await;
    let path = "/v1/projects/p/revisions/old/operators/blend/ways";
    let ways = server.get(path).send().await.ok();
    let shim = fate(&ways, "aoti");
    assert_eq!(
        (&shim["fate"], &shim["works"]),
        (&json!("unknown"), &json!("unknown"))
    );
    let because = shim["because"].as_str().unwrap();
    assert!(because.starts_with("not recorded in 2.2: "), "{because}");
    let gaps = server.get("/v1/projects/p/revisions/old/gaps?way=aoti");
    let counts = &gaps.send().await.ok()["counts"];
    assert_eq!(
        (&counts["missing"], &counts["unknown"]),
        (&json!(0), &json!(3))
    );
}

/// Two releases between which DTensor got a strategy for an operator.
async fn releases() -> Server {
    let server = Server::new().await;
    server.project("p").await;
    let text = "\
- func: argmax.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
  dispatch:
    CPU: argmax_out
";
    for label in ["2.13.0", "2.14.0"] {
        server.ingest("p", &format!("label={label}"), text).await;
    }
    server
}

#[tokio::test]
async fn histories_and_trends_tell_of_fates() {
    let server = releases().await;
    let path = "/v1/projects/p/operators/argmax.out/history";
    let history = server.get(path).send().await.ok();
    let mut changes = history["ways"].as_array().unwrap().iter();
    let change = changes.find(|change| change["way"] == "dtensor").unwrap();
    assert_eq!(
        *change,
        json!({
            "release": "2.14", "way": "dtensor", "title": "DTensor", "turn": "gained",
            "before": "none", "after": "rule", "works": "yes", "missing": false,
            "message": "gained its sharding strategy: `none` became `rule`",
        })
    );
    let history = server.get(&format!("{path}?to=2.13.0")).send().await.ok();
    assert_eq!(history["ways"], json!([]));
    let history = server.get(&format!("{path}?key=CPU")).send().await.ok();
    assert_eq!(history["ways"], json!([]));
    let trends = server
        .get("/v1/projects/p/trends?way=dtensor")
        .send()
        .await
        .ok();
    let points = trends["points"].as_array().unwrap().iter();
    let ways: Vec<&Value> = points.map(|point| &point["way"]).collect();
    let point = |fate: &str, missing: u32| {
        json!({
            "way": "dtensor", "title": "DTensor", "operators": 1, "missing": missing, "unknown": 0,
            "fates": {fate: 1},
        })
    };
    assert_eq!(ways, [&point("none", 1), &point("rule", 0)]);
    assert_eq!(trends["ways"].as_array().unwrap().len(), 14);
    let trends = server.get("/v1/projects/p/trends").send().await.ok();
    assert_eq!(trends["points"][0]["way"], Value::Null);
    let problem = server.get("/v1/projects/p/trends?way=dtensr").send().await;
    let problem = problem.problem(422, "unknown-value");
    assert_eq!(problem["suggestions"], json!(["dtensor"]));
}

#[tokio::test]
async fn what_was_lost_is_told() {
    let server = Server::new().await;
    server.project("p").await;
    let text = "- func: _histogramdd_bin_edges(Tensor self, int[] bins) -> Tensor[]\n";
    for label in ["2.6.0", "2.7.0"] {
        server.ingest("p", &format!("label={label}"), text).await;
    }
    let path = "/v1/projects/p/operators/_histogramdd_bin_edges/history";
    let history = server.get(path).send().await.ok();
    let mut changes = history["ways"].as_array().unwrap().iter();
    let change = changes.find(|change| change["way"] == "aoti").unwrap();
    assert_eq!(
        (&change["release"], &change["turn"], &change["message"]),
        (
            &json!("2.7"),
            &json!("lost"),
            &json!("lost its C shim function: `shim` became `proxy executor`")
        )
    );
    assert_eq!(
        (&change["works"], &change["missing"]),
        (&json!("yes"), &json!(true))
    );
}

#[tokio::test]
async fn search_understands_ways() {
    let server = server().await;
    let found = server
        .get("/v1/projects/p/search?q=vmap+half_of")
        .send()
        .await
        .ok();
    assert_eq!(
        found["way"],
        json!({"way": "vmap", "title": "vmap", "missing": false, "tag": null, "rest": "half_of"})
    );
    assert_eq!(found["items"][0]["operator"], "half_of");
    let found = server.get("/v1/projects/p/search?q=core+without+lowering");
    let found = found.send().await.ok();
    assert_eq!(
        found["way"],
        json!({"way": "inductor", "title": "Inductor", "missing": true, "tag": "core", "rest": ""})
    );
    let found = server
        .get("/v1/projects/p/search?q=half_of")
        .send()
        .await
        .ok();
    assert_eq!(found["way"], Value::Null);
}
