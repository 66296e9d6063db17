//! `opatlas mcp` as an assistant starts it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::cli::program::{opatlas, succeeds};
use crate::common::folder::write;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

#[test]
fn a_tool_says_what_the_command_says() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(
        folder,
        "native_functions.yaml",
        include_str!("../api/small.yaml"),
    );
    succeeds(folder, &["import", "--dir", ".", "--label", "2.9.0"]);
    let mut program = opatlas(folder)
        .arg("mcp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = program.stdin.take().unwrap();
    let mut answers = BufReader::new(program.stdout.take().unwrap()).lines();
    let mut answer =
        || -> Value { serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap() };

    writeln!(input, "{INITIALIZE}\n{INITIALIZED}").unwrap();
    assert_eq!(answer()["result"]["serverInfo"]["name"], "opatlas");
    let call = json!({
        "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": {"name": "table", "arguments": {"operator": "add.out", "key": "MPS"}},
    });
    writeln!(input, "{call}").unwrap();
    let answered = answer();
    let text = answered["result"]["content"][0]["text"].as_str().unwrap();
    let command = succeeds(folder, &["table", "add.out", "--key", "MPS", "--explain"]);
    assert_eq!(text, command);
    drop(input);
    assert!(program.wait().unwrap().success());
}
