//! Texts that are not stored: validate, parse, one schema.

use serde_json::{Value, json};

use crate::api::harness::{SMALL, Server};

#[tokio::test]
async fn validation_says_whether_pytorch_takes_it() {
    let server = Server::new().await;
    let good = server.post("/v1/validate").yaml(SMALL).send().await.ok();
    assert_eq!(good["valid"], true, "{good}");
    assert_eq!(good["release"], "2.15");
    assert_eq!(good["summary"]["operators"], 8);
    assert_eq!(good["summary"]["generated"], 2);
    let bad = "- func: f.out(Tensor self, *, Tensor(a!) out) -> Tensor\n";
    let bad = server
        .post("/v1/validate?release=2.9")
        .yaml(bad)
        .send()
        .await
        .ok();
    assert_eq!(
        (&bad["valid"], &bad["release"]),
        (&json!(false), &json!("2.9"))
    );
    let bundle = json!({"files": {"native_functions.yaml": SMALL, "tags.yaml": "nonsense"}});
    let bad = server.post("/v1/validate").json(&bundle).send().await.ok();
    assert_eq!(bad["valid"], false);
    let newer = server
        .post("/v1/validate?release=3.1")
        .yaml(SMALL)
        .send()
        .await
        .ok();
    assert_eq!(newer["notes"].as_array().unwrap().len(), 1);
    let nothing = server.get("/v1/projects").send().await.ok();
    assert_eq!(nothing["items"], json!([]));
}

#[tokio::test]
async fn validation_is_200_for_whatever_can_be_read() {
    let server = Server::new().await;
    let brackets = "[".repeat(8 << 20);
    let bodies: [&[u8]; 9] = [
        b"",
        b"hello",
        b"{a: b}",
        b"\xFF\xFE\x00",
        b"\x00\x01\x02",
        b"- func: [",
        b"- - - - -",
        b"&a [*a, *a]",
        brackets.as_bytes(),
    ];
    for body in bodies {
        let answer = server.post("/v1/validate").yaml(body).send().await.ok();
        assert_eq!(answer["valid"], false);
        assert!(answer["summary"]["errors"].as_u64().unwrap() > 0);
    }
    let empty = server.post("/v1/validate").yaml("[]").send().await.ok();
    assert_eq!(empty["valid"], true);
    server
        .post("/v1/validate?release=x")
        .yaml("[]")
        .send()
        .await
        .problem(422, "unknown-release");
    server
        .post("/v1/validate?relaese=x")
        .yaml("[]")
        .send()
        .await
        .problem(400, "invalid-parameter");
    server
        .post("/v1/validate")
        .json(&json!({"files": {}}))
        .send()
        .await
        .problem(400, "malformed-bundle");
    server
        .post("/v1/validate")
        .body("image/png", "x")
        .send()
        .await
        .problem(415, "unsupported-media-type");
}

#[tokio::test]
async fn validation_comes_in_other_forms() {
    let server = Server::new().await;
    let bad = "- func: f.out(Tensor self, *, Tensor(a!) out) -> Tensor\n";
    let post = async |accept: &str| {
        server
            .post("/v1/validate")
            .yaml(bad)
            .header("accept", accept)
            .send()
            .await
    };
    assert_eq!(
        post("application/sarif+json").await.ok()["version"],
        "2.1.0"
    );
    assert!(
        post("text/plain")
            .await
            .text()
            .contains("error[out-return-matches]")
    );
    assert!(
        post("text/markdown")
            .await
            .text()
            .contains("`out-return-matches`")
    );
    post("application/x-ndjson")
        .await
        .problem(406, "not-acceptable");
}

#[tokio::test]
async fn parsing_gives_operators_as_stored_ones_are() {
    let server = Server::small().await;
    let parsed = server
        .post("/v1/parse?release=2.9")
        .yaml(SMALL)
        .send()
        .await
        .ok();
    let operators = parsed["operators"].as_array().unwrap();
    assert_eq!(operators.len(), 8);
    let list = "/v1/projects/p/revisions/2.9.0/operators";
    let stored = server
        .get(&format!("{list}?generated=false"))
        .send()
        .await
        .ok();
    assert_eq!(&parsed["operators"], &stored["items"]);
    for generated in ["include", "true"] {
        let path = format!("/v1/parse?generated={generated}");
        let parsed = server.post(&path).yaml(SMALL).send().await.ok();
        assert_eq!(parsed["operators"].as_array().unwrap().len(), 10);
    }
    let only = server
        .post("/v1/parse?generated=only")
        .yaml(SMALL)
        .send()
        .await
        .ok();
    assert!(
        only["operators"]
            .as_array()
            .unwrap()
            .iter()
            .all(|op| op["generated"] == true)
    );
    let broken = server
        .post("/v1/parse")
        .yaml("- func: f() -> ()\n- func: g(\n")
        .send()
        .await
        .ok();
    assert_eq!(broken["operators"].as_array().unwrap().len(), 1);
    assert!(!broken["findings"].as_array().unwrap().is_empty());
}

async fn schema(server: &Server, query: &str, text: &str) -> Value {
    let path = format!("/v1/schemas/parse{query}");
    server
        .post(&path)
        .json(&json!({"schema": text}))
        .send()
        .await
        .ok()
}

#[tokio::test]
async fn a_schema_is_taken_apart() {
    let server = Server::new().await;
    let text = "acme::mix_(Tensor(a!) self, Tensor(b -> *) x, *, int[2] n=[1,2]) -> Tensor(a!)";
    let read = schema(&server, "", text).await;
    insta::assert_json_snapshot!(read);
}

#[tokio::test]
async fn a_schema_that_is_none_has_findings_and_no_parts() {
    let server = Server::new().await;
    let read = schema(&server, "", "f(Tensor self) → Tensor").await;
    for part in [
        "schema",
        "namespace",
        "name",
        "base_name",
        "overload",
        "kind",
        "arguments",
        "returns",
        "alias_sets",
        "signature",
    ] {
        assert_eq!(read[part], Value::Null);
    }
    let finding = &read["findings"][0];
    assert_eq!(
        (&finding["severity"], &finding["file"]),
        (&json!("error"), &Value::Null)
    );
    // Columns count characters.
    let read = schema(&server, "", "é(Tensor! self) -> Tensor").await;
    assert_eq!(read["findings"][0]["span"]["column"], 3);
    assert_eq!(
        read["findings"][0]["rule"],
        "annotation-shorthand-tensor-bang"
    );
}

#[tokio::test]
async fn types_come_and_go_with_releases() {
    let server = Server::new().await;
    let text = "f(GraphModule g) -> Tensor";
    let new = schema(&server, "", text).await;
    let old = schema(&server, "?release=2.0", text).await;
    let refused = |read: &Value| read["findings"].as_array().unwrap().len();
    assert_ne!(refused(&new), refused(&old));
}

#[tokio::test]
async fn schemas_are_judged_as_torchgen_judges_them() {
    let server = Server::new().await;
    for row in opatlas_conformance::golden("schemas_fuzz.jsonl.gz") {
        let text = row["schema"].as_str().unwrap();
        let read = schema(&server, "?release=2.9", text).await;
        let errors = read["findings"].as_array().unwrap().iter();
        let refused = errors.filter(|f| f["severity"] == "error").count() > 0;
        assert_eq!(refused, row["schema_parse"] != "accept", "{text}: {read}");
        if !refused {
            assert_eq!(read["schema"], row["canonical"], "{text}");
            assert_eq!(read["kind"], row["kind"], "{text}");
            assert_eq!(read["signature"], row["signature"], "{text}");
        }
    }
}

#[tokio::test]
async fn schemas_of_libraries_are_read_as_torch_reads_them() {
    let server = Server::new().await;
    let (mut read, mut refused) = (0, 0);
    for row in opatlas_conformance::golden("library_schemas.jsonl.gz")
        .iter()
        .step_by(4)
    {
        let text = row["schema"].as_str().unwrap();
        // Recorded with `torch._C.parse_schema`, which accepts type variables in every release.
        let answer = schema(&server, "?dialect=library&release=2.3", text).await;
        assert_eq!(answer["schema"], row["canonical"], "{text}: {answer}");
        let findings = answer["findings"].as_array().unwrap();
        assert_eq!(findings.is_empty(), !row["canonical"].is_null(), "{text}");
        match findings.is_empty() {
            true => read += 1,
            false => refused += 1,
        }
    }
    assert!(read > 300 && refused > 100, "{read} {refused}");
}

#[tokio::test]
async fn a_schema_of_a_library_is_taken_apart() {
    let server = Server::new().await;
    let text = "acme::mix_.x(Tensor(a!) self,Tensor(b|c)[] y, *,\n int [2] n=1, int ? m = None) \
                ->(Tensor(a!), ...)";
    let read = schema(&server, "?dialect=library", text).await;
    insta::assert_json_snapshot!(read);
}

#[tokio::test]
async fn a_library_names_its_classes() {
    let server = Server::new().await;
    let text = "f(__torch__.torch.classes.acme.Cache cache) -> Tensor";
    let read = schema(&server, "?dialect=library", text).await;
    let finding = &read["findings"][0];
    assert_eq!(finding["rule"], "runtime-schema-type");
    assert_eq!(finding["span"]["column"], 27);
    let post = server
        .post("/v1/schemas/parse?dialect=library")
        .json(&json!({"schema": text, "classes": ["acme.Cache"]}));
    assert_eq!(post.send().await.ok()["schema"], text);
    let post = server.post("/v1/schemas/parse?dialect=latin");
    let answer = post.json(&json!({"schema": text})).send().await;
    answer.problem(400, "invalid-parameter");
}

#[tokio::test]
async fn hostile_schemas_are_answered() {
    let server = Server::new().await;
    for text in [
        String::new(),
        "(".repeat(100_000),
        format!("f(Tensor{} x) -> ()", "?".repeat(500_000)),
        format!("f(Tensor{} x) -> ()", "[]".repeat(200_000)),
        format!("f({}) -> ()", "Tensor x, ".repeat(50_000)),
        format!("f({}int x) -> ()", "int x, ".repeat(50_000)),
        "::".repeat(100_000),
        "\u{0}\u{1}\n\r".to_owned(),
        "f(Tensor(a|b|c|d -> e|f!) x) -> Tensor(z)".to_owned(),
    ] {
        schema(&server, "", &text).await;
        schema(&server, "?dialect=library", &text).await;
    }
    let post = |body: &str| {
        server
            .post("/v1/schemas/parse")
            .body("application/json", body)
    };
    for body in [
        "{}",
        "{\"schema\": null}",
        "{\"schema\": 1}",
        "[1]",
        "\"x\"",
        "{\"schema\":\"\\ud800\"}",
    ] {
        post(body).send().await.problem(400, "malformed-body");
    }
    let deep = "[".repeat(100_000);
    post(&deep).send().await.problem(400, "malformed-body");
}

#[tokio::test]
async fn findings_are_bounded_and_the_rest_is_counted() {
    let server = Server::new().await;
    let many = "-\n".repeat(3_000);
    let validate = |accept: &'static str| {
        let request = server.post("/v1/validate").yaml(many.as_str());
        request.header("accept", accept).send()
    };
    let answer = validate("application/json").await.ok();
    assert_eq!(answer["findings"].as_array().map(Vec::len), Some(1_000));
    assert_eq!(answer["valid"], false);
    assert_eq!(answer["summary"]["errors"], 3_000);
    let omitted = json!([{"rule": "yaml-entry-mapping", "severity": "error", "count": 2_000}]);
    assert_eq!(answer["omitted"], omitted);
    let parsed = server
        .post("/v1/parse")
        .yaml(many.as_str())
        .send()
        .await
        .ok();
    assert_eq!(parsed["omitted"], omitted);
    let sarif = validate("application/sarif+json").await.ok();
    let run = &sarif["runs"][0];
    assert_eq!(run["results"].as_array().map(Vec::len), Some(1_000));
    assert_eq!(run["properties"]["omitted"]["yaml-entry-mapping"], 2_000);
}
