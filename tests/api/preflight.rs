//! Whether a model runs on backends, over HTTP.

use std::io::{Cursor, Write as _};

use serde_json::{Value, json};
use zip::write::SimpleFileOptions;

use crate::api::harness::Server;

const ENTRIES: &str = "\
- func: mix(Tensor self) -> Tensor
  dispatch:
    CPU: mix_cpu
    MPS: mix_mps
- func: mix.by(Tensor self, Tensor other) -> Tensor
  dispatch:
    CPU: mix_by_cpu
- func: spin(Tensor self) -> Tensor
  dispatch:
    CPU: spin_cpu
";

const BACKEND: &str = "backend: XLA\ncpp_namespace: acme\nsupported:\n- mix\n- mix.by\n";

const PATH: &str = "/v1/preflight?project=q&backend=";

async fn server() -> Server {
    let server = Server::new().await;
    for project in ["q", "acme"] {
        let made = server.post("/v1/projects").json(&json!({"name": project}));
        assert!(made.send().await.status.is_success());
    }
    server.ingest("q", "label=2.9.0&release=2.9", ENTRIES).await;
    server
}

/// An exported program that calls these operators.
fn program(targets: &[&str]) -> Vec<u8> {
    let trace = "File \"net.py\", line 3, in forward\n    return torch.spin(x)";
    let nodes: Vec<Value> = targets
        .iter()
        .map(|target| json!({"target": target, "inputs": [], "metadata": {"stack_trace": trace}}))
        .collect();
    let model = json!({"graph_module": {"graph": {"nodes": nodes}}});
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in [
        ("net/models/model.json", model.to_string().into_bytes()),
        ("net/data/weights/weight_0", vec![7; 1 << 16]),
        ("net/data/sample_inputs/model.pt", b"\x80\x02evil".to_vec()),
        ("net/archive_format", b"pt2".to_vec()),
    ] {
        archive
            .start_file(name, SimpleFileOptions::default())
            .unwrap();
        archive.write_all(&bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[tokio::test]
async fn an_exported_program_is_judged_on_each_backend() {
    let server = server().await;
    let model = program(&["torch.ops.aten.mix.default", "torch.ops.aten.spin.default"]);
    let answer = server.post(&format!("{PATH}MPS,CPU"));
    let answer = answer.body("application/octet-stream", model);
    let answer = answer.send().await.ok();
    assert_eq!(answer["kind"], "exported program");
    assert_eq!(answer["runs"], false);
    let (mps, cpu) = (&answer["backends"]["MPS"], &answer["backends"]["CPU"]);
    assert_eq!(
        (&mps["verdict"], &cpu["verdict"]),
        (&json!("fails"), &json!("runs"))
    );
    assert_eq!(mps["first"]["operator"], "spin");
    assert_eq!(mps["first"]["missing"], "spin");
    assert_eq!(
        mps["first"]["where"],
        "net.py:3 in forward: return torch.spin(x)"
    );
    assert_eq!(answer["operators"][1]["works"], "no");
    assert_eq!(answer["operators"][1]["on"]["CPU"]["works"], "yes");
    assert_eq!(answer["leverage"][0]["operator"], "spin");
}

#[tokio::test]
async fn overloads_are_apart_and_unknown_names_stay_unknown() {
    let server = server().await;
    let list = "aten.mix.default,3\ntorchvision::nms 2\naten::spun\n";
    let answer = server.post(&format!("{PATH}MPS")).body("text/plain", list);
    let answer = answer.send().await.ok();
    let works: Vec<_> = answer["operators"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            (
                it["operator"].clone(),
                it["count"].clone(),
                it["works"].clone(),
            )
        })
        .collect();
    let expected = [
        ("mix", 3, "yes"),
        ("torchvision::nms", 2, "unknown"),
        ("spun", 1, "unknown"),
    ];
    let expected = expected.map(|(name, count, works)| (json!(name), json!(count), json!(works)));
    assert_eq!(works, expected);
    assert_eq!(answer["backends"]["MPS"]["verdict"], "unknown");
    assert_eq!(answer["operators"][2]["suggestions"], json!(["spin"]));
    let because = answer["operators"][1]["because"].as_str().unwrap();
    assert_eq!(because, "not declared in q 2.9.0");
}

#[tokio::test]
async fn files_and_projects_are_backends() {
    let server = server().await;
    server.ingest("acme", "label=1&release=2.9", ENTRIES).await;
    let parts = format!(
        "--border\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nmix.by\r\n--border\r\n\
         Content-Disposition: form-data; name=\"file\"; filename=\"acme.yaml\"\r\n\r\n{BACKEND}\r\n--border--\r\n"
    );
    let media = "multipart/form-data; boundary=border";
    let answer = server.post(&format!("{PATH}MPS")).body(media, parts);
    let answer = answer.send().await.ok();
    assert_eq!(answer["backends"]["acme.yaml"]["verdict"], "runs");
    assert_eq!(answer["backends"]["acme.yaml"]["key"], "XLA");
    assert_eq!(answer["backends"]["MPS"]["verdict"], "fails");
    // This project has no file of a backend.
    let answer = server
        .post(&format!("{PATH}acme"))
        .body("text/plain", "mix");
    answer.send().await.problem(422, "unknown-key");
}

#[tokio::test]
async fn other_forms_have_the_answer_in_the_first_line() {
    let server = server().await;
    for (accept, first) in [
        (
            "text/plain",
            "MPS fails first at `spin`, which has no kernel.\n",
        ),
        (
            "text/markdown",
            "- MPS fails first at `spin`, which has no kernel.\n",
        ),
    ] {
        let answer = server.post(&format!("{PATH}MPS")).header("accept", accept);
        let answer = answer.body("text/csv", "spin,2\n").send().await;
        let text = String::from_utf8(answer.body).unwrap();
        assert!(text.starts_with(first), "{text}");
    }
}

#[tokio::test]
async fn what_is_not_a_model_is_refused() {
    let server = server().await;
    let bad: [(&[u8], &str); 6] = [
        (b"", "the model is empty"),
        (b"\x80\x02}q", "a pickle, which is never loaded"),
        (b"PK\x03\x04nonsense", "the archive cannot be read"),
        (b"x = y\n", "line 1 is not an operator"),
        (b"{\"a\": {}}", "not the JSON of an exported program"),
        (b"\xff\xfe\x00", "binary data"),
    ];
    for (body, why) in bad {
        let answer = server.post(&format!("{PATH}MPS"));
        let answer = answer.body("application/octet-stream", body).send().await;
        let problem = answer.problem(400, "malformed-body");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(why), "{detail}");
    }
    let answer = server.post(&format!("{PATH}MPS")).body("image/png", "x");
    answer.send().await.problem(415, "unsupported-media-type");
    let answer = server.post(&format!("{PATH}MPX")).body("text/plain", "mix");
    answer.send().await.problem(422, "unknown-key");
    let answer = server
        .post(&format!("{PATH}MPS,MPS"))
        .body("text/plain", "mix");
    answer.send().await.problem(400, "invalid-parameter");
}
