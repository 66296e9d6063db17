//! `opatlas why` as its users run it.

use std::io::Write as _;
use std::path::Path;
use std::process::{Output, Stdio};

use crate::cli::program::opatlas;

fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = opatlas(Path::new("."))
        .arg("why")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(input).unwrap();
    drop(pipe);
    child.wait_with_output().unwrap()
}

const MESSAGE: &str = "RuntimeError: derivative for aten::heaviside is not implemented\n";

#[test]
fn a_text_is_read_from_the_arguments_or_standard_input() {
    let given = run(&[MESSAGE], b"");
    assert_eq!(given.status.code(), Some(0));
    let text = String::from_utf8(given.stdout.clone()).unwrap();
    assert!(text.starts_with("PyTorch cannot compute gradients through `heaviside`.\n"));
    for arguments in [&[][..], &["-"]] {
        let read = run(arguments, MESSAGE.as_bytes());
        assert_eq!(read.stdout, given.stdout);
    }
    let json = run(&["--format", "json"], MESSAGE.as_bytes());
    let answer: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(answer["operator"], "heaviside");
}

#[test]
fn the_exit_code_says_whether_the_message_is_known() {
    assert_eq!(run(&["hello"], b"").status.code(), Some(1));
    assert_eq!(run(&["--format", "yaml"], b"").status.code(), Some(2));
    let long = vec![b'a'; 300 << 10];
    let refused = run(&[], &long);
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("262144 bytes"), "{said}");
    assert_eq!(run(&[], &[0xFF]).status.code(), Some(2));
}
