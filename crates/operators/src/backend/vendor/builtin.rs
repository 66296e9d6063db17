//! The built-in profiles. Each follows the generator in its vendor's repository.

use super::Profile;
use super::profile::{DOCUMENT, owned};

fn pairs<T: Clone, U: From<T>>(pairs: &[(&str, T)]) -> Vec<(Box<str>, U)> {
    let pairs = pairs.iter();
    pairs
        .map(|(name, value)| ((*name).into(), value.clone().into()))
        .collect()
}

impl Profile {
    /// Ascend: `npu_native_functions.yaml` and the files of its operator plugin.
    #[must_use]
    pub fn ascend() -> Self {
        Self {
            name: "Ascend".into(),
            key: "PrivateUse1".into(),
            spellings: owned(&["NPU"]),
            namespace: "npu".into(),
            cpp_namespace: "at_npu::native".into(),
            keys: owned(&[
                "all_version",
                "official",
                "custom",
                "custom_autograd",
                "custom_supported",
                "backward",
                "tocpu",
                "unsupported",
                "quant",
            ]),
            autograd: Vec::new(),
            skip_if: Vec::new(),
            versions: owned(&["acl_op", "op_api", "sparse", "version"]),
            fields: owned(&[
                "bscpp_op",
                "device_check",
                "dvm",
                "exposed",
                "gen_opapi",
                "impl_ns",
                "internal_format_opapi",
                "structured",
                "structured_delegate",
                "tags",
                "use_const_ref_for_mutable_tensors",
                "variants",
            ]),
            ..Self::default()
        }
    }

    /// XPU: a second `native_functions.yaml` in addition to PyTorch's.
    #[must_use]
    pub fn xpu() -> Self {
        Self {
            name: "XPU".into(),
            key: "XPU".into(),
            namespace: "aten".into(),
            cpp_namespace: "at::native".into(),
            ..Self::default()
        }
    }

    /// Moore Threads: `musa_functions.yaml` of torch_musa.
    #[must_use]
    pub fn musa() -> Self {
        Self {
            name: "torch_musa".into(),
            key: "PrivateUse1".into(),
            spellings: owned(&["MUSA"]),
            namespace: "musa".into(),
            cpp_namespace: "at::musa".into(),
            lists: pairs(&[(DOCUMENT, "aten")]),
            delegates: true,
            ..Self::default()
        }
    }

    /// Cambricon: `mlu_functions.yaml` of torch_mlu.
    #[must_use]
    pub fn mlu() -> Self {
        Self {
            name: "torch_mlu".into(),
            key: "PrivateUse1".into(),
            spellings: owned(&["MLU"]),
            namespace: "torch_mlu".into(),
            cpp_namespace: "torch_mlu".into(),
            lists: pairs(&[
                ("aten", "aten"),
                ("vision", "torchvision"),
                ("audio", "torchaudio"),
                ("custom", "torch_mlu"),
            ]),
            autograd: owned(&["custom_autograd"]),
            conditions: owned(&["derived_type"]),
            fields: owned(&[
                "override_impl",
                "override_meta",
                "structured",
                "structured_delegate",
                "structured_inherits",
                "tags",
            ]),
            ..Self::default()
        }
    }

    /// Habana: `hpu_op.yaml` of the Gaudi bridge, a mapping by operator.
    #[must_use]
    pub fn habana() -> Self {
        Self {
            name: "Habana".into(),
            key: "HPU".into(),
            namespace: "hpu".into(),
            cpp_namespace: "habana".into(),
            lists: pairs(&[(DOCUMENT, "aten")]),
            operator: Vec::new(),
            schema: "custom_op_schema".into(),
            dispatch: "".into(),
            autograd: Vec::new(),
            autograd_only: owned(&["matmul", "softmax.int", "dropout"]),
            skip_if: pairs(&[("only_shared_layer", true)]),
            versions: owned(&["hpu_wrap_version_range"]),
            fields: owned(&[
                "acc_thread",
                "broadcast",
                "custom_fill_params",
                "dtypes",
                "early_exit",
                "fallback_check",
                "guid",
                "handle_bool_inputs",
                "hpu_wrap_all_versions",
                "inplace_ids",
                "lazy",
                "no_compute_flag",
                "op_backend",
                "op_frontend",
                "op_validator",
                "out_ids",
                "output_meta",
                "override_fn",
                "promote_int_to_float",
                "promote_int_to_long",
                "promote_to_common_type",
                "safe_cast_check",
                "scalar_ids",
                "schema_args",
                "st_meta",
                "synapse_layouts",
                "tpc_input_order",
            ]),
            ..Self::default()
        }
    }

    /// DeepLink: `diopi_functions.yaml` of DIPU.
    #[must_use]
    pub fn dipu() -> Self {
        Self {
            name: "DIPU".into(),
            key: "XPU".into(),
            spellings: owned(&["DIPU"]),
            namespace: "dipu".into(),
            cpp_namespace: "dipu::native".into(),
            lists: pairs(&[(DOCUMENT, "aten")]),
            operator: owned(&["schema"]),
            dispatch: "".into(),
            autograd: owned(&["autograd"]),
            skip_if: pairs(&[("register_operator", false)]),
            conditions: owned(&["device"]),
            versions: owned(&["torch_ver"]),
            fields: owned(&[
                "backward_return_code",
                "backward_schema",
                "cal_grad_code",
                "custom_code",
                "custom_code_at_the_beginning",
                "custom_code_before_call_diopi",
                "custom_code_before_return",
                "custom_fallback",
                "device_guard_arg",
                "dummy_call_diopi",
                "enable_autocompare",
                "enable_fallback_to_cpu",
                "force_fallback",
                "forward_process_code",
                "forward_schema",
                "generate_device_guard",
                "ins",
                "interface",
                "no_device_check_args",
                "outs",
                "print_func_call_info",
                "print_op_args",
                "saved_data",
                "size_attr",
                "use_diopi_adapter",
                "wrappter_custom_return",
            ]),
            ..Self::default()
        }
    }

    /// ExecuTorch: `functions.yaml`, whose kernels torchgen places at `CPU`
    /// (torchgen `executorch/parse.py`).
    #[must_use]
    pub fn executorch() -> Self {
        Self {
            name: "ExecuTorch".into(),
            key: "CPU".into(),
            namespace: "executorch".into(),
            cpp_namespace: "torch::executor".into(),
            lists: pairs(&[(DOCUMENT, "aten")]),
            operator: owned(&["op"]),
            schema: "func".into(),
            kernel: "kernels".into(),
            autograd: Vec::new(),
            fields: owned(&[
                "cpp_no_default_args",
                "device_check",
                "device_guard",
                "dim_order_alias",
                "tags",
                "type_alias",
                "variants",
            ]),
            ..Self::default()
        }
    }
}
