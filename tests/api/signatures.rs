//! The declarations of operators over HTTP.

use serde_json::{Value, json};

use crate::api::harness::{SMALL, Server};

const REVISION: &str = "/v1/projects/p/revisions/2.9.0";

async fn of(server: &Server, operator: &str) -> Value {
    let path = format!("{REVISION}/operators/{operator}/signatures");
    server.get(&path).send().await.ok()
}

#[tokio::test]
async fn an_operators_declarations() {
    let server = Server::small().await;
    let add = of(&server, "add.Tensor").await;
    let keys: Vec<&String> = add.as_object().unwrap().keys().collect();
    let wanted = [
        "name",
        "dispatcher",
        "functions",
        "methods",
        "direct_functions",
        "kernels",
        "python_function",
        "python_method",
        "pyi_function",
        "pyi_method",
        "bound",
        "bindings",
    ];
    assert_eq!(keys, wanted);
    assert_eq!(
        add["methods"],
        json!(["at::Tensor add(const at::Tensor & other, const at::Scalar & alpha=1)"])
    );
    // On keys of the structured out variant it shows that one's class.
    let class = add["kernels"]["CPU"][0].as_str().unwrap();
    assert!(
        class.contains("public at::meta::structured_add_Tensor {"),
        "{class}"
    );
    let sparse = add["kernels"]["SparseCPU"][0].as_str().unwrap();
    assert!(
        sparse.starts_with("TORCH_API at::Tensor add_sparse("),
        "{sparse}"
    );
    let bound = json!({"torch": true, "Tensor": true, "module": null, "overload": true});
    assert_eq!(add["bound"], bound);

    let slice = of(&server, "slice_of").await;
    assert_ne!(slice["dispatcher"], slice["dispatcher_int"]);
    assert_eq!(slice["methods"].as_array().unwrap().len(), 2);
    assert!(slice.get("functions").is_none(), "{slice}");

    let blend = of(&server, "blend").await;
    assert_eq!(blend["bound"]["module"], "_nn");
    let generated = of(&server, "blend.out").await;
    assert_eq!(generated["bound"]["overload"], false);
}

#[tokio::test]
async fn a_posted_operator_has_the_declarations_of_a_stored_one() {
    let server = Server::small().await;
    for name in ["add.Tensor", "slice_of", "blend", "blend.out"] {
        for key in ["", "&key=PrivateUse1"] {
            let path = format!("/v1/signatures?release=2.9&operator={name}{key}");
            let posted = server.post(&path).yaml(SMALL).send().await.ok();
            let query = key.replace('&', "?");
            let path = format!("{REVISION}/operators/{name}/signatures{query}");
            assert_eq!(posted, server.get(&path).send().await.ok(), "{name}{key}");
        }
    }
}

#[tokio::test]
async fn what_is_refused_of_a_posted_operator() {
    let server = Server::small().await;
    let ask = async |query: &str, text: &str| {
        let path = format!("/v1/signatures{query}");
        server.post(&path).yaml(text).send().await
    };
    let entry = "- func: blend(Tensor self) -> Tensor\n";
    ask("", entry).await.problem(400, "invalid-parameter");
    let unknown = ask("?operator=blen", entry).await;
    let unknown = unknown.problem(404, "unknown-operator");
    assert_eq!(unknown["suggestions"], json!(["blend"]));
    for text in ["", "{", "- func: blend(\n"] {
        let answer = ask("?operator=blend", text).await;
        answer.problem(404, "unknown-operator");
    }
    let key = ask("?operator=blend&key=CPUU", entry).await;
    key.problem(422, "unknown-key");
    let release = ask("?operator=blend&release=1.2", entry).await;
    release.problem(422, "unknown-release");
    let path = "/v1/signatures?operator=blend";
    let image = server.post(path).body("image/png", "x").send().await;
    image.problem(415, "unsupported-media-type");
}

#[tokio::test]
async fn how_an_operator_is_implemented_for_a_key() {
    let server = Server::small().await;
    let add = of(&server, "add.Tensor").await;
    let path = format!("{REVISION}/operators/add.Tensor/signatures");
    let asked = server.get(&format!("{path}?key=MPS")).send().await.ok();
    let made = &asked["implement"];
    assert_eq!(made["in_tree"]["entry"], "add.out");
    assert_eq!(made["in_tree"]["declared"], true);
    assert_eq!(made["in_tree"]["yaml"], "MPS: add_out_mps");
    assert_eq!(made["in_tree"]["declaration"], add["kernels"]["MPS"][0]);
    let meta = made["in_tree"]["meta_definition"].as_str().unwrap();
    assert!(meta.starts_with("TORCH_META_FUNC2(add, Tensor)"), "{meta}");
    let registration = made["registration"].as_str().unwrap();
    assert!(
        registration.starts_with("TORCH_LIBRARY_IMPL(aten, MPS, m) {"),
        "{registration}"
    );
    assert_eq!(made["backend_symint"], Value::Null);

    let path = format!("{REVISION}/operators/slice_of/signatures?key=PrivateUse1");
    let made = &server.get(&path).send().await.ok()["implement"];
    assert_eq!(made["in_tree"], Value::Null);
    let stub = made["backend"]["declaration"].as_str().unwrap();
    assert_eq!(
        stub,
        "static at::Tensor slice_of(const at::Tensor & self, int64_t start);"
    );
    let symbolic = made["backend_symint"]["declaration"].as_str().unwrap();
    assert!(symbolic.contains("slice_of_symint(") && symbolic.contains("c10::SymInt start"));
    assert_eq!(
        made["backend_symint"]["yaml"],
        "backend: PrivateUse1\ncpp_namespace: acme\nsupported:\n- slice_of\nsymint:\n- slice_of\n"
    );

    let path = format!("{REVISION}/operators/slice_of/signatures?key=XPU");
    let made = &server.get(&path).send().await.ok()["implement"];
    assert_eq!(made["in_tree"]["declared"], false);
}

#[tokio::test]
async fn all_declarations_one_operator_a_line() {
    let server = Server::small().await;
    let path = format!("{REVISION}/signatures");
    let lines = async |path: &str| {
        let question = server.get(path).header("accept", "application/x-ndjson");
        question.send().await.lines()
    };
    let all = lines(&path).await;
    assert_eq!(all.len(), 10);
    for line in &all {
        let name = line["name"].as_str().unwrap();
        assert_eq!(*line, of(&server, name).await, "{name}");
    }
    for (generated, count) in [("exclude", 8), ("only", 2), ("true", 10), ("false", 8)] {
        let some = lines(&format!("{path}?generated={generated}")).await;
        assert_eq!(some.len(), count, "{generated}");
    }
}

#[tokio::test]
async fn unknown_operators_and_keys_are_refused_with_near_names() {
    let server = Server::small().await;
    let path = format!("{REVISION}/operators/add.Tensr/signatures");
    let problem = server
        .get(&path)
        .send()
        .await
        .problem(404, "unknown-operator");
    assert_eq!(problem["suggestions"][0], "add.Tensor");
    let path = format!("{REVISION}/operators/add.Tensor/signatures?key=PrivatUse1");
    let problem = server.get(&path).send().await.problem(422, "unknown-key");
    assert_eq!(problem["suggestions"][0], "PrivateUse1");
}

#[tokio::test]
async fn the_call_that_arguments_take() {
    let server = Server::small().await;
    let of = async |function: &str, args: &str| {
        let path = format!("{REVISION}/calls/{function}?args={args}");
        server.get(&path).send().await
    };
    let call: Value = of("torch.add", "tensor,%201,%20out%3Dtensor").await.ok();
    assert_eq!(call["kind"], "function");
    assert_eq!(call["result"]["outcome"], "calls");
    assert_eq!(call["result"]["operator"], "add.out");
    let call: Value = of("Tensor.add", "tensor,%20None").await.ok();
    assert_eq!(call["result"]["error"], "TypeError");
    let message = "add(): argument 'other' (position 1) must be Tensor, not NoneType";
    assert_eq!(call["result"]["message"], message);
    let path = format!("{REVISION}/calls/Tensor.mT");
    let property: Value = server.get(&path).send().await.ok();
    assert_eq!(
        (&property["kind"], &property["reads"]),
        (&json!("property"), &json!("mT"))
    );
    assert_eq!(property["result"], Value::Null);
    let in_python: Value = of("torch.einsum", "'ij,jk',tensor,tensor").await.ok();
    assert_eq!(in_python["in_python"], true);
    assert_eq!(in_python["result"]["outcome"], "calls");
    assert_eq!(in_python["result"]["operator"], "einsum");
    assert_eq!(in_python["result"]["signature"], Value::Null);
    assert_eq!(of("torch.nothing", "1").await.status, 404);
    assert_eq!(of("torch.add", "tensr").await.status, 400);
}
