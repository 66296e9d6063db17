//! Tests how `opatlas check --sources` reports C++ types of kernels.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::common::folder::write;

const KERNELS: &str = "namespace acme {\n\
    at::Tensor half(at::Tensor self) { return self; }\n\
    at::Tensor mix(Held self) { return self; }\n\
    TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {\n\
    \x20 m.impl(\"half_of\", &half);\n\
    \x20 m.impl(\"blend\", &mix);\n}\n}\n";

fn check(format: &str) -> (Option<i32>, String) {
    let folder = tempfile::TempDir::new().unwrap();
    write(
        folder.path(),
        "native_functions.yaml",
        include_str!("api/small.yaml"),
    );
    write(folder.path(), "csrc/k.cpp", KERNELS);
    let output = Command::new(env!("CARGO_BIN_EXE_opatlas"))
        .args(["check", "native_functions.yaml", "--sources", "csrc"])
        .args(["--release", "2.9", "--format", format])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap(),
    )
}

#[test]
fn a_kernel_of_another_type_is_an_error_and_an_unknown_one_is_listed() {
    let (code, text) = check("text");
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("error[source-kernel-type]"), "{text}");
    assert!(text.contains("csrc/k.cpp:2:12"), "{text}");
    assert!(
        text.contains("parameter 1 is `at::Tensor`, expected `const at::Tensor &`"),
        "{text}"
    );
    let listed = "1 kernel has types that only a build knows:\n  csrc/k.cpp:6:3: blend: `Held` is \
                  declared elsewhere\n";
    assert!(text.ends_with(listed), "{text}");
    let (_, json) = check("json");
    let json: Value = serde_json::from_str(&json).unwrap();
    let expected = serde_json::json!([{
        "file": "csrc/k.cpp", "line": 6, "column": 3, "operator": "blend", "kernel": "mix",
        "reason": "`Held` is declared elsewhere",
    }]);
    assert_eq!(json["unknown_kernels"], expected);
}
