//! `opatlas scan` with macros of the scanned files and of PyTorch's headers.

use crate::cli_sources::{folder, run};

fn scan(folder: &str, more: &[&str]) -> (Option<i32>, String) {
    let output = run(&[&["scan", folder], more].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    (output.status.code(), text.replace(folder, "DIR"))
}

const HEADER: &str = "#define ACME_KEY PrivateUse1\n#define ACME_OP(op) ACME_BLOCK(op)\n";
const BLOCK: &str =
    "#define ACME_BLOCK(op) TORCH_LIBRARY_IMPL(aten, ACME_KEY, m) { m.impl(#op, op); }\n";

#[test]
fn macros_come_from_headers_that_register_nothing() {
    let folder = folder(&[
        ("csrc/base.h", HEADER),
        ("csrc/block.h", BLOCK),
        ("csrc/ops.cpp", "#include \"base.h\"\nACME_OP(abs)\n"),
        ("csrc/other.cpp", "int main() { return 0; }\n"),
    ]);
    let (code, shown) = scan(folder.path().to_str().unwrap(), &[]);
    assert_eq!(code, Some(0));
    let expected = "DIR/csrc/ops.cpp:2:1: impl aten::abs at PrivateUse1, kernel abs (ACME_OP)\n\
        1 registrations in 4 source files, 0 unresolved\n";
    assert_eq!(shown, expected);
}

#[test]
fn lists_of_pytorch_follow_the_release() {
    let lists = "TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m) {\n\
        #define FP32(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32)\nAT_FORALL_FP32(FP32)\n}\n";
    let folder = folder(&[("cast.cpp", lists)]);
    let count = |more: &[&str]| {
        let (code, out) = scan(folder.path().to_str().unwrap(), more);
        assert_eq!(code, Some(0));
        out.lines()
            .filter(|line| line.contains(" impl aten::"))
            .count()
    };
    assert_eq!(count(&[]), 59);
    assert_eq!(count(&["--release", "2.11"]), 58);
    let (code, _) = scan(folder.path().to_str().unwrap(), &["--release", "1.9"]);
    assert_ne!(code, Some(0));
}
