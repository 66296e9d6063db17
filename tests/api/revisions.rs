//! Revisions: taken in each way, addressed each way, listed, deleted.

use opatlas::http::ApiConfig;
use opatlas_service::Limits;
use serde_json::{Value, json};

use crate::api::harness::{SMALL, Server};

const REVISIONS: &str = "/v1/projects/p/revisions";

fn multipart(files: &[(&str, &str)]) -> (String, String) {
    let mut body = String::new();
    for (name, text) in files {
        body += &format!("--cut\r\ncontent-disposition: form-data; {name}\r\n\r\n{text}\r\n");
    }
    (
        "multipart/form-data; boundary=cut".to_owned(),
        body + "--cut--\r\n",
    )
}

#[tokio::test]
async fn a_bundle_comes_in_three_ways_and_is_one_revision() {
    let server = Server::new().await;
    server.project("p").await;
    let first = server.post(REVISIONS).yaml(SMALL).send().await;
    assert_eq!(first.status, 201);
    let revision = first.value();
    assert_eq!(
        revision["summary"],
        json!({
            "operators": 8, "generated": 2, "errors": 0,
            "warnings": revision["summary"]["warnings"], "infos": revision["summary"]["infos"],
        })
    );
    assert_eq!(revision["release"], "2.15");
    assert_eq!(revision["notes"], json!([]));
    let address = revision["revision"].as_str().unwrap();
    assert_eq!(first.header("location"), format!("{REVISIONS}/{address}"));

    let bundle = json!({"files": {"native_functions.yaml": SMALL}});
    let second = server.post(REVISIONS).json(&bundle).send().await;
    assert_eq!(second.ok()["digest"], revision["digest"]);

    for part in [
        "name=\"native_functions.yaml\"",
        "name=\"file\"; filename=\"native_functions.yaml\"",
    ] {
        let (media, body) = multipart(&[(part, SMALL)]);
        let third = server.post(REVISIONS).body(&media, body).send().await;
        assert_eq!(third.ok()["digest"], revision["digest"]);
    }
    let listed = server.get(REVISIONS).send().await.ok();
    assert_eq!(listed["items"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn all_files_of_a_bundle_are_kept_byte_for_byte() {
    let server = Server::new().await;
    server.project("p").await;
    let files = json!({
        "native_functions.yaml": "- func: f(Tensor self) -> Tensor\r\n  tags: mine\n",
        "tags.yaml": "- tag: mine\n  desc: ours\n",
        "derivatives.yaml": "[]",
        "backends/acme.yaml": "backend: PrivateUse1\ncpp_namespace: acme\nsupported: []\n",
        "observed.json": "{\"registrations\": {\"Meta\": {\"x.cpp\": [\"aten::f\"]}}}",
    });
    let answer = server
        .post(REVISIONS)
        .json(&json!({"files": files}))
        .send()
        .await;
    let revision = answer.value();
    let address = revision["revision"].as_str().unwrap();
    let names: Vec<_> = revision["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["name"].clone())
        .collect();
    let mut expected: Vec<_> = files
        .as_object()
        .unwrap()
        .keys()
        .map(|k| json!(k))
        .collect();
    expected.sort_by_key(Value::to_string);
    assert_eq!(names, expected);
    for (name, text) in files.as_object().unwrap() {
        for name in [name.clone(), name.replace('/', "%2F")] {
            let file = server
                .get(&format!("{REVISIONS}/{address}/files/{name}"))
                .send()
                .await;
            assert_eq!(file.text(), text.as_str().unwrap());
            assert_eq!(
                file.header("cache-control"),
                "public, max-age=31536000, immutable"
            );
            assert_eq!(file.header("x-content-type-options"), "nosniff");
            let tag = file.header("etag");
            let path = format!("{REVISIONS}/{address}/files/{name}");
            let again = server.get(&path).header("if-none-match", tag).send().await;
            assert_eq!((again.status.as_u16(), again.body.len()), (304, 0));
        }
    }
    let latest = server
        .get(&format!("{REVISIONS}/latest/files/tags.yaml"))
        .send()
        .await;
    assert_eq!(latest.header("cache-control"), "no-cache");
    // Another digest may start with the same digits one day.
    let digits = &address[.."sha256:".len() + 12];
    let abbreviated = server
        .get(&format!("{REVISIONS}/{digits}/files/tags.yaml"))
        .send()
        .await;
    assert_eq!(abbreviated.status, 200);
    assert_eq!(abbreviated.header("cache-control"), "no-cache");
    for name in [
        "deprecated.yaml",
        "backends/other.yaml",
        "x",
        "..%2Fsecret",
        "backends/..%2Fx",
    ] {
        let answer = server
            .get(&format!("{REVISIONS}/latest/files/{name}"))
            .send()
            .await;
        answer.problem(404, "unknown-file");
    }
}

#[tokio::test]
async fn bytes_that_are_no_text_are_kept_too() {
    let server = Server::new().await;
    server.project("p").await;
    let mut bytes = SMALL.as_bytes().to_vec();
    bytes.extend(b"# \xFF\xFE\n");
    let revision = server
        .post(REVISIONS)
        .yaml(bytes.clone())
        .send()
        .await
        .value();
    assert!(revision["summary"]["errors"].as_u64().unwrap() > 0);
    let file = server.get(&format!("{REVISIONS}/latest/files/native_functions.yaml"));
    assert_eq!(file.send().await.body, bytes);
}

#[tokio::test]
async fn what_is_no_list_of_entries_is_refused_with_findings_and_leaves_no_trace() {
    let server = Server::new().await;
    server.project("p").await;
    for text in ["", "{a: b}", "hello", "\u{0}\u{1}", "{{{{"] {
        let answer = server
            .post(&format!("{REVISIONS}?label=x"))
            .yaml(text)
            .send()
            .await;
        let problem = answer.problem(422, "unreadable-bundle");
        assert!(
            !problem["findings"].as_array().unwrap().is_empty(),
            "{text:?}"
        );
    }
    assert_eq!(server.get(REVISIONS).send().await.ok()["items"], json!([]));
    let answer = server.get(&format!("{REVISIONS}/x")).send().await;
    answer.problem(404, "unknown-revision");
    let answer = server.get(&format!("{REVISIONS}/latest")).send().await;
    answer.problem(404, "unknown-revision");
}

#[tokio::test]
async fn what_has_findings_is_stored_with_them() {
    let server = Server::new().await;
    server.project("p").await;
    let text = "- func: f(Tensor self) -> Tensor\n- func: broken(\n- func: g(Banana x) -> Tensor\n";
    let revision = server.ingest("p", "label=main", text).await;
    assert_eq!(revision["summary"]["operators"], 1);
    assert_eq!(revision["summary"]["errors"], 2);
    let findings = server
        .get(&format!("{REVISIONS}/main/findings"))
        .send()
        .await
        .ok();
    assert_eq!(findings["items"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn bundles_that_are_none_are_refused() {
    let server = Server::new().await;
    server.project("p").await;
    let post = || server.post(REVISIONS);
    let bundle = |files: Value| json!({"files": files});
    post()
        .json(&bundle(json!({})))
        .send()
        .await
        .problem(400, "malformed-bundle");
    let answer = post()
        .json(&bundle(json!({"native_function.yaml": SMALL})))
        .send()
        .await;
    let problem = answer.problem(400, "malformed-bundle");
    assert_eq!(problem["suggestions"], json!(["native_functions.yaml"]));
    for name in [
        "../native_functions.yaml",
        "/etc/passwd",
        "backends/../x.yaml",
        "backends/.yaml",
        "",
    ] {
        let files = json!({"native_functions.yaml": SMALL, name: "x"});
        post()
            .json(&bundle(files))
            .send()
            .await
            .problem(400, "malformed-bundle");
    }
    let twice = r#"{"files": {"tags.yaml": "", "native_functions.yaml": "[]", "tags.yaml": "x"}}"#;
    post()
        .body("application/json", twice)
        .send()
        .await
        .problem(400, "malformed-bundle");
    for body in [
        "{}",
        "{\"files\": []}",
        "{\"files\": {\"native_functions.yaml\": 1}}",
        "{\"file\": {}}",
    ] {
        post()
            .body("application/json", body)
            .send()
            .await
            .problem(400, "malformed-body");
    }
    let (media, body) = multipart(&[("name=\"other\"; filename=\"x.yaml\"", "x")]);
    post()
        .body(&media, body)
        .send()
        .await
        .problem(400, "malformed-bundle");
    let twice = [
        ("name=\"native_functions.yaml\"", "[]"),
        ("name=\"native_functions.yaml\"", "[]"),
    ];
    let (media, body) = multipart(&twice);
    post()
        .body(&media, body)
        .send()
        .await
        .problem(400, "malformed-bundle");
    for (media, body) in [
        ("multipart/form-data", "x"),
        ("multipart/form-data; boundary=cut", "no parts here"),
        ("multipart/form-data; boundary=cut", "--cut\r\nbroken"),
    ] {
        post()
            .body(media, body)
            .send()
            .await
            .problem(400, "malformed-body");
    }
    post()
        .body("application/x-www-form-urlencoded", "a=b")
        .send()
        .await
        .problem(415, "unsupported-media-type");
    post().send().await.problem(415, "unsupported-media-type");
    let nowhere = server
        .post("/v1/projects/nowhere/revisions")
        .yaml(SMALL)
        .send()
        .await;
    nowhere.problem(404, "unknown-project");
    assert_eq!(server.get(REVISIONS).send().await.ok()["items"], json!([]));
}

#[tokio::test]
async fn limits_count_the_bytes_of_files() {
    let server = Server::new().await;
    server.project("p").await;
    let post = || server.post(REVISIONS);
    let fits = format!("[]\n#{}", "x".repeat((8 << 20) - 4));
    assert_eq!(fits.len(), 8 << 20);
    assert_eq!(post().yaml(fits.clone()).send().await.status, 201);
    let over = format!("{fits}y");
    post()
        .yaml(over.clone())
        .send()
        .await
        .problem(413, "too-large");
    let json = |files: Value| json!({"files": files});
    post()
        .json(&json(json!({"native_functions.yaml": over})))
        .send()
        .await
        .problem(413, "too-large");
    let (media, body) = multipart(&[("name=\"native_functions.yaml\"", &over)]);
    post()
        .body(&media, body)
        .send()
        .await
        .problem(413, "too-large");
    // Two bytes of JSON for one of the file.
    let lines = "\n".repeat(8 << 20);
    let files =
        json!({"native_functions.yaml": "[]", "tags.yaml": lines, "derivatives.yaml": lines});
    post()
        .json(&json(files))
        .send()
        .await
        .problem(413, "too-large");
    let files = json!({"native_functions.yaml": "[]", "tags.yaml": lines});
    assert_eq!(post().json(&json(files)).send().await.status, 201);
}

#[tokio::test]
async fn a_revision_has_three_kinds_of_address() {
    let server = Server::new().await;
    server.project("p").await;
    let old = server.ingest("p", "label=2.9.0", SMALL).await;
    let new = server
        .ingest("p", "label=v2.10.0", &format!("{SMALL}\n# new\n"))
        .await;
    let last = server
        .ingest("p", "label=main&release=2.8", &format!("{SMALL}\n# last\n"))
        .await;
    let get = async |address: &str| server.get(&format!("{REVISIONS}/{address}")).send().await;
    assert_eq!(get("2.9.0").await.ok()["digest"], old["digest"]);
    assert_eq!(get("2.9.0").await.ok()["release"], "2.9");
    assert_eq!(get("main").await.ok()["release"], "2.8");
    // The highest version is the latest, and not what came last.
    let latest = get("latest").await.ok();
    assert_eq!(
        (&latest["digest"], &latest["release"]),
        (&new["digest"], &json!("2.10"))
    );
    assert_eq!(latest["label"], "v2.10.0");
    assert_eq!(get("main").await.ok()["label"], "main");
    let digest = old["digest"].as_str().unwrap();
    for prefix in [digest, &digest[..8], &digest[..8].to_uppercase()] {
        let found = get(&format!("sha256:{prefix}")).await.ok();
        assert_eq!(
            (&found["digest"], &found["release"]),
            (&old["digest"], &json!("2.15"))
        );
        assert_eq!(found["label"], json!(null));
        let found = get(&format!("sha256:{prefix}?release=v2.3.1")).await.ok();
        assert_eq!(found["release"], "2.3");
    }
    assert_eq!(get("2.9.0?release=2.9.1").await.status, 200);
    get("2.9.0?release=2.8")
        .await
        .problem(409, "release-conflict");
    get("2.9.0?release=banana")
        .await
        .problem(422, "unknown-release");
    let problem = get("sha256:00000000")
        .await
        .problem(404, "unknown-revision");
    assert!(
        problem["detail"]
            .as_str()
            .unwrap()
            .contains("sha256:00000000")
    );
    get("nowhere").await.problem(404, "unknown-revision");
    for bad in ["sha256:123", "sha256:zzzzzzzz", "a..b", ".x", "x%2Fy"] {
        get(bad).await.problem(400, "invalid-name");
    }
    // Another project's revision is none of this one.
    server.project("q").await;
    let other = server
        .get(&format!("/v1/projects/q/revisions/sha256:{digest}"))
        .send()
        .await;
    other.problem(404, "unknown-revision");
    drop(last);
}

#[tokio::test]
async fn without_versions_the_last_ingested_is_the_latest() {
    let server = Server::new().await;
    server.project("p").await;
    server.ingest("p", "label=main&release=2.7", SMALL).await;
    let last = server.ingest("p", "", &format!("{SMALL}\n# last\n")).await;
    let latest = server.get(&format!("{REVISIONS}/latest")).send().await.ok();
    assert_eq!(
        (&latest["digest"], &latest["release"]),
        (&last["digest"], &json!("2.15"))
    );
}

#[tokio::test]
async fn a_newer_release_is_judged_as_the_newest_with_a_note() {
    let server = Server::new().await;
    server.project("p").await;
    let revision = server.ingest("p", "label=2.99.1", SMALL).await;
    assert_eq!(revision["release"], "2.15");
    assert_eq!(
        revision["notes"],
        json!(["release 2.99 is newer than all known releases; its revision is judged as 2.15"])
    );
    let label = server.get("/v1/projects/p/labels/2.99.1").send().await.ok();
    assert_eq!(label["release"], "2.99");
}

#[tokio::test]
async fn revisions_come_in_pages_each_once() {
    let server = Server::new().await;
    server.project("p").await;
    let mut digests = Vec::new();
    for i in 0..7 {
        let revision = server.ingest("p", "", &format!("{SMALL}\n# {i}\n")).await;
        digests.insert(0, revision["digest"].clone());
    }
    let mut seen = Vec::new();
    let mut path = format!("{REVISIONS}?limit=3");
    loop {
        let page = server.get(&path).send().await.ok();
        seen.extend(
            page["items"]
                .as_array()
                .unwrap()
                .iter()
                .map(|r| r["digest"].clone()),
        );
        match page["next_cursor"].as_str() {
            Some(cursor) => path = format!("{REVISIONS}?limit=3&cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!(seen, digests);
    let lines = server
        .get(REVISIONS)
        .header("accept", "application/x-ndjson")
        .send()
        .await
        .lines();
    assert_eq!(
        lines
            .iter()
            .map(|r| r["digest"].clone())
            .collect::<Vec<_>>(),
        digests
    );
}

#[tokio::test]
async fn only_what_no_label_names_is_deleted() {
    let server = Server::small().await;
    let path = format!("{REVISIONS}/2.9.0");
    let problem = server
        .delete(&path)
        .send()
        .await
        .problem(409, "revision-labelled");
    assert!(problem["detail"].as_str().unwrap().contains("`2.9.0`"));
    let digest = server.get(&path).send().await.ok()["digest"]
        .as_str()
        .unwrap()
        .to_owned();
    let label = server
        .delete("/v1/projects/p/labels/2.9.0?force=true")
        .send()
        .await;
    assert_eq!(label.status, 204);
    let path = format!("{REVISIONS}/sha256:{digest}");
    assert_eq!(server.delete(&path).send().await.status, 204);
    server
        .get(&path)
        .send()
        .await
        .problem(404, "unknown-revision");
    server
        .delete(&path)
        .send()
        .await
        .problem(404, "unknown-revision");
    // What was in memory is not served either.
    let operator = format!("{path}/operators/add.Tensor");
    server
        .get(&operator)
        .send()
        .await
        .problem(404, "unknown-revision");
}

/// What is computed over several revisions takes as long as they are, so there is an end to that.
#[tokio::test]
async fn a_stored_revision_has_a_bounded_number_of_operators() {
    let limits = Limits {
        operators: 10,
        ..Limits::default()
    };
    let server = Server::with(limits, ApiConfig::default()).await;
    server.project("p").await;
    let many = |count: usize| -> String {
        let entries = (0..count).map(|at| format!("- func: f{at}(Tensor self) -> Tensor\n"));
        entries.collect()
    };
    let refused = server.post(REVISIONS).yaml(many(11)).send().await;
    let problem = refused.problem(422, "unreadable-bundle");
    assert!(problem.to_string().contains("11 operators"), "{problem}");
    let kept = server.post(REVISIONS).yaml(many(10)).send().await;
    assert_eq!(kept.status, 201);
    // Without being stored it is judged all the same.
    let judged = server.post("/v1/validate").yaml(many(11)).send().await.ok();
    assert_eq!(judged["summary"]["operators"], 11);
}
