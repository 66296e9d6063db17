//! A real editor with the settings of `editors/README.md`: Neovim opens a file and marks what is wrong.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

/// What is done in the editor: it waits for the finding, asks what the file's words mean, mends the type
/// and waits until the finding is gone. Its notes are a line of JSON each.
const SESSION: &str = r#"
local notes = {}
local function note(value) table.insert(notes, vim.fn.json_encode(value)) end
local function await(condition) return vim.wait(60000, condition, 20) end
local error_only = { severity = vim.diagnostic.severity.ERROR }
await(function() return #vim.diagnostic.get(0, error_only) > 0 end)
local found = vim.diagnostic.get(0, error_only)[1] or {}
local clients = (vim.lsp.get_clients or vim.lsp.get_active_clients)()
note(vim.fn.fnamemodify(clients[1].config.root_dir, ":t"))
note({ code = found.code, line = found.lnum, from = found.col, to = found.end_col, source = found.source })
local place = { textDocument = vim.lsp.util.make_text_document_params(), position = { line = 0, character = 15 } }
local answers = vim.lsp.buf_request_sync(0, "textDocument/hover", place, 60000) or {}
for _, answer in pairs(answers) do note(answer.result or vim.NIL) end
vim.api.nvim_buf_set_text(0, 0, found.col, 0, found.end_col, { "float" })
note(await(function() return #vim.diagnostic.get(0, error_only) == 0 end))
note(vim.api.nvim_buf_get_lines(0, 0, 1, false)[1])
vim.fn.writefile(notes, "notes")
"#;

/// Whether Neovim is installed.
fn has_neovim() -> bool {
    if Command::new("nvim").arg("--version").output().is_ok() {
        return true;
    }
    assert!(
        std::env::var_os("OPATLAS_REQUIRE_LINTERS").is_none(),
        "Neovim is not installed; `apt-get install neovim` brings it"
    );
    println!("skipped: Neovim is not installed (apt-get install neovim)");
    false
}

/// The settings of the document.
fn settings() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/README.md");
    let text = fs::read_to_string(path).unwrap();
    let block = text.split("```lua\n").nth(1).unwrap();
    block.split("```").next().unwrap().to_owned()
}

fn path_with_the_program() -> OsString {
    let own = Path::new(env!("CARGO_BIN_EXE_opatlas")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(own.to_owned()).chain(std::env::split_paths(&path));
    std::env::join_paths(paths).unwrap()
}

#[test]
fn neovim_marks_a_wrong_type_until_it_is_mended() {
    if !has_neovim() {
        return;
    }
    let folder = TempDir::new().unwrap();
    fs::create_dir_all(folder.path().join("repository/.git")).unwrap();
    fs::create_dir(folder.path().join("repository/native")).unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("init.lua", &settings());
    write("session.lua", SESSION);
    write(
        "repository/native/native_functions.yaml",
        "- func: blend(Tensor self, double w) -> Tensor\n  variants: function\n",
    );
    let output = Command::new("nvim")
        .args(["--headless", "-n", "-i", "NONE", "-u", "init.lua"])
        .args([
            "repository/native/native_functions.yaml",
            "-c",
            "luafile session.lua",
            "-c",
            "qa!",
        ])
        .current_dir(folder.path())
        .env("HOME", folder.path())
        .env("PATH", path_with_the_program())
        .env_remove("XDG_CONFIG_HOME")
        .output()
        .unwrap();
    let notes = fs::read_to_string(folder.path().join("notes"));
    let notes = notes.unwrap_or_else(|_| panic!("{output:?}"));
    let notes: Vec<Value> = notes
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let [root, found, hover, is_mended, text] = &notes[..] else {
        panic!("{notes:?}");
    };
    assert_eq!(root, "repository");
    assert_eq!(
        *found,
        serde_json::json!({"code": "type-unknown", "line": 0, "from": 27, "to": 33, "source": "opatlas"})
    );
    assert!(
        hover["contents"]["value"]
            .as_str()
            .unwrap()
            .contains("Tensor"),
        "{hover}"
    );
    assert_eq!(*is_mended, true);
    assert_eq!(text, "- func: blend(Tensor self, float w) -> Tensor");
}
