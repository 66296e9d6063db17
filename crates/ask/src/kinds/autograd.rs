//! Gradients.

use super::names;
use crate::Way;
use crate::kind::{Asks, Kind};
use crate::reading::Reading;

const TRAINING: Kind = Kind {
    way: Way::Training,
    ..Kind::ERROR
};

pub(super) const KINDS: &[Kind] = &[
    Kind {
        id: "derivative-not-implemented",
        titles: &["PyTorch cannot compute gradients through {op}"],
        patterns: &[
            "the derivative for '{op}' is not implemented",
            "derivative for {op} is not implemented",
            "the derivative of '{op}' is not implemented",
            "the double backward of '{op}' is not implemented",
            "{op} does not support double backward",
        ],
        asks: Asks::Training,
        refine: |reading| {
            let is_backward = reading
                .operator
                .as_deref()
                .is_some_and(|name| name.contains("_backward"));
            if is_backward {
                reading.know("second", "second");
            }
        },
        causes: &[
            "{op} already computes a gradient. A {second} derivative (`create_graph=True`, a gradient \
             penalty, a Hessian) needs the derivative of that, which has no formula.",
            "{op} has no derivative formula, and one of its inputs requires a gradient.",
        ],
        advice: &[
            "If you do not need this gradient: detach the inputs (`x.detach()`) or call it under \
             `torch.no_grad()`.",
            "If you need it: write the step with operators that have derivatives, or wrap it in a \
             `torch.autograd.Function` with your own backward.",
        ],
        misleads: &[
            "If the traceback is of the compiler: eager mode fails as well, later, in `backward()`.",
        ],
        ..TRAINING
    },
    Kind {
        id: "not-differentiable",
        titles: &["{op} has no gradient with respect to its argument `{word}`, on purpose"],
        patterns: &["the function '{op}' is not differentiable with respect to argument '{word}'"],
        causes: &[
            "The result does not change smoothly with this argument, such as an index or a condition.",
        ],
        advice: &["Detach this argument: `x.detach()`. No release changes it."],
        ..TRAINING
    },
    Kind {
        id: "forward-ad",
        titles: &["{op} does not support forward-mode gradients (`jvp`, `jacfwd`)"],
        patterns: &["trying to use forward ad with {op} that does not support it"],
        refine: forward,
        causes: &[
            "On {backend} {op} is a kernel of its own, whose formula covers backward mode only. On other \
             devices it decomposes into operators with forward formulas.",
            "{op} has a derivative for backward mode, or none, and no formula for forward mode.",
        ],
        advice: &[
            "Use backward mode: `torch.func.vjp`, `jacrev` or `torch.autograd.grad`.",
            "Write the step with smaller operators: `x @ w.t() + b` for `linear`, for example.",
            "If it happens on one device only: run this part on the CPU.",
        ],
        ..TRAINING
    },
    Kind {
        id: "autograd-key-warning",
        titles: &[
            "No gradient flows through {op}, which has no autograd registration; nothing failed",
        ],
        patterns: &["{op}: an autograd kernel was not registered to the autograd key(s)"],
        severity: crate::Severity::Warning,
        key: Some("Autograd"),
        causes: &[
            "The operator has kernels and nothing at the Autograd key. Its results are treated as if they \
             did not depend on its inputs.",
        ],
        advice: &[
            "If no gradient has to flow through it: call it under `torch.no_grad()`.",
            "If one has to: use a differentiable form (`torch.distributed.nn` for collectives).",
            "If it is your own operator: `torch.library.register_autograd` adds a formula.",
        ],
        ..TRAINING
    },
    Kind {
        id: "custom-op-no-autograd",
        titles: &["PyTorch cannot compute gradients through the custom operator {op}"],
        patterns: &["trying to backward through {op} but no autograd formula was registered"],
        causes: &["{op} has no formula for its gradient."],
        advice: &[
            "If you write it: `torch.library.register_autograd` adds a formula.",
            "If you do not need this gradient: call it under `torch.no_grad()`, or detach its inputs.",
        ],
        ..TRAINING
    },
    Kind {
        id: "once-differentiable",
        titles: &[
            "A function can be differentiated once, and the program asks for a second derivative",
        ],
        patterns: &[
            "trying to differentiate twice a function that was marked with @once_differentiable",
            "double backwards is not supported for {text}",
            "double backward is not supported for {text}",
        ],
        causes: &["Its backward is marked as not differentiable."],
        advice: &[
            "Drop `create_graph=True` or the gradient penalty, or replace the function by PyTorch's own.",
        ],
        ..TRAINING
    },
    Kind {
        id: "complex-autograd",
        titles: &["{name} cannot be differentiated for complex numbers"],
        patterns: &[
            "{name} does not support automatic differentiation for outputs with complex dtype",
        ],
        refine: |reading: &mut Reading<'_>| {
            let name = reading.part("name").map(str::to_owned);
            names::function(reading, name.as_deref());
        },
        causes: &["The formula of this operator is for real numbers only."],
        advice: &["Compute with the real and the imaginary part (`torch.view_as_real`)."],
        ..TRAINING
    },
    Kind {
        id: "rnn-eval-backward",
        titles: &["cuDNN can compute gradients of a recurrent layer in training mode only"],
        patterns: &["cudnn rnn backward can only be called in training mode"],
        key: Some("CUDA"),
        causes: &["The module is in evaluation mode, and `backward()` was called."],
        advice: &[
            "Call `model.train()`, or set `torch.backends.cudnn.enabled = False` for this part.",
        ],
        ..TRAINING
    },
];

/// Finds the backend on which the operator is a kernel of its own, and decomposes elsewhere.
fn forward(reading: &mut Reading<'_>) {
    let operator = reading.operator.clone().unwrap_or_default();
    reading.key = opatlas_verdict::releases::only_kernel(&operator).map(str::to_owned);
}
