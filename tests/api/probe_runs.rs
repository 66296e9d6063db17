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

fn test(item: &str, outcome: &str, results: &[Value], roots: &[&str]) -> Value {
    json!({"item": item, "outcome": outcome, "results": results, "roots": roots})
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
        test("a", "runs", &[json!(["ok"])], &["add.Tensor"]),
        test("b", "crash", &[], &[]),
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

/// Every outcome, next to a verdict that says yes, no, in some cases, or nothing.
#[tokio::test]
async fn only_what_both_say_is_compared() {
    let Some(server) = released().await else {
        return;
    };
    let (ok, missing) = (json!(["ok"]), json!(["missing", "aten::x.out"]));
    let (works, fails) = ("add.Tensor", "_cdist_backward");
    let partly = "/v1/projects/p/revisions/2.9.0/keys/MPS?verdict=partly&limit=1";
    let partly = server.get(partly).send().await.ok();
    let partly = partly["items"][0]["operator"].as_str().unwrap();
    let both = [ok.clone(), missing.clone()];
    let rows = [
        test("ran", "runs", &[ok.clone()], &[works]),
        test("lacked", "missing", &[missing.clone()], &[fails]),
        test("ran although", "runs", &[ok.clone()], &[fails]),
        test("ran with others", "runs", &[ok.clone()], &[works, fails]),
        test("lacked although", "missing", &[missing.clone()], &[works]),
        test("ran in part", "missing", &both, &[fails]),
        test("ran in part with others", "missing", &both, &[fails, works]),
        test(
            "lacked and failed",
            "error",
            &[missing, json!(["error", "T", "x"])],
            &[works],
        ),
        test("ran, partly", "runs", &[ok.clone()], &[works, partly]),
        test(
            "lacked, partly",
            "missing",
            &[json!(["missing", "aten::x"])],
            &[partly],
        ),
        test("failed", "error", &[json!(["error", "T", "x"])], &[fails]),
        test("was wrong", "wrong", &[json!(["wrong", "x"])], &[fails]),
        test("crashed", "crash", &[], &[]),
        test("was left out", "left out", &[], &[]),
        test("called nothing", "runs", &[ok.clone()], &[]),
        test(
            "called something else",
            "runs",
            &[ok.clone()],
            &["acme::nothing"],
        ),
        json!({"item": "odd", "outcome": "runs", "roots": {"a": 1}, "results": [1, [1e-5]]}),
    ];
    let mps = server.get("/v1/projects/p/revisions/2.9.0/keys/MPS?verdict=fails&limit=1000");
    assert!(mps.send().await.text().contains(&format!("\"{fails}\"")));
    run(&server, "mps", "mps", &rows).await;
    let verdicts = format!("{RUNS}/mps/verdicts");
    let all = server.get(&verdicts).send().await.ok();
    let agrees = |answer: &Value| {
        let items = answer["items"].as_array().unwrap().iter();
        let items = items.map(|item| {
            let because = item["because"].as_str().unwrap_or_default();
            let text = format!(
                "{} {} {because}",
                item["item"].as_str().unwrap(),
                item["agrees"].as_str().unwrap()
            );
            text.trim().to_owned()
        });
        items.collect::<Vec<_>>()
    };
    let expected = [
        "called nothing unknown verdict",
        "called something else unknown verdict",
        "crashed unknown outcome",
        "failed unknown outcome",
        "lacked yes",
        "lacked although no",
        "lacked and failed no",
        "lacked, partly yes",
        "odd unknown verdict",
        "ran yes",
        "ran although no",
        "ran in part no",
        "ran in part with others yes",
        "ran with others no",
        "ran, partly unknown some-calls",
        "was left out unknown outcome",
        "was wrong unknown outcome",
    ];
    assert_eq!(agrees(&all), expected);
    assert_eq!(all["counts"], json!({"yes": 4, "no": 5, "unknown": 8}));
    assert_eq!(all["outcomes"]["left out"], 1);
    assert_eq!(
        (&all["key"], &all["release"]),
        (&json!("MPS"), &json!("2.9"))
    );
    let lacked = &all["items"][4];
    assert_eq!(lacked["missing"], json!(["x.out"]));
    let root = json!({"operator": fails, "verdict": "fails", "works": "no"});
    assert_eq!(
        (&lacked["works"], &lacked["roots"]),
        (&json!("no"), &json!([root]))
    );

    // A filter and pages change the list, and not the counts.
    let mut found = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = server.get(&format!("{verdicts}?agrees=no&limit=2{cursor}"));
        let page = page.send().await.ok();
        assert_eq!(page["counts"], all["counts"]);
        found.extend(agrees(&page));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    let contradicting = expected.into_iter().filter(|text| text.ends_with(" no"));
    assert_eq!(found, contradicting.collect::<Vec<_>>());
    let other = server.get(&format!("{verdicts}?agrees=yes{cursor}"));
    other.send().await.problem(400, "invalid-cursor");

    // A device without a key predicts nothing.
    run(&server, "bare", "bare", &rows).await;
    let bare = server
        .get(&format!("{RUNS}/bare/verdicts"))
        .send()
        .await
        .ok();
    assert_eq!(bare["key"], Value::Null);
    assert_eq!(
        bare["counts"],
        json!({"yes": 0, "no": 0, "unknown": rows.len()})
    );
    assert_eq!(bare["items"][4]["because"], "device");
    assert_eq!(bare["items"][4]["roots"][0]["verdict"], Value::Null);
    let none = server.get(&format!("{RUNS}/none/verdicts"));
    none.send().await.problem(404, "unknown-run");
}

/// What PyTorch's operator tests did on Meta, as the probe recorded it.
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
