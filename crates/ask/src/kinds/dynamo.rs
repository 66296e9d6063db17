//! `torch.compile`: Dynamo, which traces Python code, and the errors of what it calls.

use crate::Way;
use crate::kind::Kind;
use crate::reading::Reading;

const COMPILE: Kind = Kind {
    way: Way::Compile,
    ..Kind::ERROR
};

const EXPORT: Kind = Kind {
    way: Way::Export,
    ..Kind::ERROR
};

const RECOMPILES: &[&str] = &[
    "Run with `TORCH_LOGS=recompiles` to see what changes; mark sizes with `torch._dynamo.mark_dynamic`.",
];

pub(super) const KINDS: &[Kind] = &[
    Kind {
        id: "dynamic-control-flow",
        titles: &["The program that is traced branches on a value"],
        patterns: &[
            "dynamic control flow is not supported at the moment",
            "data-dependent branching",
            "data dependent control flow",
        ],
        refine: |reading| {
            if may_split(reading) {
                reading.way = Way::Compile;
            }
        },
        causes: &["A traced program has one path, and `if` or `while` on a tensor needs several."],
        advice: &[
            "Use `torch.cond`, `torch.where` or `torch._check`.",
            "`torch.compile` without `fullgraph={true}` splits here and runs this part eagerly.",
        ],
        ..EXPORT
    },
    Kind {
        id: "dynamo-unsupported",
        titles: &["`torch.compile` cannot trace this Python code"],
        patterns: &["torch._dynamo.exc.unsupported: {text}"],
        refine: |reading| {
            may_split(reading);
        },
        causes: &["It says: {text}"],
        advice: &[
            "`torch.compile` without `fullgraph={true}` splits here and runs this part eagerly.",
            "Move the code out of the compiled function, or mark its function with \
             `@torch.compiler.disable`.",
        ],
        misleads: &["The message names no operator: Python code is at fault."],
        ..COMPILE
    },
    Kind {
        id: "dynamo-user-error",
        titles: &["The program asks the compiler or the exporter for what it does not accept"],
        patterns: &["torch._dynamo.exc.usererror: {text}"],
        causes: &["It says: {text}"],
        advice: &[
            "Change the call, its arguments or the code that the message names. No operator is at fault.",
        ],
        ..EXPORT
    },
    Kind {
        id: "dynamo-internal",
        titles: &["`torch.compile` failed by a fault of its own"],
        patterns: &["internaltorchdynamoerror: {text}"],
        causes: &[
            "Dynamo, which traces the Python code, raised {text}. Your code may be right. Compilation \
             stops here, also without `fullgraph=True`.",
        ],
        advice: &[
            "Keep the function at the end of `from user code` out of compilation: \
             `@torch.compiler.disable`.",
            "Or set `torch._dynamo.config.suppress_errors = True`: what fails to compile then runs eagerly.",
            "Try the newest release of PyTorch. If it fails there too, report it with a small program.",
        ],
        misleads: &["The exception that it names was raised in the compiler, not in your model."],
        ..COMPILE
    },
    Kind {
        id: "recompile-limit",
        titles: &["`torch.compile` compiled a function too often and stopped the program"],
        patterns: &["failonrecompilelimithit: {text}"],
        causes: &[
            "Something that is compiled in as a constant changes with each call: a shape, a number, an \
             object. With `fullgraph=True` the function may not run uncompiled.",
        ],
        advice: RECOMPILES,
        ..COMPILE
    },
    Kind {
        id: "recompile-limit",
        titles: &["`torch.compile` compiled a function too often and gave up; it runs uncompiled"],
        patterns: &[
            "hit config.recompile_limit",
            "hit config.cache_size_limit",
            "recompile_limit reached",
        ],
        severity: crate::Severity::Warning,
        causes: &[
            "Something that is compiled in as a constant changes with each call: a shape, a number, an object.",
        ],
        advice: RECOMPILES,
        ..COMPILE
    },
    Kind {
        id: "compiler-toolchain",
        titles: &["This release of PyTorch cannot compile under this Python or on this system"],
        patterns: &[
            "torch.compile is not supported on {text}",
            "dynamo is not supported on {text}",
            "dynamo not supported on {text}",
            "{text} not yet supported for torch.compile",
        ],
        causes: &[
            "`torch.compile` of this release does not support {text}",
            "It is too new, or too old.",
        ],
        advice: &[
            "Upgrade PyTorch, or use a version of Python that this release supports.",
            "Call the model without `torch.compile`.",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "compiler-toolchain",
        titles: &["`torch.compile` lacks a compiler"],
        patterns: &[
            "cannot find a working triton installation",
            "no working c++ compiler found",
            "invalidcxxcompiler",
            "compiler: cl is not found",
            "failed to find c compiler",
        ],
        causes: &[
            "Inductor writes Triton or C++ code, and needs the compiler for it on this machine.",
        ],
        advice: &[
            "Install it (`triton` for GPUs, a C++ compiler for CPUs), or call the model without `torch.compile`.",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "traced-call-failed",
        titles: &["A call in the compiled function fails for these tensors"],
        patterns: &[
            "dynamo failed to run fx node with fake tensors: {text}: got {error}",
            "dynamo failed to run fx node with fake tensors: {text}",
            "torchruntimeerror: {text}",
        ],
        severity: crate::Severity::Wrapper,
        causes: &[
            "The call was tried on tensors without data, and it raised {error}",
            "The call was tried on tensors without data: {text}",
        ],
        advice: &[
            "Run without `torch.compile`: most often the call fails there as well, because shapes, data \
             types or devices do not fit. Correct the call.",
            "If eager mode works: the function that computes the shape is wrong. For a custom operator \
             that is its fake implementation; for PyTorch's operators, report it.",
        ],
        ..COMPILE
    },
    Kind {
        id: "backend-compiler-failed",
        titles: &[
            "The backend of `torch.compile` failed; the message does not say at which operator",
        ],
        patterns: &[
            "backend='{word}' raised: {text}",
            "backendcompilerfailed: {text}",
        ],
        severity: crate::Severity::Wrapper,
        causes: &[
            "The backend {word} raised an error that Opatlas does not know: {text}",
            "The backend raised an error that Opatlas does not know: {text}",
        ],
        advice: &[
            "Look at the first exception of the traceback, before `The above exception was the direct cause`.",
            "Compile with `backend='eager'` and `backend='aot_eager'`: if the first fails, Dynamo is at \
             fault; if only the second fails, AOTAutograd is.",
            "Run without `torch.compile` to see whether eager mode works.",
        ],
        ..COMPILE
    },
];

/// True if a graph break only splits the program: not where it is exported.
fn may_split(reading: &mut Reading<'_>) -> bool {
    let is_split = !reading.mentions("export.export") && !reading.mentions("exportdb");
    if is_split {
        reading.know("true", "True");
    }
    is_split
}
