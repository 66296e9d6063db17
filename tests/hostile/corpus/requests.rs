//! What is no file: registrations, JSON and parts that are broken or too many, queries, names, cursors.

use serde_json::json;

use crate::shape::{Asked, Shape, Text, text};

/// JSON bodies, by route.
const JSON: &[(&str, &str, Text)] = &[
    (
        "registrations",
        "/v1/dispatch",
        text(r#"{"registrations": ["#, r#""CPU","#, r#""CPU"]}"#),
    ),
    (
        "registrations at unknown keys",
        "/v1/dispatch",
        text(r#"{"registrations": ["#, r#""K{x}","#, r#""CPU"]}"#),
    ),
    (
        "registrations nearly known",
        "/v1/dispatch",
        text(
            r#"{"registrations": ["#,
            r#""AutogradCP{i}","#,
            r#""CPU"]}"#,
        ),
    ),
    (
        "registrations of one long name",
        "/v1/dispatch",
        text(r#"{"registrations": [""#, "CPU", r#""]}"#),
    ),
    (
        "registrations with kernels",
        "/v1/dispatch",
        text(
            r#"{"registrations": ["#,
            r#"{"key": "CPU", "kernel": "k{i}"},"#,
            r#""CPU"]}"#,
        ),
    ),
    (
        "fallbacks",
        "/v1/dispatch",
        text(
            r#"{"registrations": [], "fallbacks": ["#,
            r#""CPU","#,
            r#""CPU"]}"#,
        ),
    ),
    (
        "fallbacks at unknown keys",
        "/v1/dispatch",
        text(
            r#"{"registrations": [], "fallbacks": ["#,
            r#""K{i}","#,
            r#""CPU"]}"#,
        ),
    ),
    (
        "registrations that are none",
        "/v1/dispatch",
        text(r#"{"registrations": ["#, "{},", "{}]}"),
    ),
    (
        "registrations as lists",
        "/v1/dispatch",
        text(r#"{"registrations": ["#, "[", ""),
    ),
    (
        "unknown members of a question",
        "/v1/dispatch",
        text("{", r#""k{i}": 1,"#, r#""registrations": []}"#),
    ),
    (
        "files without names",
        "/v1/validate",
        text(r#"{"files": {"#, r#""":"","#, r#""a": ""}}"#),
    ),
    (
        "files of unknown names",
        "/v1/validate",
        text(r#"{"files": {"#, r#""f{i}": "","#, r#""a": ""}}"#),
    ),
    (
        "one file again",
        "/v1/validate",
        text(r#"{"files": {"#, r#""tags.yaml": "","#, r#""a": ""}}"#),
    ),
    (
        "a file of a long name",
        "/v1/validate",
        text(r#"{"files": {""#, "a", r#"": ""}}"#),
    ),
    (
        "a bundle of escapes",
        "/v1/validate",
        text(
            r#"{"files": {"native_functions.yaml": ""#,
            r"\u0041",
            r#""}}"#,
        ),
    ),
    (
        "a bundle of pairs of surrogates",
        "/v1/validate",
        text(
            r#"{"files": {"native_functions.yaml": ""#,
            r"\ud83d\ude00",
            r#""}}"#,
        ),
    ),
    (
        "unknown members of a bundle",
        "/v1/validate",
        text(r#"{"files": {}, "more": ["#, "1,", "1]}"),
    ),
    ("a bundle of lists", "/v1/validate", text("", "[", "")),
    (
        "a bundle of objects",
        "/v1/validate",
        text("", r#"{"a":"#, ""),
    ),
    ("a bundle of blanks", "/v1/validate", text("", " ", "{}")),
    (
        "a number of digits",
        "/v1/validate",
        text(r#"{"files": "#, "9", "}"),
    ),
    (
        "files to parse",
        "/v1/parse",
        text(r#"{"files": {"#, r#""f{i}": "","#, r#""a": ""}}"#),
    ),
    (
        "files of a comparison",
        "/v1/compare",
        text(r#"{"base": {"files": {"#, r#""":"","#, r#""a": ""}}}"#),
    ),
    ("lists as a comparison", "/v1/compare", text("", "[", "")),
    (
        "a policy of lists",
        "/v1/compare",
        text(
            r#"{"base": {}, "head": {}, "policy": {"x": ["#,
            "[],",
            "[]]}}",
        ),
    ),
    (
        "a side of a long revision",
        "/v1/compare",
        text(
            r#"{"base": {"project": "p", "revision": ""#,
            "a",
            r#""}, "head": {"project": "p", "revision": "a"}}"#,
        ),
    ),
    (
        "a project of a long name",
        "/v1/projects",
        text(r#"{"name": ""#, "a", r#""}"#),
    ),
    (
        "a long description",
        "/v1/projects",
        text(r#"{"name": "described", "description": ""#, "a", r#""}"#),
    ),
    (
        "a project with a policy",
        "/v1/projects",
        text(
            r#"{"name": "policed", "policy": {"tags": {"#,
            r#""t{i}": "ignore","#,
            r#""a": "ignore"}}}"#,
        ),
    ),
    (
        "members of a project",
        "/v1/projects",
        text(r#"{"name": "m""#, r#","k{i}": 1"#, "}"),
    ),
    (
        "a schema of members",
        "/v1/schemas/parse",
        text(r#"{"schema": "f() -> ()""#, r#","k{i}": 1"#, "}"),
    ),
    (
        "a schema that is a list",
        "/v1/schemas/compare",
        text(r#"{"old": ["#, "1,", r#"1], "new": ""}"#),
    ),
];

/// Queries, whose size the head of a request bounds.
const QUERIES: &[(&str, &str, Text)] = &[
    ("a long release", "/v1/rules?release=", text("", "9", "")),
    (
        "a long list of kinds",
        "/v1/rules?kind=",
        text("", "validation,", "validation"),
    ),
    ("a long cursor", "/v1/rules?cursor=", text("", "0f", "")),
    (
        "a cursor of projects",
        "/v1/projects?cursor=",
        text("", "%00", ""),
    ),
    ("parameters", "/v1/rules?", text("", "k{i}=1&", "limit=1")),
    (
        "one parameter again",
        "/v1/rules?",
        text("", "limit=1&", "limit=1"),
    ),
    (
        "parameters without values",
        "/v1/rules?",
        text("", "limit=&", "limit=1"),
    ),
    ("a path", "/v1/", text("", "a/", "")),
    ("a path of dots", "/v1/", text("", "../", "")),
    (
        "a rule of a long name",
        "/v1/rules/",
        text("", "argument-", ""),
    ),
    (
        "a problem of a long name",
        "/problems/",
        text("", "busy-", ""),
    ),
    (
        "a release of a long name",
        "/v1/releases/",
        text("2.", "9", ""),
    ),
    ("a file of the pages", "/assets/", text("", "%2e%2e%2f", "")),
];

pub fn shapes() -> Vec<Shape> {
    let bodies = JSON.iter().map(|&(name, path, text)| {
        Shape::new(format!("{path}: {name}"), move |size| {
            Asked::json(path, text.of(size))
        })
    });
    let queries = QUERIES.iter().map(|&(name, path, text)| {
        Shape::new(format!("{path}: {name}"), move |size| {
            // More than this is refused before it is read.
            Asked::get(format!("{path}{}", text.of(size.min(30_000))))
        })
    });
    bodies
        .chain(queries)
        .chain(parts())
        .chain(headers())
        .collect()
}

/// Bodies in parts.
fn parts() -> Vec<Shape> {
    let multipart = |boundary: &str, body: String| {
        Asked::post(
            "/v1/validate",
            &format!("multipart/form-data; boundary={boundary}"),
            body,
        )
    };
    let part = "--b\r\nContent-Disposition: form-data; name=\"backends/b{i}.yaml\"\r\n\r\n\r\n";
    let repeated =
        move |name: &str, head: &'static str, piece: &'static str, tail: &'static str| {
            Shape::new(format!("parts: {name}"), move |size| {
                multipart("b", text(head, piece, tail).of(size))
            })
        };
    vec![
        repeated(
            "empty ones",
            "",
            "--b\r\nContent-Disposition: form-data; name=\"tags.yaml\"\r\n\r\n\r\n",
            "--b--\r\n",
        ),
        repeated("of backends", "", part, "--b--\r\n"),
        repeated("of no name", "", "--b\r\n\r\n\r\n", "--b--\r\n"),
        repeated(
            "of unknown names",
            "",
            "--b\r\nContent-Disposition: form-data; name=\"f{i}\"\r\n\r\n\r\n",
            "--b--\r\n",
        ),
        repeated("boundaries", "", "--b\r\n", ""),
        repeated(
            "boundaries that nearly fit",
            "--b\r\nContent-Disposition: form-data; name=\"native_functions.yaml\"\r\n\r\n",
            "\r\n--a",
            "\r\n--b--\r\n",
        ),
        repeated("heads", "--b\r\n", "X-{i}: y\r\n", "\r\n\r\n--b--\r\n"),
        repeated(
            "a long head",
            "--b\r\nContent-Disposition: form-data; name=\"",
            "a",
            "\"\r\n\r\n\r\n--b--\r\n",
        ),
        repeated(
            "never ended",
            "--b\r\nContent-Disposition: form-data; name=\"native_functions.yaml\"\r\n\r\n",
            "- func: f() -> ()\n",
            "",
        ),
        repeated("dashes", "", "-", ""),
    ]
}

/// Requests of odd heads.
fn headers() -> Vec<Shape> {
    vec![
        Shape::new("a media type of many parameters", |size| {
            let media = text("application/json", "; a{i}=b", "").of(size.min(30_000));
            Asked::post("/v1/validate", &media, json!({"files": {}}).to_string())
        }),
        Shape::new("a body of an unknown media type", |size| {
            Asked::post("/v1/validate", "application/x-none", vec![b'a'; size])
        }),
        Shape::new("a body where none is read", |size| {
            Asked::post("/v1/version", "application/json", vec![b'['; size])
        }),
        Shape::new("bytes that are no UTF-8", |size| {
            Asked::yaml("/v1/validate", vec![0xFF; size])
        }),
        Shape::new("bytes of UTF-16", |size| {
            let text = "- func: f() -> ()\n".repeat(size / 36);
            let bytes = [0xFEFF]
                .into_iter()
                .chain(text.encode_utf16())
                .flat_map(u16::to_le_bytes);
            Asked::yaml("/v1/validate", bytes.collect::<Vec<u8>>())
        }),
        Shape::new("bytes of half characters", |size| {
            Asked::yaml("/v1/validate", [0xE2, 0x28].repeat(size / 2))
        }),
    ]
}
