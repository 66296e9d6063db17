//! History, support tables, badges, trends, gap lists, search, and what an upgrade costs a backend.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::api::harness::Server;

const OLD: &str = "\
- func: scale(Tensor self, int n) -> Tensor
  dispatch:
    CPU: scale_cpu

- func: can_go(ScalarType from) -> bool

- func: old_thing(Tensor self) -> Tensor
  dispatch:
    CPU: old_thing_cpu
";
const NEW: &str = "\
- func: scale(Tensor self, int n, int m=0) -> Tensor
  dispatch:
    CPU: scale_cpu
    MPS: scale_mps

- func: can_go(ScalarType from_) -> bool

- func: old_things(Tensor self) -> Tensor
  dispatch:
    CPU, MPS: old_things_x
  tags: core

- func: wide(Tensor self, Tensor other) -> Tensor
  dispatch:
    CPU: wide_cpu
    CUDA: wide_cuda
";
const ACME: &str = "backend: PrivateUse1\ncpp_namespace: acme\nsupported:\n- scale\n- old_thing\n";

async fn two() -> Server {
    let server = Server::new().await;
    server.project("p").await;
    server.ingest("p", "label=2.8.0", OLD).await;
    server.ingest("p", "label=2.9.0", NEW).await;
    server
}

fn texts<'a>(list: &'a Value, member: &str) -> Vec<&'a str> {
    let items = list.as_array().unwrap().iter();
    items
        .map(|item| item[member].as_str().unwrap_or("-"))
        .collect()
}

#[tokio::test]
async fn a_history_tells_what_changed() {
    let server = two().await;
    let get = |path: &str| format!("/v1/projects/p/operators/{path}");
    let answer = server.get(&get("can_go/history")).send().await.ok();
    let event = &answer["events"][0];
    assert_eq!(answer["events"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&event["rule"], &event["kind"]),
        (&json!("argument-renamed"), &json!("schema"))
    );
    assert_eq!(
        (&event["level"], &event["label"]),
        (&json!("breaking"), &json!("2.9.0"))
    );
    assert_eq!(event["since"]["label"], "2.8.0");
    assert!(event["message"].as_str().unwrap().contains("`from_`"));
    assert_eq!(answer["line"], "releases");
    let answer = server.get(&get("scale/history?key=MPS")).send().await.ok();
    let events = &answer["events"];
    assert!(
        texts(events, "rule").contains(&"dispatch-kernel-added"),
        "{events}"
    );
    assert!(texts(events, "kind").contains(&"schema"));
    let kernels = events
        .as_array()
        .unwrap()
        .iter()
        .filter(|e| e["kind"] == "kernel");
    assert!(kernels.clone().count() > 0 && kernels.clone().all(|e| e["key"] == "MPS"));
    let ranges = answer["ranges"].as_array().unwrap();
    let at_mps: Vec<&Value> = ranges
        .iter()
        .filter(|range| range["key"] == "MPS")
        .collect();
    assert_eq!(at_mps.len(), 2);
    assert_eq!(
        (&at_mps[0]["reason"], &at_mps[0]["to"]["label"]),
        (&json!("missing"), &json!("2.8.0"))
    );
    assert_eq!(
        (&at_mps[1]["kernel"], &at_mps[1]["supported"]),
        (&json!("scale_mps"), &json!(true))
    );
    let cut = server.get(&get("scale/history?to=2.8.0")).send().await.ok();
    assert!(cut["events"].as_array().unwrap().is_empty());
    assert_eq!(cut["from_start"], true);
    let late = server
        .get(&get("scale/history?from=2.9.0"))
        .send()
        .await
        .ok();
    assert_eq!(late["from_start"], false);
    // What is gone has a history as well.
    let gone = server.get(&get("old_thing/history")).send().await.ok();
    assert!(texts(&gone["events"], "kind").contains(&"removed"));
    let problem = server.get(&get("scal/history")).send().await;
    problem.problem(404, "unknown-operator");
    let problem = server.get(&get("scale/history?key=MSP")).send().await;
    problem.problem(422, "unknown-key");
    let problem = server.get(&get("scale/history?from=2.7.0")).send().await;
    problem.problem(404, "unknown-revision");
    let problem = server.get(&get("scale/history?line=commits")).send().await;
    let problem = problem.problem(404, "unknown-revision");
    assert!(
        problem["detail"]
            .as_str()
            .unwrap()
            .contains("has no commits")
    );
    let problem = server
        .get(&get("scale/history?from=2.9&to=2.8"))
        .send()
        .await;
    problem.problem(400, "invalid-parameter");
}

#[tokio::test]
async fn support_is_told_since_when() {
    let server = two().await;
    let path = "/v1/projects/p/support?operators=scale,wide&keys=CPU,MPS";
    let answer = server.get(path).send().await.ok();
    let cells = &answer["operators"][0]["cells"];
    assert_eq!(cells[0]["first"]["label"], "2.8.0");
    assert_eq!(
        (&cells[1]["first"]["label"], &cells[1]["reason"]),
        (&json!("2.9.0"), &json!("kernel"))
    );
    assert_eq!(answer["operators"][1]["cells"][1]["supported"], false);
    let csv = server
        .get(path)
        .header("accept", "text/csv")
        .send()
        .await
        .text();
    assert!(
        csv.contains("scale,MPS,true,2.9.0,2.9.0,2.9.0,kernel,MPS,"),
        "{csv}"
    );
    let markdown = server
        .get(path)
        .header("accept", "text/markdown")
        .send()
        .await
        .text();
    assert!(
        markdown.contains("| `scale` | kernel since 2.8.0 or earlier | kernel since 2.9.0 |"),
        "{markdown}"
    );
    let none = server
        .get("/v1/projects/p/support?operators=&keys=CPU")
        .send()
        .await;
    none.problem(400, "invalid-parameter");
}

#[tokio::test]
async fn badges_show_coverage() {
    let server = two().await;
    let answer = server
        .get("/v1/projects/p/badges/MPS.json")
        .send()
        .await
        .ok();
    // scale and old_things, of four; nobody measured what the composite can_go calls.
    let expected = json!({"schemaVersion": 1, "label": "coverage of MPS in 2.9.0", "message": "50 %, 1 unknown", "color": "yellow"});
    assert_eq!(answer, expected);
    let image = server
        .get("/v1/projects/p/badges/MPS.svg?of=kernel&revision=2.8.0")
        .send()
        .await;
    assert_eq!(image.header("content-type"), "image/svg+xml");
    assert!(image.text().contains("kernels of MPS in 2.8.0: 0 %"));
    server
        .get("/v1/projects/p/badges/MPS.gif")
        .send()
        .await
        .problem(404, "unknown-key");
    server
        .get("/v1/projects/p/badges/NOPE.svg")
        .send()
        .await
        .problem(404, "unknown-key");
}

#[tokio::test]
async fn trends_count_by_revision() {
    let server = two().await;
    let answer = server.get("/v1/projects/p/trends").send().await.ok();
    let points = answer["points"].as_array().unwrap();
    assert_eq!(points.len(), 2);
    assert_eq!(
        (&points[0]["operators"], &points[1]["operators"]),
        (&json!(3), &json!(4))
    );
    assert_eq!(
        (&points[0]["core"], &points[1]["core"]),
        (&json!(0), &json!(1))
    );
    let mps = points[1]["coverage"]
        .as_array()
        .unwrap()
        .iter()
        .find(|key| key["key"] == "MPS");
    let mps = mps.unwrap();
    assert_eq!(
        (&mps["kernels"], &mps["served"], &mps["percent"]),
        (&json!(2), &json!(2), &json!(50))
    );
    server
        .get("/v1/projects/p/trends?points=1")
        .send()
        .await
        .problem(400, "invalid-parameter");
}

#[tokio::test]
async fn trends_tell_what_each_step_changed() {
    let server = two().await;
    server.ingest("p", "label=2.9.1", NEW).await;
    let answer = server.get("/v1/projects/p/trends").send().await.ok();
    let points = answer["points"].as_array().unwrap();
    assert_eq!(points[0]["step"], Value::Null);
    let compare = "/v1/projects/p/compare/2.8.0...2.9.0";
    let summary = &server.get(compare).send().await.ok()["summary"];
    let step = &points[1]["step"];
    assert_eq!(step["since"]["label"], "2.8.0");
    assert!(step["breaking"].as_u64() > Some(0));
    for level in ["breaking", "forward_breaking", "dangerous"] {
        assert_eq!(step[level], summary[level], "{level}");
    }
    let other = summary["safe"].as_u64().zip(summary["info"].as_u64());
    assert_eq!(
        step["other"].as_u64(),
        other.map(|(safe, info)| safe + info)
    );
    // The same files again: nothing changed since, whatever changed before.
    let step = &points[2]["step"];
    assert_eq!(step["since"]["label"], "2.9.0");
    let counts = ["breaking", "forward_breaking", "dangerous", "other"];
    assert!(counts.iter().all(|level| step[level] == 0), "{step}");

    // Steps are those of the timeline, whichever points are asked for.
    let path = "/v1/projects/p/trends?points=2&coverage=false";
    let answer = server.get(path).send().await.ok();
    assert_eq!(answer["points"][1]["step"]["since"]["label"], "2.9.0");
    assert_eq!(answer["points"][1]["coverage"], json!([]));
}

#[tokio::test]
async fn gaps_are_ranked() {
    let server = two().await;
    let path = "/v1/projects/p/revisions/2.9.0/gaps/XPU?since=2.8.0";
    let answer = server.get(path).send().await.ok();
    // Core first; then what more backends have. Nothing is claimed about XPU in this file.
    assert_eq!(
        texts(&answer["items"], "operator"),
        ["old_things", "scale", "wide", "can_go"]
    );
    assert_eq!(
        answer["counts"],
        json!({
            "operators": 4, "applicable": 4, "other_backends": 0, "kernels": 0, "inherited": 0,
            "working": 0, "lacking": 0, "partly": 0, "unknown": 4, "covered": 0
        })
    );
    assert_eq!(
        (&answer["items"][0]["new"], &answer["items"][1]["new"]),
        (&json!(true), &json!(false))
    );
    let mps = server.get("/v1/projects/p/revisions/2.9.0/gaps/MPS?since=2.8.0&only=lacking");
    let mps = mps.send().await.ok();
    // `old_things` works too, but did not exist before.
    assert_eq!(mps["since"]["gained"], json!(["scale"]));
    assert_eq!(mps["since"]["lost"], json!([]));
    assert_eq!(texts(&mps["items"], "operator"), ["wide"]);
    let path = "/v1/projects/p/revisions/2.9.0/gaps/XPU";
    let usage = "operator,count\naten::scale,7\ncan_go,9\nnope,1\n";
    let ranked = server.post(path).body("text/csv", usage).send().await.ok();
    assert_eq!(
        texts(&ranked["items"], "operator")[..2],
        ["can_go", "scale"]
    );
    assert_eq!(ranked["unknown"], json!(["nope"]));
    let ranked = server
        .post(path)
        .json(&json!({"wide": 3}))
        .send()
        .await
        .ok();
    assert_eq!(ranked["items"][0]["operator"], "wide");
    let bad = server
        .post(path)
        .body("text/csv", "a,1\nb,x\n")
        .send()
        .await;
    let problem = bad.problem(400, "malformed-body");
    assert!(problem["detail"].as_str().unwrap().contains("line 2"));
    let sheet = server
        .get(path)
        .header("accept", "text/csv")
        .send()
        .await
        .text();
    assert!(
        sheet.contains("can_go,false,math kernel,CompositeImplicitAutograd,false,0,,"),
        "{sheet}"
    );
}

#[tokio::test]
async fn search_finds_what_was() {
    let server = two().await;
    let get = |words: &str| format!("/v1/projects/p/search?q={words}");
    let found = server.get(&get("old_thing")).send().await.ok();
    assert_eq!(
        texts(&found["items"], "operator"),
        ["old_things", "old_thing"]
    );
    assert_eq!(found["items"][1]["current"], false);
    assert_eq!(found["items"][1]["present"][0]["to"]["label"], "2.8.0");
    let by_kernel = server.get(&get("scale_mps")).send().await.ok();
    assert_eq!(texts(&by_kernel["items"], "operator"), ["scale"]);
    // Names as C++ and Python write them, with and without a revision that has them.
    for words in ["torch.ops.aten.old_thing", "aten::old_thing"] {
        let found = server.get(&get(words)).send().await.ok();
        let names = texts(&found["items"], "operator");
        assert_eq!(names, ["old_things", "old_thing"], "{words}");
    }
    let removed = format!("{}&removed=true", get("old_thing"));
    let removed = server.get(&removed).send().await.ok();
    assert_eq!(texts(&removed["items"], "operator"), ["old_thing"]);
    let by_argument = server.get(&get("from_")).send().await.ok();
    assert!(texts(&by_argument["items"], "operator").contains(&"can_go"));
    server
        .get(&get("+"))
        .send()
        .await
        .problem(400, "invalid-parameter");
}

#[tokio::test]
async fn revisions_are_listed_by_name_in_pages() {
    let server = two().await;
    server.ingest("p", "label=2.9.1", NEW).await;
    server.ingest("p", "label=nightly", OLD).await;
    let unnamed = "- func: nameless(Tensor self) -> Tensor\n";
    server.ingest("p", "", unnamed).await;
    let get = |query: &str| format!("/v1/projects/p/timeline{query}");
    let all = server.get(&get("")).send().await.ok();
    let items = &all["items"];
    assert_eq!(
        texts(items, "label"),
        ["2.9.1", "2.9.0", "2.8.0", "nightly", "-"]
    );
    assert_eq!(
        texts(items, "kind"),
        ["version", "version", "version", "label", "digest"]
    );
    // Names of the same files are apart, each with its release; each has the labels of both.
    assert_eq!(items[0]["revision"], items[1]["revision"]);
    assert_eq!(items[2]["release"], "2.8");
    assert_eq!(items[0]["labels"].as_array().unwrap().len(), 2);
    assert_eq!(
        (&all["total"], &all["next_cursor"]),
        (&json!(5), &json!(null))
    );
    // A page goes on after the last name of the one before, whatever came in above it.
    let first = server.get(&get("?limit=2")).send().await.ok();
    server.ingest("p", "label=2.10.0", unnamed).await;
    let cursor = first["next_cursor"].as_str().unwrap();
    let second = server.get(&get(&format!("?limit=2&cursor={cursor}")));
    let second = second.send().await.ok();
    assert_eq!(texts(&second["items"], "label"), ["2.8.0", "nightly"]);
    let found = server.get(&get("?q=2.9")).send().await.ok();
    assert_eq!(texts(&found["items"], "label"), ["2.9.1", "2.9.0"]);
    let found = server.get(&get("?q=NIGHT&kind=label")).send().await.ok();
    assert_eq!(found["total"], 1);
    let elsewhere = server.get(&get(&format!("?q=2&cursor={cursor}")));
    elsewhere.send().await.problem(400, "invalid-cursor");
}

#[tokio::test]
async fn search_follows_what_comes_and_goes() {
    let server = Server::new().await;
    let found = async |words: &str| {
        let path = format!("/v1/projects/p/search?q={words}&line=ingests");
        let found = server.get(&path).send().await.ok();
        let items = found["items"].as_array().unwrap().iter();
        let found = items.map(|item| {
            let changed = item["changed"].as_array().unwrap().len();
            (item["operator"].as_str().unwrap().to_owned(), changed)
        });
        found.collect::<Vec<_>>()
    };
    let text = |kernel: &str| {
        let dispatch = format!("  dispatch:\n    CPU: {kernel}\n");
        format!("- func: kept(Tensor self) -> Tensor\n{dispatch}")
    };
    server.project("p").await;
    for round in 0..5 {
        server
            .ingest("p", "", &text(&format!("kernel_{round}_x")))
            .await;
        // Each is searched for as soon as it is there, and the earlier ones still are.
        for earlier in 0..=round {
            let expected = match (earlier, round) {
                (earlier, round) if earlier == round => usize::from(round > 0),
                (0, _) => 1,
                _ => 2,
            };
            let found = found(&format!("kernel_{earlier}_x")).await;
            assert_eq!(found, [("kept".to_owned(), expected)], "{earlier} {round}");
        }
    }
    // Another project of the same name, with as many changes.
    let gone = server.delete("/v1/projects/p").send().await;
    assert_eq!(gone.status, 204);
    server.project("p").await;
    for round in 0..5 {
        server
            .ingest("p", "", &text(&format!("other_{round}_x")))
            .await;
    }
    assert!(found("kernel_").await.is_empty());
    assert_eq!(found("other_3_x").await, [("kept".to_owned(), 2)]);
}

#[tokio::test]
async fn an_upgrade_is_told_to_a_vendor() {
    let server = two().await;
    let path = "/v1/projects/p/compare/2.8.0...2.9.0";
    let report = server
        .post(&format!("{path}?name=acme"))
        .yaml(ACME)
        .send()
        .await
        .ok();
    assert_eq!(
        (&report["key"], &report["listed"]),
        (&json!("PrivateUse1"), &json!(2))
    );
    assert_eq!(report["breaks"], true);
    let gone = &report["unknown"][0];
    assert_eq!(
        (&gone["operator"], &gone["vanished"]),
        (&json!("old_thing"), &json!(true))
    );
    assert_eq!(gone["suggestions"][0], "old_things");
    assert_eq!(texts(&report["changed"], "operator"), ["scale"]);
    assert_eq!(report["conclusion"], "fail");
    assert_eq!(texts(&report["kernels"], "operator"), ["scale"]);
    assert_ne!(report["kernels"][0]["old"], report["kernels"][0]["new"]);
    assert_eq!(
        texts(&report["lacking"], "operator"),
        ["old_things", "wide"]
    );
    let markdown = server
        .post(path)
        .yaml(ACME)
        .header("accept", "text/markdown")
        .send()
        .await;
    assert!(
        markdown
            .text()
            .contains("Listed operators that do not exist")
    );
    // A project of its own, with the file over a base.
    server.project("acme-npu").await;
    let files = json!({"files": {"native_functions.yaml": OLD, "backends/acme.yaml": ACME}});
    let stored = server
        .post("/v1/projects/acme-npu/revisions?label=2.8.0")
        .json(&files)
        .send()
        .await;
    assert_eq!(stored.status, StatusCode::CREATED, "{}", stored.text());
    let again = server
        .get(&format!("{path}/backends/acme-npu"))
        .send()
        .await
        .ok();
    assert_eq!(again["changed"], report["changed"]);
    let column = server
        .get("/v1/projects/acme-npu/revisions/latest/keys/PrivateUse1")
        .send()
        .await
        .ok();
    assert_eq!(column["counts"]["kernel"], 2);
    let odd = ACME.replace("PrivateUse1", "PrivatUse1");
    let problem = server.post(path).yaml(odd).send().await;
    let problem = problem.problem(422, "unknown-key");
    assert_eq!(problem["suggestions"][0], "PrivateUse1");
    server
        .post(path)
        .yaml("- nonsense\n")
        .send()
        .await
        .problem(422, "unreadable-bundle");
    let none = server.get(&format!("{path}/backends/p")).send().await;
    none.problem(422, "unreadable-bundle");
}

/// Every operator is held against each word, so there is an end to words.
#[tokio::test]
async fn words_that_are_searched_for_have_a_bound() {
    let server = Server::small().await;
    let words = |count: usize| "a+".repeat(count);
    for route in [
        "/v1/projects/p/search",
        "/v1/projects/p/revisions/2.9.0/operators",
    ] {
        let few = server.get(&format!("{route}?q={}", words(250)));
        assert_eq!(few.send().await.status, 200);
        let many = server.get(&format!("{route}?q={}x", words(251)));
        let problem = many.send().await.problem(400, "invalid-parameter");
        assert!(problem.to_string().contains("at most 500"), "{problem}");
    }
}

#[tokio::test]
async fn a_project_made_anew_has_no_history_of_the_former() {
    let server = Server::new().await;
    let text = |name: &str| format!("- func: {name}(Tensor self) -> Tensor\n");
    for names in [["one", "two"], ["three", "four"]] {
        server.project("p").await;
        for name in names {
            server.ingest("p", "", &text(name)).await;
        }
        for name in names {
            let path = format!("/v1/projects/p/operators/{name}/history?line=ingests");
            server.get(&path).send().await.ok();
        }
        let gone = server.delete("/v1/projects/p").send().await;
        assert_eq!(gone.status, 204);
    }
}
