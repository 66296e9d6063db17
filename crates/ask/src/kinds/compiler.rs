//! Inductor, functionalization, exporters.

use super::dispatcher;
use crate::Way;
use crate::kind::{Asks, Kind};
use crate::name;

const COMPILE: Kind = Kind {
    way: Way::Compile,
    ..Kind::ERROR
};

const EXPORT: Kind = Kind {
    way: Way::Export,
    ..Kind::ERROR
};

pub(super) const KINDS: &[Kind] = &[
    Kind {
        id: "functionalize-alias",
        titles: &["The schema of {op} does not fit what compilation needs from custom operators"],
        patterns: &[
            "found a custom (non-aten) operator whose output has alias annotations: {schema}. we only",
            "found a custom operator that mutates its inputs: {schema}",
        ],
        key: Some("Functionalize"),
        refine: |reading| {
            let schema = reading.part("schema").unwrap_or_default();
            if schema.contains("NoneType") || schema.ends_with("-> None") {
                reading.know("none", "None");
            }
            dispatcher::schema(reading);
        },
        causes: &[
            "The schema returns `{none}`. Functionalization accepts operators that write to arguments only if \
             they return nothing, `()`.",
            "Functionalization rewrites calls that write to arguments. For that, no output of a custom \
             operator may be an alias of an input.",
        ],
        advice: &[
            "If it returns nothing: declare `-> ()`.",
            "If it returns an input: return nothing or a copy, and keep `Tensor(a!)` on the argument.",
        ],
        misleads: &["An alias annotation is not at fault if the return type is `None`."],
        ..COMPILE
    },
    Kind {
        id: "subclass-dispatch",
        titles: &["A tensor subclass does not implement {op}"],
        patterns: &[
            "multiple dispatch failed for '{op}'; all __torch_dispatch__",
            "multiple dispatch failed for '{op}'",
            "no implementation found for '{op}' on types that implement __torch_dispatch__",
            "no implementation found for '{op}' on types that implement __torch_function__",
        ],
        key: Some("Python"),
        causes: &[
            "Every `__torch_dispatch__` of the tensors of this call returned `NotImplemented`. PyTorch's own \
             kernels were not tried.",
        ],
        advice: &[
            "Unwrap the subclass before the call or before the compiled function.",
            "If you write the subclass: handle {op} in `__torch_dispatch__`.",
            "If it began with an upgrade of PyTorch: try the newest release. The compiler itself may hand on \
             the call.",
        ],
        misleads: &["The operator has its kernels; eager mode without the subclass works."],
        ..COMPILE
    },
    Kind {
        id: "hop-no-rule",
        titles: &["The higher-order operator {name} cannot run under this mode or subclass"],
        patterns: &[
            "there was no rule registered for higherorderoperator {name} and mode",
            "there was no rule registered for hop {name} and",
        ],
        key: Some("Python"),
        causes: &["{name} has no rule for the mode or the tensor subclass of this call."],
        advice: &[
            "Call it outside that mode, or unwrap the subclass first.",
            "If you write the mode: add a rule with `{name}.py_impl(Mode)`.",
        ],
        ..COMPILE
    },
    Kind {
        id: "inductor-missing",
        titles: &["Inductor, the compiler behind `torch.compile`, cannot compile {op}"],
        patterns: &[
            "missing lowering target: {op}",
            "missing decomposition target: {op}",
            "missingoperatorwithoutdecomp: {op}",
            "notimplementederror: missing lowering for {op}",
        ],
        asks: Asks::Inductor,
        causes: &[
            "It has neither a lowering nor a decomposition for {op}, and falling back is off.",
        ],
        advice: &[
            "Set `torch._inductor.config.implicit_fallbacks = True`: Inductor then calls the eager kernel.",
            "Keep the function out of compilation: `@torch.compiler.disable`.",
        ],
        ..COMPILE
    },
    Kind {
        id: "inductor-lowering-failed",
        titles: &["Inductor, the compiler behind `torch.compile`, failed while it compiled {op}"],
        patterns: &["loweringexception: {text} target: {op}"],
        causes: &["Its code for {op} raised: {text}"],
        advice: &[
            "Keep the function out of compilation: `@torch.compiler.disable`.",
            "If the error is not about your shapes or types: report it, with the program that \
             `TORCHDYNAMO_REPRO_AFTER=aot` writes.",
        ],
        ..COMPILE
    },
    Kind {
        id: "inductor-conflict",
        titles: &["Inductor, the compiler behind `torch.compile`, has two ways to compile {op}"],
        patterns: &[
            "both a fallback and a decomp for same kernel: {op}",
            "both a fallback and a decomp for same op: {op}",
            "both a fallback and a decomp for '{op}'",
        ],
        asks: Asks::Nothing,
        causes: &[
            "It has a decomposition for {op}, and a graph that was not decomposed still contains it.",
        ],
        advice: &[
            "Decompose the graph first: pass `torch._inductor.decomposition.decompositions` to \
             `aot_autograd` or `make_fx`.",
            "If you only call `torch.compile`: try the newest release, and report it.",
        ],
        ..COMPILE
    },
    Kind {
        id: "inductor-fallback-warning",
        titles: &["Inductor calls the eager kernel of {op}; nothing failed"],
        patterns: &[
            "make_fallback({op}): a decomposition exists",
            "using fallbackkernel: {op}",
            "unsupported operator {op} in inductor, falling back",
        ],
        severity: crate::Severity::Warning,
        asks: Asks::Inductor,
        causes: &["The compiler has no code of its own for it."],
        advice: &[
            "Nothing needs to be done. Fewer such calls may make the compiled program faster.",
        ],
        ..COMPILE
    },
    Kind {
        id: "onnx-unsupported",
        titles: &["{op} cannot be exported to this version of ONNX"],
        patterns: &[
            "exporting the operator '{op}' to onnx opset version {number} is not supported. support for this operator was added in version {added}, try",
            "exporting the operator '{op}' to onnx opset version {number} is not supported",
            "exporting the operator {op} to onnx opset version {number} is not supported",
            "onnx export failed on an operator with unrecognized namespace {op}.",
            "onnx export failed: couldn't export operator {op}",
            "no onnx function found for <opoverload(op='{name}', overload='{word}')>",
            "no decompositions registered for the real-valued input, {op}",
            "unsupported fx nodes: {schema}",
            "cannot find symbolic function for {op}",
        ],
        refine: |reading| {
            if let (Some(name), Some(word)) = (reading.part("name"), reading.part("word")) {
                reading.operator = name::operator(&format!("{name}.{word}"));
            }
            dispatcher::first_named(reading);
        },
        causes: &[
            "ONNX has this operator from opset version {added} on, and the export asks for version {number}.",
            "The exporter has no translation of {op} to ONNX opset version {number}.",
            "The exporter has no translation of {op} to ONNX.",
        ],
        advice: &[
            "Pass `opset_version={added}` or higher to `torch.onnx.export`. PyTorch itself needs no upgrade.",
            "Pass a higher `opset_version`, or use the newer exporter: `torch.onnx.export(..., dynamo=True)`.",
            "Replace the call in the model by operators that ONNX has, or register a translation with \
             `custom_translation_table`.",
        ],
        misleads: &["The version is that of ONNX's operators, not PyTorch's."],
        ..EXPORT
    },
    Kind {
        id: "converter-unsupported",
        titles: &["The converter cannot translate {op}"],
        patterns: &[
            "pytorch convert function for op '{name}' not implemented",
            "unsupported operator: {op} conversion",
            "the following operators are not implemented: ['{op}'",
            "conversion of function {op} not currently supported",
            "unsupported op: {op}",
            "missing out variants: {schema}",
        ],
        refine: |reading| {
            if let Some(name) = reading.part("name") {
                reading.operator = name::operator(name).filter(|name| name::is_base(name));
            }
            dispatcher::first_named(reading);
        },
        causes: &[
            "The package that converts the model has no translation for it. PyTorch itself runs it.",
        ],
        advice: &[
            "Upgrade the converter, or register a translation there.",
            "Replace the call in the model by operators that the converter knows.",
        ],
        ..EXPORT
    },
    Kind {
        id: "export-constraints",
        titles: &["A size that is declared as dynamic is fixed by the program"],
        patterns: &[
            "constraints violated ({text})",
            "not all values of {text} in the specified range",
        ],
        causes: &[
            "The program works only for some values of the dimension: {text}",
            "The program works only for some values of the dimension.",
        ],
        advice: &[
            "Use the dimension that the message suggests (`Dim.AUTO`, a range or a fixed size).",
        ],
        ..EXPORT
    },
];
