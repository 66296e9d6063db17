//! `torch.vmap`, `torch.func`.

use super::names;
use crate::Way;
use crate::kind::{Asks, Kind};
use crate::reading::Reading;

const VMAP: Kind = Kind {
    way: Way::Vmap,
    key: Some("FuncTorchBatched"),
    ..Kind::ERROR
};

pub(super) const KINDS: &[Kind] = &[
    Kind {
        id: "vmap-fallback-warning",
        titles: &[
            "{op} has no batching rule, so vmap calls it once for each example; nothing failed",
        ],
        patterns: &[
            "batching rule not implemented for {op} falling back to slow",
            "there is a performance drop because we have not yet implemented the batching rule for {op}.",
        ],
        severity: crate::Severity::Warning,
        asks: Asks::BatchingRule,
        causes: &["Without a batching rule, vmap loops over the batch and stacks the results."],
        advice: &["This is a warning: the results are right, only slower."],
        ..VMAP
    },
    Kind {
        id: "vmap-no-rule",
        titles: &["{op} cannot be called inside vmap"],
        patterns: &[
            "batching rule not implemented for {op}; the fallback path doesn't work",
            "batching rule not implemented for {op}. we could not generate a fallback",
            "batching rule not implemented for {op}; ",
            "batching rule not implemented for {op}",
            "{op} requires special handling, and does not yet have a batching rule",
        ],
        asks: Asks::Vmap,
        causes: &[
            "vmap has no batching rule for {op}, and its fallback, a loop, does not support operators \
             that return views or write to `out=`.",
        ],
        advice: &[
            "Call it outside vmap, or write the function with other operators: `x.transpose(0, 1)` for \
             `x.t()`, for example.",
            "If it is your own operator: `torch.library.register_vmap` adds a rule.",
        ],
        ..VMAP
    },
    Kind {
        id: "vmap-no-rule",
        titles: &["{op} has no batching rule, and the fallback of vmap is switched off"],
        patterns: &["{op} hit the vmap fallback which is currently disabled"],
        asks: Asks::BatchingRule,
        causes: &[
            "Without a batching rule, vmap loops over the batch. The program switched that off: \
             `torch._C._functorch._set_vmap_fallback_enabled(False)`.",
        ],
        advice: &[
            "Switch it on again: `torch._C._functorch._set_vmap_fallback_enabled(True)`. The call is then \
             slower and right.",
            "If it is your own operator: `torch.library.register_vmap` adds a rule.",
            "Write the function with operators that have batching rules.",
        ],
        ..VMAP
    },
    Kind {
        id: "vmap-inplace",
        titles: &["Code inside vmap writes a batched value into a tensor that is not batched"],
        patterns: &[
            "vmap: inplace arithmetic(self, *extra_args) is not possible",
            "vmap: {op}(self, *extra_args) is not possible because there exists a tensor",
            "vmap: inplace arithmetic over unbatched tensor",
        ],
        refine: |reading| {
            let is_named = reading.part("op").is_some_and(|name| name.contains("::"));
            if !is_named {
                reading.operator = None;
            }
        },
        asks: Asks::Never,
        causes: &[
            "A tensor made inside the function has no batch dimension. A value that has one does not fit \
             into it.",
        ],
        advice: &[
            "Create the tensor from a batched one: `x.new_zeros(...)` or `torch.zeros_like(x)`.",
            "Use the form that is not in place: `a = a + b` for `a += b`.",
        ],
        misleads: &[
            "`inplace arithmetic` is not an operator's name, and no batching rule is missing.",
        ],
        ..VMAP
    },
    Kind {
        id: "vmap-random",
        key: Some("FuncTorchVmapMode"),
        titles: &["Code inside vmap draws random numbers, and the call of vmap does not say how"],
        patterns: &[
            "vmap: called random operation while in randomness error mode",
            "vmap: we do not yet support calling random operations inside of vmap",
            "vmap: we do not support calling out variants of random operations",
            "vmap: cannot ask for different inplace randomness on an unbatched tensor",
        ],
        causes: &[
            "Each example could get the same random numbers or its own. PyTorch does not guess.",
        ],
        advice: &[
            "Pass `randomness='different'` or `randomness='same'` to `torch.vmap`.",
            "Or draw the numbers before, and pass them in.",
        ],
        ..VMAP
    },
    Kind {
        id: "vmap-data-dependent",
        titles: &["Code inside vmap reads a value or branches on one"],
        patterns: &[
            "vmap: it looks like you're calling .item() on a tensor",
            "vmap: it looks like you're attempting to use a tensor in some",
            "vmap: it looks like you're either (1) calling .item()",
            "accessing the data under vmap transform is not allowed",
            "vmap: we do not support batching operators that can output dynamic shape",
            "vmap: we do not support batching operators that can support dynamic shape",
        ],
        causes: &[
            "Inside vmap a tensor stands for a whole batch, so it has no single value or shape.",
        ],
        advice: &[
            "Replace `if` by `torch.where`, and a boolean mask by multiplication or `torch.where`.",
            "Move `.item()` and operators whose output size depends on values out of vmap.",
        ],
        ..VMAP
    },
    Kind {
        id: "func-autograd-function",
        titles: &["A `torch.autograd.Function` does not support `torch.func` or vmap"],
        patterns: &[
            "in order to use an autograd.function with functorch transforms",
            "but it does not have vmap support. please override",
            "we do not support custom autograd.function with functorch transforms",
        ],
        key: None,
        causes: &["It needs a separate `setup_context`, and for vmap a rule."],
        advice: &[
            "Split `forward` into `forward` and `setup_context`, and set `generate_vmap_rule = True` or write a `vmap` staticmethod.",
        ],
        ..VMAP
    },
    Kind {
        id: "vmap-arguments",
        titles: &["The arguments of vmap do not fit together"],
        patterns: &[
            "vmap: expected all tensors to have the same size in the mapped dimension",
            "vmap({text}): got in_dim=",
            "vmap: in_dims is not compatible with the structure of inputs",
            "at least one of the input tensors must be batched",
        ],
        causes: &["All batched arguments need the same size in the dimension that vmap maps over."],
        advice: &["Check `in_dims`, and the shapes of the arguments."],
        ..VMAP
    },
    Kind {
        id: "vmap-unsupported",
        titles: &["The function does not support a batch of these arguments"],
        patterns: &[
            "vmap over torch.{name} isn't supported yet",
            "vmap: attempted to vmap over {text} in torch.{name}",
            "vmap: calling tensor.{name} is not supported unless",
        ],
        refine: |reading: &mut Reading<'_>| {
            let name = reading.part("name").map(str::to_owned);
            names::function(reading, name.as_deref());
        },
        causes: &["The batching rule of this function raises for some arguments on purpose."],
        advice: &["Call it outside vmap, or pass this argument without a batch dimension."],
        ..VMAP
    },
];
