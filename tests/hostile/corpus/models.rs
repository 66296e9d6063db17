//! Models: archives, JSON, graphs and lists.

use std::io::{Cursor, Write as _};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::shape::{Asked, Attack, Shape, Text, text};

const SMALL: &str = "- func: f(Tensor self) -> Tensor\n  dispatch: {CPU: f}\n";
const PATH: &str = "/v1/preflight?project=models&backend=CPU,CUDA";

/// The JSON of a program, alone and in an archive.
const PROGRAMS: &[(&str, Text)] = &[
    (
        "nodes",
        text(
            r#"{"graph_module":{"graph":{"nodes":[{"target":"torch.ops.aten.f.default"}"#,
            r#",{"target":"torch.ops.a.f{i}.default"}"#,
            "]}}}",
        ),
    ),
    (
        "equal nodes",
        text(
            r#"{"graph_module":{"graph":{"nodes":[{"target":"torch.ops.aten.f.default"}"#,
            r#",{"target":"torch.ops.aten.f.default"}"#,
            "]}}}",
        ),
    ),
    (
        "subgraphs",
        text(
            r#"{"graph_module":"#,
            r#"{"graph":{"nodes":[{"target":"torch.ops.higher_order.cond","inputs":[{"arg":{"as_graph":"#,
            "",
        ),
    ),
    ("nested lists", text(r#"{"graph_module":{"x":"#, "[", "")),
    (
        "an endless trace",
        text(
            r#"{"graph_module":{"graph":{"nodes":[{"target":"f","metadata":{"stack_trace":""#,
            r#"File \"a{i}.py\", line 1, in f\n"#,
            r#""}}]}}}"#,
        ),
    ),
    (
        "other members",
        text(
            r#"{"graph_module":{"graph":{"nodes":[]}}"#,
            r#","x{i}":[{}]"#,
            "}",
        ),
    ),
];

/// Texts.
const TEXTS: &[(&str, Text)] = &[
    ("a list", text("", "f\n", "f\n")),
    ("a list of unknown names", text("", "aten::{x}\n", "f\n")),
    ("a list of similar names", text("", "ff{i}\n", "f\n")),
    ("one long line", text("", "f", "")),
    ("a list in brackets", text("[", "'aten::f', ", "'f']")),
    ("commas", text("f,1\n", ",", "\n")),
    (
        "a graph of TorchScript",
        text("", "%{i} : Tensor = aten::f(%{p})\n", ""),
    ),
    (
        "values of a graph",
        text(
            "graph(%x : ",
            "%",
            " : Tensor):\n  %y : Tensor = aten::f(%x)\n",
        ),
    ),
    (
        "branches of a graph",
        text("", "%{i} : Tensor = prim::If(%x)\n block0():\n", ""),
    ),
    (
        "types of a graph",
        text("graph(%x : ", "(", "):\n  %y : Tensor = aten::f(%x)\n"),
    ),
    (
        "a graph of FX",
        text("", "call_function[target=torch.ops.aten.f.default](\n", ""),
    ),
    (
        "operators of one line",
        text("", "torch.ops.", "aten.f.default(x)\n"),
    ),
    (
        "calls of one line",
        text("", "torch.ops.aten.f.default(", ")\n"),
    ),
    (
        "subgraphs of a text",
        text(
            "c = torch.ops.higher_order.cond(x, g1)\n",
            "class g{i}(torch.nn.Module):\n c = torch.ops.higher_order.cond(x, g{n})\n",
            "",
        ),
    ),
    (
        "subgraphs of one line",
        text(
            "",
            "torch.ops.higher_order.cond(a, ",
            ")\nclass a(torch.nn.Module):\n",
        ),
    ),
];

fn shape(
    name: &str,
    media: &'static str,
    body: impl Fn(usize) -> Vec<u8> + Send + Sync + 'static,
) -> Shape {
    Shape::new(format!("model: {name}"), move |size| {
        let project = Asked::json("/v1/projects", r#"{"name":"models"}"#);
        let ingest = Asked::yaml("/v1/projects/models/revisions?label=2.15.0", SMALL);
        Attack {
            before: vec![project, ingest],
            asked: Asked::post(PATH, media, body(size)),
        }
    })
}

/// A zip archive with these entries.
fn archive(entries: impl IntoIterator<Item = (String, Vec<u8>)>) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, bytes) in entries {
        archive.start_file(name, options).unwrap();
        archive.write_all(&bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

pub fn shapes() -> Vec<Shape> {
    const ZIP: &str = "application/octet-stream";
    let programs = PROGRAMS.iter().flat_map(|&(name, text)| {
        let plain = shape(name, "application/json", move |size| {
            text.of(size).into_bytes()
        });
        let packed = shape(&format!("{name} in an archive"), ZIP, move |size| {
            archive([(
                "m/models/model.json".to_owned(),
                text.of(8 * size).into_bytes(),
            )])
        });
        [plain, packed]
    });
    let texts = TEXTS
        .iter()
        .map(|&(name, text)| shape(name, "text/plain", move |size| text.of(size).into_bytes()));
    let archives = [
        shape("a bomb", ZIP, |size| {
            archive([("m/models/model.json".to_owned(), vec![b' '; 32 * size])])
        }),
        shape("many entries", ZIP, |size| {
            archive((0..size / 120).map(|i| (format!("m/models/{i}.json"), Vec::new())))
        }),
        shape("code of TorchScript", ZIP, |size| {
            let line = text("", "    x = torch.f(torch.f(x, [1, 2]), y{i})\n", "");
            archive([(
                "m/code/__torch__.py".to_owned(),
                line.of(8 * size).into_bytes(),
            )])
        }),
        shape("calls in calls of TorchScript", ZIP, |size| {
            let line = text("", "torch.f(", "");
            archive([(
                "m/code/__torch__.py".to_owned(),
                line.of(8 * size).into_bytes(),
            )])
        }),
        shape("no archive", ZIP, |size| {
            let mut body = b"PK\x03\x04".to_vec();
            body.resize(size, b'P');
            body
        }),
    ];
    programs.chain(texts).chain(archives).collect()
}
