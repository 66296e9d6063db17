//! The registries of PyTorch that hold operators.

macro_rules! registries {
    ($($(#[$doc:meta])* $name:ident => $text:literal,)*) => {
        /// A registry of `data/ways.txt` that holds operators, in the order of the file.
        #[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
        pub enum Registry {
            $($(#[$doc])* $name,)*
        }

        impl Registry {
            /// All registries.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The name in `data/ways.txt`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

registries! {
    /// Operators with a C shim for each device (`torchgen.aoti.fallback_ops.inductor_fallback_ops`). The value has the versions as JSON; none is the first version alone.
    AotiFallbackOps => "aoti_fallback_ops",
    /// Operators with one C shim for all devices (`aten_shimified_ops`). The value has the versions as JSON.
    AotiShimifiedOps => "aoti_shimified_ops",
    /// Operators with an autocast kernel on the CPU. The value is the policy, as for all devices: a name of `CastPolicy`, `banned`, or `unknown`.
    AutocastCpu => "autocast_cpu",
    /// Operators with an autocast kernel on CUDA.
    AutocastCuda => "autocast_cuda",
    /// Operators with an autocast kernel on MAIA.
    AutocastMaia => "autocast_maia",
    /// Operators with an autocast kernel on MPS.
    AutocastMps => "autocast_mps",
    /// Operators with an autocast kernel on MTIA.
    AutocastMtia => "autocast_mtia",
    /// Operators with an autocast kernel on XPU.
    AutocastXpu => "autocast_xpu",
    /// Kernels at `CompositeExplicitAutograd` or `CompositeExplicitAutogradNonFunctional`.
    CompositeExplicit => "composite_explicit",
    /// Kernels at `CompositeImplicitAutograd`.
    CompositeImplicit => "composite_implicit",
    /// Decompositions of `torch._decomp.core_aten_decompositions()`, the default table of export.
    CoreAtenDecompositions => "core_aten_decompositions",
    /// Operators with the tag `core`.
    CoreTag => "core_tag",
    /// Functions of `torch._decomp.global_decomposition_table["meta"]`.
    DecompMeta => "decomp_meta",
    /// Decompositions of `torch._decomp.global_decomposition_table["post_autograd"]`.
    DecompPostAutograd => "decomp_post_autograd",
    /// Decompositions of `torch._decomp.global_decomposition_table["pre_autograd"]`.
    DecompPreAutograd => "decomp_pre_autograd",
    /// Operators whose sharding strategy can come from a decomposition (`DecompShardingStrategy.has_decomp`).
    DtensorCanDecompose => "dtensor_can_decompose",
    /// Operators with a handler of their own in `DTensor`.
    DtensorCustom => "dtensor_custom",
    /// Operators with a sharding rule (`op_to_rules`).
    DtensorRules => "dtensor_rules",
    /// Operators with a sharding strategy for one dimension of the mesh (`op_single_dim_strategy_funcs`).
    DtensorSingleDim => "dtensor_single_dim",
    /// Operators with a sharding strategy (`op_strategy_funcs`).
    DtensorStrategy => "dtensor_strategy",
    /// Operators that fake tensors implement themselves (`torch._subclasses.fake_impls`).
    FakeImpls => "fake_impls",
    /// Kernels at `Functionalize`.
    FunctionalizeKernel => "functionalize_kernel",
    /// Operators that Inductor calls as they are (`FALLBACK_ALLOW_LIST`): namespace and base name, such as `aten::index_add`.
    InductorAllowList => "inductor_allow_list",
    /// Decompositions of `torch._inductor.decomposition.select_decomp_table()`.
    InductorDecompTable => "inductor_decomp_table",
    /// Decompositions of `torch._inductor.decomposition.decompositions`, without those of random operators.
    InductorDecompositions => "inductor_decompositions",
    /// Operators whose lowering falls back, always or for some arguments (`torch._inductor.lowering.fallbacks`).
    InductorFallbacks => "inductor_fallbacks",
    /// Operators whose lowering is the fallback handler.
    InductorHandler => "inductor_handler",
    /// Operators with a lowering (`torch._inductor.lowering.lowerings`), and packets: `add (packet)`.
    InductorLowerings => "inductor_lowerings",
    /// Kernels at `Meta`, also Python ones.
    MetaKernel => "meta_kernel",
    /// Operators with a Python function at `Meta` (`py_kernels`).
    MetaPython => "meta_python",
    /// The operators of namespace `aten` in the dispatcher.
    Operators => "operators",
    /// Operators that `torch/csrc/stable/ops.h` calls. The value names its functions, separated by blanks.
    StableOps => "stable_ops",
    /// Kernels at `FuncTorchBatchedDecomposition`.
    VmapDecomposition => "vmap_decomposition",
    /// Kernels at `FuncTorchDynamicLayerFrontMode`.
    VmapFront => "vmap_front",
    /// Batching rules that the first `torch.vmap` of a process registers.
    VmapPython => "vmap_python",
    /// Operators whose batching rule only raises.
    VmapRaises => "vmap_raises",
    /// Kernels at `FuncTorchVmapMode`.
    VmapRandom => "vmap_random",
    /// Kernels at `FuncTorchBatched`, before the first `torch.vmap`.
    VmapRules => "vmap_rules",
}

impl Registry {
    /// The autocast kernels of a device type: `cpu`, `cuda`.
    #[must_use]
    pub fn autocast(device: &str) -> Option<Self> {
        let registries = Self::ALL.iter().copied();
        registries
            .into_iter()
            .find(|registry| registry.name().strip_prefix("autocast_") == Some(device))
    }
}
