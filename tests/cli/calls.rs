//! Runs `opatlas call` over a small bundle.

use std::path::Path;
use std::process::Output;

use crate::cli::program;

fn run(arguments: &[&str]) -> Output {
    let bundle = ["--release", "2.9", "--file", "tests/api/small.yaml"];
    let all = [&["call"], arguments, &bundle].concat();
    program::run(Path::new(env!("CARGO_MANIFEST_DIR")), &all)
}

fn shown(arguments: &[&str]) -> String {
    let output = run(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn signatures_and_the_one_that_is_taken() {
    let text = shown(&["add", "tensor, 1, out=tensor"]);
    assert!(text.contains("torch.add in PyTorch 2.9"), "{text}");
    assert!(
        text.ends_with("takes signature 1 and calls add.out\n"),
        "{text}"
    );
    let text = shown(&["Tensor.to", "tensor, torch.float64"]);
    assert!(
        text.ends_with("takes signature 2 and calls to.dtype\n"),
        "{text}"
    );
    let text = shown(&["Tensor.size", "tensor, 0"]);
    assert!(
        text.ends_with("takes signature 1 and calls no operator\n"),
        "{text}"
    );
    assert!(shown(&["Tensor.is_leaf"]).contains("A property"));
}

#[test]
fn errors_are_those_of_pytorch() {
    let text = shown(&["torch.add", "tensor"]);
    let error = "raises TypeError: add() ";
    assert!(text.contains(error), "{text}");
    let text = shown(&["Tensor.__add__", "tensor, 'x'"]);
    assert!(text.contains("returns NotImplemented"), "{text}");
}

#[test]
fn a_function_in_python_is_answered_by_what_was_recorded() {
    let text = shown(&["torch.einsum", "'ij,jk', tensor, tensor"]);
    assert!(
        text.ends_with("is written in Python and calls einsum first\n"),
        "{text}"
    );
    let text = shown(&["torch.atleast_1d", "tensor, tensor"]);
    assert!(text.ends_with("calls first is not known\n"), "{text}");
    assert!(shown(&["torch.unique"]).contains("  calls\n    _unique2\n"));
}

#[test]
fn lines_of_python_reach_operators() {
    let text = shown(&["y = torch.add(x, 1, out=z)"]);
    assert!(text.contains("torch.add\n  calls\n    add.out\n"), "{text}");
    let text = shown(&["F.relu(x, inplace=flag)"]);
    assert!(
        text.contains("    relu, if inplace=False\n    relu_, if inplace=True\n"),
        "{text}"
    );
    assert!(
        text.contains("  in the backward\n    threshold_backward\n"),
        "{text}"
    );
    assert!(shown(&["model(x)"]).contains("Not known: "));
    assert!(shown(&["torch.add(x)"]).contains("raises TypeError: add() "));
    let text = shown(&["nn.ReLU(inplace=True)(x)", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["function"], "torch.nn.ReLU");
    assert_eq!(json["operators"][0]["operator"], "relu_");
    assert_eq!(json["operators"][0]["when"], serde_json::Value::Null);
}

#[test]
fn as_data() {
    let text = shown(&["torch.add", "tensor, 1", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["result"]["operator"], "add.Tensor");
    assert_eq!(json["result"]["signature"], 0);
    assert_eq!(json["signatures"][0]["out"], "add.out");
}

#[test]
fn what_cannot_be_read_is_refused() {
    for (arguments, said) in [
        (
            &["torch.nothing", "1"][..],
            "no Python binding `torch.nothing`",
        ),
        (&["torch.add", "tensr"], "unknown value `tensr`"),
        (&["torch.add", "tensor(int65)"], "`int65` is not a dtype"),
        (&["torch.add", "[1, 2"], "at the end of the arguments"),
        (
            &["torch.add", "a=1, tensor"],
            "positional argument follows keyword argument",
        ),
        (&["torch.add", "a=1, a=2"], "keyword argument repeated: a"),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let refusal = String::from_utf8(output.stderr).unwrap();
        assert!(refusal.contains(said), "{arguments:?}: {refusal}");
    }
}
