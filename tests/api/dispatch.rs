//! Dispatch tables over HTTP: the calculator, an operator's table, keys, coverage.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::api::harness::Server;

const REVISION: &str = "/v1/projects/p/revisions/2.9.0";

/// The entry of a key in a table.
fn at<'v>(table: &'v Value, key: &str) -> &'v Value {
    let mut entries = table.as_array().unwrap().iter();
    entries.find(|entry| entry["key"] == key).unwrap()
}

#[tokio::test]
async fn the_calculator_gives_the_recorded_tables() {
    let server = Server::new().await;
    let mut tables = 0;
    for row in opatlas_conformance::golden("dispatch_combos.jsonl.gz")
        .iter()
        .step_by(9)
    {
        let passes = row["fallthrough_registrations"].as_array();
        let items = row["registrations"].as_array().unwrap().iter();
        let items: Vec<Value> = items
            .map(|key| match passes.is_some_and(|keys| keys.contains(key)) {
                true => json!({"key": key, "fallthrough": true}),
                false => key.clone(),
            })
            .collect();
        let question = json!({"registrations": items});
        let asked = server.post("/v1/dispatch?release=2.9").json(&question);
        let answer = asked.send().await;
        if row["table"].is_null() && !row["register"].is_null() {
            let problem = answer.problem(422, "refused-registration");
            let about = problem["errors"][0]["parameter"].as_str().unwrap();
            assert!(about.starts_with("registrations["), "{about}");
            continue;
        }
        let answer = answer.ok();
        let Some(groups) = row["table"].as_array() else {
            continue;
        };
        assert_eq!(answer["table"].as_array().unwrap().len(), 138);
        for group in groups {
            let source = match group["source"].as_str() {
                Some("fallback" | "ambiguous_autogradother") => &Value::Null,
                _ => &group["source"],
            };
            for key in group["keys"].as_array().unwrap() {
                let entry = at(&answer["table"], key.as_str().unwrap());
                assert_eq!(entry["reason"], group["reason"], "{question} {key}");
                assert_eq!(entry["source_key"], *source, "{question} {key}");
                assert_eq!(entry["fallthrough"], group["fallthrough"]);
            }
        }
        tables += 1;
    }
    assert!(tables > 50);
}

#[tokio::test]
async fn refused_names_come_one_by_one_with_near_ones() {
    let server = Server::new().await;
    let question = json!({"registrations": ["CPU", "Undefined", {"key": "SparseCPUU"}, "Sparse"]});
    let answer = server.post("/v1/dispatch").json(&question).send().await;
    let problem = answer.problem(422, "refused-registration");
    let places = problem["errors"].as_array().unwrap().iter();
    let places: Vec<_> = places.map(|fault| &fault["parameter"]).collect();
    assert_eq!(
        places,
        ["registrations[1]", "registrations[2]", "registrations[3]"]
    );
    let near = problem["suggestions"].as_array().unwrap();
    assert!(near.contains(&json!("SparseCPU")), "{problem}");
    let answer = server.post("/v1/dispatch?release=1.2").json(&question);
    answer.send().await.problem(422, "unknown-release");
}

#[tokio::test]
async fn what_is_replaced_or_refused_elsewhere_is_noted() {
    let server = Server::new().await;
    let question = json!({
        "registrations": [{"key": "CPU", "kernel": "a"}, {"key": "CPU", "kernel": "b"}, "(catch-all)"],
        "fallbacks": ["PrivateUse1"],
    });
    let answer = server
        .post("/v1/dispatch")
        .json(&question)
        .send()
        .await
        .ok();
    assert_eq!(at(&answer["table"], "CPU")["kernel"], "b");
    assert_eq!(at(&answer["table"], "CUDA")["source_key"], "(catch-all)");
    assert_eq!(answer["registrations"][0]["overridden"], true);
    let notes = answer["notes"].as_array().unwrap().iter();
    let notes: Vec<_> = notes.map(|note| note.as_str().unwrap()).collect();
    for part in ["is replaced", "(catch-all)", "PythonDispatcher"] {
        assert!(notes.iter().any(|note| note.contains(part)), "{notes:?}");
    }
}

#[tokio::test]
async fn an_operators_table_says_what_and_why() {
    let server = Server::small().await;
    let path = format!("{REVISION}/operators/add.Tensor/dispatch");
    let answer = server.get(&path).send().await;
    assert!(answer.header("etag").len() > 30);
    let table = answer.ok();
    assert_eq!(table["table"].as_array().unwrap().len(), 138);
    assert_eq!(table["table"][0]["key"], "Undefined");
    insta::assert_json_snapshot!("entry", at(&table["table"], "SparseCPU"));
    insta::assert_json_snapshot!("training", at(&table["training"], "CPU"));
    let one = server.get(&format!("{path}?key=SparseXPU&explain=true"));
    let one = one.send().await.ok();
    insta::assert_json_snapshot!("explained", one["table"]);
    let again = server
        .get(&path)
        .header("if-none-match", answer.header("etag"));
    assert_eq!(again.send().await.status, 304);
}

#[tokio::test]
async fn what_cannot_be_asked_has_near_names() {
    let server = Server::small().await;
    let table = format!("{REVISION}/operators/add.Tensor/dispatch");
    for (path, status, slug, near) in [
        (format!("{table}?key=CPUU"), 422, "unknown-key", "CPU"),
        (
            format!("{table}?key=Sparse"),
            422,
            "unknown-key",
            "SparseCPU",
        ),
        (
            format!("{table}?key=Autograd"),
            422,
            "alias-key",
            "AutogradCPU",
        ),
        (
            format!("{table}?build=linux-cud"),
            422,
            "unknown-build",
            "linux-cuda",
        ),
        (
            format!("{table}?with=MSP:k"),
            422,
            "refused-registration",
            "MPS",
        ),
        (
            format!("{table}?wiht=MPS"),
            400,
            "invalid-parameter",
            "with",
        ),
        (
            format!("{REVISION}/operators/add.Tensr/dispatch"),
            404,
            "unknown-operator",
            "add.Tensor",
        ),
        (format!("{REVISION}/keys/MSP"), 404, "unknown-key", "MPS"),
        (
            format!("{REVISION}/keys/Autograd"),
            422,
            "alias-key",
            "AutogradCPU",
        ),
        (
            format!("{REVISION}/keys/CPU?reason=mising"),
            400,
            "invalid-parameter",
            "missing",
        ),
        (
            format!("{REVISION}/coverage?build=MSP"),
            422,
            "unknown-build",
            "MPS",
        ),
        (
            format!("{REVISION}/operators?key=Autograd&reason=missing"),
            422,
            "alias-key",
            "AutogradCPU",
        ),
    ] {
        let problem = server.get(&path).send().await.problem(status, slug);
        let suggestions = problem["suggestions"].as_array();
        let found = suggestions.is_some_and(|names| names.contains(&json!(near)));
        assert!(found, "{path}: {problem}");
    }
}

#[tokio::test]
async fn other_registrations_show_before_and_after() {
    let server = Server::small().await;
    let path = format!(
        "{REVISION}/operators/half_of/dispatch?with=MPS:mine,XPU&without=CompositeImplicitAutograd"
    );
    let table = server.get(&path).send().await.ok();
    assert_eq!(at(&table["before"], "MPS")["reason"], "math kernel");
    assert_eq!(at(&table["after"], "MPS")["kernel"], "mine");
    assert_eq!(at(&table["after"], "CPU")["reason"], "missing");
    assert_eq!(table["without"], json!(["CompositeImplicitAutograd"]));
    assert_eq!(table["with"][1]["kernel"], "fn_XPU");
    let changed = table["changed"].as_array().unwrap();
    assert!(changed.contains(&json!("CPU")) && !changed.contains(&json!("Tracer")));
}

#[tokio::test]
async fn builds_and_sources_change_tables() {
    let server = Server::small().await;
    let path = format!("{REVISION}/operators/blend/dispatch");
    let reason = async |query: &str| {
        let table = server.get(&format!("{path}?key=MPS&{query}"));
        table.send().await.ok()["table"][0]["reason"].clone()
    };
    assert_eq!(reason("build=all").await, "kernel");
    assert_eq!(reason("build=linux-cuda").await, "missing");
    assert_eq!(reason("build=MPS&source=files").await, "missing");
    let files = server
        .get(&format!("{path}?source=files"))
        .send()
        .await
        .ok();
    assert_eq!(files["notes"], json!([]));
    let all = server.get(&path).send().await.ok();
    assert!(all["notes"][0].as_str().unwrap().contains("assumes"));
}

#[tokio::test]
async fn a_key_across_all_operators() {
    let server = Server::small().await;
    let path = format!("{REVISION}/keys/MPS");
    let page = server.get(&format!("{path}?limit=3")).send().await.ok();
    let total: u64 = page["counts"]
        .as_object()
        .unwrap()
        .values()
        .filter_map(Value::as_u64)
        .sum();
    assert_eq!(page["operators"], total);
    assert_eq!(page["items"].as_array().unwrap().len(), 3);
    let next = page["next_cursor"].as_str().unwrap();
    let rest = server
        .get(&format!("{path}?cursor={next}"))
        .send()
        .await
        .ok();
    assert_eq!(rest["items"].as_array().unwrap().len() as u64, total - 3);
    assert_eq!(rest["next_cursor"], Value::Null);

    let lines = server.get(&path).header("accept", "application/x-ndjson");
    let lines = lines.send().await.lines();
    assert_eq!(lines.len() as u64, total);
    assert_eq!(lines[0], page["items"][0]);
    let sheet = server.get(&format!("{path}?reason=missing&generated=exclude"));
    let sheet = sheet.header("accept", "text/csv").send().await;
    assert_eq!(sheet.header("content-type"), "text/csv; charset=utf-8");
    insta::assert_snapshot!("sheet", sheet.text().replace("\r\n", "\n"));

    let names = |list: &Value, name: &str| -> Vec<String> {
        let items = list["items"].as_array().unwrap().iter();
        items
            .map(|item| item[name].as_str().unwrap().to_owned())
            .collect()
    };
    let missing = server
        .get(&format!("{path}?reason=missing"))
        .send()
        .await
        .ok();
    let operators = server.get(&format!("{REVISION}/operators?key=MPS&reason=missing"));
    let operators = operators.send().await.ok();
    let mut qualified: Vec<String> = names(&operators, "name");
    qualified
        .iter_mut()
        .filter(|name| *name == "fuse")
        .for_each(|name| *name = "acme::fuse".into());
    assert_eq!(qualified, names(&missing, "operator"));
}

#[tokio::test]
async fn keys_and_coverage_count_the_same() {
    let server = Server::small().await;
    let keys = server
        .get(&format!("{REVISION}/keys?limit=1000"))
        .send()
        .await
        .ok();
    let coverage = server
        .get(&format!("{REVISION}/coverage"))
        .send()
        .await
        .ok();
    let items = keys["items"].as_array().unwrap();
    assert_eq!(items.len(), 138);
    for item in items {
        let counted = &coverage["overall"]["by_key"][item["key"].as_str().unwrap()];
        let mut counts: BTreeMap<_, _> = item["counts"].as_object().unwrap().iter().collect();
        counts.retain(|_, count| **count != json!(0));
        let counted: BTreeMap<_, _> = counted.as_object().unwrap().iter().collect();
        assert_eq!(counts, counted);
    }
    assert_eq!(coverage["by_namespace"]["acme"]["operators"], 1);
    assert_eq!(coverage["by_tag"]["pointwise"]["operators"], 3);
    assert_eq!(
        coverage["by_python_module"]["nn"]["by_key"]["CPU"]["kernel"],
        1
    );
    let sparse = &coverage["overall"]["by_functionality"]["Sparse"];
    assert!(sparse["missing"].as_u64().unwrap() > 16, "{sparse}");
}

#[tokio::test]
async fn observed_registrations_count_and_unreadable_ones_are_refused() {
    let server = Server::new().await;
    server.project("p").await;
    let bundle = |observed: &str| {
        json!({"files": {
            "native_functions.yaml": "- func: f(Tensor self) -> Tensor\n  dispatch:\n    CPU: f\n",
            "observed.json": observed,
        }})
    };
    let path = "/v1/projects/p/revisions?label=2.9.0";
    let answer = server.post(path).json(&bundle("[]")).send().await;
    answer.problem(400, "malformed-bundle");
    let observed = r#"{"registrations": {"XPU": {"mine.cpp": ["f"]}}}"#;
    assert_eq!(
        server
            .post(path)
            .json(&bundle(observed))
            .send()
            .await
            .status,
        201
    );
    let path = format!("{REVISION}/operators/f/dispatch?key=XPU");
    let entry = server.get(&path).send().await.ok()["table"][0].clone();
    assert_eq!(entry["origin"], "observed");
    assert_eq!(entry["file"], "mine.cpp");
    assert_eq!(entry["derivable"], false);
}

/// One cell of a real release, and every operator once in the view of a key.
#[tokio::test]
async fn a_real_release() {
    let Some(bundle) = opatlas_conformance::release("2.9.0") else {
        return;
    };
    let server = Server::new().await;
    server.project("p").await;
    let files = bundle.files().map(|(name, bytes)| {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        (name.to_owned(), Value::from(text))
    });
    let files: serde_json::Map<_, _> = files.collect();
    let taken = server.post("/v1/projects/p/revisions?label=2.9.0");
    let taken = taken.json(&json!({"files": files})).send().await;
    assert_eq!(taken.status, 201, "{}", taken.text());
    let path = format!("{REVISION}/operators/add.Tensor/dispatch?build=linux-cuda");
    let table = server.get(&path).send().await.ok();
    assert_eq!(table["notes"], json!([]));
    assert_eq!(at(&table["table"], "Meta")["origin"], "hand-written");
    assert_eq!(
        at(&table["table"], "AutogradCPU")["kernel"],
        "VariableType::add_Tensor"
    );
    let lines = server.get(&format!("{REVISION}/keys/MPS"));
    let lines = lines.header("accept", "application/x-ndjson").send().await;
    assert_eq!(lines.lines().len(), 2658 + 513);
}
