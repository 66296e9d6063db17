//! Sharded tensors and collectives.

use crate::Way;
use crate::kind::{Asks, Kind};
use crate::name;
use crate::reading::Reading;

const DTENSOR: Kind = Kind {
    way: Way::Dtensor,
    ..Kind::ERROR
};

pub(super) const KINDS: &[Kind] = &[
    Kind {
        id: "dtensor-no-strategy",
        titles: &["{op} cannot run on a sharded tensor (DTensor)"],
        patterns: &[
            "operator {op} does not have a sharding strategy registered",
            "{op} does not have a sharding strategy registered",
        ],
        asks: Asks::Dtensor,
        causes: &["DTensor does not know how the result of {op} is sharded. No kernel is missing."],
        advice: &[
            "Call it on the local tensor: `x.to_local()`, or on the whole one: `x.full_tensor()`.",
            "If it is in place: call the form that is not.",
            "`torch.distributed.tensor.experimental.register_sharding` adds a strategy.",
        ],
        ..DTENSOR
    },
    Kind {
        id: "dtensor-fake",
        titles: &["{op} cannot run on a sharded tensor (DTensor)"],
        patterns: &[],
        asks: Asks::Dtensor,
        causes: &[
            "DTensor first computes the shape of the result without data. The shape of this result depends \
             on data, so that fails before DTensor asks for a sharding strategy.",
        ],
        advice: &["Call it on the local tensor: `x.to_local()`."],
        misleads: &["It reads like an error of the compiler. Nothing is compiled."],
        ..DTENSOR
    },
    Kind {
        id: "dtensor-mixed",
        titles: &["{op} got a sharded tensor (DTensor) and an ordinary one"],
        patterns: &["{op}: got mixed torch.tensor and dtensor"],
        causes: &["All tensors of a call must be DTensors, or none."],
        advice: &[
            "Make the other tensor a DTensor with `distribute_tensor(x, mesh, [Replicate()])`. Buffers and \
             tensors made in `forward` are often forgotten.",
            "Or call it on `x.to_local()`.",
        ],
        ..DTENSOR
    },
    Kind {
        id: "dtensor-propagation",
        titles: &["DTensor cannot find out how the result of {op} is sharded"],
        patterns: &[
            "sharding propagation failed on op op(op={op},",
            "sharding propagation failed for op(op={op},",
            "sharding propagation failed on op {schema} on",
            "sharding propagation failed on op {schema} ",
            "sharding propagation failed for {schema} ",
            "sharding propagation failed",
        ],
        refine: |reading| {
            if reading.operator.is_none() {
                let name = reading
                    .part("schema")
                    .and_then(|schema| schema.split('(').next());
                let name = name.filter(|name| name.contains('.') || name.contains("::"));
                reading.operator = name.and_then(name::operator);
            }
        },
        causes: &[
            "Its strategy failed for these placements or shapes, or the shape of the result could not be \
             computed. The exception before it in the traceback says which.",
        ],
        advice: &["Redistribute the inputs first: `x.redistribute(placements=[Replicate()])`."],
        ..DTENSOR
    },
    Kind {
        id: "dtensor-inplace",
        titles: &["{op} would change how its tensor is sharded, which an in-place call cannot"],
        patterns: &["{op}: in-place operations that require placement changes are not supported"],
        causes: &["The result has another placement than the tensor that is written to."],
        advice: &["Use the form that is not in place, or redistribute the tensor first."],
        ..DTENSOR
    },
    Kind {
        id: "dtensor-unsupported",
        titles: &["DTensor does not support this call"],
        patterns: &[
            "is already sharded on mesh dim",
            "as_strided not supported with dtensor",
            "found no devicemesh from dtensor args for {op}!",
        ],
        causes: &["The call needs the whole tensor, or has no DTensor to take the mesh from."],
        advice: &["Call it on `x.to_local()` or `x.full_tensor()`."],
        ..DTENSOR
    },
    Kind {
        id: "collective",
        titles: &["A collective failed, or the processes do not agree"],
        patterns: &[
            "nccl error in:",
            "ncclunhandledcudaerror",
            "ncclsystemerror",
            "ncclinternalerror",
            "ncclinvalidusage",
            "watchdog caught collective operation timeout",
        ],
        causes: &["It is about processes, devices and the network. No operator is missing."],
        advice: &[
            "Set `NCCL_DEBUG=INFO` and `TORCH_DISTRIBUTED_DEBUG=DETAIL` and run again.",
            "Check that every process calls the same collectives in the same order, on tensors of its own \
             device.",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "collective",
        titles: &["Some parameters of a `DistributedDataParallel` module got no gradient"],
        patterns: &["expected to have finished reduction in the prior iteration"],
        causes: &[
            "Each backward pass must reach every parameter that requires a gradient. Some were not used \
             for the loss, or a process stopped early.",
        ],
        advice: &[
            "Pass `find_unused_parameters=True` to `DistributedDataParallel`, or freeze what is not used \
             (`requires_grad_(False)`).",
            "Compute the loss from the outputs of the wrapped module's `forward` only.",
            "`TORCH_DISTRIBUTED_DEBUG=DETAIL` names the parameters.",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "collective",
        titles: &["No process group exists yet"],
        patterns: &["default process group has not been initialized"],
        causes: &[
            "A collective, or a module that uses one, comes before `init_process_group`, or the group was destroyed.",
        ],
        advice: &[
            "Call `torch.distributed.init_process_group(...)` first, in every process. `torchrun` sets the \
             variables that it reads.",
            "If the program is to run in one process: leave out the distributed sampler or module.",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "collective",
        titles: &["The process group cannot send tensors of this device"],
        patterns: &[
            "no backend type associated with device type {device}",
            "tensors must be cuda and dense",
        ],
        causes: &[
            "Its backend does not serve {device} tensors: NCCL is for CUDA, Gloo for the CPU.",
            "NCCL sends dense CUDA tensors only.",
        ],
        advice: &[
            "Move the tensor to the device of the backend.",
            "Or serve both: `init_process_group('cpu:gloo,cuda:nccl')`.",
        ],
        ..Kind::OTHER
    },
];

/// A failed computation of shapes inside DTensor.
pub(super) fn within_dtensor(reading: &mut Reading<'_>) {
    let is_dtensor = ["dtensor", "distributed/tensor", "distributed/_tensor"];
    if is_dtensor.iter().any(|word| reading.mentions(word))
        && let Some(kind) = KINDS.iter().find(|kind| kind.id == "dtensor-fake")
    {
        reading.choose(kind);
        reading.key = None;
    }
}
