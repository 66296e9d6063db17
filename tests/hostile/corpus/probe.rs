//! What workers of the probe send: runs, results and dumps, large or broken.

use crate::shape::{Asked, Attack, Shape, Text, text};

use super::stored::two;

const SMALL: &str = "- func: f(Tensor self) -> Tensor\n  dispatch: {CPU: f}\n";
const RUNS: &str = "/probe/runs";
const SHARD: &str = "/probe/runs/k/shards/0";
const TABLES: &str = "/probe/tables";

/// Bodies, by route below the project.
const BODIES: &[(&str, &str, Text)] = &[
    (
        "items",
        RUNS,
        text(
            r#"{"key": "k", "revision": "2.15.0", "torch": "2.15.0", "device": "cpu", "items": {"runs": ["#,
            r#""i{i}","#,
            r#""a"]}}"#,
        ),
    ),
    (
        "parts",
        RUNS,
        text(
            r#"{"key": "k", "revision": "2.15.0", "torch": "2.15.0", "device": "cpu", "items": {"#,
            r#""p{i}": [],"#,
            r#""runs": []}}"#,
        ),
    ),
    (
        "rows",
        SHARD,
        text(
            r#"{"lease": "0.1", "digest": "", "rows": ["#,
            r#"{"item": "i{i}", "outcome": "runs"},"#,
            "{}]}",
        ),
    ),
    (
        "rows within rows",
        SHARD,
        text(r#"{"lease": "0.1", "digest": "", "rows": "#, "[", ""),
    ),
    (
        "small objects",
        SHARD,
        text(
            r#"{"lease": "0.1", "digest": "", "rows": ["#,
            r#"{"":0},"#,
            "{}]}",
        ),
    ),
    (
        "small lists",
        SHARD,
        text(r#"{"lease": "0.1", "digest": "", "rows": ["#, "[],", "0]}"),
    ),
    (
        "numbers",
        SHARD,
        text(r#"{"lease": "0.1", "digest": "", "rows": ["#, "0,", "0]}"),
    ),
    (
        "one name again",
        SHARD,
        text("{", r#""lease": "0.1","#, r#""rows": []}"#),
    ),
    (
        "names that differ late",
        SHARD,
        text(
            "{",
            r#""a long name of which only the end differs {i}": 0,"#,
            r#""rows": []}"#,
        ),
    ),
    (
        "escapes",
        TABLES,
        text(r#"{"revision": ""#, r"\u0001", r#""}"#),
    ),
    (
        "operators",
        TABLES,
        text(
            r#"{"revision": "2.15.0", "torch": "2.15.0", "digest": "", "dump": {"torch": "2.15.0", "operators": {"#,
            r#""aten::o{i}": {"registrations": {"CPU": "x.cpp"}},"#,
            r#""aten::o": {}}}}"#,
        ),
    ),
];

pub fn shapes() -> Vec<Shape> {
    let bodies = BODIES.iter().map(|&(name, route, text)| {
        Shape::new(format!("probe: {name}"), move |size| {
            let project = "probed".to_owned();
            Attack {
                before: two(&project, SMALL, SMALL),
                asked: Asked::json(format!("/v1/projects/{project}{route}"), text.of(size)),
            }
        })
    });
    bodies.collect()
}
