//! Messages of public threads, with what they are (`tests/data/error_messages.jsonl`).

use std::fmt::Write as _;
use std::path::Path;

use opatlas_ask::{Answer, ask};
use serde_json::Value;

/// What a message does not say, although the thread around it does.
const NOT_IN_THE_MESSAGE: [(&str, &str); 2] =
    [("schema-symint-ref", "key"), ("bk-autograd-none", "key")];

fn messages() -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/error_messages.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let rows = text.lines().skip(1);
    rows.map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn answer(row: &Value) -> Answer {
    ask(row["message"].as_str().unwrap(), None).unwrap()
}

#[test]
fn kind_operator_key_and_way_are_right() {
    let mut wrong = String::new();
    for row in messages() {
        let (id, answer) = (row["id"].as_str().unwrap(), answer(&row));
        let found = [
            ("kind", Some(answer.kind)),
            ("operator", answer.operator.as_deref()),
            ("key", answer.key.as_deref()),
            ("way", Some(answer.way.as_str())),
        ];
        for (field, found) in found {
            let is_said = !NOT_IN_THE_MESSAGE.contains(&(id, field));
            let expected = row[field].as_str().filter(|_| is_said);
            if found != expected {
                writeln!(wrong, "{id}: {field} is {found:?}, not {expected:?}").unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// One message of each kind that PyTorch's sources or public threads have, with its kind, operator and
/// key (`tests/data/message_samples.tsv`).
#[test]
fn each_kind_is_recognized() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/message_samples.tsv");
    let text = std::fs::read_to_string(path).unwrap();
    let mut wrong = String::new();
    for line in text.lines() {
        let fields: Vec<_> = line.splitn(4, '\t').collect();
        let [kind, operator, key, message] = fields[..] else {
            panic!("{line}");
        };
        let message = message
            .replace("\\\\n", "\u{1}")
            .replace("\\n", "\n")
            .replace('\u{1}', "\\n");
        let answer = ask(&message, None).unwrap();
        let found = [
            answer.kind,
            answer.operator.as_deref().unwrap_or("-"),
            answer.key.as_deref().unwrap_or("-"),
        ];
        if found != [kind, operator, key] {
            writeln!(wrong, "{kind} {operator} {key}: {found:?}\n  {message}").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Messages whose releases Opatlas cannot know, each with the reason.
const OTHER_RELEASES: [(&str, &str); 9] = [
    (
        "mps-warn-bitwise-and",
        "1.13 and 2.0 register the kernel in C++ only",
    ),
    (
        "xpu-lstm-cell",
        "before 2.14 kernels for XPU are in another repository",
    ),
    (
        "fwad-linear-mps",
        "formulas for forward mode are not recorded",
    ),
    (
        "vmap-t",
        "the compiler, not the batching rule, was at fault",
    ),
    (
        "fake-quantile",
        "a function that calls the operator was rewritten",
    ),
    ("subclass-mm-out", "a fault of the compiler in one release"),
    (
        "undef-zeros-like",
        "C++ types of exported functions are not recorded",
    ),
    ("deterministic-cumsum", "alerts of kernels are not recorded"),
    (
        "tg-missing-delegate",
        "2.6 rejects it as well, with other words",
    ),
];

/// Releases in the fixtures bound what is known: Opatlas may know it better, between the two.
#[test]
fn releases_are_within_what_the_threads_show() {
    let mut wrong = String::new();
    for row in messages() {
        let (id, answer) = (row["id"].as_str().unwrap(), answer(&row));
        if OTHER_RELEASES.iter().any(|(of, _)| *of == id) {
            continue;
        }
        let (fails, fixed) = (row["fails_in"].as_str(), row["fixed_in"].as_str());
        let is_known = |release: &&str| !release.starts_with("1.");
        let fails = fails.filter(is_known).map(number);
        let found = (answer.fails_in.map(number), answer.fixed_in.map(number));
        let is_right = match fixed.map(number) {
            None => fails.is_none() || found == (fails.clone(), None),
            Some(_) if answer.works_in_all => fails.is_none(),
            Some(fixed) => found.1.is_some_and(|first| first <= fixed) && found.0 >= fails,
        };
        if !is_right {
            let found = (answer.fails_in, answer.fixed_in, answer.works_in_all);
            writeln!(wrong, "{id}: {found:?}, not {fails:?} and {fixed:?}").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn number(release: &str) -> Vec<u32> {
    release
        .split('.')
        .map(|part| part.parse().unwrap())
        .collect()
}

fn advice(message: &str) -> String {
    let answer = ask(message, None).unwrap();
    let advice = answer.advice.iter().map(|it| it.text.to_string());
    let said = advice.chain([answer.title.to_string(), answer.cause.to_string()]);
    said.collect::<Vec<_>>().join("\n")
}

/// A message with what its answer must say, and what it must not say, because the message excludes it.
const ADVICE: &[(&str, &[&str], &[&str])] = &[
    (
        "Could not run 'quantized::conv2d.new' with arguments from the 'CPU' backend.",
        &["QuantStub", "torch.quantize_per_tensor"],
        &["Move this call to the CPU", "register a kernel"],
    ),
    (
        "Could not run 'aten::_cudnn_rnn' with arguments from the 'CPU' backend. 'aten::_cudnn_rnn' is only available for these backends: [CUDA, Meta, BackendSelect, Python, AutogradCPU].",
        &["CUDA"],
        &["x.cpu()"],
    ),
    (
        "Could not run 'acme::f' with arguments from the 'XPU' backend. 'acme::f' is only available for these backends: [CUDA, Meta, BackendSelect, Python, AutogradCPU].",
        &["CUDA"],
        &["x.cpu()"],
    ),
    (
        "Could not run 'quantized::add' with arguments from the 'QuantizedCUDA' backend. 'quantized::add' is only available for these backends: [Meta, QuantizedCPU, BackendSelect].",
        &[],
        &["dequantize"],
    ),
    (
        "Could not run 'aten::empty.memory_format' with arguments from the 'MPS' backend. 'aten::empty.memory_format' is only available for these backends: [CPU, CUDA, Meta, BackendSelect, AutogradMPS].",
        &["Apple silicon", "device='cpu'"],
        &["x.cpu()", "same CUDA version", "'mps' on a Mac"],
    ),
    (
        "Could not run 'aten::empty.memory_format' with arguments from the 'PrivateUse1' backend.",
        &["import its package"],
        &["move this call"],
    ),
    (
        "torch._dynamo.exc.InternalTorchDynamoError: AttributeError: 'NoneType' object has no attribute 'as_proxy'",
        &["suppress_errors", "torch.compiler.disable", "report"],
        &["splits here"],
    ),
    (
        "torch._dynamo.exc.Unsupported: Data-dependent branching",
        &["splits here"],
        &["exported"],
    ),
    (
        "torch._dynamo.exc.TorchRuntimeError: Dynamo failed to run FX node with fake tensors: call_function <built-in function add>(*(FakeTensor(..., size=(3,)), FakeTensor(..., size=(4,))), **{}): got RuntimeError('Attempting to broadcast a dimension of length 4 at -1!')",
        &["Attempting to broadcast", "Correct the call"],
        &["inside the compiler"],
    ),
    (
        "RuntimeError: aten::searchsorted.Scalar hit the vmap fallback which is currently disabled",
        &["_set_vmap_fallback_enabled(True)"],
        &["You run an older one", "out="],
    ),
    (
        "UserWarning: There is a performance drop because we have not yet implemented the batching rule for aten::bincount.",
        &["an upgrade does not help"],
        &["You run an older one"],
    ),
    (
        "RuntimeError: PyTorch is not linked with support for privateuseone devices",
        &["Import the package", "C10_REGISTER_GUARD_IMPL"],
        &["pytorch.org", "was built without"],
    ),
    (
        "ModuleNotFoundError: No module named 'torch.abc'",
        &["torch._register_device_module"],
        &["pip install"],
    ),
    (
        "RuntimeError: Please register PrivateUse1HooksInterface by `RegisterPrivateUse1HooksInterface` first.",
        &["RegisterPrivateUse1HooksInterface", "import its package"],
        &["_register_device_module"],
    ),
    (
        "RuntimeError: One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior.",
        &["allow_unused=True"],
        &["frozen", "loss.requires_grad"],
    ),
    (
        "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.",
        &["torch.no_grad()"],
        &["overwrote", "set_detect_anomaly"],
    ),
    (
        "RuntimeError: Output 0 of SplitBackward0 is a view and is being modified inplace. This view is the output of a function that returns multiple views.",
        &[".clone()"],
        &["overwrote", "parameters"],
    ),
    (
        "ValueError: Attempting to unscale FP16 gradients.",
        &["float32"],
        &["NaN arose", "learning rate"],
    ),
    (
        "RuntimeError: stack expects each tensor to be equal size, but got [1] at entry 0 and [2] at entry 1",
        &["collate_fn", "[1] at entry 0"],
        &["in_features"],
    ),
    (
        "RuntimeError: unsupported tensor layout: Mkldnn",
        &["oneDNN"],
        &["sparse"],
    ),
    (
        "RuntimeError: Cannot access data pointer of Tensor that doesn't have storage",
        &["torch.vmap"],
        &["to_padded_tensor"],
    ),
    (
        "torch.fx.experimental.symbolic_shapes.GuardOnDataDependentSymNode: Could not guard on data-dependent expression Eq(u0, 1) (unhinted: Eq(u0, 1)).",
        &["torch.where"],
        &["on a size"],
    ),
    (
        "RuntimeError: MPS backend out of memory (MPS allocated: 9.05 GB)",
        &["torch.mps.empty_cache()"],
        &["CUDA", "nvidia-smi"],
    ),
    (
        "RuntimeError: Too many open files. Communication with the workers is no longer possible.",
        &["ulimit -n"],
        &["/dev/shm"],
    ),
    (
        "RuntimeError: CUDA error: invalid device ordinal",
        &["device_count()"],
        &["driver"],
    ),
    (
        "RuntimeError: Input type (MPSFloatType) and weight type (torch.FloatTensor) should be the same",
        &[".to(device)"],
        &["data types"],
    ),
    (
        "RuntimeError: expected scalar type Long but found Int",
        &[".long()"],
        &["autocast", "model.half()"],
    ),
    (
        "RuntimeError: Expected to have finished reduction in the prior iteration before starting a new one.",
        &["find_unused_parameters=True"],
        &["NCCL_DEBUG"],
    ),
    (
        "ValueError: Default process group has not been initialized, please make sure to call init_process_group.",
        &["init_process_group"],
        &["NCCL_DEBUG"],
    ),
    (
        "RuntimeError: No backend type associated with device type cpu",
        &["cpu:gloo,cuda:nccl"],
        &["NCCL_DEBUG"],
    ),
    (
        "RuntimeError: PyTorch is not linked with support for abc devices",
        &["Import the package"],
        &["pytorch.org"],
    ),
    (
        "NotImplementedError: Could not run 'aten::_copy_from_and_resize' with arguments from the 'PrivateUse1' backend.",
        &["register a kernel"],
        &["move this call", "fallback for the whole key"],
    ),
    (
        "NotImplementedError: Could not run 'aten::relu' with arguments from the 'SparseMPS' backend. 'aten::relu' is only available for these backends: [Meta, SparseCPU, SparseCUDA, BackendSelect].",
        &["x.cpu()"],
        &["to_dense"],
    ),
    (
        "AttributeError: module 'torch.backends' has no attribute 'mps'",
        &["torch.backends.mps"],
        &["`torch.mps`"],
    ),
    (
        "RuntimeError: Tensor on device cpu is not on the expected device meta!",
        &["device='meta'"],
        &["A parameter is on"],
    ),
    (
        "RuntimeError: \"index_select_out_mps\" not implemented for 'ComplexFloat'",
        &["view_as_real"],
        &["x.float()", "run it on a GPU"],
    ),
];

#[test]
fn advice_is_none_that_the_message_excludes() {
    let mut wrong = String::new();
    for (message, said, unsaid) in ADVICE {
        let advice = advice(message);
        let missing = said.iter().filter(|it| !advice.contains(**it));
        let excluded = unsaid.iter().filter(|it| advice.contains(**it));
        let faults: Vec<_> = missing.chain(excluded).collect();
        if !faults.is_empty() {
            writeln!(wrong, "{message}: {faults:?}\n{advice}\n").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// What people read.
#[test]
fn answers_say_what_to_do() {
    let mut shown = String::new();
    for row in messages() {
        let answer = answer(&row);
        write!(
            shown,
            "## {}\n{}.\n{}\n",
            row["id"].as_str().unwrap(),
            &*answer.title,
            &*answer.cause
        )
        .unwrap();
        for advice in &answer.advice {
            let releases = advice.releases.as_deref().unwrap_or("all");
            writeln!(shown, "- [{releases}] {}", &*advice.text).unwrap();
        }
        if let Some(misleads) = &answer.misleads {
            writeln!(shown, "! {}", &**misleads).unwrap();
        }
        shown.push('\n');
    }
    insta::assert_snapshot!(shown);
}

/// The table of kinds in `docs/spec/messages.md`.
#[test]
fn kinds_are_documented() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/spec/messages.md");
    let text = std::fs::read_to_string(path).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `"));
    let listed: Vec<_> = rows
        .filter_map(|row| {
            let (id, rest) = row.split_once("` | ")?;
            Some((id, rest.split(' ').next()?))
        })
        .collect();
    let kinds = opatlas_ask::kinds();
    let known: Vec<_> = kinds.iter().map(|(id, way)| (*id, way.as_str())).collect();
    assert_eq!(listed, known);
}

#[test]
fn a_text_is_bounded_and_any_text_is_answered() {
    let long = "a".repeat(opatlas_ask::MOST_BYTES + 1);
    assert!(
        ask(&long, None)
            .unwrap_err()
            .to_string()
            .contains("262144 bytes")
    );
    let repeated = "could not run 'x' from the ".repeat(9_000);
    let quotes = "'\"`".repeat(80_000);
    let causes = "the above exception was the direct cause ".repeat(6_000);
    let holes = "operator aten::x does not exist ".repeat(8_000);
    for text in ["", "\0", "é\u{301}", &repeated, &quotes, &causes, &holes] {
        ask(text, None).unwrap();
    }
}

#[test]
fn parts_are_in_order_and_do_not_overlap() {
    for row in messages() {
        let text = row["message"].as_str().unwrap();
        let answer = answer(&row);
        let mut end = 0;
        for part in &answer.read {
            assert!(
                part.span.start >= end && !part.span.is_empty(),
                "{}",
                row["id"]
            );
            assert!(!part.span.slice(text).is_empty(), "{}", row["id"]);
            end = part.span.end;
        }
        assert!(!answer.message.unwrap().is_empty());
    }
}
