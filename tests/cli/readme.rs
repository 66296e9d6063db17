//! Statements of the README of ATen's native functions: what is true of them is what the program says.

use crate::cli::program::{run, stdout};

fn code(release: &str, entry: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ops.yaml"), entry).unwrap();
    let arguments = [
        "check",
        "ops.yaml",
        "--release",
        release,
        "--fail-on",
        "warning",
    ];
    let output = run(folder.path(), &arguments);
    (output.status.code(), stdout(&output))
}

fn explained(topic: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &[&["explain"], topic].concat());
    assert!(output.status.success(), "{topic:?}");
    // As one line, because paragraphs are wrapped.
    stdout(&output)
}

#[test]
fn what_the_generator_or_the_runtime_refuses_is_found() {
    let mut wrong = Vec::new();
    for (release, arguments) in [
        ("2.15", "Tensor x=[]"),
        ("2.15", "Tensor? x=[]"),
        ("2.15", "Scalar[] x=[1,2]"),
        ("2.15", "Tensor[] x=[]"),
        ("2.15", "str[] x=[]"),
        ("2.15", "int[]? x=[1,2]"),
        ("2.15", "MemoryFormat? x=channels_last"),
        ("2.15", "MemoryFormat? x=preserve_format"),
        ("2.15", "QScheme x=per_tensor_affine"),
        ("2.15", "Device? x=cpu"),
        ("2.15", "float x=inf"),
        ("2.15", "float x=-inf"),
        ("2.15", "DimVector x"),
        ("2.9", "DimVector x"),
    ] {
        let entry = format!("- func: f(Tensor self, {arguments}) -> Tensor\n");
        if code(release, &entry).0 != Some(1) {
            wrong.push(arguments);
        }
    }
    for kernels in [
        "    CPU: a::b::wave_cpu\n    CUDA: wave_cuda\n",
        "    CPU: a::b::c::wave_cpu\n",
        "    CPU: a::wave_cpu\n    CUDA: b::wave_cuda\n",
    ] {
        for autogen in ["", "  autogen: wave.out\n"] {
            let entry =
                format!("- func: wave(Tensor self) -> Tensor\n  dispatch:\n{kernels}{autogen}");
            if code("2.9", &entry).0 != Some(1) {
                wrong.push(kernels);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_both_accept_is_accepted() {
    for arguments in [
        "MemoryFormat m=contiguous_format",
        "MemoryFormat? m=None",
        "int[2] x=[0,1]",
        "int[2] x=2",
        "float[] x=[]",
        "Tensor? x=None",
        "str x=\"mean\"",
    ] {
        let entry = format!("- func: f(Tensor self, {arguments}) -> Tensor\n");
        let (code, text) = code("2.15", &entry);
        assert_eq!(code, Some(0), "{text}");
    }
    let two = "- func: wave(Tensor self) -> Tensor\n  dispatch:\n    CPU: a::b::wave_cpu\n  autogen: wave.out\n";
    // Its generated out variant makes it a warning.
    let (_, text) = code("2.9", two);
    assert!(
        text.starts_with("warning[kernel-namespace-generated]"),
        "{text}"
    );
    assert!(!text.contains("error["), "{text}");
}

#[test]
fn advice_fits_the_argument() {
    let (_, text) = code("2.15", "- func: f(Tensor self, Tensor? x=[]) -> Tensor\n");
    assert!(
        text.contains("None") && !text.contains("use `Tensor?`"),
        "{text}"
    );
}

#[test]
fn a_topic_and_a_rule_of_one_name_are_both_explained() {
    for (name, kind) in [
        ("variants", "field"),
        ("tags", "field"),
        ("precomputed", "field"),
        ("returns", "guide"),
        ("namespace", "guide"),
        ("annotation", "annotation"),
    ] {
        let text = explained(&[name]);
        assert!(text.contains(&format!("({kind})")), "{text}");
        assert!(
            text.contains("\nBad\n") && text.contains("\nGood\n"),
            "{text}"
        );
    }
}

#[test]
fn guides_advise_nothing_that_does_nothing() {
    let texts = [
        explained(&["dispatch-keyword"]),
        explained(&["CompositeImplicitAutograd"]),
    ];
    for text in texts {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let pairs = lines.windows(2);
        let mut beside = pairs.filter(|pair| {
            pair[0].starts_with("CompositeImplicitAutograd:") && pair[1].starts_with("autogen:")
        });
        assert_eq!(beside.next(), None);
    }
    let defaults = explained(&["defaults"]).replace('\n', " ");
    assert!(
        !defaults.contains("`[]` for an undefined tensor"),
        "{defaults}"
    );
    assert!(defaults.contains("A tensor has no default"), "{defaults}");
}

#[test]
fn the_cpp_type_of_a_text_is_that_of_the_release() {
    for release in ["2.0", "2.6", "2.9", "2.15"] {
        let text = explained(&["str", "--release", release]);
        assert!(text.contains("c10::string_view"), "{text}");
        assert!(!text.contains("std::string_view"), "{text}");
    }
}
