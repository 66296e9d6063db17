//! The state of the server after any edits is that of the same text opened anew.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use opatlas_lsp::{Disk, Place, Server};
use proptest::prelude::*;
use serde_json::{Value, json};

const NATIVE: &str = "- func: add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
  structured_delegate: add.out
  variants: function, method
  tags: [core, pointwise]

- func: add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
  variants: method
  structured_delegate: add.out

- func: add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)
  structured: True
  structured_inherits: TensorIteratorBase
  dispatch:
    CPU, CUDA: add_out  # \u{1F468} é

- func: sum(Tensor self, int[1]? dim=[0, -1]) -> Tensor # opatlas: allow(autogen-missing) why
  autogen: sum.out
";
const DERIVATIVES: &str =
    "- name: add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
  self: grad
  other: grad * alpha
  result: auto_linear
";
const TAGS: &str = "- tag: core\n  desc: |\n    core\n- tag: pointwise\n  desc: pointwise\n";
const BACKEND: &str =
    "backend: XLA\ncpp_namespace: torch_xla\nsupported:\n- add.Tensor\n- sum\nautograd:\n- sum\n";

const FILES: [(&str, &str); 4] = [
    ("native_functions.yaml", NATIVE),
    ("derivatives.yaml", DERIVATIVES),
    ("tags.yaml", TAGS),
    ("backends/xla.yaml", BACKEND),
];

/// Files in memory.
#[derive(Default)]
struct Memory(BTreeMap<PathBuf, String>);

impl Memory {
    fn new() -> Self {
        let files = FILES.map(|(name, text)| (path(name), text.to_owned()));
        Self(files.into())
    }
}

impl Disk for Memory {
    fn place(&self, path: &Path, _: &str) -> Option<Place> {
        let name = path.strip_prefix("/r").ok()?.to_str()?;
        Some(Place {
            name: name.to_owned(),
            files: FILES
                .map(|(name, _)| (name.to_owned(), self::path(name)))
                .into(),
            vendor: None,
            release: None,
        })
    }

    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        self.0.get(path).map(|text| text.clone().into_bytes())
    }

    fn before(&self, paths: &[&Path]) -> Option<Vec<Option<Vec<u8>>>> {
        Some(paths.iter().map(|path| self.read(path)).collect())
    }
}

fn path(name: &str) -> PathBuf {
    Path::new("/r").join(name)
}

fn uri(name: &str) -> String {
    format!("file:///r/{name}")
}

fn server(encoding: &str) -> Server<Memory> {
    let general = json!({"positionEncodings": [encoding]});
    let client = json!({"capabilities": {"general": general}});
    Server::new(Memory::new(), &serde_json::from_value(client).unwrap())
}

fn open(server: &mut Server<Memory>, name: &str, text: &str) {
    let document = json!({"uri": uri(name), "languageId": "yaml", "version": 0, "text": text});
    server.notify("textDocument/didOpen", json!({"textDocument": document}));
}

/// Everything that the server says of a file, at some places.
fn state(server: &mut Server<Memory>, name: &str, places: &[(u32, u32)]) -> Vec<Value> {
    let document = json!({"uri": uri(name)});
    let mut answers = Vec::new();
    for diagnostics in server.diagnostics() {
        let mut diagnostics = serde_json::to_value(diagnostics).unwrap();
        diagnostics["version"] = Value::Null;
        answers.push(diagnostics);
    }
    let whole = json!({"textDocument": document});
    for method in [
        "documentSymbol",
        "foldingRange",
        "codeLens",
        "semanticTokens/full",
    ] {
        answers.push(
            server
                .request(&format!("textDocument/{method}"), whole.clone())
                .unwrap(),
        );
    }
    let lens = answers[answers.len() - 2][0].clone();
    if !lens.is_null() {
        answers.push(server.request("codeLens/resolve", lens).unwrap());
    }
    for (line, character) in places {
        let position = json!({"line": line, "character": character});
        let at = json!({
            "textDocument": document, "position": position,
            "context": {"includeDeclaration": true, "triggerKind": 1},
        });
        for method in ["hover", "completion", "definition", "references"] {
            answers.push(
                server
                    .request(&format!("textDocument/{method}"), at.clone())
                    .unwrap(),
            );
        }
        let range = json!({"start": position, "end": {"line": line + 3, "character": 0}});
        let only = json!({
            "textDocument": document, "range": range,
            "context": {"diagnostics": [], "only": ["quickfix", "source.fixAll"]},
        });
        answers.push(server.request("textDocument/codeAction", only).unwrap());
        let range = json!({"textDocument": document, "range": range});
        answers.push(
            server
                .request("textDocument/semanticTokens/range", range)
                .unwrap(),
        );
    }
    answers
}

/// The text after a client's own edit, which counts in characters of its encoding.
fn edited(text: &str, from: usize, to: usize, new: &str) -> String {
    format!("{}{new}{}", &text[..from], &text[to..])
}

fn position(text: &str, at: usize, encoding: &str) -> Value {
    let before = &text[..at];
    let is_end = |(i, c): (usize, char)| match c {
        '\n' => Some(i + 1),
        '\r' if !text[i + 1..].starts_with('\n') => Some(i + 1),
        _ => None,
    };
    let ends: Vec<usize> = before.char_indices().filter_map(is_end).collect();
    let line = &before[ends.last().copied().unwrap_or(0)..];
    let character = match encoding {
        "utf-8" => line.len(),
        _ => line.encode_utf16().count(),
    };
    json!({"line": ends.len(), "character": character})
}

/// A place that a client can name: no position of the protocol lies within a line break of two
/// characters.
fn boundary(text: &str, share: f64) -> usize {
    let mut at = (text.len() as f64 * share) as usize;
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let splits_break = text[..at].ends_with('\r') && text[at..].starts_with('\n');
    at - usize::from(splits_break)
}

/// Pieces that mean something, and some that mean nothing.
const PIECES: [&str; 22] = [
    "",
    "\n",
    "  ",
    "- func: ",
    "(a!)",
    "Tensor",
    "->",
    ":",
    "#",
    "# opatlas: allow(",
    "\r",
    "\r\n",
    "é\u{1F468}",
    "[",
    "{",
    "\"",
    "- ",
    "dispatch:\n    CPU: x\n",
    "add.Tensor",
    "&a *a",
    "\u{FEFF}",
    "\t",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn edits_lead_where_opening_does(
        file in 0..FILES.len(),
        encoding in prop::sample::select(vec!["utf-8", "utf-16"]),
        edits in prop::collection::vec((0.0_f64..1.0, 0.0_f64..0.02, 0..PIECES.len()), 1..8),
        places in prop::collection::vec((0_u32..30, 0_u32..60), 1..4),
    ) {
        let (name, text) = FILES[file];
        let mut text = text.to_owned();
        let mut live = server(encoding);
        for (other, text) in FILES {
            open(&mut live, other, text);
        }
        for (version, (share, length, piece)) in (1..).zip(edits) {
            let from = boundary(&text, share);
            let to = boundary(&text, (share + length).min(1.0)).max(from);
            let range = json!({
                "start": position(&text, from, encoding), "end": position(&text, to, encoding),
            });
            let change = json!({"range": range, "text": PIECES[piece]});
            text = edited(&text, from, to, PIECES[piece]);
            live.notify("textDocument/didChange", json!({
                "textDocument": {"uri": uri(name), "version": version},
                "contentChanges": [change],
            }));
            // Answers in between must leave no trace.
            state(&mut live, name, &places[..1]);
        }
        // Diagnostics are sent once; another file of the bundle brings them again.
        let (other, original) = FILES[(file + 1) % FILES.len()];
        live.notify("textDocument/didClose", json!({"textDocument": {"uri": uri(other)}}));
        live.diagnostics();
        open(&mut live, other, original);
        let mut fresh = server(encoding);
        for (other, original) in FILES {
            open(&mut fresh, other, if other == name { &text } else { original });
        }
        prop_assert_eq!(
            state(&mut live, name, &places),
            state(&mut fresh, name, &places)
        );
    }
}
