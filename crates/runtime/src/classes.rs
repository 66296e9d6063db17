//! The custom classes that `torch._C.parse_schema` knows.

/// The custom classes that a schema may name.
#[derive(Debug, Clone, Copy)]
pub enum Classes<'c> {
    /// Every class, defined or not.
    Any,
    /// PyTorch's own classes and these, each as `NAMESPACE.NAME`.
    Defined(&'c [String]),
}

/// The classes in a process of torch 2.9.0, sorted.
const BUILT_IN: [&str; 22] = [
    "_nnapi.Compilation",
    "backendutils.BackendDebugInfo",
    "c10d.ProcessGroup",
    "c10d.ReduceOp",
    "c10d.Work",
    "cuda.Event",
    "cuda.Stream",
    "dist_rpc.WorkerInfo",
    "mkldnn.ConvOpContext",
    "profiling.InstructionStats",
    "profiling.SourceRef",
    "profiling.SourceStats",
    "profiling._ScriptProfile",
    "quantized.Conv2dPackedParamsBase",
    "quantized.Conv3dPackedParamsBase",
    "quantized.EmbeddingPackedParamsBase",
    "quantized.LinearPackedParamsBase",
    "rnn.CellParamsBase",
    "sparse.LinearPackedParamsBase",
    "xnnpack.Conv2dOpContext",
    "xnnpack.LinearOpContext",
    "xnnpack.TransposeConv2dOpContext",
];

const PREFIX: &str = "__torch__.torch.classes.";

impl Classes<'_> {
    pub(super) fn contain(self, namespace: &str, name: &str) -> bool {
        let Self::Defined(further) = self else {
            return true;
        };
        let is_it = |class: &str| {
            let class = class.strip_prefix(PREFIX).unwrap_or(class);
            class.split_once('.') == Some((namespace, name))
        };
        BUILT_IN.iter().any(|class| is_it(class)) || further.iter().any(|class| is_it(class))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{parse, parse_with};

    #[test]
    fn a_class_must_be_defined_where_that_is_asked() {
        let text = "f(__torch__.torch.classes.acme.Cache[] x, __torch__.torch.classes.rnn.CellParamsBase? y) -> ()";
        assert!(parse(text).is_ok());
        let errors = parse_with(text, Classes::Defined(&[])).unwrap_err();
        assert_eq!(errors[0].span.slice(text), "acme.Cache");
        for own in ["acme.Cache", "__torch__.torch.classes.acme.Cache"] {
            let read = parse_with(text, Classes::Defined(&[own.to_owned()]));
            assert_eq!(read.unwrap().printed(), text);
        }
    }
}
