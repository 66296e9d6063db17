//! Compares calls of Python bindings with a real process: the operator that each call runs first,
//! or the first line of its error.

use std::collections::BTreeMap;

use opatlas_operators::calls::{self, Called, Outcome};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::faces::FaceMaker;
use opatlas_pytorch::release::Release;
use opatlas_report::signatures::{Language, Sizes, declarations};
use opatlas_schema::python_call::Arguments;
use serde_json::Value;

/// A recorded call, as `opatlas call` takes it.
fn arguments(row: &Value) -> Arguments {
    let positional = row["args"].as_array().unwrap().iter();
    let positional = positional.map(|value| value.as_str().unwrap().to_owned());
    let keywords = row["kwargs"].as_object().unwrap().iter();
    let keywords = keywords.map(|(name, value)| format!("{name}={}", value.as_str().unwrap()));
    let words: Vec<String> = positional.chain(keywords).collect();
    Arguments::read(&words.join(", ")).unwrap_or_else(|error| panic!("{row}: {error}"))
}

/// Formats the recorded result as [`ours`] formats ours.
fn recorded(row: &Value) -> String {
    match row["error"].as_str() {
        Some(error) => format!("TypeError: {error}"),
        None => row["overload"].as_str().unwrap_or("nothing").to_owned(),
    }
}

fn ours(catalogue: &Catalogue, row: &Value) -> String {
    let Some(binding) = calls::find(catalogue, row["function"].as_str().unwrap()) else {
        return "not bound".to_owned();
    };
    match binding.call(&arguments(row)) {
        Outcome::Takes { called, .. } | Outcome::InPython(called) => match called {
            Called::Operator(name) => name,
            Called::Nothing => "nothing".to_owned(),
            Called::Unknown => "unknown".to_owned(),
        },
        Outcome::NotImplemented => "nothing".to_owned(),
        Outcome::Raises(error) => format!("{}: {}", error.class, error.first_line()),
    }
}

fn compare(file: &str, version: &str, at_least: usize) {
    let Some(bundle) = opatlas_conformance::release(version) else {
        return;
    };
    let release = Release::from_label(version).unwrap().release;
    let catalogue = Catalogue::read(&bundle, release, None);
    let (mut judged, mut wrong) = (0, Vec::new());
    for row in opatlas_conformance::golden(file) {
        // Other errors come from code that runs after the parser.
        if row.get("type").is_some() {
            continue;
        }
        judged += 1;
        let (recorded, ours) = (recorded(&row), ours(&catalogue, &row));
        if recorded != ours {
            wrong.push(format!("{row}\n  recorded {recorded}\n  ours     {ours}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {judged}\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(judged >= at_least, "only {judged} calls");
}

#[test]
fn calls_take_the_signature_that_pytorch_takes() {
    compare("python_calls_2.9.0.jsonl.gz", "2.9.0", 1_200);
}

/// Functions of `torch` that are written in Python take other arguments than the binding that they
/// replace. PyTorch 2.9.0 runs all of these calls.
#[test]
fn functions_in_python_are_not_judged_by_the_binding_that_they_replace() {
    let Some(bundle) = opatlas_conformance::release("2.9.0") else {
        return;
    };
    let catalogue = Catalogue::read(&bundle, Release::V2_9, None);
    let outcome = |function: &str, args: &str| {
        let binding = calls::find(&catalogue, function).unwrap();
        binding.call(&Arguments::read(args).unwrap())
    };
    let calls = |name: &str| Outcome::InPython(Called::Operator(name.to_owned()));
    let unknown = Outcome::InPython(Called::Unknown);
    for (function, args, expected) in [
        ("torch.einsum", "'ij,jk', tensor, tensor", calls("einsum")),
        ("einsum", "'ij,jk', tensor, tensor", calls("einsum")),
        (
            "torch.meshgrid",
            "tensor, tensor, indexing='ij'",
            calls("meshgrid.indexing"),
        ),
        // No recorded call leaves `indexing` out.
        ("torch.meshgrid", "tensor, tensor", unknown.clone()),
        ("torch.tensordot", "tensor, tensor", calls("tensordot")),
        ("torch.block_diag", "tensor, tensor", calls("block_diag")),
        (
            "torch.cartesian_prod",
            "tensor, tensor",
            calls("cartesian_prod"),
        ),
        (
            "torch.broadcast_tensors",
            "tensor, tensor",
            calls("broadcast_tensors"),
        ),
        (
            "torch.chain_matmul",
            "tensor, tensor",
            calls("chain_matmul"),
        ),
        ("torch.norm", "tensor, 'fro'", calls("linalg_vector_norm")),
        ("torch.unique", "tensor", calls("_unique2")),
        ("torch.atleast_1d", "tensor, tensor", unknown.clone()),
        ("torch.align_tensors", "tensor, tensor", unknown.clone()),
        ("torch.unique", "tensor, dim=0", unknown.clone()),
        // Python refuses these.
        ("torch.norm", "tensor, nothing=1", unknown.clone()),
        ("torch.tensordot", "tensor", unknown.clone()),
        ("torch.einsum", "", unknown),
        // These have handwritten signatures.
        (
            "torch.split",
            "tensor, 2",
            Outcome::Takes {
                signature: 0,
                called: Called::Operator("split.Tensor".to_owned()),
            },
        ),
    ] {
        assert_eq!(outcome(function, args), expected, "{function}({args})");
    }
    let replaced = outcome(
        "torch._C._VariableFunctions.einsum",
        "'ij,jk', tensor, tensor",
    );
    assert!(matches!(replaced, Outcome::Raises(_)), "{replaced:?}");
}

/// Names that are bound although their operator is not. They read the tensor or the class.
const OTHER_MEANING: [&str; 1] = ["Tensor.__len__"];

/// Every reported binding exists as the reported kind. Every operator name that a process binds is
/// reported.
fn names_agree(version: &str) {
    let Some(bundle) = opatlas_conformance::release(version) else {
        return;
    };
    let release = Release::from_label(version).unwrap().release;
    let catalogue = Catalogue::read(&bundle, release, None);
    let rows = opatlas_conformance::golden(&format!("bound_names_{version}.jsonl.gz"));
    let text = |row: &Value, field: &str| row[field].as_str().unwrap().to_owned();
    let recorded: BTreeMap<String, String> = rows
        .iter()
        .map(|row| {
            let name = format!("{}.{}", text(row, "place"), text(row, "name"));
            (name, text(row, "kind"))
        })
        .collect();
    let mut wrong = Vec::new();
    for (id, operator) in catalogue.native() {
        for binding in calls::of_operator(&catalogue, id) {
            let name = binding.full_name();
            let kind = opatlas_report::calls::kind(binding.kind);
            if recorded.get(&name).map(String::as_str) != Some(kind) {
                let operator = operator.qualified_name();
                wrong.push(format!("{operator}: {name} is not a {kind} in PyTorch"));
            }
        }
    }
    for name in recorded.keys() {
        let base = name.rsplit('.').next().unwrap();
        let is_operator = !catalogue.overloads(base).is_empty();
        if is_operator
            && calls::find(&catalogue, name).is_none()
            && !OTHER_MEANING.contains(&&**name)
        {
            wrong.push(format!("{name} is bound in PyTorch"));
        }
    }
    assert!(wrong.is_empty(), "{version}: {wrong:#?}");
}

#[test]
fn bindings_are_those_of_a_process() {
    names_agree("2.9.0");
    names_agree("2.15.0");
}

/// `signatures` shows only the signatures that Python binds: `torch.prod(x, out=y)` raises, `mT` is
/// a property, and `size` and `stride` have handwritten bindings.
#[test]
fn signatures_are_those_that_python_binds() {
    let Some(bundle) = opatlas_conformance::release("2.9.0") else {
        return;
    };
    let catalogue = Catalogue::read(&bundle, Release::V2_9, None);
    let shown = |name: &str| {
        let faces = FaceMaker::new(&catalogue).faces(catalogue.find(name).unwrap());
        declarations(name, &faces, Language::Python, Sizes::All)
    };
    for (name, has, lacks) in [
        ("prod.out", "call this one by torch.ops", "out="),
        (
            "_foreach_add.List_out",
            "call this one by torch.ops",
            "out=",
        ),
        ("mT", "Tensor (property mT)", "mT()"),
        ("numpy_T", "Tensor (property T)", "numpy_T("),
        ("size.int", "size(int64_t? dim=None)", "not bound"),
        ("stride.int", "stride(int64_t? dim=None)", "not bound"),
        (
            "add.out",
            "add(Tensor input, Tensor other, *, Scalar alpha=1, Tensor out=None)",
            "not bound",
        ),
        (
            "tanh_backward",
            "not bound; call torch.ops",
            "tanh_backward(",
        ),
    ] {
        let text = shown(name);
        assert!(text.contains(has) && !text.contains(lacks), "{text}");
    }
}
