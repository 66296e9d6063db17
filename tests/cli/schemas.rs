//! `opatlas schema` as its users run it.

use std::io::Write as _;
use std::path::Path;
use std::process::{Output, Stdio};

use crate::cli::program::opatlas;

fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = opatlas(Path::new("."))
        .arg("schema")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(input.as_bytes()).unwrap();
    drop(pipe);
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn a_library_schema_is_printed_as_torch_prints_it() {
    let library = "acme::mix(Tensor x,int ?n = 1)->(Tensor)";
    let read = run(&["--dialect", "library", library, "-"], "f()->()\n\n");
    assert_eq!(
        text(&read.stdout),
        "acme::mix(Tensor x, int? n=1) -> Tensor\nf() -> ()\n"
    );
    assert!(read.status.success());
    // The code generator reads none of this.
    let refused = run(&[library], "");
    assert_eq!(refused.status.code(), Some(1));
    let read = run(&["f(Tensor self) -> Tensor"], "");
    assert_eq!(text(&read.stdout), "f(Tensor self) -> Tensor\n");
}

#[test]
fn an_error_has_a_column_and_says_what_to_do() {
    let schema = "f(__torch__.torch.classes.acme.Cache c) -> ()";
    let refused = run(&["--dialect", "library", schema], "");
    assert_eq!(refused.status.code(), Some(1));
    let said = text(&refused.stderr);
    assert!(said.starts_with("1:27: runtime-schema-type: "), "{said}");
    assert!(said.contains("help: "), "{said}");
    let defined = ["--dialect", "library", "--class", "acme.Cache", schema];
    assert_eq!(text(&run(&defined, "").stdout), format!("{schema}\n"));
    assert_eq!(
        run(&["--class", "acme.Cache", schema], "").status.code(),
        Some(2)
    );
}
