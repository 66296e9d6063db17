//! Tensors without data: the meta device, fake tensors, export.

use super::distributed;
use crate::Way;
use crate::kind::{Asks, Kind};
use crate::name;
use crate::reading::Reading;

const FAKE: Kind = Kind {
    way: Way::Export,
    key: Some("Meta"),
    ..Kind::ERROR
};

pub(super) const KINDS: &[Kind] = &[
    Kind {
        id: "fake-data-dependent",
        titles: &["Code that is traced reads a value, through {op}"],
        patterns: &[
            "datadependentoutputexception: {op}",
            "data dependent operator: {op}",
            "explanation: operator '{op}' has a non-tensor output whose value is dependent on the data",
            "unsupported {op}() call with capture_scalar_outputs=false",
        ],
        refine: |reading| {
            traced(reading);
            if reading.mentions("tensor.item() call") {
                reading.operator = Some("item".to_owned());
            }
        },
        causes: &[
            "Export and compilation run the program without data. {op} returns a value that depends on \
             data, such as a number or a boolean. A function that you called may contain it.",
        ],
        advice: &[
            "Replace the branch or the check on values by `torch.where`, or `torch._check`.",
            "For `.item()` under `torch.compile`: set \
             `torch._dynamo.config.capture_scalar_outputs = True`.",
            "If a function of PyTorch contains it: try the newest release. `torch.quantile`, for example, \
             can be exported in 2.12.1 and not in 2.9.0.",
        ],
        misleads: &[
            "The operator may be part of a function that you called; it is not missing anywhere.",
        ],
        ..FAKE
    },
    Kind {
        id: "fake-dynamic-shape",
        titles: &["The shape of the result of {op} depends on data, so it cannot be traced here"],
        patterns: &[
            "dynamicoutputshapeexception: {op}",
            "dynamic shape operator: {op}",
            "explanation: operator '{op}''s output shape depends on input tensor data",
        ],
        refine: |reading| {
            traced(reading);
            distributed::within_dtensor(reading);
        },
        causes: &[
            "Export and compilation compute shapes without data, and this shape depends on data.",
        ],
        advice: &[
            "Under `torch.compile`: set \
             `torch._dynamo.config.capture_dynamic_output_shape_ops = True`.",
            "Use a form with a fixed shape: `torch.where(mask, x, 0)` for `x[mask]`, for example.",
        ],
        ..FAKE
    },
    Kind {
        id: "custom-op-no-fake",
        titles: &["The custom operator {op} cannot be traced: nothing says which shape it returns"],
        patterns: &[
            "there was no fake impl registered for <customopdef({op})>",
            "there was no fake impl registered for {op}.",
            "there was no abstract impl registered for {op}",
            "operator does not support running with fake tensors developer debug context: unsupported operator: {op}",
            "unsupported operator: {op} (",
            "unsupported operator: {op} context",
            "unsupportedoperatorexception: {op}",
            "we could not find the fake impl for operator {op}",
            "we could not find the abstract impl for operator {op}",
            "custom op missing fake impl during tracing developer debug context: {op}",
        ],
        refine: |reading| {
            reading.way = match reading.mentions("torch.export") && !reading.mentions("dynamo") {
                true => Way::Export,
                false => Way::Compile,
            };
            let is_aten = reading
                .operator
                .as_deref()
                .is_some_and(|name| !name.contains("::"));
            if is_aten {
                reading.asks = Asks::Meta;
            }
        },
        way: Way::Compile,
        causes: &[
            "Compilation and export run the program without data. For each custom operator they need a \
             fake implementation, a function that returns an empty tensor of the right shape and dtype.",
        ],
        advice: &[
            "Register one: `@torch.library.register_fake('{op}')` on a function that returns \
             `torch.empty_like(x)`, or what the operator returns.",
            "If a package defines the operator: import the module with its fake implementations, or \
             upgrade the package.",
        ],
        ..FAKE
    },
    Kind {
        id: "fake-on-composite",
        titles: &[
            "{op} cannot get a fake implementation, because it is registered as a composite operator",
        ],
        patterns: &[
            "the operator {op} already has an implementation for this device type via a pre-existing registration to dispatchkey::{key}.",
            "the operator {op} already has an implementation for this device type via a pre-existing registration to dispatchkey::{key}",
        ],
        way: Way::Library,
        asks: Asks::Never,
        causes: &[
            "The operator was registered without a dispatch key (`m.impl` outside a block for a device), \
             which makes it composite: PyTorch runs its body when it traces.",
        ],
        advice: &[
            "Register the kernel at the key of its device: `TORCH_LIBRARY_IMPL(ns, CUDA, m)`, or \
             `torch.library.impl(..., 'cuda')`. A fake implementation is accepted then.",
            "If the body only calls PyTorch operators: leave the fake implementation out.",
        ],
        ..FAKE
    },
    Kind {
        id: "fake-registered-twice",
        titles: &["{op} already has a fake implementation"],
        patterns: &[
            "the operator {op} already has a fake impl registered at {text}",
            "the operator {op} already has an fake impl registered at {text}",
            "the operator {op} already has an abstract impl registered at {text}",
            "the operator {op} already has a dispatchkey::meta implementation",
            "the operator {op} already has an dispatchkey::meta implementation",
        ],
        way: Way::Library,
        causes: &[
            "It was registered at {text}",
            "It has a kernel at Meta, which serves the same purpose.",
        ],
        advice: &["Remove one of the two, or import the module only once."],
        ..FAKE
    },
    Kind {
        id: "meta-no-data",
        titles: &["A parameter is on the meta device: it has a shape and no values"],
        patterns: &["cannot copy out of meta tensor; no data!"],
        way: Way::Meta,
        asks: Asks::Never,
        causes: &["Its weights were never loaded, and something needs them on a real device."],
        advice: &[
            "Load the weights before `.to(device)`; or call `model.to_empty(device=...)` and load them then.",
            "With transformers: `low_cpu_mem_usage=False` or no `device_map` loads all weights.",
        ],
        misleads: &[
            "`NotImplementedError` does not mean a missing operator here, and no release changes it.",
        ],
        ..FAKE
    },
    Kind {
        id: "meta-no-data",
        titles: &["A call got a tensor on the meta device and a real one"],
        patterns: &[
            "tensor on device meta is not on the expected device",
            "tensor on device {device} is not on the expected device meta",
        ],
        way: Way::Meta,
        causes: &[
            "Part of the model is on the meta device, because its weights were never loaded. Or the model is \
             to run without data, and a tensor is made on another device.",
        ],
        advice: &[
            "If the model is to compute: load the weights (`model.to_empty(device=...)`, then \
             `load_state_dict`). With transformers, `low_cpu_mem_usage=False` loads all.",
            "If it is to run without data: make the other tensor with `device='meta'` or `device=x.device`.",
        ],
        ..FAKE
    },
    Kind {
        id: "meta-item",
        titles: &["`.item()` needs a value, and a meta tensor has none"],
        patterns: &["tensor.item() cannot be called on meta tensors"],
        way: Way::Meta,
        refine: |reading| reading.operator = Some("item".to_owned()),
        causes: &["The code reads a value of a tensor that has a shape and no data."],
        advice: &["Remove `.item()`, `bool()` or the branch from the code that runs without data."],
        ..FAKE
    },
    Kind {
        id: "fake-mixed",
        titles: &[
            "Tracing met a real tensor among tensors without data, in {op}",
            "Tracing met a real tensor among tensors without data",
        ],
        patterns: &[
            "please convert all tensors to faketensors first or instantiate faketensormode with 'allow_non_fake_inputs'. found in {op}(",
            "please convert all tensors to faketensors first",
            "mixing fake modes not allowed",
            "unsupportedfaketensorexception: {text}",
            "cannot access data pointer of tensor (e.g. faketensor",
        ],
        way: Way::Compile,
        key: None,
        causes: &[
            "A tensor is created or captured outside the traced program: a global, or an attribute that is not a buffer.",
        ],
        advice: &[
            "Pass the tensor as an input, or register it with `register_buffer`.",
            "If a custom operator or a C++ extension reads the data: give it a fake implementation.",
        ],
        ..FAKE
    },
    Kind {
        id: "guard-data-dependent",
        titles: &["The program branches on a number that depends on data"],
        patterns: &[
            "could not guard on data-dependent expression {text}",
            "could not extract specialized integer from data-dependent expression {text}",
            "guardondatadependentsymnode",
        ],
        key: None,
        causes: &[
            "Numbers named `u0`, `u1` are values of tensors, or sizes that depend on them, so they are \
             unknown while tracing. A branch or a check needs one of them. No operator lacks anything.",
        ],
        advice: &[
            "Tell the compiler what holds: `torch._check(n > 0)`.",
            "Or avoid the branch: `torch.where` or `torch.cond` for an `if` on a tensor. Run with `TORCH_LOGS=dynamic` to see where the number comes from.",
        ],
        misleads: &["The message names no operator, so Opatlas cannot say more."],
        ..FAKE
    },
    Kind {
        id: "spec-violation",
        titles: &["{op} may not be in a program of this export dialect"],
        patterns: &[
            "operator {op} is not aten canonical",
            "operator '{op}' is not functional",
            "operator '{op}' is not an allowed operator type",
            "operator {op} is not in core aten opset",
            "specviolationerror: {schema} ",
        ],
        key: None,
        refine: |reading| {
            if let Some(name) = reading.part("schema").filter(|name| name.contains("aten.")) {
                reading.operator = name::operator(name);
            }
            let random = ["bernoulli", "dropout", "rand", "normal"];
            let operator = reading.operator.as_deref().unwrap_or_default();
            if random.iter().any(|name| operator.contains(name)) {
                reading.know("random", "random");
            }
        },
        causes: &[
            "Only operators with the tag `core` pass this check. {op} draws {random} numbers: a layer such \
             as dropout is most likely in training mode.",
            "Only operators with the tag `core`, and functional ones, pass this check.",
        ],
        advice: &[
            "Call `model.eval()` before the export.",
            "Decompose it: `ep.run_decompositions()`, with a decomposition for {op}.",
            "For ExecuTorch: `EdgeCompileConfig(_check_ir_validity=False)` turns the check off.",
        ],
        ..FAKE
    },
];

/// Under Dynamo it is compilation.
fn traced(reading: &mut Reading<'_>) {
    let is_compiled = reading.mentions("dynamo") || reading.mentions("torch.compile");
    if is_compiled && !reading.mentions("export") {
        reading.way = Way::Compile;
    }
}
