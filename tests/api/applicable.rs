//! Operators that belong to other backends: every answer counts them apart.

use serde_json::{Value, json};

use crate::api::harness::Server;

/// On CPU one operator works, one fails, and two belong to cuDNN.
const OPERATORS: &str = "\
- func: scale(Tensor self, int n) -> Tensor
  dispatch:
    CPU: scale_cpu

- func: wide(Tensor self, Tensor other) -> Tensor
  dispatch:
    CUDA: wide_cuda

- func: cudnn_first(Tensor self) -> Tensor
  dispatch:
    CUDA: first_cuda

- func: cudnn_second(Tensor self) -> Tensor
  dispatch:
    CUDA: second_cuda
";
const REVISION: &str = "/v1/projects/p/revisions/2.9.0";

async fn asked() -> Server {
    let server = Server::new().await;
    server.project("p").await;
    server.ingest("p", "label=2.9.0", OPERATORS).await;
    server
}

fn of_cpu(list: &Value) -> &Value {
    let mut items = list.as_array().unwrap().iter();
    items.find(|item| item["key"] == "CPU").unwrap()
}

#[tokio::test]
async fn coverage_keys_and_trends_count_them_apart() {
    let server = asked().await;
    let coverage = server
        .get(&format!("{REVISION}/coverage"))
        .send()
        .await
        .ok();
    let coverage = of_cpu(&coverage["backends"]);
    let counts = [
        "operators",
        "applicable",
        "other_backends",
        "working",
        "covered",
    ];
    assert_eq!(counts.map(|name| &coverage[name]), [4, 2, 2, 1, 50]);
    let keys = server
        .get(&format!("{REVISION}/keys?limit=1000"))
        .send()
        .await
        .ok();
    assert_eq!(&of_cpu(&keys["items"])["coverage"], coverage);
    let key = server
        .get(&format!("{REVISION}/keys/CPU"))
        .send()
        .await
        .ok();
    assert_eq!(
        (&key["operators"], &key["other_backends"]),
        (&json!(4), &json!(2))
    );
    let trends = server.get("/v1/projects/p/trends").send().await.ok();
    let point = of_cpu(&trends["points"][0]["coverage"]);
    let counts = ["served", "applicable", "other_backends", "percent"];
    assert_eq!(counts.map(|name| &point[name]), [1, 2, 2, 50]);
    let badge = server
        .get("/v1/projects/p/badges/CPU.json")
        .send()
        .await
        .ok();
    assert_eq!(badge["message"], "50 %");
}

#[tokio::test]
async fn they_are_not_gaps() {
    let server = asked().await;
    let gaps = server
        .get(&format!("{REVISION}/gaps/CPU"))
        .send()
        .await
        .ok();
    let counts = ["operators", "applicable", "other_backends", "lacking"];
    assert_eq!(counts.map(|name| &gaps["counts"][name]), [4, 2, 2, 1]);
    let names = |list: &Value| -> Vec<String> {
        let items = list.as_array().unwrap().iter();
        items.map(|item| item["operator"].to_string()).collect()
    };
    assert_eq!(names(&gaps["items"]), ["\"wide\""]);
    assert_eq!(names(&gaps["leverage"]), ["\"wide\""]);
}

#[tokio::test]
async fn an_entry_says_what_it_belongs_to() {
    let server = asked().await;
    let support = async |operator: &str| {
        let path = format!("{REVISION}/operators/{operator}/dispatch?key=CPU");
        let answer = server.get(&path).send().await.ok();
        answer["table"][0]["support"].clone()
    };
    let cudnn = support("cudnn_first").await;
    assert_eq!(
        (&cudnn["verdict"], &cudnn["belongs_to"]["name"]),
        (&json!("fails"), &json!("cuDNN"))
    );
    assert_eq!(support("wide").await["belongs_to"], Value::Null);
    let matrix = server.get(&format!("{REVISION}/matrix")).send().await.ok();
    let verdicts = &matrix["verdicts"];
    let column = verdicts["keys"]
        .as_array()
        .unwrap()
        .iter()
        .position(|key| key == "CPU");
    let applies = matrix["operators"]
        .as_array()
        .unwrap()
        .iter()
        .map(|operator| {
            let row = usize::try_from(operator["verdicts"].as_u64().unwrap()).unwrap();
            let row = verdicts["applicable"][row].as_str().unwrap();
            row.chars().nth(column.unwrap()).unwrap()
        });
    assert_eq!(applies.collect::<String>(), "1100");
}
