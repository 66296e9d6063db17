//! Pipes, devices and endless files.

use std::process::Command;

use tempfile::TempDir;

use crate::common::folder::write;
use crate::untrusted::{OLD, opatlas, run, said};

fn fifo(folder: &TempDir, name: &str) {
    let made = Command::new("mkfifo")
        .arg(folder.path().join(name))
        .status();
    assert!(made.unwrap().success());
}

/// Runs a line of bash, in which `opatlas` is the program.
fn bash(folder: &TempDir, line: &str) -> (i32, String) {
    let mut command = Command::new("bash");
    let program = env!("CARGO_BIN_EXE_opatlas");
    command.args(["-c", &line.replace("opatlas", program)]);
    said(command.current_dir(folder.path()).output().unwrap())
}

#[test]
fn a_pipe_that_nobody_writes_to_ends() {
    let folder = tempfile::tempdir().unwrap();
    fifo(&folder, "pipe");
    let database = format!("sqlite://{}", folder.path().join("o.db").display());
    for arguments in [
        &["check", "pipe"][..],
        &["restore", "pipe", "--database", &database],
    ] {
        let (code, said) = run(folder.path(), arguments);
        assert_eq!(code, 2, "{said}");
        assert!(said.contains("no program writes to"), "{said}");
    }
    assert!(!folder.path().join("o.db").exists());
}

#[test]
fn pipes_and_devices_of_the_command_line_are_read_up_to_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.yaml", OLD);
    let (code, said) = bash(&folder, "opatlas check <(sleep 0.1; cat a.yaml)");
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("1 declared"), "{said}");
    let (code, said) = bash(&folder, "mkfifo p; cat a.yaml > p & opatlas check p");
    assert_eq!(code, 0, "{said}");
    let (_, said) = bash(&folder, "opatlas check /dev/null");
    assert!(!said.contains("cannot read"), "{said}");
    for endless in ["/dev/zero", "<(cat /dev/zero)", "- < /dev/zero"] {
        let (code, said) = bash(&folder, &format!("opatlas check {endless}"));
        assert_eq!(code, 2, "{said}");
        assert!(said.contains("67108864 bytes"), "{said}");
    }
}

#[test]
fn what_a_configuration_names_is_a_regular_file() {
    for tags in ["/dev/zero", "pipe", "."] {
        let folder = tempfile::tempdir().unwrap();
        fifo(&folder, "pipe");
        write(folder.path(), "native_functions.yaml", OLD);
        let config =
            format!("[files]\nnative_functions = \"native_functions.yaml\"\ntags = \"{tags}\"\n");
        write(folder.path(), "opatlas.toml", config);
        let check = ["check", "--neighbours", "native_functions.yaml"];
        let (code, said) = run(folder.path(), &check);
        assert_eq!(code, 2, "{said}");
        assert!(said.contains("not a regular file"), "{said}");
    }
}

#[test]
fn what_lies_in_a_folder_is_a_regular_file() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "native_functions.yaml", OLD);
    fifo(&folder, "tags.yaml");
    let (code, said) = run(folder.path(), &["check", "."]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("not a regular file"), "{said}");
}

/// The language server reads what `opatlas.toml` names, when a file is opened.
#[test]
fn the_language_server_reads_no_device() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("native_functions.yaml");
    write(folder.path(), "native_functions.yaml", OLD);
    let config = "[files]\nnative_functions = \"native_functions.yaml\"\ntags = \"/dev/zero\"\n";
    write(folder.path(), "opatlas.toml", config);
    let uri = format!("file://{}", path.display());
    let open = serde_json::json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument":
        {"uri": uri, "languageId": "yaml", "version": 1, "text": OLD}}});
    let initialize = serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"processId": null, "rootUri": null, "capabilities": {}}});
    let symbols = serde_json::json!({"jsonrpc": "2.0", "id": 2, "method": "textDocument/documentSymbol",
        "params": {"textDocument": {"uri": uri}}});
    let messages = [
        initialize,
        serde_json::json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}),
        open,
        symbols,
        serde_json::json!({"jsonrpc": "2.0", "id": 3, "method": "shutdown"}),
        serde_json::json!({"jsonrpc": "2.0", "method": "exit"}),
    ];
    let text = messages.iter().map(|message| {
        let body = message.to_string();
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    });
    write(folder.path(), "messages", text.collect::<String>());
    let input = std::fs::File::open(folder.path().join("messages")).unwrap();
    let output = opatlas(folder.path()).arg("lsp").stdin(input).output();
    let (code, said) = said(output.unwrap());
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("tilt"), "{said}");
}
