//! The language server as editors run it: the program over standard input and output, its state
//! after edits, and a client library.

mod client;
mod property;

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::folder::write;
use crate::common::git::git;
use client::Client;
use serde_json::{Value, json};
use tempfile::TempDir;

const NATIVE: &str = "aten/src/ATen/native/native_functions.yaml";
const DERIVATIVES: &str = "tools/autograd/derivatives.yaml";

/// The files of a release in PyTorch's layout, and a backend's file that `opatlas.toml` names.
fn repository() -> Option<TempDir> {
    let release = opatlas_conformance::release("2.9.0")?;
    let folder = TempDir::new().unwrap();
    for (name, path) in [
        ("native_functions.yaml", NATIVE),
        ("tags.yaml", "aten/src/ATen/native/tags.yaml"),
        ("derivatives.yaml", DERIVATIVES),
    ] {
        write(folder.path(), path, release.file(name)?);
    }
    let backend = b"backend: XLA\ncpp_namespace: torch_xla\nsupported:\n- add.Tensor\n";
    write(folder.path(), "csrc/xla.yaml", backend);
    let config = format!(
        "[files]\nrelease = \"2.9\"\nnative_functions = \"{NATIVE}\"\nderivatives = \"{DERIVATIVES}\"\n\
         tags = \"aten/src/ATen/native/tags.yaml\"\nbackends = [\"csrc/xla.yaml\"]\n"
    );
    write(folder.path(), "opatlas.toml", config.as_bytes());
    Some(folder)
}

fn uri(folder: &TempDir, name: &str) -> String {
    format!("file://{}/{name}", folder.path().display())
}

fn text(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

/// Line and column of the first place of a text.
fn place(text: &str, what: &str) -> Value {
    let at = text.find(what).unwrap_or_else(|| panic!("no {what}"));
    let line = text[..at].matches('\n').count();
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    json!({"line": line, "character": at - start})
}

fn at(uri: &str, position: &Value) -> Value {
    json!({"textDocument": {"uri": uri}, "position": position, "context": {"includeDeclaration": true, "triggerKind": 1}})
}

/// A place some columns further on.
fn right(position: &Value, by: u64) -> Value {
    json!({"line": position["line"], "character": position["character"].as_u64().unwrap() + by})
}

fn errors(diagnostics: &[Value]) -> Vec<&str> {
    let errors = diagnostics.iter().filter(|found| found["severity"] == 1);
    errors
        .map(|error| error["code"].as_str().unwrap())
        .collect()
}

fn labels(completion: &Value) -> Vec<&str> {
    let items = completion["items"].as_array().unwrap();
    items
        .iter()
        .map(|item| item["label"].as_str().unwrap())
        .collect()
}

#[test]
fn a_wrong_annotation_is_marked_and_fixed() {
    let Some(folder) = repository() else { return };
    let mut client = Client::start(&["utf-16"]);
    assert_eq!(client.capabilities["positionEncoding"], "utf-16");
    let (uri, text) = (uri(&folder, NATIVE), text(&folder, NATIVE));
    client.open(&uri, &text);
    assert_eq!(errors(&client.diagnostics(&uri, 1)), [""; 0]);

    // While typing: a type that does not exist.
    let start = right(&place(&text, "add.Tensor(Tensor self"), 17);
    let change = json!([{"range": {"start": start, "end": start}, "text": "s"}]);
    client.edit(&uri, 2, change);
    let found = client.diagnostics(&uri, 2);
    let error = found
        .iter()
        .find(|found| found["code"] == "type-unknown")
        .unwrap();
    assert_eq!(
        error["range"]["start"],
        right(&place(&text, "add.Tensor(Tensor self"), 11)
    );
    assert_eq!(error["source"], "opatlas");
    let link = error["codeDescription"]["href"].as_str().unwrap();
    assert!(
        link.starts_with("https://github.com/pytorch/pytorch/blob/v2.9.0/"),
        "{link}"
    );

    // A missing space has one reading; the offered edit makes the file as it was.
    let space = right(&place(&text, "add.Tensor(Tensor self"), 23);
    client.edit(
        &uri,
        3,
        json!([
            {"range": {"start": start, "end": right(&start, 1)}, "text": ""},
            {"range": {"start": space, "end": right(&space, 1)}, "text": ""},
        ]),
    );
    let found = client.diagnostics(&uri, 3);
    let error = found.iter().find(|found| found["severity"] == 1).unwrap();
    let params = json!({
        "textDocument": {"uri": uri}, "range": error["range"], "context": {"diagnostics": []},
    });
    let actions = client.ask("textDocument/codeAction", params);
    let mut actions = actions.as_array().unwrap().iter();
    let fix = actions
        .find(|action| action["isPreferred"] == true)
        .unwrap();
    let edit = &fix["edit"]["changes"][&uri][0];
    client.edit(
        &uri,
        4,
        json!([{"range": edit["range"], "text": edit["newText"]}]),
    );
    assert_eq!(errors(&client.diagnostics(&uri, 4)), [""; 0]);
    assert_eq!(client.stop(), Some(0));
}

/// A repository whose files are committed.
fn committed() -> Option<TempDir> {
    let folder = repository()?;
    for arguments in [
        &["init", "-q", "--initial-branch=main"][..],
        &["add", "."],
        &["commit", "-q", "-m", "one"],
    ] {
        git(folder.path(), arguments);
    }
    Some(folder)
}

#[test]
fn only_what_a_change_introduces_is_marked() {
    let Some(folder) = committed() else { return };
    let (uri, text) = (uri(&folder, NATIVE), text(&folder, NATIVE));
    let edited = text
        .replacen("add.Tensor(Tensor self", "add.Tensor(Tensr self", 1)
        .replacen("- func: dot(Tensor self", "- func: dot(Tnsor self", 1);
    let mut client = Client::start(&["utf-16"]);
    client.open(&uri, &text);
    assert_eq!(client.diagnostics(&uri, 1), [Value::Null; 0]);
    client.edit(&uri, 2, json!([{"text": edited}]));
    let found = client.diagnostics(&uri, 2);
    assert_eq!(errors(&found), ["type-unknown", "type-unknown"]);

    // An entry that is wrong still says what it is.
    let name = place(&edited, "add.Tensor(");
    let hover = client.ask("textDocument/hover", at(&uri, &name));
    let hover = hover["contents"]["value"].as_str().unwrap();
    assert!(hover.contains("unknown type `Tensr`"), "{hover}");
    assert!(hover.contains("did you mean `Tensor`?"), "{hover}");
    assert!(hover.contains("Before the change:"), "{hover}");
    assert!(
        hover.contains("add.Tensor(Tensor self, Tensor other"),
        "{hover}"
    );

    // The one near name is the preferred edit.
    let params = json!({
        "textDocument": {"uri": uri}, "range": found[0]["range"], "context": {"diagnostics": []},
    });
    let actions = client.ask("textDocument/codeAction", params);
    let mut actions = actions.as_array().unwrap().iter();
    assert!(actions.any(|action| action["isPreferred"] == true));
    assert_eq!(client.stop(), Some(0));

    let mut client = Client::start_with(&["--all", "--info"], &["utf-16"]);
    client.open(&uri, &text);
    let all = client.diagnostics(&uri, 1);
    assert!(all.iter().any(|found| found["severity"] == 2));
    assert!(all.iter().any(|found| found["severity"] == 3));
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn operators_are_described_and_found_in_all_files() {
    let Some(folder) = repository() else { return };
    let mut client = Client::start(&["utf-8", "utf-16"]);
    assert_eq!(client.capabilities["positionEncoding"], "utf-8");
    let (native, formulas) = (text(&folder, NATIVE), text(&folder, DERIVATIVES));
    let (uri_native, uri_formulas) = (uri(&folder, NATIVE), uri(&folder, DERIVATIVES));
    client.open(&uri_native, &native);
    let operator = place(&native, "add.Tensor(");
    let hover = client.ask("textDocument/hover", at(&uri_native, &operator));
    let hover = hover["contents"]["value"].as_str().unwrap();
    assert!(
        hover.contains("add.Tensor(Tensor self, Tensor other"),
        "{hover}"
    );
    assert!(
        hover.contains("A bare backend: fails, needs `add.out`"),
        "{hover}"
    );

    // From the entry to the formula and back.
    let found = client.ask("textDocument/definition", at(&uri_native, &operator));
    assert_eq!(found[0]["uri"], uri_formulas);
    assert_eq!(found[0]["range"]["start"], place(&formulas, "add.Tensor("));
    client.open(&uri_formulas, &formulas);
    let formula = place(&formulas, "add.Tensor(");
    let found = client.ask("textDocument/definition", at(&uri_formulas, &formula));
    assert_eq!(found[0]["uri"], uri_native);
    assert_eq!(found[0]["range"]["start"], operator);

    // Everything that names it: the formula and the backend; the delegate is named by others.
    let found = client.ask("textDocument/references", at(&uri_native, &operator));
    let files: Vec<&str> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|place| place["uri"].as_str().unwrap())
        .collect();
    assert_eq!(
        files,
        [
            uri_native.clone(),
            uri_formulas,
            uri(&folder, "csrc/xla.yaml")
        ]
    );
    let delegate = place(&native, "structured_delegate: add.out");
    let delegate = right(&delegate, 23);
    let found = client.ask("textDocument/definition", at(&uri_native, &delegate));
    assert_eq!(
        found[0]["range"]["start"],
        place(&native, "add.out(Tensor self")
    );
    let found = client.ask("textDocument/references", at(&uri_native, &delegate));
    assert_eq!(found.as_array().unwrap().len(), 3);

    let key = right(&place(&native, "structured_delegate: add.out"), 3);
    let hover = client.ask("textDocument/hover", at(&uri_native, &key));
    assert!(
        hover["contents"]["value"]
            .as_str()
            .unwrap()
            .contains("structured_delegate")
    );
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn an_outline_of_a_release() {
    let Some(folder) = repository() else { return };
    let mut client = Client::start(&["utf-16"]);
    let (uri, text) = (uri(&folder, NATIVE), text(&folder, NATIVE));
    client.open(&uri, &text);
    let whole = json!({"textDocument": {"uri": uri}});
    let symbols = client.ask("textDocument/documentSymbol", whole.clone());
    let entries = text.matches("\n- func: ").count();
    assert_eq!(symbols.as_array().unwrap().len(), entries);
    let folding = client.ask("textDocument/foldingRange", whole.clone());
    assert!(folding.as_array().unwrap().len() > entries / 2);
    let tokens = client.ask("textDocument/semanticTokens/full", whole.clone());
    assert!(tokens["data"].as_array().unwrap().len() > 5 * 5 * entries);
    let lenses = client.ask("textDocument/codeLens", whole);
    let line = &place(&text, "func: add.Tensor(")["line"];
    let lenses = lenses.as_array().unwrap();
    let lens = lenses
        .iter()
        .find(|lens| lens["range"]["start"]["line"] == *line)
        .unwrap();
    let title = client.ask("codeLens/resolve", lens.clone())["command"]["title"].clone();
    assert!(title.as_str().unwrap().contains("trains"), "{title}");
    assert_eq!(client.stop(), Some(0));
}

/// The titles of lenses that need not be filled in: whom a change breaks, and the line of each.
fn broken(client: &mut Client, uri: &str) -> Vec<(u64, String)> {
    let whole = json!({"textDocument": {"uri": uri}});
    let lenses = client.ask("textDocument/codeLens", whole);
    let broken = lenses.as_array().unwrap().iter().filter_map(|lens| {
        let title = lens["command"]["title"].as_str()?;
        Some((lens["range"]["start"]["line"].as_u64()?, title.to_owned()))
    });
    broken.collect()
}

#[test]
fn a_lens_says_whom_a_change_breaks() {
    let folder = TempDir::new().unwrap();
    let entry = "- func: blend(Tensor self, float weight) -> Tensor\n  variants: function\n";
    let other = "- func: mix(Tensor self) -> Tensor\n";
    let text = format!("{entry}{other}");
    write(folder.path(), NATIVE, &text);
    for arguments in [
        &["init", "-q"][..],
        &["add", "."],
        &["commit", "-q", "-m", "one"],
        &["switch", "-q", "-c", "change"],
        &["commit", "-q", "--allow-empty", "-m", "two"],
    ] {
        git(folder.path(), arguments);
    }
    let mut client = Client::start(&["utf-16"]);
    let uri = uri(&folder, NATIVE);
    client.open(&uri, &text);
    assert_eq!(broken(&mut client, &uri), []);

    let renamed = text.replace("weight", "share");
    client.edit(&uri, 2, json!([{"text": renamed}]));
    let title = "2 callers break: Python keyword callers, autograd";
    assert_eq!(broken(&mut client, &uri), [(0, title.to_owned())]);

    client.edit(&uri, 3, json!([{"text": format!("\n{other}")}]));
    let titles = broken(&mut client, &uri);
    assert_eq!(titles.len(), 1, "{titles:?}");
    assert!(titles[0].1.starts_with("without blend: "), "{titles:?}");
    assert!(titles[0].1.contains("C++ callers"), "{titles:?}");

    // A branch that `opatlas.toml` names, here the change itself: nothing but the text differs from it.
    write(folder.path(), NATIVE, &renamed);
    git(folder.path(), &["commit", "-q", "-a", "-m", "three"]);
    write(
        folder.path(),
        "opatlas.toml",
        "[files]\nbranch = \"change\"\n",
    );
    client.tell(
        "textDocument/didClose",
        json!({"textDocument": {"uri": uri}}),
    );
    client.open(&uri, &renamed);
    assert_eq!(broken(&mut client, &uri), []);
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn completion_knows_fields_keys_tags_types_and_operators() {
    let Some(folder) = repository() else { return };
    let mut client = Client::start(&["utf-16"]);
    let uri = uri(&folder, NATIVE);
    let mut version = 1;
    client.open(&uri, "");
    let mut complete = |marked: &str| {
        let position = place(marked, "|");
        version += 1;
        client.edit(
            &uri,
            version,
            json!([{"text": marked.replacen('|', "", 1)}]),
        );
        client.ask("textDocument/completion", at(&uri, &position))
    };
    let check = |found: &Value, has: &[&str], lacks: &[&str]| {
        let labels = labels(found);
        for label in has {
            assert!(labels.contains(label), "{label} is missing: {labels:?}");
        }
        for label in lacks {
            assert!(!labels.contains(label), "{label} does not fit: {labels:?}");
        }
    };
    let entry = "- func: f(Tensor self) -> Tensor\n";
    check(
        &complete(&format!("{entry}  |")),
        &["dispatch", "tags", "autogen"],
        &["func"],
    );
    check(
        &complete(&format!("{entry}  tags: [core, |")),
        &["pointwise", "core"],
        &[],
    );
    let keys = format!("{entry}  dispatch:\n    CPU: f_cpu\n    |");
    check(
        &complete(&keys),
        &["CUDA", "CompositeExplicitAutograd"],
        &["CPU"],
    );
    let kernel = format!("{entry}  dispatch:\n    CPU: g\n    CUDA: |");
    check(&complete(&kernel), &["g", "f_cuda"], &[]);
    check(&complete("- func: f(Ten|"), &["Tensor", "SymInt"], &[]);
    check(&complete("- func: f(Tensor se|"), &[], &["Tensor"]);
    let others = format!("{entry}  autogen: |");
    check(&complete(&others), &["f.out"], &[]);
    let operators = "- func: f.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n\
                     - func: f(Tensor self) -> Tensor\n  structured_delegate: |";
    check(&complete(operators), &["f.out"], &["f"]);
    check(&complete("# opatlas: allow(|"), &["type-unknown"], &[]);
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn what_is_not_understood_is_refused_and_survived() {
    let mut client = Client::start(&[]);
    let unknown = client.ask("textDocument/unheardOf", json!({}));
    assert_eq!(unknown["error"]["code"], -32601);
    let malformed = client.ask("textDocument/hover", json!({"position": 1}));
    assert_eq!(malformed["error"]["code"], -32602);
    client.tell("textDocument/didChange", json!([1]));
    let folder = TempDir::new().unwrap();
    let other = uri(&folder, "other.yaml");
    client.open(&other, "a: 1\n");
    let none = client.ask(
        "textDocument/hover",
        at(&other, &json!({"line": 0, "character": 0})),
    );
    assert_eq!(none, Value::Null);
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn a_client_library_understands_the_server() {
    let has = Command::new("python3")
        .args(["-c", "import pygls"])
        .output();
    if !has.is_ok_and(|output| output.status.success()) {
        assert!(
            std::env::var_os("OPATLAS_REQUIRE_LINTERS").is_none(),
            "pygls is not installed; `pip install pygls` brings it"
        );
        println!("skipped: pygls is not installed (pip install pygls)");
        return;
    }
    let Some(folder) = repository() else { return };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lsp/client.py");
    let output = Command::new("python3")
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_opatlas"))
        .arg(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}
