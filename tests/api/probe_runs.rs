//! Probe runs afterwards: the list, and what they say about the verdicts.

use serde_json::{Value, json};

use crate::api::harness::Server;
use crate::api::probe::{RUNS, post, result, sorted};

/// Opens a run of these tests on a device, and hands in a row for each.
async fn run(server: &Server, key: &str, device: &str, rows: &[Value]) {
    let items: Vec<_> = rows.iter().map(|row| &row["item"]).collect();
    let asked = json!({
        "key": key, "revision": "2.9.0", "torch": "2.9.0", "device": device,
        "items": {"runs": items}, "shard_seconds": 3600,
    });
    post(server, RUNS, &asked).await.ok();
    loop {
        let leased = post(server, &format!("{RUNS}/{key}/lease"), &json!({})).await;
        let leased = leased.ok();
        let Some(items) = leased["items"].as_array() else {
            break;
        };
        let of_shard = rows.iter().filter(|row| items.contains(&row["item"]));
        let sent = result(&leased["lease"], &of_shard.map(sorted).collect());
        let shard = format!("{RUNS}/{key}/shards/{}", leased["shard"]);
        let stored = post(server, &shard, &sent).await;
        assert_eq!(stored.status, 201, "{}", stored.text());
    }
}

/// The release of the recordings, in a project.
async fn released() -> Option<Server> {
    let bundle = opatlas_conformance::release("2.9.0")?;
    let server = Server::new().await;
    server.project("p").await;
    let names = ["native_functions.yaml", "tags.yaml", "derivatives.yaml"];
    let files: serde_json::Map<_, _> = names
        .into_iter()
        .filter_map(|name| {
            let text = String::from_utf8(bundle.file(name)?.to_vec()).ok()?;
            Some((name.to_owned(), json!(text)))
        })
        .collect();
    let ingest = "/v1/projects/p/revisions?label=2.9.0";
    post(&server, ingest, &json!({"files": files})).await;
    Some(server)
}

#[tokio::test]
async fn runs_are_listed_in_pages() {
    let server = Server::small().await;
    assert_eq!(server.get(RUNS).send().await.ok()["items"], json!([]));
    let rows = [
        json!({"item": "a", "outcome": "runs", "results": [["ok"]], "roots": ["add.Tensor"]}),
        json!({"item": "b", "outcome": "crash"}),
    ];
    run(&server, "first", "cpu", &rows).await;
    let open = json!({
        "key": "second", "revision": "latest", "torch": "2.9.1", "device": "mps",
        "items": {"runs": ["a"], "calls": ["x\",\"y", "z\\"]},
    });
    post(&server, RUNS, &open).await.ok();
    let page = server.get(&format!("{RUNS}?limit=1")).send().await.ok();
    let second = &page["items"][0];
    assert_eq!(
        (&second["run"], &second["items"], &second["shards"]),
        (&json!("second"), &json!(3), &json!({"done": 0, "total": 2}))
    );
    // The workers named no label.
    assert_eq!(second["revision"]["label"], Value::Null);
    let cursor = page["next_cursor"].as_str().unwrap();
    let page = server.get(&format!("{RUNS}?limit=1&cursor={cursor}"));
    let page = page.send().await.ok();
    assert_eq!(page["next_cursor"], Value::Null);
    let first = &page["items"][0];
    assert_eq!(first["revision"]["label"], "2.9.0");
    assert_eq!(first["revision"]["digest"], second["revision"]["digest"]);
    assert_eq!(first["outcomes"], json!({"crash": 1, "runs": 1}));
    assert_eq!(first["shards"], json!({"done": 1, "total": 1}));
    assert!(
        first["created_at"]
            .as_str()
            .unwrap()
            .starts_with("2023-11-14T")
    );
    let lines = server.get(RUNS).header("accept", "application/x-ndjson");
    let lines = lines.send().await.lines();
    assert_eq!(lines.len(), 2);
    assert_eq!(&lines[1], first);
    let wrong = server.get(&format!("{RUNS}?cursor=00"));
    wrong.send().await.problem(400, "invalid-cursor");
    let nobody = server.get("/v1/projects/nobody/probe/runs");
    nobody.send().await.problem(404, "unknown-project");
}

const WORKS: &str = "add.Tensor";
const FAILS: &str = "_cdist_backward";
/// Stands for an operator that works on MPS in some cases.
const PARTLY: &str = "PARTLY";
/// Has a kernel for sparse tensors on CUDA, and none at its key.
const SPARSE: &str = "sparse_sampled_addmm";

/// A test by name, with its outcome, the kinds of its results, the operators that it called, and what
/// follows.
type Test = (
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    &'static str,
);

const TESTS: [Test; 17] = [
    ("called nothing", "runs", &["ok"], &[], "unknown verdict"),
    (
        "called others",
        "runs",
        &["ok"],
        &["acme::f"],
        "unknown verdict",
    ),
    ("crashed", "crash", &[], &[], "unknown outcome"),
    ("failed", "error", &["error"], &[FAILS], "unknown outcome"),
    ("lacked", "missing", &["missing"], &[FAILS], "yes"),
    ("lacked although", "missing", &["missing"], &[WORKS], "no"),
    (
        "lacked and failed",
        "error",
        &["error", "missing"],
        &[WORKS],
        "no",
    ),
    ("lacked, partly", "missing", &["missing"], &[PARTLY], "yes"),
    ("left out", "left out", &[], &[], "unknown outcome"),
    ("ran", "runs", &["ok"], &[WORKS], "yes"),
    ("ran although", "runs", &["ok"], &[FAILS], "no"),
    ("ran in part", "missing", &["missing", "ok"], &[FAILS], "no"),
    (
        "ran in part, two",
        "missing",
        &["missing", "ok"],
        &[FAILS, WORKS],
        "yes",
    ),
    (
        "ran in part, works",
        "missing",
        &["missing", "ok"],
        &[WORKS],
        "no",
    ),
    (
        "ran, partly",
        "runs",
        &["ok"],
        &[PARTLY, WORKS],
        "unknown some-calls",
    ),
    ("ran, two", "runs", &["ok"], &[WORKS, FAILS], "no"),
    ("wrong", "wrong", &["wrong"], &[FAILS], "unknown outcome"),
];

/// The rows of [`TESTS`], and some that no worker sends; their operators are not known.
fn rows(partly: &str) -> Vec<Value> {
    let row = |(item, outcome, kinds, roots, _): &Test| {
        let results: Vec<_> = kinds
            .iter()
            .map(|kind| json!([kind, "aten::x.out"]))
            .collect();
        let roots = roots
            .iter()
            .map(|&root| if root == PARTLY { partly } else { root });
        json!({"item": item, "outcome": outcome, "results": results, "roots": roots.collect::<Vec<_>>()})
    };
    let many: Vec<_> = (0..201).map(|at| format!("x{at}")).collect();
    let odd = [
        json!({"a": 1}),
        json!([WORKS, 1]),
        json!(many),
        json!(["x".repeat(301)]),
    ];
    let odd = odd.iter().enumerate().map(|(at, roots)| {
        json!({"item": format!("~{at}"), "outcome": "runs", "roots": roots, "results": [1, [1e-5], "ok"]})
    });
    TESTS.iter().map(row).chain(odd).collect()
}

fn agrees(answer: &Value) -> Vec<String> {
    let items = answer["items"].as_array().unwrap().iter();
    let items = items.map(|item| {
        let texts =
            ["item", "agrees", "because"].map(|name| item[name].as_str().unwrap_or_default());
        texts.join(" ").trim().to_owned()
    });
    items.collect()
}

/// A server with [`rows`] as runs on MPS and on the bare device.
async fn measured() -> Option<(Server, Vec<String>)> {
    let server = released().await?;
    let keys = "/v1/projects/p/revisions/2.9.0/keys/MPS?limit=1000&verdict";
    let fails = server.get(&format!("{keys}=fails")).send().await;
    assert!(fails.text().contains(&format!("\"{FAILS}\"")));
    let partly = server.get(&format!("{keys}=partly")).send().await.ok();
    let rows = rows(partly["items"][0]["operator"].as_str().unwrap());
    for device in ["mps", "bare"] {
        run(&server, device, device, &rows).await;
    }
    let expected = TESTS
        .iter()
        .map(|(item, .., expected)| format!("{item} {expected}"));
    let odd = (0..4).map(|at| format!("~{at} unknown verdict"));
    Some((server, expected.chain(odd).collect()))
}

/// Every outcome, next to a verdict that says yes, no, in some cases, or nothing.
#[tokio::test]
async fn only_what_both_say_is_compared() {
    let Some((server, expected)) = measured().await else {
        return;
    };
    let all = server
        .get(&format!("{RUNS}/mps/verdicts"))
        .send()
        .await
        .ok();
    assert_eq!(agrees(&all), expected);
    assert_eq!(all["counts"], json!({"yes": 4, "no": 6, "unknown": 11}));
    assert_eq!(all["outcomes"]["left out"], 1);
    assert_eq!(
        (&all["key"], &all["release"]),
        (&json!("MPS"), &json!("2.9"))
    );
    let lacked = &all["items"][4];
    assert_eq!(lacked["missing"], json!(["x.out"]));
    let root = json!({"operator": FAILS, "verdict": "fails", "works": "no"});
    assert_eq!(
        (&lacked["works"], &lacked["roots"]),
        (&json!("no"), &json!([root]))
    );

    // A device without a key predicts nothing.
    let bare = server
        .get(&format!("{RUNS}/bare/verdicts"))
        .send()
        .await
        .ok();
    assert_eq!(bare["key"], Value::Null);
    let all = json!({"yes": 0, "no": 0, "unknown": expected.len()});
    assert_eq!(bare["counts"], all);
    assert_eq!(bare["items"][4]["because"], "device");
    assert_eq!(bare["items"][4]["roots"][0]["verdict"], Value::Null);
    let none = server.get(&format!("{RUNS}/none/verdicts"));
    none.send().await.problem(404, "unknown-run");
}

/// A call with sparse tensors goes to another key than that of the device.
#[tokio::test]
async fn a_call_with_another_layout_contradicts_nothing() {
    let Some(server) = released().await else {
        return;
    };
    let row = |item: &str, outcome: &str, kinds: &[&str], roots: &[&str]| {
        let results: Vec<_> = kinds.iter().map(|kind| json!([kind, "x"])).collect();
        json!({"item": item, "outcome": outcome, "results": results, "roots": roots})
    };
    let rows = [
        row("both", "missing", &["missing", "ok"], &[SPARSE]),
        row("lacked", "missing", &["missing"], &[SPARSE]),
        row("ran", "runs", &["ok"], &[SPARSE, WORKS]),
        row("ran, fails", "runs", &["ok"], &[SPARSE, FAILS]),
    ];
    run(&server, "mps", "mps", &rows).await;
    run(&server, "cuda", "cuda", &rows).await;
    let found = server
        .get(&format!("{RUNS}/cuda/verdicts"))
        .send()
        .await
        .ok();
    // CUDA runs the operator that fails on MPS.
    let expected = [
        "both yes",
        "lacked yes",
        "ran unknown layout",
        "ran, fails unknown layout",
    ];
    assert_eq!(agrees(&found), expected);
    assert_eq!(found["items"][2]["works"], "no");
    let found = server
        .get(&format!("{RUNS}/mps/verdicts"))
        .send()
        .await
        .ok();
    assert_eq!(agrees(&found)[3], "ran, fails no");
}

/// A filter and pages change the list, and not the counts.
#[tokio::test]
async fn verdicts_come_in_pages() {
    let Some((server, expected)) = measured().await else {
        return;
    };
    let verdicts = format!("{RUNS}/mps/verdicts");
    for word in ["yes", "no", "unknown"] {
        let (mut found, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = server.get(&format!("{verdicts}?agrees={word}&limit=2{cursor}"));
            let page = page.send().await.ok();
            assert_eq!(page["counts"], json!({"yes": 4, "no": 6, "unknown": 11}));
            assert!(page["items"].as_array().unwrap().len() <= 2);
            found.extend(agrees(&page));
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        let wanted = expected.iter().filter(|text| {
            let known = text.strip_suffix(&format!(" {word}"));
            known.is_some() || text.contains(&format!(" {word} "))
        });
        assert_eq!(found, wanted.cloned().collect::<Vec<_>>());
        let other = server.get(&format!("{RUNS}/bare/verdicts?agrees={word}{cursor}"));
        other.send().await.problem(400, "invalid-cursor");
    }
}

/// The outcomes of PyTorch's operator tests on Meta, recorded by the probe.
#[tokio::test]
async fn a_recorded_run_agrees_with_the_verdicts() {
    let Some(server) = released().await else {
        return;
    };
    let recorded = opatlas_conformance::golden("device_runs_2.9.0_meta.jsonl.gz");
    let rows = recorded.iter().enumerate().map(|(at, row)| {
        let results = row["results"].as_array().unwrap();
        let has = |kind: &str| results.iter().any(|result| result[0] == kind);
        let worst = ["wrong", "error", "missing"]
            .into_iter()
            .find(|kind| has(kind));
        json!({
            "item": format!("{at:03} {}", row["opinfo"].as_str().unwrap()),
            "outcome": worst.unwrap_or("runs"), "results": results, "roots": row["roots"],
        })
    });
    let rows: Vec<Value> = rows.collect();
    run(&server, "meta", "meta", &rows).await;
    let found = server.get(&format!("{RUNS}/meta/verdicts?agrees=no&limit=1000"));
    let found = found.send().await.ok();
    let count = |name: &str| found["counts"][name].as_u64().unwrap();
    let (yes, no, unknown) = (count("yes"), count("no"), count("unknown"));
    assert_eq!(yes + no + unknown, rows.len() as u64);
    assert!(no <= 2, "{}", found["items"]);
    assert!(unknown <= 30 && yes > 600, "{}", found["counts"]);
    assert_eq!(found["key"], "Meta");
}
